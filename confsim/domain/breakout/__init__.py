"""Breakout sessions, their rooms and who is assigned to them."""
