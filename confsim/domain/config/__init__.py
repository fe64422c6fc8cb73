"""Configuration documents of clients, templates and channels."""
