"""Limits on requests."""

from __future__ import annotations

from msgspec import Struct

from confsim.service.messages import LARGEST_BODY


class Limits(Struct, frozen=True):
    """Limits in bytes and in seconds. The WSGI application has only those of one request in bytes."""

    body: int = LARGEST_BODY
    url: int = 64 * 2**10
    headers: int = 64 * 2**10
    unfinished: int = 256 * 2**20  # of all bodies that are being read; further ones are refused with 503
    idle: float = 120.0  # between two requests; then the connection is closed
    read: float = 30.0  # for the head, and between two pieces of the body; then the fault is "timeout"
    whole: float = 120.0  # for a whole request, also if its body comes in many pieces
    linger: float = 2.0  # after the last response, while further input is discarded

    @property
    def tick(self) -> float:
        """Return the seconds between two checks of deadlines."""
        return min(self.idle, self.read, self.linger, 4.0) / 4


DEFAULT_LIMITS = Limits()
