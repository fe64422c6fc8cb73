"""The operations on members of channels: roles and guests."""
