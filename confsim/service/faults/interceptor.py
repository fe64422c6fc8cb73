"""Active faults, the faults of one call, and what decides at the fault points of one change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from confsim.domain.fault_points import InjectedFault
from confsim.kernel.world import Change

from .effects import DROPPED, Effect
from .spec import ALWAYS, FaultSpec


class FaultHit(Struct, frozen=True):
    """A fault that hit a call or a thing; ``id`` is "" for that of the request itself, ``do`` is its effect as given.

    ``when`` is "before" if the operation did not run, "after" if it ran, "within" for an effect on a thing. ``held`` is
    the outcome of a held call: "held" so far, "released", "changed", "dropped", or "expired" when it was released
    automatically; "" for a call that was not held.
    """

    id: str
    do: Any
    when: str
    held: str = ""


class Injection(Struct, frozen=True):
    """The faults of one call. ``now`` is the instant at which it is served, None for that of the clock.

    ``hold`` says whether the call is held "before" or "after" its operation; "" when it is not.
    """

    effect: Effect
    hits: tuple[FaultHit, ...]
    now: int | None = None
    hold: str = ""

    def after_hold(self, outcome: str, effect: Effect | None, *, dropped: bool) -> Injection:
        """Return the faults of a call that is no longer held; ``effect`` replaces its earlier effect."""
        chosen = DROPPED if dropped else self.effect if effect is None else effect
        when = "before" if chosen.replaces_operation and self.hold == "before" else "after"
        return Injection(chosen, tuple(replace(hit, when=when, held=outcome) for hit in self.hits), self.now)


class ActiveFault:
    """A fault in force: ``met`` counts the calls or things that matched, ``hits`` those that it was applied to."""

    __slots__ = ("hits", "id", "met", "spec")

    def __init__(self, id: str, spec: FaultSpec) -> None:
        self.id = id
        self.spec = spec
        self.met = self.hits = 0

    def matches(self, facts: Mapping[str, Any]) -> bool:
        """Return whether the facts of a call or thing match the fault."""
        return all(_same(given, facts.get(name)) for name, given in self.spec.match.items())

    def count(self) -> bool:
        """Count a matching call or thing; return whether it is hit."""
        spec = self.spec
        self.met += 1
        hit = self.met >= spec.on and (spec.times == ALWAYS or self.met < spec.on + int(spec.times))
        self.hits += hit
        return hit

    def uncount(self, *, hit: bool) -> None:
        """Undo the count of a thing that was not created after all."""
        self.met -= 1
        self.hits -= hit

    def remaining(self) -> FaultSpec | None:
        """Return the fault with its remaining count; None when it is exhausted."""
        spec = self.spec
        times = spec.times
        if times != ALWAYS:
            times = int(times) - max(0, self.met + 1 - spec.on)
            if times <= 0:
                return None
        return replace(spec, on=max(1, spec.on - self.met), times=times)


class Interceptor:
    """Finds the fault for each fault point in one change, and counts the matches.

    ``decided`` has the ids of things that no fault decides any more.
    """

    __slots__ = ("_active", "_counted", "_decided")

    def __init__(self, active: list[ActiveFault], decided: set[str]) -> None:
        self._active = active
        self._decided = decided
        self._counted: list[tuple[ActiveFault, bool]] = []

    def __call__(self, thing: str, facts: Mapping[str, Any]) -> InjectedFault[Any] | None:
        """Return the outcome of something that is about to happen, None for the usual one."""
        if (id := facts.get("id")) in self._decided:
            return None
        if id is not None:
            self._decided.add(id)
        found: InjectedFault[Any] | None = None
        for fault in self._active:
            if fault.spec.thing == thing and fault.matches(facts):
                hit = fault.count()
                self._counted.append((fault, hit))
                if hit and found is None:
                    assert isinstance(fault.spec.effect, InjectedFault)
                    found = fault.spec.effect
        return found

    def dropped(self) -> None:
        """Undo the counts: the change was dropped."""
        for fault, hit in self._counted:
            fault.uncount(hit=hit)
        self._counted = []

    def hits(self) -> tuple[FaultHit, ...]:
        """Return the faults that hit things in the change."""
        return tuple(FaultHit(fault.id, fault.spec.do, "within") for fault, hit in self._counted if hit)


def hits_in(change: Change) -> tuple[FaultHit, ...]:
    """Return the faults that hit things in a change."""
    return change.faults.hits() if isinstance(change.faults, Interceptor) else ()


def drop(change: Change) -> None:
    """Undo the counts of a change that was dropped."""
    if isinstance(change.faults, Interceptor):
        change.faults.dropped()


def _same(given: str | int, fact: Any) -> bool:
    if isinstance(fact, tuple):
        return any(_same(given, each) for each in fact)
    return fact is not None and str(given).casefold() == str(fact).casefold()
