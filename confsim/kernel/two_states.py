"""Machines of two states: a thing that is there or not, and a switch that is on or off."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from operator import attrgetter
from typing import Any, Concatenate, ParamSpec, TypeVar

from .machine import Creation, Details, Machine, Refused, Trigger
from .rows import ABSENT, EXISTS, Deadline, Existence, Field, Flag, Guard, Row
from .tables.table import Record, Table
from .world import Change

S = TypeVar("S", bound=Enum)
R = TypeVar("R", bound=Record)
P = ParamSpec("P")
_CLIENT = attrgetter("client")


class _Stored(Machine[S, R]):
    """A machine whose records are changed and removed in any of their states, each way with one declaration."""

    @property
    def kept(self) -> tuple[Enum, ...]:
        """The states of a record that is there."""
        return tuple(state for state in self.states if state is not ABSENT)

    def changed(
        self, name: str, *, move_to_end: bool = False, source: str
    ) -> Callable[[Callable[Concatenate[Change, R, P], R]], Trigger[R, P]]:
        """Declare the trigger of an effect that changes a record; its state stays."""

        def declare(effect: Callable[Concatenate[Change, R, P], R]) -> Trigger[R, P]:
            trigger = self.effect(name)(effect)
            rows = (Row(trigger, state, state, move_to_end=move_to_end, source=source) for state in self.kept)
            self.declare(*self.rows, *rows)
            return trigger

        return declare

    def removed(
        self,
        name: str,
        *,
        only_if: Guard | None = None,
        details: Details | None = None,
        at: Deadline | None = None,
        source: str,
    ) -> Trigger[R, []]:
        """Declare a trigger that removes a record."""
        trigger = self.trigger(name, details=details)
        self.declare(*self.rows, Row(trigger, self.kept, ABSENT, only_if=only_if, at=at, source=source))
        return trigger


class Collection(_Stored[Existence, R]):
    """Records that are there or not: a table with its declared ways in, of change and out, each a trigger.

    It is listed, and its rows are counted, like those of a machine, of which it is the simplest.
    """

    def __init__(
        self,
        name: str,
        title: str,
        table: Table[Any, R] | Callable[[R], Table[Any, R]] | None,
        *,
        refused: Refused,
        initial: Enum = ABSENT,
    ) -> None:
        field = Field("", lambda record: EXISTS)
        super().__init__(name, title, table, Existence, state=field, refused=refused, initial=initial)

    def added(self, name: str, *, source: str) -> Creation[R, [R]]:
        """Declare a trigger that stores a record which it is given."""
        trigger = self.draft(name)
        self.declare(*self.rows, Row(trigger, ABSENT, EXISTS, source=source))
        return trigger


class Toggle(_Stored[S, R]):
    """A machine of two states, on and off in the order of ``states``; each of its two triggers is admitted in both.

    ``words`` name the triggers of turning on and of turning off, ``only_if`` and ``sources`` are theirs. ``field``
    holds the state, or is the name of a boolean field of the record, which is true when on, or when off if it is
    ``inverted``. ``initial`` defaults to off, or to ABSENT with a way in. ``refused`` and ``details`` are of all its
    triggers.
    """

    def __init__(
        self,
        name: str,
        title: str,
        table: Table[Any, R] | Callable[[R], Table[Any, R]],
        field: str | Field,
        states: type[S],
        *,
        words: tuple[str, str] = ("enable", "disable"),
        inverted: bool = False,
        only_if: tuple[Guard | None, Guard | None] = (None, None),
        refused: Refused,
        details: Details | None = None,
        sources: tuple[str, str],
        initial: Enum | None = None,
        client: Callable[[R], str] = _CLIENT,
    ) -> None:
        on, off = states
        if isinstance(field, str):
            field = Flag(field, off, on) if inverted else Flag(field, on, off)
        first = off if initial is None else initial
        super().__init__(name, title, table, states, state=field, refused=refused, initial=first, client=client)
        self.on, self.off = (self.trigger(word, details=details) for word in words)
        self._to = {words[0]: self.on, words[1]: self.off}
        self.declare(
            Row(self.on, (off, on), on, only_if=only_if[0], source=sources[0]),
            Row(self.off, (on, off), off, only_if=only_if[1], source=sources[1]),
        )

    def to(self, word: str) -> Trigger[R, []]:
        """The trigger of this word, such as ``enable``. Raises KeyError for another word."""
        return self._to[word]

    def added(self, name: str, *, into: S | None = None, source: str) -> Creation[R, [R]]:
        """Declare a trigger that stores a record which it is given, in the state ``into``, by default in its own."""
        self.initial = ABSENT
        trigger = self.draft(name)
        if into is not None:
            rows = [Row(trigger, ABSENT, into, source=source)]
        else:
            on, off = self.kept
            begins_on = Guard(f"it begins {on.value}", lambda change, _, draft: self.read(draft) is on)
            rows = [
                Row(trigger, ABSENT, on, only_if=begins_on, source=source),
                Row(trigger, ABSENT, off, only_if=~begins_on, source=source),
            ]
        self.declare(*rows, *self.rows)
        return trigger
