"""The broadcast family."""

from __future__ import annotations
