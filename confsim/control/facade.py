"""The control plane as typed Python objects: the clock, the journal, deliveries and faults of a world."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, overload

from confsim.kernel.refusal import Misuse
from confsim.service.clock import Duration, Instant, span
from confsim.service.deferred import POLL_INTERVAL, in_steps, monotonic, wait_for_result
from confsim.service.webhooks.signatures import verify

from .assertions import require
from .facade_held import HeldCallFacade
from .invoke import ControlPlane
from .journal_view import FiredTimer, Kind, RequestInfo, RequestPattern, describe, find
from .operations.faults import FaultInfo
from .operations.journal import UnmatchedRequest
from .operations.webhooks import DeliveryInfo


class ClockFacade:
    """The clock of a world.

    Durations are texts ("15m", "PT15M"), timedeltas, or milliseconds; instants are epoch milliseconds.
    """

    __slots__ = ("_control",)

    def __init__(self, control: ControlPlane) -> None:
        self._control = control

    def __repr__(self) -> str:
        return f"<clock at {self.now}{' (frozen)' if self.frozen else ''}>"

    @property
    def now(self) -> int:
        """The current instant."""
        return self._control.context.service.clock.now()

    @property
    def frozen(self) -> bool:
        """Whether the clock is frozen."""
        return self._control.context.service.clock.frozen

    @property
    def rate(self) -> float:
        """The speed relative to real time; of a frozen clock, the one that it resumes at."""
        return self._control.context.service.clock.rate

    def advance(self, by: Duration | None = None, *, until: str | None = None) -> list[FiredTimer]:
        """Move the clock by a duration, or until "next", the next timer; returns the timers that fired."""
        fired: list[FiredTimer] = self._control("advance_clock", by=by, until=until).fired
        return fired

    def set(self, to: Instant) -> list[FiredTimer]:
        """Set the clock to an instant, in epoch milliseconds, ISO 8601 or aware; returns the timers that fired."""
        fired: list[FiredTimer] = self._control("set_clock", to=to).fired
        return fired

    def freeze(self) -> None:
        """Stop the clock at its current instant."""
        self._control("freeze_clock")

    def resume(self) -> None:
        """Let the clock run from its current instant, at the rate that it had."""
        self._control("resume_clock")

    def run(self, rate: float) -> None:
        """Let the clock run from its current instant at a multiple of real time: at 60 a minute passes in a second."""
        self._control("run_clock", rate=rate)


class RequestsFacade(Sequence[RequestInfo]):
    """The journal of a world: a sequence of calls, newest last."""

    def __init__(self, control: ControlPlane) -> None:
        self._control = control

    def __repr__(self) -> str:
        return f"<{len(self)} requests>"

    def __len__(self) -> int:
        return len(self._control.context.service.journal)

    @overload
    def __getitem__(self, place: int) -> RequestInfo: ...
    @overload
    def __getitem__(self, place: slice) -> list[RequestInfo]: ...
    def __getitem__(self, place: int | slice) -> RequestInfo | list[RequestInfo]:
        context = self._control.context
        found = list(context.service.journal)[place]
        return [describe(context, each) for each in found] if isinstance(found, list) else describe(context, found)

    def find(
        self,
        *,
        operation: str | None = None,
        method: str | None = None,
        path: str | None = None,
        status: int | None = None,
        body: object = None,
    ) -> list[RequestInfo]:
        """The calls that match every given value; ``path`` may contain ``*``, ``body`` is a part of the JSON body."""
        found: list[RequestInfo] = self._control(
            "find_requests", operation=operation, method=method, path=path, status=status, body=body
        )
        return found

    def matching(
        self,
        *,
        operation: str | None = None,
        method: str | None = None,
        path: str | None = None,
        status: int | None = None,
        body: object = None,
    ) -> int:
        """The number of calls that match, as for ``find``."""
        count: int = self._control(
            "count_requests", operation=operation, method=method, path=path, status=status, body=body
        ).count
        return count

    def assert_called(
        self,
        operation: str | None = None,
        *,
        method: str | None = None,
        path: str | None = None,
        query: Mapping[str, str] | None = None,
        body: object = None,
        status: int | None = None,
        times: int | None = None,
    ) -> list[RequestInfo]:
        """Return the calls that match: ``*`` in a text stands for any, ``query`` and ``body`` are parts of theirs.

        Raises AssertionError, with how the nearest calls differ, unless there are so many ``times``, by default any;
        Misuse (404) for an unknown operation.
        """
        if operation is not None:
            self.matching(operation=operation)
        wanted = {"operation": operation, "method": method and method.upper(), "path": path, "query": query}
        return require(self, "call", {**wanted, "body": body, "status": status}, times)

    def between(self) -> list[RequestInfo]:
        """What happened between the calls: calls of the control plane (kind "control"), and timers (kind "timer")."""
        context = self._control.context
        found = wait_for_result(lambda: in_steps(find(context, RequestPattern(), Kind.ALL)))
        return [each for each in found if each.kind is not Kind.CALL]

    @property
    def unmatched(self) -> list[UnmatchedRequest]:
        """The calls that matched no route, each with the most similar one."""
        found: list[UnmatchedRequest] = self._control("list_unmatched_requests")
        return found

    def export(
        self,
        kind: str,
        *,
        operation: str | None = None,
        method: str | None = None,
        path: str | None = None,
        status: int | None = None,
        limit: int | None = None,
    ) -> str:
        """The calls as text: as "curl" commands, as a "pytest" test, or as a "scenario" (Arazzo).

        Exports all of them, with the calls of the control plane between them; or those that match ``operation``,
        ``method``, ``path`` and ``status``, with ``limit`` the newest so many.
        """
        exported: bytes = self._control(
            "export_requests", as_=kind, operation=operation, method=method, path=path, status=status, limit=limit
        ).data
        return exported.decode()

    def clear(
        self,
        *,
        operation: str | None = None,
        method: str | None = None,
        path: str | None = None,
        status: int | None = None,
    ) -> int:
        """Remove all calls, or those that match, as for ``find``; returns their number."""
        count: int = self._control("clear_requests", operation=operation, method=method, path=path, status=status).count
        return count

    def forget(self, id: str) -> None:
        """Remove one call. Raises Misuse (404) for an unknown id."""
        self._control("forget_request", id)

    @property
    def most(self) -> int:
        """The number of calls that the journal keeps; the oldest are dropped first. Can be set."""
        return self._control.context.service.journal.most

    @most.setter
    def most(self, most: int) -> None:
        self._control("set_journal", most=most)


class WebhooksFacade(Sequence[DeliveryInfo]):
    """The deliveries of a world, pending ones included: a sequence, newest last; and how they are sent."""

    def __init__(self, control: ControlPlane) -> None:
        self._control = control

    def __repr__(self) -> str:
        return f"<{len(self)} deliveries>"

    def __len__(self) -> int:
        return len(self.find())

    @overload
    def __getitem__(self, place: int) -> DeliveryInfo: ...
    @overload
    def __getitem__(self, place: slice) -> list[DeliveryInfo]: ...
    def __getitem__(self, place: int | slice) -> DeliveryInfo | list[DeliveryInfo]:
        return self.find()[place]

    def find(
        self,
        *,
        endpoint: str | None = None,
        kind: str | None = None,
        delivered: bool | None = None,
        state: str | None = None,
    ) -> list[DeliveryInfo]:
        """The deliveries that match every given value."""
        found: list[DeliveryInfo] = self._control(
            "list_deliveries", endpoint=endpoint, kind=kind, delivered=delivered, state=state
        )
        return found

    def assert_delivered(
        self,
        kind: str | None = None,
        *,
        payload: object = None,
        endpoint: str | None = None,
        delivered: bool = True,
        times: int | None = None,
    ) -> list[DeliveryInfo]:
        """Return the deliveries that match; ``payload`` is a part of theirs, ``delivered`` whether they arrived.

        Raises AssertionError, with how the nearest differ, unless there are so many ``times``, by default any.
        """
        wanted = {"kind": kind, "payload": payload, "endpoint": endpoint, "delivered": delivered}
        return require(self, "delivery", wanted, times)

    def verify(self, body: bytes, headers: Mapping[str, str], secret: str) -> Any:
        """Return the payload of a webhook that was signed with the secret of its endpoint.

        Raises ValueError when the signature is wrong or missing, or its timestamp is more than five minutes from the
        clock of the world.
        """
        return verify(body, headers, secret, self._control.context.service.clock.now())

    def deliver_to(self, receiver: Any) -> None:
        """Send deliveries to a receiver in this process from now on; with None no longer.

        A receiver is a WSGI application (called with two arguments), a function of a message that returns a status, or
        None for 200, or a list. A message has ``url``, ``headers``, ``body`` and ``json``. Without a receiver every
        delivery counts as delivered, unless a live server serves the world.
        """
        self._control.context.service.webhooks.deliver_to(receiver)

    def allow(self, *hosts: str) -> None:
        """Let a live server send to these hosts, beside loopback."""
        self._control("set_webhooks", allow=list(hosts))

    def redeliver(self, id: str) -> DeliveryInfo:
        """Start a new series of attempts. Raises Misuse for an unknown delivery (404), or one yet to be sent (409)."""
        delivery: DeliveryInfo = self._control("redeliver", id)
        return delivery


class FaultsFacade(Sequence[FaultInfo]):
    """The active faults of a world: a sequence in their order, each with its current counts."""

    def __init__(self, control: ControlPlane) -> None:
        self._control = control

    def __repr__(self) -> str:
        return f"<{len(self)} faults>"

    def __len__(self) -> int:
        return len(self._all())

    @overload
    def __getitem__(self, place: int) -> FaultInfo: ...
    @overload
    def __getitem__(self, place: slice) -> list[FaultInfo]: ...
    def __getitem__(self, place: int | slice) -> FaultInfo | list[FaultInfo]:
        return self._all()[place]

    def _all(self) -> list[FaultInfo]:
        found: list[FaultInfo] = self._control("list_faults")
        return found

    def put(self, faults: Iterable[Mapping[str, Any]]) -> list[FaultInfo]:
        """Replace all faults. Raises Misuse for the first mistake, and then changes nothing."""
        found: list[FaultInfo] = self._control.with_body("put_faults", list(faults))
        return found

    def add(self, operation: str | None = None, *, do: object, **fields: object) -> FaultInfo:
        """Add a fault of calls of an operation, or of a ``thing``; ``match``, ``on`` and ``times`` are optional."""
        added: FaultInfo = self._control("add_fault", operation=operation, do=do, **fields)
        return added

    @property
    def held(self) -> list[HeldCallFacade]:
        """The calls that faults hold now, in the order in which they came."""
        return [HeldCallFacade(self._control, each) for each in self._control("list_held")]

    def wait_for_held(self, timeout: Duration = "5s") -> HeldCallFacade:
        """Wait until a call is held, and return the first. Raises Misuse (409) at the timeout, in real time."""
        end = monotonic() + span(timeout) / 1000
        while not (found := self.held):
            if monotonic() >= end:
                raise Misuse(f"no call was held within {timeout}", status=409)
            time.sleep(POLL_INTERVAL)
        return found[0]

    def clear(self) -> None:
        """Remove all faults."""
        self._control("clear_faults")

    @property
    def by_request(self) -> bool:
        """Whether a request can carry faults for itself; can be set."""
        return self._control.context.service.faults.by_request

    @by_request.setter
    def by_request(self, enabled: bool) -> None:
        self._control("set_by_request", enabled=enabled)
