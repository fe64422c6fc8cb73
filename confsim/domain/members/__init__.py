"""Members of channels: roles, access, guests, linked users, the list of channels."""
