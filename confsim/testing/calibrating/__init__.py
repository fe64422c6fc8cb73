"""Calibrate: which alternative of each assumption a service follows, by its answers to calls of the API alone."""
