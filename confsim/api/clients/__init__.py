"""The operations on clients and on where they may be embedded."""
