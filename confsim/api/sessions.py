"""The sessions family."""

from __future__ import annotations
