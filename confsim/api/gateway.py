"""The gateway family."""

from __future__ import annotations
