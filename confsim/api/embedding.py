"""The embedding family."""

from __future__ import annotations
