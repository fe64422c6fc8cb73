"""Verify: journeys through a service and a model side by side; each difference is shrunk, explained and printed."""
