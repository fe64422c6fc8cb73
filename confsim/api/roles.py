"""The roles family."""

from __future__ import annotations
