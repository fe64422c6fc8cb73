"""The runtime family."""

from __future__ import annotations
