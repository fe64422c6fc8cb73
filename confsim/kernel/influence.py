"""The influence of a transition of one machine on records of another: needs, couplings, observers and cascades.

Constructing one registers it at the machine ``when``, and at those of its rows that it belongs to; those of one machine
run in order of registration. Once a row is chosen, the needs of its trigger are satisfied, then the row is applied, the
observers of the state that it reaches are called, and the couplings of that state propagate; cascades are part of the
removal of a record.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from typing import Any, Protocol

from .rows import NOTHING, Row, facts_of, named
from .world import Change


class Influenced(Protocol):
    """The interface of a machine that influences and is influenced."""

    name: str
    triggers: tuple[str, ...]
    facts: dict[str, frozenset[str]]
    rows: tuple[Row, ...]
    cascades: tuple[Cascade, ...]

    def fire(self, change: Change, record: Any, trigger: str, /, *, details: Mapping[str, Any], **facts: Any) -> Any:
        """Apply the trigger to the record. Raises Refusal when no row admits it."""
        ...

    def create(self, change: Change, trigger: str, /, **facts: Any) -> Any:
        """Create a record by the trigger. Raises Refusal when no row admits it."""
        ...

    def attempt(self, change: Change, record: Any, trigger: str, facts: Mapping[str, Any]) -> Any:
        """Apply the trigger to the record when a row admits it."""
        ...

    def stored(self, change: Change, record: Any) -> Any:
        """Return the record as it is stored now, None if it is gone."""
        ...


def _stored(machine: Influenced, change: Change, record: Any) -> Any:
    """Return a related record as it is when its turn comes: what was done to one may have changed the next."""
    return None if record is None else machine.stored(change, record)


def _require_trigger(machine: Influenced, trigger: str) -> None:
    """Raise ValueError when the machine has no such trigger."""
    if trigger not in machine.triggers:
        raise ValueError(f"machine {machine.name!r} knows no trigger {trigger!r}")


def _rows(machine: Influenced, reaches: Enum, trigger: str | None) -> list[Row]:
    """The rows of a machine into a state, by any trigger or by this one."""
    return [row for row in machine.rows if row.then is reaches and trigger in (None, row.when)]


def _seen(rows: list[Row], reaches: Enum, out_of: tuple[Enum, ...] | None, by: str | None) -> tuple[Enum, ...]:
    """The states out of which transitions by these rows are followed."""
    states = dict.fromkeys(state for row in rows for state in row.on if out_of is None or state in out_of)
    return tuple(state for state in states if state is not reaches or by is not None)


class Need:
    """A trigger that is fired on related records of another machine before ``by`` moves a record to a state.

    A refusal reaches the caller, whose change is discarded: the first machine does not move either.
    ``on(change, record)`` yields the related records; ``facts(change, record, related)`` returns the facts of the
    trigger, ``details`` those of its refusal. The record is None when it is absent; each of the three may take facts of
    ``by`` as further parameters. With ``creates``, the trigger creates a record of the other machine by each
    mapping of facts that ``on`` yields.
    """

    __slots__ = ("_takes", "by", "creates", "details", "facts", "fires", "on", "reaches", "source", "trigger", "when")

    def __init__(
        self,
        when: Influenced,
        by: str,
        reaches: Enum,
        fires: Influenced,
        trigger: str,
        on: Callable[..., Iterable[Any]],
        *,
        facts: Callable[..., Mapping[str, Any]] | None = None,
        details: Callable[..., Mapping[str, Any]] | None = None,
        creates: bool = False,
        source: str,
    ) -> None:
        _require_trigger(when, by)
        _require_trigger(fires, trigger)
        functions = ((on, 2), (facts, 3), (details, 3))
        self._takes = tuple(() if function is None else facts_of(function, others) for function, others in functions)
        for taken in self._takes:
            unknown = {*taken} - when.facts[by]
            if unknown:
                raise ValueError(f"machine {when.name!r}, trigger {by!r} has no fact {', '.join(sorted(unknown))}")
        self.when = when
        self.by = by
        self.reaches = reaches
        self.fires = fires
        self.trigger = trigger
        self.on = on
        self.facts = facts
        self.details = details
        self.creates = creates
        self.source = source
        for row in _rows(when, reaches, by):
            row.needs += (self,)

    def satisfy(self, change: Change, record: object, given: Mapping[str, Any]) -> None:
        """Fire the trigger on every related record. Raises Refusal when one does not admit it."""
        found = self.on(change, record, **named(given, self._takes[0]))
        if self.creates:
            for draft in found:
                self.fires.create(change, self.trigger, **draft)
            return
        for each in found:
            related = _stored(self.fires, change, each)
            facts = details = NOTHING
            if self.facts is not None:
                facts = self.facts(change, record, related, **named(given, self._takes[1]))
            if self.details is not None:
                details = self.details(change, record, related, **named(given, self._takes[2]))
            self.fires.fire(change, related, self.trigger, details=details, **facts)


class Coupling:
    """A trigger that is fired on related records of another machine when a machine reaches a state.

    ``on(change, record)`` yields the related records, lazily when firing on one may change the next;
    ``facts(change, record, related)`` returns the facts of the trigger; ``out_of`` limits the coupling to records that
    come from these states. With ``by`` it follows the rows of that trigger into the state alone, also from the same
    state; ``sees`` are the states out of which it follows transitions. With ``creates``, the trigger creates a record
    of the other machine by each mapping of facts that ``on`` yields. Records that do not admit the trigger are
    unchanged.
    """

    __slots__ = ("by", "creates", "facts", "fires", "on", "out_of", "reaches", "sees", "source", "trigger", "when")

    def __init__(
        self,
        when: Influenced,
        reaches: Enum,
        fires: Influenced,
        trigger: str,
        on: Callable[[Change, Any], Iterable[Any]],
        *,
        facts: Callable[[Change, Any, Any], Mapping[str, Any]] | None = None,
        out_of: tuple[Enum, ...] | None = None,
        by: str | None = None,
        creates: bool = False,
        source: str,
    ) -> None:
        _require_trigger(fires, trigger)
        if by is not None:
            _require_trigger(when, by)
        self.when = when
        self.reaches = reaches
        self.fires = fires
        self.trigger = trigger
        self.on = on
        self.facts = facts
        self.out_of = out_of
        self.by = by
        self.creates = creates
        self.source = source
        rows = _rows(when, reaches, by)
        self.sees = _seen(rows, reaches, out_of, by)
        for row in rows:
            row.couplings += (self,)

    def propagate(self, change: Change, record: object) -> None:
        """Fire the trigger on every record related to this one."""
        found = self.on(change, record)
        if self.creates:
            for draft in found:
                self.fires.attempt(change, None, self.trigger, draft)
            return
        for each in found:
            related = _stored(self.fires, change, each)
            facts = NOTHING if self.facts is None else self.facts(change, record, related)
            self.fires.attempt(change, related, self.trigger, facts)


class TransitionObserver:
    """A call of ``notify(change, record)`` when a machine reaches a state, before any coupling.

    It stores what is sent: an event and its deliveries, a mail and the links in it.
    ``out_of`` limits it to records that come from these states. With ``by`` it is called for every row of that trigger
    into the state, also from the same state; ``sees`` are the states out of which it is called. For ABSENT the record
    is the removed one.
    """

    __slots__ = ("by", "notify", "out_of", "reaches", "sees", "when")

    def __init__(
        self,
        when: Influenced,
        reaches: Enum,
        notify: Callable[[Change, Any], object],
        *,
        out_of: tuple[Enum, ...] | None = None,
        by: str | None = None,
    ) -> None:
        if by is not None:
            _require_trigger(when, by)
        self.when = when
        self.reaches = reaches
        self.notify = notify
        self.out_of = out_of
        self.by = by
        rows = _rows(when, reaches, by)
        self.sees = _seen(rows, reaches, out_of, by)
        for row in rows:
            row.observe(self)


class Firing:
    """The trigger that a cascade fires on records of a machine, which ``on(change, record)`` yields.

    Records that do not admit the trigger are unchanged.
    """

    __slots__ = ("fires", "on", "trigger")

    def __init__(self, fires: Influenced, trigger: str, on: Callable[[Change, Any], Iterable[Any]]) -> None:
        _require_trigger(fires, trigger)
        self.fires = fires
        self.trigger = trigger
        self.on = on

    def fire(self, change: Change, record: object) -> None:
        """Fire the trigger on every record related to this one."""
        for related in self.on(change, record):
            self.fires.attempt(change, _stored(self.fires, change, related), self.trigger, NOTHING)


class Cascade:
    """An action of the removal of a record: ``take(change, record)``, called while the record is still in its table.

    It is that of a Firing, or a function where what goes belongs to no machine. ``step`` groups the cascades of a
    machine that has steps, for ``Machine.take_along``.
    """

    __slots__ = ("firing", "source", "step", "take", "when")

    def __init__(
        self, when: Influenced, step: Enum | None, does: Firing | Callable[[Change, Any], object], *, source: str
    ) -> None:
        self.when = when
        self.step = step
        self.firing = does if isinstance(does, Firing) else None
        self.take: Callable[[Change, Any], object] = does.fire if isinstance(does, Firing) else does
        self.source = source
        when.cascades = (*when.cascades, self)
