"""Verify: journeys through a service and a model side by side, and what differs, shrunk, explained and printed."""
