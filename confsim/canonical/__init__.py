"""The canonical form of a world: its records in words, and the difference of two worlds in these words."""
