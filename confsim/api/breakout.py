"""The breakout family."""

from __future__ import annotations
