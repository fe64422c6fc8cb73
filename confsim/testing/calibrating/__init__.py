"""Calibrate: finds the alternative of each assumption that a service follows, from its answers to API calls alone."""
