"""The clients family."""

from __future__ import annotations
