"""Commands for a running server: they call its API and steer its worlds."""
