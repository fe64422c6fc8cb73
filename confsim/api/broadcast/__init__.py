"""The operations on broadcasts and their destinations."""
