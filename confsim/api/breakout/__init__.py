"""The operations on breakout sessions and their rooms."""
