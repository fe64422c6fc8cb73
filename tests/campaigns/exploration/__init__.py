"""Campaigns about the exploration of small worlds."""
