"""Calls that hang on earlier ones, where a profile asks for it: rate limits, idempotency keys, changes that lag."""

from __future__ import annotations

from collections import deque

from confsim.api.call import Call
from confsim.assumptions.protocol import transport
from confsim.assumptions.refusals import Reason
from confsim.assumptions.register import note, value_of
from confsim.kernel.refusal import Refusal
from confsim.kernel.world import Change, World

from .message import Request, Response

_MINUTE = 60_000


def next_minute(now: int) -> int:
    """Seconds until the next minute begins, and the count of calls with it."""
    return 60 - now % _MINUTE // 1000


class Repeats:
    """What the calls of one world have in common beyond its records: how many there were, and what was answered."""

    def __init__(self) -> None:
        self._minute = -1
        self._calls: dict[str | None, int] = {}
        self._answers: dict[tuple[str | None, str, str], Response] = {}
        self._worlds: deque[tuple[int, World]] = deque()

    def committed(self, change: Change, after: World) -> None:
        """Remember the world that a change made."""
        if value_of(change, transport.LAG):
            if not self._worlds:
                self._worlds.append((0, change.world))
            self._worlds.append((change.now, after))

    def shown(self, change: Change) -> Change:
        """A change of the world that a reader sees already: that of some time ago (G015)."""
        lag = value_of(change, transport.LAG)
        if not lag or not self._worlds:
            return change
        note(change, transport.LAG)
        while len(self._worlds) > 1 and self._worlds[1][0] <= change.now - lag:
            self._worlds.popleft()
        if len(self._worlds) == 1:
            return change
        past = self._worlds[0][1].change(change.now, change.profile, change.faults)
        past.used.update(change.used)
        return past

    def meet(self, call: Call, request: Request, token: str | None) -> Response | None:
        """Count the call, and answer it if it repeats an earlier one. Refusal TOO_MANY_CALLS (G012)."""
        limit = value_of(call, transport.RATE)
        if limit:
            note(call, transport.RATE)
            self._count(call, token, limit)
        key = self._key(call, request, token)
        earlier = self._answers.get(key) if key is not None else None
        return None if earlier is None else Response(earlier.status, list(earlier.headers), earlier.body)

    def _count(self, call: Call, token: str | None, limit: int) -> None:
        minute = call.now // _MINUTE
        if minute != self._minute:
            self._minute, self._calls = minute, {}
        count = self._calls[token] = self._calls.get(token, 0) + 1
        if count > limit:
            raise Refusal(Reason.TOO_MANY_CALLS, limit=limit, retryAfter=next_minute(call.now))

    def keep(self, call: Call, request: Request, token: str | None, response: Response) -> None:
        """Remember the answer to a call that bears a key (G074)."""
        key = self._key(call, request, token)
        if key is not None:
            self._answers[key] = Response(response.status, list(response.headers), response.body)

    def _key(self, call: Call, request: Request, token: str | None) -> tuple[str | None, str, str] | None:
        header = value_of(call, transport.IDEMPOTENCY)
        if not header or request.method != "POST":
            return None
        note(call, transport.IDEMPOTENCY)
        value = request.headers.get(header.lower())
        return None if value is None else (token, call.operation.name, value)
