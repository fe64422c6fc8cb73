"""The version of confsim."""

__version__ = "0.2.0"
