"""The influence of a transition of one machine on records of another: needs, couplings and cascades.

Constructing one registers it at the machine or the rows that it belongs to; those of one machine run in order of
registration. Once a row is chosen, its needs are satisfied, then the row is applied, and its couplings propagate, those
first that fire nothing and store what is sent; cascades are part of the removal of a record.

What fires a trigger has a function that finds the records: for a trigger without arguments it yields them, for another
one ``trigger.on(record, argument…)``. It may be a generator, which goes on when a record has been dealt with: what was
done to one may have changed the next.
"""

from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from typing import Any, TypeVar, overload

from .machine import Call, Machine, Trigger
from .rows import Row, arguments_of
from .tables.table import Record
from .world import Change

R = TypeVar("R", bound=Record)
#: The record that influences.
I = TypeVar("I", bound=Record)  # noqa: E741


def _current(trigger: Trigger[Any, ...], change: Change, found: Any) -> tuple[Any, tuple[Any, ...], Mapping[str, Any]]:
    """Return a related record as it is when its turn comes, and the arguments."""
    record, args, kwargs = (found.record, found.args, found.kwargs) if isinstance(found, Call) else (found, (), {})
    return None if record is None else trigger.machine.stored(change, record), args, kwargs


def _seen(rows: list[Row], reaches: Enum, out_of: tuple[Enum, ...] | None, *, staying: bool) -> tuple[Enum, ...]:
    """The states out of which transitions by these rows are followed."""
    states = dict.fromkeys(state for row in rows for state in row.on if out_of is None or state in out_of)
    return tuple(state for state in states if state is not reaches or staying)


class Need:
    """A trigger that is fired on related records before the trigger ``by`` moves a record to a state.

    A refusal reaches the caller, whose change is discarded: the first machine does not move either.
    ``on(change, record, argument…)`` finds the related records; it takes all arguments of ``by``, or none. The record
    is None when it is absent.
    """

    __slots__ = ("by", "fires", "on", "reaches", "source", "takes")

    @overload
    def __init__(
        self,
        by: Trigger[Any, ...],
        reaches: Enum,
        fires: Trigger[R, []],
        on: Callable[..., Iterable[R | None]],
        *,
        source: str,
    ) -> None: ...
    @overload
    def __init__(
        self,
        by: Trigger[Any, ...],
        reaches: Enum,
        fires: Trigger[R, ...],
        on: Callable[..., Iterable[Call[R]]],
        *,
        source: str,
    ) -> None: ...
    def __init__(
        self, by: Trigger[Any, ...], reaches: Enum, fires: Trigger[Any, ...], on: Callable[..., Any], *, source: str
    ) -> None:
        self.by = by
        self.reaches = reaches
        self.fires = fires
        self.on = on
        self.takes = bool(arguments_of(on, 2, by))
        self.source = source
        for row in by.rows:
            if row.then is reaches:
                row.needs += (self,)

    def satisfy(self, change: Change, record: object, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
        """Fire the trigger on every related record. Raises Refusal when one does not admit it."""
        found = self.on(change, record, *args, **kwargs) if self.takes else self.on(change, record)
        for each in found:
            related, its_args, its_kwargs = _current(self.fires, change, each)
            Trigger.__call__(self.fires, change, related, *its_args, **its_kwargs)


class Coupling:
    """A trigger that is fired on related records when a machine reaches a state.

    ``on(change, record)`` finds the related records; ``out_of`` limits the coupling to records that come from these
    states. With ``by`` it follows only the rows of that trigger into the state, also from the same state; ``sees`` are
    the states out of which it follows transitions. Records that do not admit the trigger are unchanged. When it fires
    None, ``on`` stores what is sent: an event, or a mail and the links in it; it may take the record as it was before,
    too. For ABSENT the record is the removed one.
    """

    __slots__ = ("by", "compares", "fires", "on", "out_of", "reaches", "sees", "source", "when")

    @overload
    def __init__(
        self,
        when: Machine[Any, I],
        reaches: Enum,
        fires: Trigger[R, []],
        on: Callable[[Change, I], Iterable[R | None]],
        *,
        out_of: tuple[Enum, ...] | None = None,
        by: Trigger[I, ...] | None = None,
        source: str,
    ) -> None: ...
    @overload
    def __init__(
        self,
        when: Machine[Any, I],
        reaches: Enum,
        fires: Trigger[R, ...],
        on: Callable[[Change, I], Iterable[Call[R]]],
        *,
        out_of: tuple[Enum, ...] | None = None,
        by: Trigger[I, ...] | None = None,
        source: str,
    ) -> None: ...
    @overload
    def __init__(
        self,
        when: Machine[Any, I],
        reaches: Enum,
        fires: None,
        on: Callable[[Change, I], object] | Callable[[Change, I, I | None], object],
        *,
        out_of: tuple[Enum, ...] | None = None,
        by: Trigger[I, ...] | None = None,
        source: str = "",
    ) -> None: ...
    def __init__(
        self,
        when: Machine[Any, Any],
        reaches: Enum,
        fires: Trigger[Any, ...] | None,
        on: Callable[..., Any],
        *,
        out_of: tuple[Enum, ...] | None = None,
        by: Trigger[Any, ...] | None = None,
        source: str = "",
    ) -> None:
        self.when = when
        self.reaches = reaches
        self.fires = fires
        self.on = on
        self.compares = fires is None and False in arguments_of(on, 2).values()
        self.out_of = out_of
        self.by = by
        self.source = source
        rows = [row for row in (when if by is None else by).rows if row.then is reaches]
        self.sees = _seen(rows, reaches, out_of, staying=by is not None)
        for row in rows:
            row.couple(self)

    def propagate(self, change: Change, record: object, before: object) -> None:
        """Fire the trigger on every record related to this one, or store what is sent."""
        found = self.on(change, record, before) if self.compares else self.on(change, record)
        fires = self.fires
        if fires is not None:
            for each in found:
                fires.attempt(change, *_current(fires, change, each))


class Cascade:
    """What the removal of a record takes along, called while the record is still in its table.

    The trigger is fired on each record that ``on(change, record)`` finds; those that do not admit it are unchanged.
    When it fires None, ``on`` removes records that belong to no machine. ``step`` groups the cascades of a machine that
    has steps, for ``Machine.take_along``.
    """

    __slots__ = ("fires", "on", "source", "step", "when")

    def __init__(
        self,
        when: Machine[Any, I],
        step: Enum | None,
        fires: Trigger[R, []] | None,
        on: Callable[[Change, I], Iterable[R | None] | None],
        *,
        source: str,
    ) -> None:
        self.when = when
        self.step = step
        self.fires = fires
        self.on = on
        self.source = source
        when.cascades = (*when.cascades, self)

    def take(self, change: Change, record: Any) -> None:
        """Fire the trigger on every record found."""
        found, fires = self.on(change, record), self.fires
        if fires is not None:
            for related in found or ():
                if related is not None:
                    fires.attempt(change, fires.machine.stored(change, related), (), {})
