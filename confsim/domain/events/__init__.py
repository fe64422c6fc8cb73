"""The events interface: what happened, and its delivery to endpoints."""
