"""The auth family."""

from __future__ import annotations
