"""The pipeline: credential, gate, decode, operation, encode; the clock and the journal around it."""
