"""Idempotency keys: a POST repeated with its key gets the first response (G074)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from confsim.api.call import Call
from confsim.assumptions.protocol import transport
from confsim.assumptions.register import ask, in_force
from confsim.service.incoming import Incoming
from confsim.service.messages import Response

from .stage import Next, Stage

#: Most responses that are remembered; the oldest is dropped.
MOST = 1000


class IdempotencyKeys(Stage):
    """Remembers the last ``MOST`` responses to calls that carry a key, by token, operation and key."""

    @staticmethod
    def needed(profile: Mapping[str, Any]) -> bool:
        """Whether there is a header for keys."""
        return bool(in_force(profile, transport.IDEMPOTENCY))

    def replaced(self) -> None:
        """Forget every response."""
        self._responses: dict[tuple[str | None, str, str], Response] = {}

    def __call__(self, call: Call, incoming: Incoming, following: Next) -> Response:
        """Return the response of the earlier call with this key, else that of the following stage, and remember it."""
        request = incoming.request
        if request.method != "POST":
            return following(call, incoming)
        value = request.headers.get(ask(call.change, transport.IDEMPOTENCY).lower())
        if value is None:
            return following(call, incoming)
        key = incoming.token, call.operation.name, value
        earlier = self._responses.get(key)
        if earlier is None:
            response = following(call, incoming)
            self._responses[key] = _copy(response)
            if len(self._responses) > MOST:
                del self._responses[next(iter(self._responses))]
            return response
        return _copy(earlier)


def _copy(response: Response) -> Response:
    return Response(response.status, list(response.headers), response.body)
