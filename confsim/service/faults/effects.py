"""The effect of a fault on one call: a response instead of the operation's, or changes of the response.

Each field is described by its word in ``words.WORDS``.
"""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from string import Formatter
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from confsim.api.call import Call
from confsim.assumptions.protocol import transport, wire
from confsim.assumptions.protocol.refusals import Reason
from confsim.assumptions.register import ask
from confsim.kernel.refusal import Refusal
from confsim.service.clock import seconds_to_next_minute
from confsim.service.errors import error, refused
from confsim.service.messages import Request, Response

#: The status, in the journal, of a call that got no response.
UNANSWERED = 0
#: The limit (calls a minute) in a refusal by the rate limit when the profile sets none (G012).
_A_MINUTE = 60


class Effect(Struct, frozen=True, kw_only=True):
    """The effect of a fault on a call, ``given`` as written; ``clock``, ``real``, ``holdAtMost`` in milliseconds."""

    given: Mapping[str, Any]
    reason: Reason | None = None
    facts: Mapping[str, Any] = {}
    status: int | None = None
    body: Any = None
    headers: Mapping[str, str] = {}
    retryAfter: int | None = None
    clock: int = 0
    real: int = 0
    drop: str = ""
    truncate: int | bool = False
    hold: str = ""
    holdAtMost: int = 30_000

    @property
    def replaces_operation(self) -> bool:
        """Whether the operation does not run."""
        answers = (self.reason, self.status, self.retryAfter)
        return self.drop == "before" or any(each is not None for each in answers)

    def respond(self, call: Call) -> Response:
        """Return the response instead of the operation's."""
        if self.drop:
            return Response(UNANSWERED, [])
        if self.status is None:
            return refused(call.change, self._refusal(call))
        headers = [] if self.retryAfter is None else [("Retry-After", str(self.retryAfter))]
        if "body" not in self.given:
            return _status_only(call, self.status, headers)
        kind, body = "application/json", b""
        if isinstance(self.body, str):
            kind, body = "text/plain; charset=utf-8", self.body.encode()
        elif self.body is not None:
            body = msgspec.json.encode(self.body)
        if body and not any(name.lower() == "content-type" for name in self.headers):
            headers.append(("Content-Type", kind))
        return Response(self.status, headers, body)

    def _refusal(self, call: Call) -> Refusal:
        """Return the refusal with all facts that its message needs; a missing fact is represented by its name."""
        reason = self.reason or Reason.TOO_MANY_CALLS
        facts: dict[str, Any] = {name: name for _, name, _, _ in Formatter().parse(reason.value.message) if name}
        if reason is Reason.TOO_MANY_CALLS:
            facts["limit"] = ask(call.change, transport.RATE) or _A_MINUTE
            facts["retryAfter"] = seconds_to_next_minute(call.change.now)
        facts |= self.facts
        if self.retryAfter is not None:
            facts["retryAfter"] = self.retryAfter
        return Refusal(reason, **facts)

    def altered(self, response: Response, request: Request) -> Response:
        """Return the response with the fault's headers, delay and cut."""
        cut = response.cut
        if self.drop:
            cut = -1
        elif self.truncate is not False:
            sent = len(response.body) - 1 if request.method != "HEAD" else -1
            half = len(response.body) // 2
            cut = min(sent, half if self.truncate is True else self.truncate)
        return replace(response, headers=[*response.headers, *self.headers.items()], delay=self.real / 1000, cut=cut)


def _status_only(call: Call, status: int, headers: list[tuple[str, str]]) -> Response:
    """Return a response to a fault that gives only a status (G046)."""
    if status < 400 or ask(call.change, wire.SERVER_FAULT) == "empty":
        return Response(status, headers)
    try:
        phrase = HTTPStatus(status).phrase
    except ValueError:
        phrase = f"Status {status}"
    code = phrase.lower().replace(" ", "_").replace("-", "_").replace("'", "")
    return error(call.change, status, headers, code, f"{phrase}.", [])


#: The connection is dropped and nothing has been changed.
DROPPED = Effect(given={"drop": "before"}, drop="before")
