"""Clients, the tenants of the service: their hierarchy and settings."""
