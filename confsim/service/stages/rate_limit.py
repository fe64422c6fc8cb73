"""The rate limit: calls a minute for each token (G012)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from confsim.api.call import Call
from confsim.assumptions.protocol import transport
from confsim.assumptions.protocol.refusals import Reason
from confsim.assumptions.register import ask, in_force
from confsim.kernel.refusal import Refusal
from confsim.service.clock import seconds_to_next_minute
from confsim.service.incoming import Incoming
from confsim.service.messages import Response

from .stage import Next, Stage

_MINUTE = 60_000


class RateLimit(Stage):
    """Counts the calls of each token by the minute of the world's clock."""

    @staticmethod
    def needed(profile: Mapping[str, Any]) -> bool:
        """Whether there is a limit."""
        return bool(in_force(profile, transport.RATE))

    def replaced(self) -> None:
        """Forget every count."""
        self._minute = -1
        self._calls: dict[str | None, int] = {}

    def __call__(self, call: Call, incoming: Incoming, following: Next) -> Response:
        """Count the call and continue. Raises Refusal TOO_MANY_CALLS."""
        limit = ask(call.change, transport.RATE)
        minute, token = call.change.now // _MINUTE, incoming.token
        if minute != self._minute:
            self._minute, self._calls = minute, {}
        count = self._calls[token] = self._calls.get(token, 0) + 1
        if count > limit:
            raise Refusal(Reason.TOO_MANY_CALLS, limit=limit, retryAfter=seconds_to_next_minute(call.change.now))
        return following(call, incoming)
