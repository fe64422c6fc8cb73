"""State machines as tables: rows say when, on, then, only if, effect, source. A trigger without a row is refused.

A machine owns the table of its records: its triggers put, replace and remove the record and store its state, so that
an effect only returns its other changes. A trigger is a typed function; it takes what its effect takes. Diagrams, the
reference and tests are made from the same rows. ``influence`` defines how one machine affects another.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from operator import attrgetter
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar, get_type_hints

from .due import DeadlineAlarm
from .refusal import Refusal
from .rows import ABSENT, Arguments, Deadline, Field, Row, arguments_of
from .tables.table import Record, Rows, Table
from .tables.writing import StaleRecord
from .timers import ALARMS
from .world import Change

S = TypeVar("S", bound=Enum)
R = TypeVar("R", bound=Record)
P = ParamSpec("P")
_CLIENT = attrgetter("client")

#: The reason of a refusal: for every state, or by state, None standing for the others.
Refused = Enum | Mapping[Any, Enum]
#: The function of the details of a refusal: of the change, the record and the arguments of the trigger.
Details = Callable[..., Mapping[str, Any]]


def _by_state(refused: Refused) -> Mapping[Any, Enum]:
    return refused if isinstance(refused, Mapping) else {None: refused}


class Call(Generic[R]):
    """A record on which a trigger is to be fired, None for one that is absent, and the arguments."""

    __slots__ = ("args", "kwargs", "record")

    def __init__(self, record: R | None, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
        self.record = record
        self.args = args
        self.kwargs = kwargs


class Trigger(Generic[R, P]):
    """A trigger of a machine: a function of the change, the record (None when it is absent) and its own arguments.

    ``effect`` is that of its rows that name no other. Its reasons for refusals are its own; those of the machine hold
    for the states for which it names none. ``details(change, record, argument…)`` returns the details of a
    refusal.
    """

    __slots__ = ("details", "effect", "leads_to", "machine", "name", "parameters", "reasons", "rows", "tells")

    #: Whether its effects make a record, and so take none.
    creates = False

    def __init__(
        self,
        machine: Machine[Any, R],
        name: str,
        effect: Callable[..., Any] | None,
        refused: Refused | None,
        details: Details | None,
    ) -> None:
        self.machine, self.name, self.effect = machine, name, effect
        self.parameters = self._taken()
        own = _by_state(refused) if refused is not None else {}
        self.reasons = own if None in own else {**machine.refused, **own}
        self.details = details
        self.tells = details is not None and bool(arguments_of(details, 2, self))
        self.rows: tuple[Row, ...] = ()
        self.leads_to: Enum | None = None
        if name in machine.triggers:
            raise ValueError(f"machine {machine.name!r} declares the trigger {name!r} twice")
        machine.triggers[name] = self

    def _taken(self) -> Arguments:
        return {} if self.effect is None else arguments_of(self.effect, 2)

    def __str__(self) -> str:
        return self.name

    def __call__(self, change: Change, record: R | None, /, *args: P.args, **kwargs: P.kwargs) -> R:
        """Fire it on the record.

        Return the record as it is stored after everything that the transition caused, or the removed one. Raises
        Refusal with the declared reason and details when no row admits it; nothing changes then. Raises StaleRecord for
        a record that is not the stored one, instead of writing it.
        """
        moved = self.attempt(change, record, args, kwargs)
        if moved is not None:
            return moved
        reason, details = self.reason(self.machine.state(record)), self.details
        if details is None:
            raise Refusal(reason)
        raise Refusal(reason, **(details(change, record, *args, **kwargs) if self.tells else details(change, record)))

    def if_allowed(self, change: Change, record: R | None, /, *args: P.args, **kwargs: P.kwargs) -> R | None:
        """Fire it when a row admits it and return the new record; otherwise return the record unchanged."""
        return record if (moved := self.attempt(change, record, args, kwargs)) is None else moved

    def admits(self, change: Change, record: R | None, /, *args: P.args, **kwargs: P.kwargs) -> bool:
        """Whether a row admits it."""
        return self.row(self.machine.state(record), change, record, args, kwargs) is not None

    def on(self, record: R | None, /, *args: P.args, **kwargs: P.kwargs) -> Call[R]:
        """The record with arguments, for an influence to fire the trigger on."""
        return Call(record, args, kwargs)

    def holds(self, record: R | None) -> bool:
        """Whether the record is already in the state to which every row of the trigger leads."""
        return self.machine.state(record) is self.leads_to

    def reason(self, state: Enum) -> Enum:
        """The reason for refusing it in a state in which no row admits it."""
        return self.reasons.get(state) or self.reasons[None]

    def row(
        self, state: Enum, change: Change, record: R | None, args: tuple[Any, ...], kwargs: Mapping[str, Any]
    ) -> Row | None:
        """The row that admits it in this state, or None."""
        for row in self.rows:
            if state in row.on and (row.only_if is None or row.only_if.admits(change, record, args, kwargs)):
                return row
        return None

    def attempt(self, change: Change, record: R | None, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> R | None:
        """Fire it; return the new record, or the removed one. None, and no change, when no row admits it."""
        state = self.machine.state(record)
        row = self.row(state, change, record, args, kwargs)
        if row is None:
            return None
        moved = self.machine._move(change, record, row, args, kwargs)
        for coupling in row.couplings:
            if state in coupling.sees:
                coupling.propagate(change, moved, record)
        stored = self.machine.stored(change, moved) if row.couplings else moved
        return moved if stored is None else stored


class Creation(Trigger[R, P]):
    """A trigger that makes a record: a function of the change and its own arguments. All its rows are from ABSENT."""

    __slots__ = ()

    creates = True

    def _taken(self) -> Arguments:
        return {"draft": False} if self.effect is None else arguments_of(self.effect, 1)

    def __call__(self, change: Change, /, *args: P.args, **kwargs: P.kwargs) -> R:  # type: ignore[override]
        """Create the record and return it. Raises Refusal when no row admits it."""
        return super().__call__(change, None, *args, **kwargs)

    def of(self, *args: P.args, **kwargs: P.kwargs) -> Call[R]:
        """The arguments, for an influence to create a record by."""
        return Call(None, args, kwargs)


class Machine(Generic[S, R]):
    """A machine over the records of a table; ``declare`` gives it its rows, which name its triggers.

    ``table`` is the table, or returns it for a record, or is None when the records are not stored. ``state`` is the
    field that holds the state, ``states`` its Enum; the state of a record that is not stored is ABSENT. ``refused`` has
    the reasons for refusing a trigger that names none. ``client(record)`` is the id of the client whose table holds the
    record.
    """

    #: Every machine by name, in order of declaration.
    declared: dict[str, Machine[Any, Any]] = {}

    def __init__(
        self,
        name: str,
        title: str,
        table: Table[Any, R] | Callable[[R], Table[Any, R]] | None,
        states: type[S],
        *,
        state: str | Field,
        refused: Refused,
        initial: Enum = ABSENT,
        client: Callable[[R], str] = _CLIENT,
    ) -> None:
        if name in Machine.declared:
            raise ValueError(f"machine {name!r} is declared twice")
        Machine.declared[name] = self
        self.name = name
        self.title = title
        self._table = table if isinstance(table, Table) else None
        self.table_of: Callable[[R], Table[Any, R]] | None
        self.table_of = (lambda record: table) if isinstance(table, Table) else table
        #: The type of the records: that of the table, or the one that the function which chooses a table takes.
        self.record: type[Record] | None = table.record if isinstance(table, Table) else None
        if table is not None and self.record is None:
            self.record = next(iter(get_type_hints(table).values()))
        self.field = Field(state) if isinstance(state, str) else state
        self.read = self.field.read
        self.refused = _by_state(refused)
        self.initial = initial
        self.client = client
        self.states: tuple[Enum, ...] = tuple(states)
        self.triggers: dict[str, Trigger[R, ...]] = {}
        self.rows: tuple[Row, ...] = ()
        self.cascades: tuple[Any, ...] = ()

    def trigger(self, name: str, *, refused: Refused | None = None, details: Details | None = None) -> Trigger[R, []]:
        """Declare a trigger without arguments."""
        return Trigger(self, name, None, refused, details)

    def effect(
        self, name: str, *, refused: Refused | None = None, details: Details | None = None
    ) -> Callable[[Callable[Concatenate[Change, R, P], R | None]], Trigger[R, P]]:
        """Declare the trigger of an effect, whose arguments are those of the effect after change and record."""
        return lambda effect: Trigger(self, name, effect, refused, details)

    def draft(self, name: str, *, refused: Refused | None = None, details: Details | None = None) -> Creation[R, [R]]:
        """Declare a trigger that stores a record which it is given."""
        return Creation(self, name, None, refused, details)

    def creation(
        self, name: str, *, refused: Refused | None = None, details: Details | None = None
    ) -> Callable[[Callable[Concatenate[Change, P], R]], Creation[R, P]]:
        """Declare the trigger of an effect that makes the record, whose arguments are those of the effect."""
        return lambda effect: Creation(self, name, effect, refused, details)

    def deadline(
        self, timer: str, due: Callable[[R], int | None], *, subject: str | None = None, announced: bool = True
    ) -> Deadline:
        """The instant at which triggers of the machine fire by themselves: ``due(record)``, as ``Deadline`` says.

        Raises ValueError when no record has the field ``subject``.
        """
        if subject is not None and self.record is not None and subject not in self.record.__struct_fields__:
            raise ValueError(f"machine {self.name!r}: no record has the field {subject!r}, the subject of a timer")
        return Deadline(timer, due, subject=subject, announced=announced)

    def declare(self, *rows: Row) -> None:
        """Give the machine its rows. Raises ValueError for a row of another machine and a trigger without a row."""
        for row in rows:
            if row.when.machine is not self:
                raise ValueError(f"machine {self.name!r} has a row of {row.when.machine.name!r}: {row.when}")
        self.rows = rows
        for trigger in self.triggers.values():
            trigger.rows = tuple(row for row in rows if row.when is trigger)
            ends = {row.then for row in trigger.rows}
            trigger.leads_to = ends.pop() if len(ends) == 1 else None
            if not trigger.rows:
                raise ValueError(f"machine {self.name!r} has no row for {trigger.name!r}")
        if ABSENT not in self.states and any(ABSENT in (*row.on, row.then) for row in rows):
            self.states = (ABSENT, *self.states)
        for at in dict.fromkeys(row.at for row in rows):
            if at is not None and all(at is not alarm.at for alarm in self.alarms()):
                self._declare_alarm(at, [row for row in rows if row.at is at])

    def _declare_alarm(self, at: Deadline, rows: list[Row]) -> None:
        """Give each record in a state of these rows a timer. Raises ValueError if the machine has no single table."""
        if self._table is None:
            raise ValueError(f"machine {self.name!r} has timed rows and no single table")
        if at.timer in ALARMS:
            raise ValueError(f"timer kind {at.timer!r} is declared twice")
        if not all(rows[0].when.parameters.values()):
            raise ValueError(f"machine {self.name!r}: a timer cannot give {rows[0].when.name!r} its arguments")
        ALARMS[at.timer] = alarm = DeadlineAlarm(self, self._table, at, rows)
        self._table.alarms += (alarm,)

    def alarms(self) -> list[DeadlineAlarm]:
        """The alarms that its deadlines give to the records of its table."""
        alarms = () if self._table is None else self._table.alarms
        return [alarm for alarm in alarms if isinstance(alarm, DeadlineAlarm) and alarm.machine is self]

    @staticmethod
    def of(table: Table[Any, Any]) -> list[Machine[Any, Any]]:
        """The machines over the records of a table, in order of declaration."""
        return [machine for machine in Machine.declared.values() if table.record is machine.record]

    def state(self, record: R | None) -> Enum:
        """The state of a record; ABSENT for None."""
        return ABSENT if record is None else self.read(record)

    def stored(self, change: Change, record: R) -> R | None:
        """Return the record as its table holds it now, None if it is gone; itself if its machine stores none."""
        if self.table_of is None:
            return record
        table = self.table_of(record)
        return table.get(change, table.key(record), "" if table.shared else self.client(record))

    def _move(self, change: Change, record: R | None, row: Row, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> R:
        """Apply a row to a record; return the new record, or the removed one."""
        change.take(1)
        for need in row.needs:
            need.satisfy(change, record, args, kwargs)
        if row.then is ABSENT:
            assert record is not None
            moved = self._end(change, record, row, args, kwargs)
        else:
            moved = row.apply(change, record, args, kwargs)
            if self.read(moved) is not row.then:
                moved = self.field.write(moved, row.then)
            if moved is not record and self.table_of is not None:
                table = self.table_of(moved)
                client = "" if table.shared else self.client(moved)
                table.put(change, client, moved, to_end=row.move_to_end, instead_of=record)
        return moved

    def _end(self, change: Change, record: R, row: Row, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> R:
        """Remove the record after running the cascades; return its last value."""
        rows, key = self._rows_with(change, record)
        if rows.get(key) is not record:
            raise StaleRecord(self.name)
        row.apply(change, record, args, kwargs)
        for cascade in self.cascades:
            cascade.take(change, rows[key])
        return rows.remove(key)

    def _rows_with(self, change: Change, record: R) -> tuple[Rows[Any, R], Any]:
        """The rows of the table that holds the record, and its key."""
        assert self.table_of is not None
        table = self.table_of(record)
        return table.of(change, "" if table.shared else self.client(record)), table.key(record)

    def take_along(self, change: Change, record: R, step: Enum) -> None:
        """Run the cascades of one step of a removal, without removing the record."""
        rows, key = self._rows_with(change, record)
        for cascade in self.cascades:
            if cascade.step is step:
                cascade.take(change, rows[key])
