"""The friendly_urls family."""

from __future__ import annotations
