"""A summary of a world: what is wrong, what waits and what comes next."""
