"""The bodies that a server is still reading: all have one bound, and large ones that nobody needs are not read."""

from __future__ import annotations

from collections.abc import Callable

from confsim.http.limits import Limits, Unread
from confsim.service.messages import Request

from .framing import FaultError

#: Bytes of a body that are read in any case, whoever sends it.
SMALL = 64 * 2**10

#: Returns whether the answer to a request, which is given without its body, may depend on the body.
NeedsBody = Callable[[Request], bool]


class UnfinishedBodies:
    """The bytes of the bodies of all connections of a server that are not complete."""

    __slots__ = ("count", "needs_body")

    def __init__(self, needs_body: NeedsBody = lambda request: True) -> None:
        self.needs_body = needs_body
        self.count = 0

    def add(self, more: int, most: int) -> None:
        """Count more bytes, or fewer. Raises FaultError for more than ``most``."""
        self.require_room(more, most)
        self.count += more

    def require_room(self, more: int, most: int) -> None:
        """Raise FaultError when there would be more than ``most`` bytes."""
        if more > 0 and self.count + more > most:
            raise FaultError(Unread.BUSY)


class LargeBody:
    """The body of one connection at a time, among the unfinished ones of its server."""

    __slots__ = ("_begun", "_limits", "_size", "_unfinished")

    def __init__(self, unfinished: UnfinishedBodies, limits: Limits) -> None:
        self._unfinished, self._limits = unfinished, limits
        self._begun, self._size = False, 0

    def begin(self, request: Callable[[], Request], length: int) -> None:
        """Admit a body of a declared length, once. Raises FaultError if it is not needed or does not fit."""
        if not self._begun:
            self._begun = True
            if not self._unfinished.needs_body(request()):
                raise FaultError(Unread.UNNEEDED)
            self._unfinished.require_room(length, self._limits.unfinished)

    def grow(self, size: int) -> None:
        """Count the body at its present size. Raises FaultError when it does not fit."""
        self._unfinished.add(size - self._size, self._limits.unfinished)
        self._size = size

    def end(self) -> None:
        """Count the body no more: it is complete or given up."""
        if self._begun or self._size:
            self._unfinished.add(-self._size, 0)
            self._begun, self._size = False, 0
