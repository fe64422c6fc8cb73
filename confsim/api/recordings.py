"""The recordings family."""

from __future__ import annotations
