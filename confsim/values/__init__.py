"""Values that people write: durations, URLs and their hosts, and the bounds of plain values."""
