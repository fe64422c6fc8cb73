"""The media family."""

from __future__ import annotations
