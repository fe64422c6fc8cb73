"""The full-text search of a world and of what is known about it."""
