"""Faults: what a test lets go wrong, call by call and thing by thing, counted and never by chance.

A fault strikes calls of an operation (what it does to them: ``doing``), or a kind of thing in the world (what becomes
of it: ``domain.mishaps``). Every call or thing that matches is counted, and those from the ``on``-th are struck, as
many as ``times`` says. Faults count each for itself; where several strike one call, each says what none before it in
the list has spoken of, and of those that strike one thing the first decides.

Faults are outside the world: no snapshot, state document or digest holds them, and what they did to the world stays
when they go. They belong to one world of the server. A reset takes them all away; a fork starts without any; restoring
a snapshot or putting a state leaves them, and their counts, as they are; a state directory keeps them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from confsim.api.call import Call
from confsim.contract.operation import Operation
from confsim.contract.query import decode_query
from confsim.domain.events.deliveries import DELIVERIES, Delivery
from confsim.domain.fault_points import WEBHOOK, InjectedFault, Outcome
from confsim.domain.identity import credentials
from confsim.kernel.refusal import Refusal
from confsim.kernel.world import FaultSource, World

from . import brought, doing
from .clock import LATEST
from .doing import Do
from .fault import ALWAYS, CALLERS, EVERY, Fault, read
from .journal import Hit
from .message import Request, Response
from .webhooks import Plan

if TYPE_CHECKING:
    from .pipeline import Service


class Standing:
    """A fault in force: how many calls or things it ``met`` that match, and how many of them it ``hits``."""

    __slots__ = ("fault", "hits", "id", "met")

    def __init__(self, id: str, fault: Fault) -> None:
        self.id = id
        self.fault = fault
        self.met = self.hits = 0

    def meets(self, facts: Mapping[str, Any]) -> bool:
        """Count something that happens, if it matches; whether it is struck."""
        fault = self.fault
        if not all(_same(given, facts.get(name)) for name, given in fault.match.items()):
            return False
        self.met += 1
        strikes = self.met >= fault.on and (fault.times == ALWAYS or self.met < fault.on + int(fault.times))
        self.hits += strikes
        return strikes

    def left(self) -> Fault | None:
        """A fault that does from now on what this one does; None when it strikes no more."""
        fault = self.fault
        times = fault.times
        if times != ALWAYS:
            times = int(times) - max(0, self.met + 1 - fault.on)
            if times <= 0:
                return None
        return replace(fault, on=max(1, fault.on - self.met), times=times)


class Values(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Faults as plain values: how many there ever were, and of each in force its id, itself, what it met and hit."""

    count: int = 0
    by_request: bool = True
    standing: list[tuple[str, dict[str, Any], int, int]] = []


class Meeting:
    """A call that meets faults: what they do to it. ``query`` is what is left of the query for the operation."""

    __slots__ = ("do", "hits", "now", "query")

    def __init__(
        self, do: Do | None, hits: tuple[Hit, ...], query: str | dict[str, str], now: int | None = None
    ) -> None:
        self.do = do
        self.hits = hits
        self.query = query
        self.now = now

    @property
    def stands_in(self) -> bool:
        """Whether the operation does not run."""
        return self.do is not None and self.do.stands_in

    def answer(self, call: Call) -> Response | None:
        """The answer in the place of the operation's, None when the operation is to run."""
        return self.do.answer(call) if self.do is not None and self.do.stands_in else None

    def finish(self, response: Response, request: Request) -> None:
        """Let the answer go its way as the faults have it."""
        if self.do is not None:
            self.do.finish(response, request)


class Faults:
    """The faults of one service, in their order.

    ``watching`` tells whether any strikes calls; ``strike`` is what changes of the world are given to ask, None while
    no thing is to be struck. ``by_request`` tells whether a request may bring its own; no reset turns that.
    """

    __slots__ = ("_count", "_decided", "_service", "_standing", "_strokes", "by_request", "strike", "watching")

    def __init__(self, service: Service) -> None:
        self._service = service
        self.by_request = True
        self._strokes: list[tuple[Standing, bool]] = []
        self.reset()

    def __iter__(self) -> Iterator[Standing]:
        return iter(self._standing)

    def reset(self) -> None:
        """Take every fault away, as if there had never been any."""
        self._count = 0
        self._decided: set[str] = set()
        self._stand([])

    def replaced(self, world: World) -> None:
        """The world is another: of its deliveries those are decided that were put off."""
        if self.strike is not None:
            put_off = (each for each in DELIVERIES.seen(world) if each.due is not None)
            self._decided = {each.id for each in put_off}

    def put(self, faults: Iterable[Fault]) -> None:
        """Let these be the faults from now on."""
        self._stand([self._numbered(fault) for fault in faults])

    def add(self, fault: Fault) -> None:
        """Let this be one more."""
        self._stand([*self._standing, self._numbered(fault)])

    def left(self) -> tuple[Fault, ...]:
        """What is left of the faults, as those that do the same from now on."""
        return tuple(fault for each in self._standing if (fault := each.left()) is not None)

    def values(self) -> Values:
        """Everything about them as plain values, for ``show`` to bring back."""
        standing = [(each.id, each.fault.told(), each.met, each.hits) for each in self._standing]
        return Values(self._count, self.by_request, standing)

    def show(self, values: Values) -> None:
        """Be as the faults that gave these values. Misuse for what is no fault."""
        self.reset()
        standing = []
        for id, told, met, hits in values.standing:
            each = Standing(id, read(told))
            each.met, each.hits = met, hits
            standing.append(each)
        self._count, self.by_request = values.count, values.by_request
        self._stand(standing)
        self.replaced(self._service.world)

    def _numbered(self, fault: Fault) -> Standing:
        self._count += 1
        return Standing(f"f{self._count}", fault)

    def _stand(self, standing: list[Standing]) -> None:
        self._standing = standing
        self.watching = any(each.fault.operation is not None for each in standing)
        self.strike: FaultSource | None = self._strike if any(each.fault.thing for each in standing) else None

    # Calls

    def meet(
        self, operation: Operation, path: tuple[str, ...], query: str | dict[str, str], request: Request, token: Any
    ) -> Meeting | None:
        """What is done to a call, None when nothing is. Misuse for what a request brings and cannot be."""
        own = None
        if self.by_request:
            own, query = brought.read(request, query)
        struck = self._struck(operation, path, query, request, token) if self.watching else []
        parts = [each.fault.does for each in struck if isinstance(each.fault.does, Do)]
        if own is None and not parts:
            return None
        if own is not None and own.do is not None:
            parts.insert(0, own.do)
        do = doing.merged(parts) if parts else None
        when = "before" if do is not None and do.stands_in else "after"
        hits = [Hit("", own.told, when)] if own is not None and own.told else []
        hits += [Hit(each.id, each.fault.do, when) for each in struck]
        if do is not None and do.clock:
            self._service.show(min(LATEST, self._service.clock.now() + do.clock))
        return Meeting(do, tuple(hits), query, None if own is None else own.now)

    def _struck(
        self, operation: Operation, path: tuple[str, ...], query: str | dict[str, str], request: Request, token: Any
    ) -> list[Standing]:
        """The faults that strike the call; all that match count it."""
        asked = [each for each in self._standing if each.fault.operation in (operation.name, EVERY)]
        facts: dict[str, Any] = dict(zip(operation.placeholders, path, strict=False))
        if any(name in each.fault.match for each in asked for name in CALLERS):
            facts |= self._caller(query, request, token)
        return [each for each in asked if each.meets(facts)]

    def _caller(self, query: str | dict[str, str], request: Request, token: Any) -> dict[str, Any]:
        """Who calls, looked up only where a fault asks."""
        service = self._service
        change = service.world.change(service.clock.now(), service.profile)
        try:
            if token is not None and not isinstance(token, str):
                values = decode_query(change, query) if isinstance(query, str) else query
                token = service.token(request, values)
            if token is None:
                return {}
            caller = credentials.authenticate(change, token)
        except Refusal:
            return {"caller": token} if isinstance(token, str) else {}
        user = None if caller.user is None else caller.user.id
        return {"caller": (token, user), "client": caller.client.id}

    # Things

    def _strike(self, thing: str, facts: Mapping[str, Any]) -> InjectedFault | None:
        """What becomes of a thing that is about to happen."""
        found: InjectedFault | None = None
        for each in self._standing:
            if each.fault.thing == thing:
                met, strikes = each.met, each.meets(facts)
                if each.met > met:
                    self._strokes.append((each, strikes))
                if strikes and found is None:
                    assert isinstance(each.fault.does, InjectedFault)
                    found = each.fault.does
        return found

    def begin(self) -> None:
        """A change begins: what is struck from now on is struck in it."""
        self._strokes = []

    def dropped(self) -> None:
        """The change is dropped, and so are the things that were counted in it."""
        for each, strikes in self._strokes:
            each.met -= 1
            each.hits -= strikes
        self._strokes = []

    def ended(self) -> tuple[Hit, ...]:
        """The change has ended: what was struck in it."""
        return tuple(Hit(each.id, each.fault.do, "within") for each, strikes in self._strokes if strikes)

    def plan(self, delivery: Delivery) -> Plan:
        """What is to become of a delivery: decided when it is sent for the first time, and never again."""
        if self.strike is None or delivery.id in self._decided or delivery.attempts:
            return Plan()
        self._decided.add(delivery.id)
        facts = {"client": delivery.client, "endpoint": delivery.endpoint, "kind": delivery.kind}
        stroke = self._strike(WEBHOOK.name, facts)
        if stroke is None:
            return Plan()
        if stroke.outcome is Outcome.LOST:
            return Plan(copies=0)
        if stroke.outcome is Outcome.DOUBLED:
            return Plan(copies=2)
        return Plan(delay=stroke.by, aside=stroke.outcome is Outcome.OUT_OF_ORDER)


def _same(given: str | int, fact: Any) -> bool:
    if isinstance(fact, tuple):
        return any(_same(given, each) for each in fact)
    return fact is not None and str(given).casefold() == str(fact).casefold()
