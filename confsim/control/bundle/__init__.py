"""Bundles: one file with all that a journal needs to be played again, by anybody, elsewhere."""
