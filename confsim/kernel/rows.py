"""Rows of machines: states, guards, effects, and the field of a record that holds the state."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from inspect import signature
from operator import attrgetter
from typing import Any

from msgspec.structs import replace

from .world import Change


class Absence(Enum):
    """The state of a record that is not in its table."""

    ABSENT = "absent"


ABSENT = Absence.ABSENT
NOTHING: Mapping[str, Any] = {}


def facts_of(function: Callable[..., Any], others: int) -> tuple[str, ...]:
    """The names of the facts that a function takes: its parameters after so many others."""
    return tuple(signature(function).parameters)[others:]


def named(facts: Mapping[str, Any], names: tuple[str, ...]) -> Mapping[str, Any]:
    """Return the facts with these names; all of them must exist."""
    return facts if len(names) == len(facts) else {name: facts[name] for name in names}


class Guard:
    """A named condition of a row: ``test(record, fact…)`` for the facts it names. ``~guard`` is its negation."""

    __slots__ = ("facts", "holds", "name", "test")

    def __init__(self, name: str, test: Callable[..., bool], holds: bool = True) -> None:
        self.name = name
        self.test = test
        self.holds = holds
        self.facts = facts_of(test, 1)

    def __invert__(self) -> Guard:
        return Guard(self.name, self.test, not self.holds)

    def admits(self, record: object, facts: Mapping[str, Any]) -> bool:
        """Whether the condition holds for the record (None when it is absent) and the facts of the trigger."""
        return bool(self.test(record, **named(facts, self.facts))) is self.holds

    def __str__(self) -> str:
        return self.name if self.holds else f"not {self.name}"


class Deadline:
    """The instant at which a trigger fires by itself: ``due(record)`` in epoch milliseconds, None for never.

    A record in a state of a row with this deadline has a timer. ``timer``
    is the kind of the timer in the world, whose subject in public is the key of the record, or the field ``subject``.
    ``facts(change, record)`` returns the facts of the trigger. When it is not ``announced``, an advance of the clock
    does not list it.
    """

    __slots__ = ("announced", "due", "facts", "subject", "timer")

    def __init__(
        self,
        timer: str,
        due: Callable[[Any], int | None],
        *,
        subject: str | None = None,
        facts: Callable[[Change, Any], Mapping[str, Any]] | None = None,
        announced: bool = True,
    ) -> None:
        self.timer = timer
        self.due = due
        self.subject = subject
        self.facts = facts
        self.announced = announced


class Row:
    """One transition of a machine: from a state of ``on`` to ``then`` by the trigger ``when``, if ``only_if`` holds.

    ``effect(change, record, fact…)`` performs the side effects and returns the record with its other changes. A row
    out of ABSENT has ``effect(change, fact…)``, which makes the record; without one the record is the fact
    ``draft``. The effect of a row into ABSENT returns nothing and is called before the record is removed. With
    ``move_to_end`` the record becomes the latest of its table, as if it were created now. A row with a deadline ``at``
    is also applied when that falls due; it has to lead to another state or instant. ``source`` cites the document part
    and lines, or the rule and gap numbers. The ``needs``, ``observers`` and ``couplings`` of ``influence`` that belong
    to the row are in order of registration.
    """

    __slots__ = (
        *("at", "effect", "facts", "move_to_end", "on", "only_if", "source", "then", "when"),
        *("couplings", "needs", "observers"),
    )

    def __init__(
        self,
        when: str,
        on: Enum | tuple[Enum, ...],
        then: Enum,
        *,
        only_if: Guard | None = None,
        effect: Callable[..., Any] | None = None,
        at: Deadline | None = None,
        move_to_end: bool = False,
        source: str,
    ) -> None:
        self.when = when
        self.on: tuple[Enum, ...] = on if isinstance(on, tuple) else (on,)
        self.then = then
        self.only_if = only_if
        self.effect = effect
        new = ABSENT in self.on
        self.facts = facts_of(effect, 1 if new else 2) if effect is not None else ("draft",) if new else ()
        self.at = at
        self.move_to_end = move_to_end
        self.source = source
        self.needs: tuple[Any, ...] = ()
        self.observers: tuple[Any, ...] = ()
        self.couplings: tuple[Any, ...] = ()

    def apply(self, change: Change, record: Any, facts: Mapping[str, Any]) -> Any:
        """Return the record that the effect makes of this one; None stands for a record that is absent."""
        if self.effect is None:
            return facts["draft"] if record is None else record
        taken = named(facts, self.facts)
        return self.effect(change, **taken) if record is None else self.effect(change, record, **taken)

    def observe(self, observer: Any) -> None:
        """Call the observer with each of its transitions from now on."""
        self.observers = (*self.observers, observer)

    def stop_observing(self, observer: Any) -> None:
        """Call the observer no longer."""
        self.observers = tuple(each for each in self.observers if each is not observer)


class Field:
    """The state of a machine as a field of its record that holds the member of the Enum.

    ``read(record)`` returns the state of the record.
    """

    __slots__ = ("name", "read")

    def __init__(self, name: str, read: Callable[[Any], Enum] | None = None) -> None:
        self.name = name
        self.read: Callable[[Any], Enum] = attrgetter(name) if read is None else read

    def write(self, record: Any, state: Enum) -> Any:
        """The record in this state."""
        return replace(record, **{self.name: state})


class Flag(Field):
    """The state of a machine as a boolean field: true is the state ``on``, false is ``off``."""

    __slots__ = ("on",)

    def __init__(self, name: str, on: Enum, off: Enum) -> None:
        super().__init__(name, lambda record: on if getattr(record, name) else off)
        self.on = on

    def write(self, record: Any, state: Enum) -> Any:
        """The record in this state."""
        return replace(record, **{self.name: state is self.on})


class Filled(Field):
    """The state of a machine as whether a field has a value: None is the state ``off``, any other value is ``on``."""

    __slots__ = ("off",)

    def __init__(self, name: str, on: Enum, off: Enum) -> None:
        super().__init__(name, lambda record: off if getattr(record, name) is None else on)
        self.off = off

    def write(self, record: Any, state: Enum) -> Any:
        """The record without the value. Raises AssertionError for ``on``: the effect of the row sets the value."""
        assert state is self.off, f"the effect did not set {self.name}"
        return replace(record, **{self.name: None})


class Computed(Field):
    """The state of a machine as a function of several fields of its record.

    The effects of the rows must lead to the states that the rows name.
    """

    __slots__ = ()

    def __init__(self, function: Callable[[Any], Enum]) -> None:
        super().__init__("", function)

    def write(self, record: Any, state: Enum) -> Any:
        """Raises AssertionError: the effect of the row should have put the record into this state."""
        raise AssertionError(f"the effect did not lead to {state} but to {self.read(record)}")
