"""The operations on who belongs to a channel: roles and guests."""
