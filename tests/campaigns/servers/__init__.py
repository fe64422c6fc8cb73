"""Campaigns against a live server: what comes in over its sockets, and what it keeps."""
