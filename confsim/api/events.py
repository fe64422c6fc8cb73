"""The events family."""

from __future__ import annotations
