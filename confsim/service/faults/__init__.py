"""Fault injection: what a test makes go wrong, how it is said, and what it does."""
