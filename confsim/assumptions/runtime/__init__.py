"""Assumptions about running channels: who is in them, their sessions, their streams."""
