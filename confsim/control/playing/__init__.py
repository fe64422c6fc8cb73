"""Playing with a world: scenarios to run in it, and operations to try with the tokens and records that it has."""
