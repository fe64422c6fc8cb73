"""The operations on the events interface."""
