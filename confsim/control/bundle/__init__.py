"""Bundles: a journal in one file, complete enough to be replayed by anybody, elsewhere."""
