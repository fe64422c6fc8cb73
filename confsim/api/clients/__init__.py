"""The operations on clients and on their embedding."""
