"""Deterministic fault injection: failures of calls and of things in the world, chosen by count.

A fault applies to calls of an operation (its ``effects``), or to a kind of thing in the world (``fault_points`` of the
domain). Every call or thing that matches is counted, and ``times`` of them fail, from the ``on``-th. Each fault has its
own count. If several apply to one call, each kind of effect is taken from the first in the list that has it; if several
apply to one thing, the first decides.

Faults are outside the world value: no snapshot, state document or digest includes them, and their effects on the world
remain when they are removed. They belong to one world of the server. A reset removes them all; a fork starts without
any; restoring a snapshot or putting a state leaves them and their counts unchanged; a state directory stores them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from msgspec import Struct

from confsim.assumptions.protocol import wire
from confsim.assumptions.register import ProfileContext
from confsim.domain.events.deliveries import DELIVERIES
from confsim.domain.identity import credentials
from confsim.kernel.refusal import Misuse, Refusal, require_at_most, suggest
from confsim.service.incoming import Incoming
from confsim.service.live import LiveWorld, WorldObserver

from . import per_request
from .effects import Effect
from .holding import HeldCalls, take_time
from .interceptor import ActiveFault, FaultHit, Injection, Interceptor
from .spec import CALLERS, EVERY, FaultSpec, read
from .words import merged

#: Most faults of a world.
MOST = 1000
#: Most remembered decisions about deliveries before obsolete ones are dropped.
_DECIDED = 2000


class FaultsState(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, rename={"active": "standing"}):
    """Faults as plain values: the number ever added, and for each one in force its id, spec, ``met`` and ``hits``.

    ``decided`` has the ids of webhook deliveries that no fault decides any more.
    """

    count: int = 0
    by_request: bool = True
    active: list[tuple[str, dict[str, Any], int, int]] = []
    decided: list[str] = []


class Faults(WorldObserver):
    """The faults of one world, in their order.

    ``on_calls`` says whether any applies to calls, ``on_things`` whether any does to things. ``by_request`` says
    whether a request may carry its own; no reset changes that. ``holder`` holds the calls that a fault wants held.
    """

    __slots__ = ("_active", "_count", "_decided", "_holder", "_live", "by_request", "on_calls", "on_things")

    def __init__(self, live: LiveWorld, holder: HeldCalls, by_request: bool) -> None:
        self._live = live
        self._holder = holder
        self.by_request = by_request
        self._count = 0
        self._active: list[ActiveFault] = []
        self._decided: set[str] = set()
        self.on_calls = self.on_things = False

    def __iter__(self) -> Iterator[ActiveFault]:
        return iter(self._active)

    def reset(self) -> None:
        """Remove every fault and all counts."""
        self._count = 0
        self._decided.clear()
        if self._active:
            self._activate([])

    def put(self, specs: Iterable[FaultSpec]) -> None:
        """Replace the faults."""
        self._activate([self._numbered(spec) for spec in specs])

    def add(self, spec: FaultSpec) -> None:
        """Add a fault after the others. Raises Misuse (409) for one too many."""
        require_at_most(len(self._active) + 1, MOST, "faults of the world", 409)
        self._activate([*self._active, self._numbered(spec)])

    def remove(self, id: str) -> None:
        """Remove a fault; the others keep their counts. Raises Misuse (404) for an unknown id."""
        rest = [each for each in self._active if each.id != id]
        if len(rest) == len(self._active):
            known = suggest(id, [each.id for each in self._active]) or "; there are none"
            raise Misuse(f"there is no fault {id!r}{known}", status=404)
        self._activate(rest)

    def allow_by_request(self, allowed: bool) -> None:
        """Set whether a request may carry its own faults."""
        self.by_request = allowed

    def remaining(self) -> tuple[FaultSpec, ...]:
        """Return new faults that behave from now on as these do."""
        return tuple(spec for each in self._active if (spec := each.remaining()) is not None)

    def state(self) -> FaultsState:
        """Return the complete state as plain values, for ``restore``."""
        active = [(each.id, each.spec.to_dict(), each.met, each.hits) for each in self._active]
        self._forget_decided()
        return FaultsState(self._count, self.by_request, active, sorted(self._decided))

    def _forget_decided(self) -> None:
        """Drop decisions about deliveries that were removed or attempted: these are not decided again."""
        if self._decided:
            there = DELIVERIES.seen(self._live.world)
            self._decided -= {id for id in self._decided if id not in there or there[id].attempts}

    def restore(self, state: FaultsState) -> None:
        """Set the faults to this state. Raises Misuse for an invalid fault."""
        self.reset()
        active = []
        for id, values, met, hits in state.active:
            each = ActiveFault(id, read(values))
            each.met, each.hits = met, hits
            active.append(each)
        self._count, self.by_request = state.count, state.by_request
        self._activate(active)
        self.replaced()
        self._decided.update(state.decided)

    def replaced(self) -> None:
        """Adapt to a replaced world: its postponed deliveries count as decided."""
        if self.on_things:
            put_off = (each for each in DELIVERIES.seen(self._live.world).all if each.due is not None)
            self._decided.clear()
            self._decided.update(each.id for each in put_off)

    def _numbered(self, spec: FaultSpec) -> ActiveFault:
        self._count += 1
        return ActiveFault(f"f{self._count}", spec)

    def _activate(self, active: list[ActiveFault]) -> None:
        self._active = active
        self.on_calls = any(each.spec.operation is not None for each in active)
        self.on_things = any(each.spec.thing for each in active)
        self._live.inject(self._interceptor if self.on_things else None)
        if self.on_things:
            self._live.observers.add(self)

    def _interceptor(self) -> Interceptor:
        if len(self._decided) > _DECIDED:
            self._forget_decided()
        return Interceptor(self._active, self._decided)

    # Calls

    def inject(self, incoming: Incoming) -> Injection | None:
        """Return the faults of a call, None for none. Raises Misuse for an invalid override."""
        override = None
        if self.by_request:
            override = per_request.read(incoming.request)
            incoming.query.pop(per_request.QUERY, None)
        hit = self._hit(incoming) if self.on_calls else []
        parts = [each.spec.effect for each in hit if isinstance(each.spec.effect, Effect)]
        if override is None and not parts:
            return None
        if override is not None and override.effect is not None:
            parts.insert(0, override.effect)
        effect = merged(parts)
        when = "before" if effect.replaces_operation else "after"
        hold = effect.hold if self._holder.enabled else ""
        if hold:
            self._check_hold(incoming, hit)
        held = "held" if hold else ""
        hits = [FaultHit("", override.given, when, held)] if override is not None and override.given else []
        hits += [FaultHit(each.id, each.spec.do, when, held) for each in hit]
        injection = Injection(effect, tuple(hits), None if override is None else override.now, hold)
        if hold != "before":
            take_time(self._live, injection)
        return injection

    def _check_hold(self, incoming: Incoming, hit: list[ActiveFault]) -> None:
        """Raise Misuse when a call cannot be held; the call does not count then."""
        try:
            self._holder.check(incoming.request)
        except Misuse:
            for each in hit:
                each.uncount(hit=True)
            raise

    def _hit(self, incoming: Incoming) -> list[ActiveFault]:
        """Return the faults that hit the call; every matching fault counts it."""
        operation = incoming.operation
        asked = [each for each in self._active if each.spec.operation in (operation.name, EVERY)]
        facts: dict[str, Any] = dict(zip(operation.placeholders, incoming.path, strict=False))
        if any(name in each.spec.match for each in asked for name in CALLERS):
            facts |= self._caller(incoming.token)
            if incoming.from_request and isinstance(incoming.used, dict):
                incoming.used[wire.PRESENTATION.id] = (
                    None  # the caller, by the token as it was read, decides which fault applies
                )
        return [each for each in asked if each.matches(facts) and each.count()]

    def _caller(self, token: str | None) -> dict[str, Any]:
        """The facts about the caller, looked up only if a fault matches by them."""
        if token is None:
            return {}
        live = self._live
        try:
            caller = credentials.authenticate(live.world.change(live.clock.now(), ProfileContext(live.profile)), token)
        except Refusal:
            return {"caller": token}
        user = None if caller.user is None else caller.user.id
        return {"caller": (token, user), "client": caller.client.id}
