"""Machines of two states: a thing that is there or not, and a switch that is on or off."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from operator import attrgetter
from typing import Any, Concatenate, ParamSpec, TypeVar

from .machine import Creation, Machine, Refused, Trigger
from .rows import ABSENT, EXISTS, Deadline, Existence, Field, Flag, Guard, Row
from .tables.table import Record, Table
from .world import Change

S = TypeVar("S", bound=Enum)
R = TypeVar("R", bound=Record)
P = ParamSpec("P")
_CLIENT = attrgetter("client")


class Collection(Machine[Existence, R]):
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

    def changed(
        self, name: str, *, move_to_end: bool = False, source: str
    ) -> Callable[[Callable[Concatenate[Change, R, P], R]], Trigger[R, P]]:
        """Declare the trigger of an effect that changes a record."""

        def declare(effect: Callable[Concatenate[Change, R, P], R]) -> Trigger[R, P]:
            trigger = self.effect(name)(effect)
            self.declare(*self.rows, Row(trigger, EXISTS, EXISTS, move_to_end=move_to_end, source=source))
            return trigger

        return declare

    def removed(self, name: str, *, at: Deadline | None = None, source: str) -> Trigger[R, []]:
        """Declare a trigger that removes a record."""
        trigger = self.trigger(name)
        self.declare(*self.rows, Row(trigger, EXISTS, ABSENT, at=at, source=source))
        return trigger


class Toggle(Machine[S, R]):
    """A machine of two states, on and off in the order of ``states``; each of its two triggers is admitted in both.

    ``words`` name the triggers of turning on and of turning off, ``only_if`` and ``sources`` are theirs. ``field``
    holds the state, or is the name of a boolean field of the record, which is true when on, or when off if it is
    ``inverted``. ``initial`` defaults to off.
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
        refused: Enum,
        sources: tuple[str, str],
        initial: Enum | None = None,
        client: Callable[[R], str] = _CLIENT,
    ) -> None:
        on, off = states
        if isinstance(field, str):
            field = Flag(field, off, on) if inverted else Flag(field, on, off)
        first = off if initial is None else initial
        super().__init__(name, title, table, states, state=field, refused=refused, initial=first, client=client)
        self.on, self.off = map(self.trigger, words)
        self._to = {words[0]: self.on, words[1]: self.off}
        self.declare(
            Row(self.on, (off, on), on, only_if=only_if[0], source=sources[0]),
            Row(self.off, (on, off), off, only_if=only_if[1], source=sources[1]),
        )

    def to(self, word: str) -> Trigger[R, []]:
        """The trigger of this word, such as ``enable``. Raises KeyError for another word."""
        return self._to[word]
