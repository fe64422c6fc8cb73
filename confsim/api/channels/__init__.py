"""The operations on channels, their links and their properties."""
