"""The templates family."""

from __future__ import annotations
