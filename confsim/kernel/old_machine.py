# mypy: ignore-errors
"""State machines as tables: rows say when, on, then, only if, effect, source. A missing row is a refusal.

All writes of a machine's state go through ``Machine.fire``. Diagrams, the reference and the enumerating tests are made
from the same rows. Machines that move each other do so by ``Coupling`` rows, followed until nothing moves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any, Generic, TypeVar

import msgspec

from .machine import Machine as NewMachine
from .refusal import Refusal
from .world import Change

S = TypeVar("S", bound=Enum)
T = TypeVar("T")

Facts = Mapping[str, Any]


class Guard:
    """A named condition of a row: ``test(subject, facts)``. Written ``~guard`` it holds when the test does not."""

    __slots__ = ("holds", "name", "test")

    def __init__(self, name: str, test: Callable[[Any, Facts], bool], holds: bool = True) -> None:
        self.name = name
        self.test = test
        self.holds = holds

    def __invert__(self) -> Guard:
        return Guard(self.name, self.test, not self.holds)

    def __call__(self, subject: object, facts: Facts) -> bool:
        """Whether the condition holds for the subject and the facts of the event."""
        return bool(self.test(subject, facts)) is self.holds

    def __str__(self) -> str:
        return self.name if self.holds else f"not {self.name}"


Effect = Callable[[Change, Any, Facts], Any]


class Row(Generic[S]):
    """One line of a machine: in a state of ``on``, when the event comes and the guard holds, go to ``then``.

    ``effect(change, subject, facts)`` makes what goes with it and answers the subject as it is afterwards.
    ``source`` cites the document part and lines, or the rule and gap numbers, that say so.
    """

    __slots__ = ("at", "effect", "on", "only_if", "source", "then", "when")

    def __init__(
        self,
        when: str,
        on: S | tuple[S, ...],
        then: S,
        *,
        only_if: Guard | None = None,
        effect: Effect | None = None,
        source: str,
    ) -> None:
        self.when = when
        self.on: tuple[S, ...] = on if isinstance(on, tuple) else (on,)
        self.then = then
        self.only_if = only_if
        self.effect = effect
        self.at = None
        self.source = source


class Machine(NewMachine[Any, Any], Generic[S, T]):
    """A machine over subjects of type T.

    ``read(subject, facts)`` tells the state. ``write(subject, state)`` stores it where the state is stored as such; a
    machine whose state follows from other fields has none, and its effects must lead to the state that the row names.
    ``refusals`` gives the reason for an event that no row admits, by (event, state), by event, or by None for the rest.
    """

    def __init__(
        self,
        name: str,
        title: str,
        states: type[S],
        rows: tuple[Row[S], ...],
        *,
        read: Callable[[T, Facts], S],
        write: Callable[[T, S], T] | None = None,
        refusals: Mapping[Any, Enum],
        initial: S,
    ) -> None:
        if name in Machine.declared:
            raise ValueError(f"machine {name!r} is declared twice")
        Machine.declared[name] = self
        self.name = name
        self.title = title
        self.states = states
        self.rows = rows
        self.read: Any = read
        self.write = write
        self.refusals = refusals
        self.initial = initial
        self.events = tuple(dict.fromkeys(row.when for row in rows))
        self.guards = tuple({row.only_if.name: row.only_if for row in rows if row.only_if is not None}.values())
        self.couplings = {}
        self.observers = {}
        self._rows = {event: tuple(row for row in rows if row.when == event) for event in self.events}

    def row(self, state: S, event: str, subject: T, facts: Facts) -> Row[S] | None:
        """The row that admits the event in this state, or None."""
        for row in self._rows[event]:
            if state in row.on and (row.only_if is None or row.only_if(subject, facts)):
                return row
        return None

    def state(self, record: Any) -> Any:
        """The state of the record."""
        return self.read(record, {})

    def reason(self, state: S, event: str) -> Enum:
        """Why an event is refused that no row admits."""
        for key in ((event, state), event, None):
            if key in self.refusals:
                return self.refusals[key]
        raise LookupError(f"machine {self.name!r} names no reason to refuse {event!r} in {state.name}")

    def fire(self, change: Change, subject: T, event: str, **facts: Any) -> T:
        """Move the subject by the event, or raise the Refusal that the table gives, with everything as it was."""
        state = self.read(subject, facts)
        row = self.row(state, event, subject, facts)
        if row is None:
            # What is true or false is for the guards alone.
            told = {
                name: value
                for name, value in facts.items()
                if isinstance(value, str | int) and not isinstance(value, bool)
            }
            raise Refusal(self.reason(state, event), **told)
        return self._move(change, subject, state, row, facts)

    def follow(self, change: Change, subject: T, event: str, **facts: Any) -> T:
        """Move the subject by the event where a row admits it; where none does, leave it as it is."""
        state = self.read(subject, facts)
        row = self.row(state, event, subject, facts)
        return subject if row is None else self._move(change, subject, state, row, facts)

    fire_if_allowed = follow

    def _move(self, change: Change, subject: T, state: S, row: Row[S], facts: Facts) -> T:
        then = row.then
        moved: T = subject if row.effect is None else row.effect(change, subject, facts)
        if then is not state and self.write is not None:
            moved = self.write(moved, then)
        assert self.read(moved, facts) is then, f"{self.name}: {row.when} did not lead to {then}"
        if then is not state:
            for observer in self.observers.get(then, ()):
                if observer.sees(state, then, row.when):
                    observer.notify(change, subject if then.value in {"absent", "removed", "deleted"} else moved)
            for coupling in self.couplings.get(then, ()):
                if coupling.out_of is None or state in coupling.out_of:
                    coupling.propagate(change, moved)
        return moved


def store(field: str) -> Callable[[Any, Enum], Any]:
    """The ``write`` of a machine whose state is a field of its record."""
    return lambda subject, state: msgspec.structs.replace(subject, **{field: state})
