"""What one client may ask of a server before it is refused."""

from __future__ import annotations

from msgspec import Struct


class Limits(Struct, frozen=True):
    """Limits in bytes and seconds. All but the times hold for WSGI too."""

    body: int = 100 * 2**20
    url: int = 64 * 2**10
    headers: int = 64 * 2**10
    idle: float = 120.0  # between two requests; then the connection is closed
    read: float = 30.0  # for a whole head, and for each silence inside a body; then the fault is "timeout"
    linger: float = 2.0  # after a last answer: how long leftover input is read and dropped

    @property
    def tick(self) -> float:
        """How often deadlines are looked at."""
        return min(self.idle, self.read, self.linger, 4.0) / 4


DEFAULT_LIMITS = Limits()
