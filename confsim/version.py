"""The version of confsim."""

__version__ = "0.1.0"
