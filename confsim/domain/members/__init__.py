"""Members of channels and clients: roles, access, guests, linked users and the user list."""
