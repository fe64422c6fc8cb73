"""The config family."""

from __future__ import annotations
