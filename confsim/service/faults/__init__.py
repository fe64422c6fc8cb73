"""Fault injection: what a test makes go wrong, how it is specified, and what it does."""
