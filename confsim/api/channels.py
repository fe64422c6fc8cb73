"""The channels family."""

from __future__ import annotations
