"""Reproducers in words, as a shell script and as a test: what differs from run to run is a symbol in them."""
