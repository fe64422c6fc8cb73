"""The control plane: what a test does to the world and asks about it, beside the API. Mounted under /_confsim.

Importing the package declares the operations.
"""

from . import catalogue

__all__ = ["catalogue"]
