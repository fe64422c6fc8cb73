"""Live streams of a channel and their destinations."""
