"""The operations on media pools and on the gateway."""
