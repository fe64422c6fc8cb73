"""Webhooks: their delivery, over HTTP or to receivers in this process, and their signatures."""
