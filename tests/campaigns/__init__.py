"""Campaigns, started by ``python tests/campaigns NAME``."""
