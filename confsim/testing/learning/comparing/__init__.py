"""The comparison of answers: the shapes of their places, the names and instants of both sides that belong together."""
