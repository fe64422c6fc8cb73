"""The access family."""

from __future__ import annotations
