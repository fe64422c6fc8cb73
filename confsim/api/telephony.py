"""The telephony family."""

from __future__ import annotations
