"""The service under test: calls over a transport, within a budget and a rate, and their failures."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import Any

from msgspec.structs import replace

from confsim.kernel.refusal import Misuse
from confsim.service.messages import Response
from confsim.transport.address import OperationRequest, address
from confsim.transport.transport import Transport

from .calls import ModelCall
from .comparing.comparison import Reply, reply_of
from .comparing.correspondence import Correspondence

#: Longest wait for a Retry-After, in seconds, and most repetitions of one call.
LONGEST_WAIT = 120
WAITS = 5
#: Statuses that say that the call was not processed and may be repeated (RFC 6585, 4; RFC 9110, 15.6.4).
_LATER = (429, 503)


class Interrupted(Misuse):
    """Raised when the run cannot continue; its findings so far are reported."""


class Spent(Interrupted):
    """Raised when all allowed requests have been sent."""


class AnswerLost(Interrupted):
    """Raised when no answer to a request came, which the service may have processed."""


class RealService:
    """The service's side. Ids are translated on the way in; only the API is called.

    ``sent`` counts requests, ``repeated`` those repeated at the service's request, ``waited`` the seconds until then.
    ``clock`` returns seconds, ``sleep`` takes them.
    """

    def __init__(
        self,
        transport: Transport,
        profile: Mapping[str, Any],
        known: Correspondence,
        *,
        most: int | None = None,
        rate: float | None = None,
        clock: Callable[[], float] = time.time,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        self._transport = transport
        #: The profile with which requests are addressed.
        self.profile = profile
        self._known = known
        self._most = most
        self._pause = 1 / rate if rate else 0.0
        self._clock = clock
        self._next = 0.0
        self.sleep = sleep
        self.sent = 0
        self.repeated = 0
        self.waited = 0.0
        self._answered = False
        self.reserve = 0

    def address_under(self, profile: Mapping[str, Any]) -> None:
        """Address requests under another profile from now on."""
        self.profile = profile

    def reserve_requests(self, count: int) -> None:
        """Keep back this many of the requests that may be sent."""
        self.reserve = count

    def know(self, known: Correspondence) -> None:
        """Translate ids by another correspondence from now on."""
        self._known = known

    @property
    def left(self) -> int | None:
        """Return how many more requests may be sent, without those of ``reserve``; None for any number."""
        return None if self._most is None else max(0, self._most - self.sent - self.reserve)

    def now(self) -> int:
        """Return the local time, in epoch milliseconds."""
        return int(self._clock() * 1000)

    def call(self, call: ModelCall, *, reserved: bool = False) -> Reply:
        """Send a call, given with the ids of the model, and return its answer; see ``send``."""
        return self.send(self.request_of(call.renamed(self._known.service)), reserved=reserved)

    def request_of(self, call: ModelCall) -> OperationRequest:
        """Return the request of a call, given with the ids of the service."""
        asked = address(
            call.declared,
            call.arguments,
            self.profile,
            body=call.body,
            content_type=call.content_type,
            token=call.caller,
        )
        if "+" in asked.request.query:  # a plus is a space for some services alone; a plus itself is encoded
            request = replace(asked.request, query=asked.request.query.replace("+", "%20"))
            asked = replace(asked, request=request)
        return asked

    def send(self, asked: OperationRequest, *, reserved: bool = False) -> Reply:
        """Send a request and return its answer.

        One that was not processed is repeated after the time of Retry-After, or after a while that doubles each time
        where a 429 has none. Raises Spent when no request is left,
        Interrupted when the service cannot be reached or fails to answer.
        """
        for attempt in range(WAITS + 1):
            if (self.left == 0 and not reserved) or self.sent == self._most:
                raise Spent(self._spent())
            self._wait_for_turn()
            began = self._clock()
            self.sent += 1
            response = self._exchange(lambda: self._transport.send(asked))
            self._known.learn_latency(int((self._clock() - began) * 1000))
            reply = reply_of(response)
            if "date" in reply.headers:
                self._known.learn_shift(reply.headers["date"], self.now())
            is_limited = reply.status == HTTPStatus.TOO_MANY_REQUESTS and "retry-after" not in reply.headers
            if not is_limited and (reply.status not in _LATER or "retry-after" not in reply.headers):
                return reply
            if attempt == WAITS:
                if is_limited:
                    raise Interrupted(f"{asked.operation.name} is answered by 429 again and again: --rate sends less")
                return reply  # to this call alone, so it is its behaviour
            seconds = self._seconds(reply, asked.operation.name, attempt)
            self.repeated += 1
            self.waited += seconds
            self.sleep(seconds)
        raise AssertionError("unreachable")

    def _seconds(self, reply: Reply, operation: str, attempt: int) -> float:
        """Return the seconds of a Retry-After (RFC 9110, 10.2.3), of a date by the clock of the service.

        Without one they double with each attempt. Raises Interrupted when that is longer than a run can wait.
        """
        stated = reply.headers.get("retry-after", str(2**attempt))
        try:
            seconds, when = float(stated), f"in {stated} seconds"
        except ValueError:
            seconds, when = self._until(stated, reply.headers.get("date")), f"at {stated}"
        if not seconds <= LONGEST_WAIT:  # nor "nan"
            raise Interrupted(f"{operation} is answered by {reply.status}: the service asks to come back {when}")
        return max(seconds, 0.1)

    def _until(self, stated: str, date: str | None) -> float:
        """Return the seconds from the date of an answer, or from now, until an HTTP date; 5 when that is none."""
        try:
            now = self._clock() if date is None else parsedate_to_datetime(date).timestamp()
            return parsedate_to_datetime(stated).timestamp() - now
        except ValueError:
            return 5.0

    def _spent(self) -> str:
        """Return in words that no request is left but those of the reserve."""
        if not self.reserve or self._most is None:
            return f"all {self._most} requests are sent"
        reserved = max(0, self._most - self.sent)
        return f"{self.sent} of {self._most} requests are sent, and {reserved} are reserved to remove what the run made"

    def _exchange(self, send: Callable[[], Response]) -> Response:
        try:
            response = send()
            self._answered = True
            return response
        except Interrupted:
            raise
        except (Misuse, ConnectionError, TimeoutError) as error:
            if not self._answered:
                raise Interrupted(str(error)) from None
            raise AnswerLost(f"the service does not answer any more: {error}") from None

    def _wait_for_turn(self) -> None:
        if not self._pause:
            return
        now = self._clock()
        if now < self._next:
            self.sleep(self._next - now)
        self._next = max(now, self._next) + self._pause


class Reads:
    """The reads of which a model is made: each is made once, and kept for the next model."""

    def __init__(self, service: RealService) -> None:
        self._service = service
        self._replies: dict[tuple[Any, ...], Reply] = {}

    def body(self, operation: str, caller: str | None, **path: str) -> Any:
        """Return the body of an answer, None when the call is refused."""
        reply = self.reply(operation, caller, **path)
        return reply.body if reply.status < 400 else None

    def reply(self, operation: str, caller: str | None, **path: str) -> Reply:
        """Return the answer to a read; each read is made once."""
        key = (operation, caller, *path.items())
        if key not in self._replies:
            self._replies[key] = self._service.call(ModelCall(operation, caller, dict(path)))
        return self._replies[key]

    def forget(self, call: ModelCall) -> bool:
        """Make a read again the next time; return whether the call is one of the reads from which the model is made."""
        found = [key for key in self._replies if key[0] == call.operation and dict(key[2:]) == call.path]
        for key in found:
            del self._replies[key]
        return bool(found)


def excerpt(reply: Reply) -> str:
    """Return an abridged reply for an error message, of a redirect with where it leads."""
    where = f" to {reply.headers['location'][:200]}" if "location" in reply.headers else ""
    return f"{reply.status}{where} {reply.kind or 'without a body'}: {str(reply.body)[:120]}"
