"""Calls counted and calls repeated, where a profile asks for it: rate limits and idempotency keys."""

from __future__ import annotations

from confsim.api.call import Call
from confsim.assumptions import transport
from confsim.assumptions.refusals import Reason
from confsim.assumptions.register import ask, peek
from confsim.kernel.refusal import Refusal

from .message import Request, Response

_MINUTE = 60_000


class Repeats:
    """What the calls of one world have in common beyond its records: how many there were, and what was answered."""

    def __init__(self) -> None:
        self._minute = -1
        self._calls: dict[str | None, int] = {}
        self._answers: dict[tuple[str | None, str, str], Response] = {}

    def meet(self, call: Call, request: Request, token: str | None) -> Response | None:
        """Count the call, and answer it if it repeats an earlier one. Refusal TOO_MANY_CALLS (G012)."""
        limit = peek(call, transport.RATE)
        if limit:
            ask(call, transport.RATE)
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
            raise Refusal(Reason.TOO_MANY_CALLS, limit=limit, retryAfter=60 - call.now % _MINUTE // 1000)

    def keep(self, call: Call, request: Request, token: str | None, response: Response) -> None:
        """Remember the answer to a call that bears a key (G074)."""
        key = self._key(call, request, token)
        if key is not None:
            self._answers[key] = Response(response.status, list(response.headers), response.body)

    def _key(self, call: Call, request: Request, token: str | None) -> tuple[str | None, str, str] | None:
        header = peek(call, transport.IDEMPOTENCY)
        if not header or request.method != "POST":
            return None
        ask(call, transport.IDEMPOTENCY)
        value = request.headers.get(header.lower())
        return None if value is None else (token, call.operation.name, value)
