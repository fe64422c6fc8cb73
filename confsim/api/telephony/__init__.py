"""The telephony family: switches, PINs, inbound numbers, calls."""

from __future__ import annotations

from . import calls, numbers, pins, switches

__all__ = ["calls", "numbers", "pins", "switches"]
