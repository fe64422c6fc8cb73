"""Limits on requests."""

from __future__ import annotations

from msgspec import Struct


class Limits(Struct, frozen=True):
    """Limits in bytes and in seconds. The WSGI application has only those in bytes."""

    body: int = 100 * 2**20
    url: int = 64 * 2**10
    headers: int = 64 * 2**10
    idle: float = 120.0  # between two requests; then the connection is closed
    read: float = 30.0  # for the head, and between two pieces of the body; then the fault is "timeout"
    linger: float = 2.0  # after the last response, while further input is discarded

    @property
    def tick(self) -> float:
        """Return the seconds between two checks of deadlines."""
        return min(self.idle, self.read, self.linger, 4.0) / 4


DEFAULT_LIMITS = Limits()
