"""Breakout sessions, their rooms and the assignments of users to rooms."""
