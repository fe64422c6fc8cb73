"""The search for a text in everything that a world has and that is said about it."""
