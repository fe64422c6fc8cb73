"""The control plane: what tests do to a world and ask about it beside the API. It is mounted at /_confsim.

Importing the package declares the operations.
"""

from . import catalogue

__all__ = ["catalogue"]
