"""The validators family."""

from __future__ import annotations
