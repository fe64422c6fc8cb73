"""Short ways to make things of a world and to read them."""
