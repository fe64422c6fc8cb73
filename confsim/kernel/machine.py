"""State machines as tables: rows say when, on, then, only if, effect, source. A trigger without a row is refused.

A machine owns the table of its records: ``create``, ``fire`` and ``end`` put, replace and remove the record and store
its state, so that an effect only returns its other changes. Diagrams, the reference and the enumerating tests are
made from the same rows. ``influence`` defines how one machine affects another.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from operator import attrgetter
from typing import Any, Generic, NoReturn, TypeVar, get_type_hints

from .influence import Cascade
from .refusal import Refusal
from .rows import ABSENT, NOTHING, Deadline, Field, Flag, Guard, Row, named
from .tables.table import Record, Rows, Table
from .tables.writing import StaleRecord
from .timers import ALARMS, NEVER, Name, Timer
from .world import Change

S = TypeVar("S", bound=Enum)
R = TypeVar("R", bound=Record)
_CLIENT = attrgetter("client")


class Machine(Generic[S, R]):
    """A machine over the records of a table.

    ``table`` is the table, or returns it for a record, or is None when the records are not stored. ``state`` is the
    field that holds the state, ``states`` its Enum; the state of a record that is not stored is ABSENT. A machine of
    one state needs no field: every record in its table is in that state. ``facts``
    gives, for each trigger that has any, the names of its facts, separated by spaces; ValueError is raised when they
    differ from those that its guards and effects take. ``refusals`` gives the reason for a trigger that no row admits,
    by (trigger, state), by trigger, or by None for the rest. ``client(record)`` is the id of the client whose table
    holds the record.
    """

    #: Every machine by name, in order of declaration.
    declared: dict[str, Machine[Any, Any]] = {}

    def __init__(
        self,
        name: str,
        title: str,
        table: Table[Any, R] | Callable[[R], Table[Any, R]] | None,
        states: type[S],
        rows: tuple[Row, ...],
        *,
        state: str | Field | None = None,
        facts: Mapping[str, str] = NOTHING,
        refusals: Mapping[Any, Enum],
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
        self.record = _record_of(table)
        self.field = _only(name, states) if state is None else Field(state) if isinstance(state, str) else state
        self.read = self.field.read
        self.rows = rows
        self.refusals = refusals
        self.initial = initial
        self.client = client
        self.triggers = tuple(dict.fromkeys(row.when for row in rows))
        self.facts = {trigger: frozenset(facts.get(trigger, "").split()) for trigger in self.triggers}
        self.guards = tuple({row.only_if.name: row.only_if for row in rows if row.only_if is not None}.values())
        absent = any(ABSENT in (*row.on, row.then) for row in rows)
        self.states: tuple[Enum, ...] = ((ABSENT,) if absent else ()) + tuple(states)
        self.cascades: tuple[Cascade, ...] = ()
        self._rows = {trigger: tuple(row for row in rows if row.when == trigger) for trigger in self.triggers}
        ends = {trigger: {row.then for row in rows} for trigger, rows in self._rows.items()}
        self._leads_to = {trigger: states.pop() if len(states) == 1 else None for trigger, states in ends.items()}
        self._check(facts)
        deadlines: dict[Deadline, list[Row]] = {}
        for row in rows:
            if row.at is not None:
                deadlines.setdefault(row.at, []).append(row)
        for at, timed_rows in deadlines.items():
            self._declare_alarm(at, timed_rows)

    def _check(self, declared: Mapping[str, str]) -> None:
        """Raise ValueError for a trigger without a row, and for a fact that is undeclared or unused."""
        for trigger in declared:
            if trigger not in self.facts:
                raise ValueError(f"machine {self.name!r} declares facts of {trigger!r}, for which it has no row")
        for trigger, names in self.facts.items():
            taken: set[str] = set()
            for row in self._rows[trigger]:
                taken.update(row.facts, () if row.only_if is None else row.only_if.facts)
            if taken != names:
                wrong = ", ".join(sorted(taken ^ names))
                raise ValueError(f"machine {self.name!r}, trigger {trigger!r}: {wrong} is declared or taken, not both")

    def _declare_alarm(self, at: Deadline, rows: list[Row]) -> None:
        """Give each record in a state of these rows a timer. Raises ValueError if the machine has no single table."""
        if self._table is None:
            raise ValueError(f"machine {self.name!r} has timed rows and no single table")
        if at.timer in ALARMS:
            raise ValueError(f"timer kind {at.timer!r} is declared twice")
        ALARMS[at.timer] = alarm = DeadlineAlarm(self, at, rows)
        self._table.alarms += (alarm,)

    def alarms(self) -> list[DeadlineAlarm]:
        """The alarms that its deadlines give to the records of its table."""
        found = () if self._table is None else self._table.alarms
        return [alarm for alarm in found if isinstance(alarm, DeadlineAlarm) and alarm.machine is self]

    @staticmethod
    def of(table: Table[Any, Any]) -> list[Machine[Any, Any]]:
        """The machines over the records of a table, in order of declaration."""
        return [machine for machine in Machine.declared.values() if table.record is machine.record]

    def state(self, record: R | None) -> Enum:
        """The state of a record; ABSENT for None."""
        return ABSENT if record is None else self.read(record)

    def row(self, state: Enum, trigger: str, record: R | None, facts: Mapping[str, Any]) -> Row | None:
        """The row that admits the trigger in this state, or None."""
        for row in self._rows[trigger]:
            if state in row.on and (row.only_if is None or row.only_if.admits(record, facts)):
                return row
        return None

    def holds(self, record: R | None, trigger: str) -> bool:
        """Whether the record is already in the state to which every row of the trigger leads."""
        return self.state(record) is self._leads_to[trigger]

    def reason(self, state: Enum, trigger: str) -> Enum:
        """The reason for refusing a trigger that no row admits. Raises LookupError when none is declared."""
        for key in ((trigger, state), trigger, None):
            if key in self.refusals:
                return self.refusals[key]
        raise LookupError(f"machine {self.name!r} names no reason to refuse {trigger!r} in {state.name}")

    def fire(
        self, change: Change, record: R | None, trigger: str, /, *, details: Mapping[str, Any] = NOTHING, **facts: Any
    ) -> R:
        """Apply the trigger to the record (None when it is absent).

        Return the record as it is stored after everything that the transition caused, or the removed one. Raises
        Refusal with the declared reason and ``details`` when no row admits the trigger; nothing changes then. Raises
        StaleRecord for a record that is not the stored one, instead of writing it.
        """
        moved = self.attempt(change, record, trigger, facts)
        return self._refuse(record, trigger, details) if moved is None else moved

    def create(self, change: Change, trigger: str, /, *, details: Mapping[str, Any] = NOTHING, **facts: Any) -> R:
        """Create a record by a row from ABSENT and return it. Raises Refusal like ``fire``."""
        return self.fire(change, None, trigger, details=details, **facts)

    def end(
        self, change: Change, record: R | None, trigger: str, /, *, details: Mapping[str, Any] = NOTHING, **facts: Any
    ) -> None:
        """Remove the record by a row into ABSENT and run the cascades. Raises Refusal like ``fire``."""
        self.fire(change, record, trigger, details=details, **facts)

    def fire_if_allowed(self, change: Change, record: R | None, trigger: str, /, **facts: Any) -> R | None:
        """Apply the trigger when a row admits it and return the new record; otherwise return the record unchanged."""
        moved = self.attempt(change, record, trigger, facts)
        return record if moved is None else moved

    def attempt(self, change: Change, record: R | None, trigger: str, facts: Mapping[str, Any]) -> R | None:
        """Apply the trigger; return the new record, or the removed one. None, and no change, when no row admits it."""
        if facts.keys() != self.facts[trigger]:
            raise self._wrong_facts(trigger, facts)
        state = self.state(record)
        row = self.row(state, trigger, record, facts)
        if row is None:
            return None
        moved = self._move(change, record, row, facts)
        for observer in row.observers:
            if state in observer.sees:
                observer.notify(change, moved)
        for coupling in row.couplings:
            if state in coupling.sees:
                coupling.propagate(change, moved)
        stored = self.stored(change, moved) if row.observers or row.couplings else moved
        return moved if stored is None else stored

    def stored(self, change: Change, record: R) -> R | None:
        """Return the record as its table holds it now, None if it is gone; itself if its machine stores none."""
        if self.table_of is None:
            return record
        table = self.table_of(record)
        return table.get(change, table.key(record), "" if table.shared else self.client(record))

    def _refuse(self, record: R | None, trigger: str, details: Mapping[str, Any]) -> NoReturn:
        """Raise the Refusal of a trigger that no row admits."""
        raise Refusal(self.reason(self.state(record), trigger), **details)

    def _wrong_facts(self, trigger: str, facts: Mapping[str, Any]) -> TypeError:
        names = ", ".join(sorted(self.facts[trigger])) or "no facts"
        return TypeError(f"{self.name}: {trigger!r} takes {names}, not {', '.join(sorted(facts)) or 'none'}")

    def _move(self, change: Change, record: R | None, row: Row, facts: Mapping[str, Any]) -> R:
        """Apply a row to a record; return the new record, or the removed one."""
        change.take(1)
        for need in row.needs:
            need.satisfy(change, record, facts)
        if row.then is ABSENT:
            assert record is not None
            moved = self._end(change, record, row, facts)
        else:
            moved = row.apply(change, record, facts)
            if self.read(moved) is not row.then:
                moved = self.field.write(moved, row.then)
            if moved is not record and self.table_of is not None:
                table = self.table_of(moved)
                client = "" if table.shared else self.client(moved)
                table.put(change, client, moved, to_end=row.move_to_end, instead_of=record)
        return moved

    def _end(self, change: Change, record: R, row: Row, facts: Mapping[str, Any]) -> R:
        """Remove the record after running the cascades; return its last value."""
        rows, key = self._rows_with(change, record)
        if rows.get(key) is not record:
            raise StaleRecord(self.name)
        if row.effect is not None:
            row.effect(change, record, **named(facts, row.facts))
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


class DeadlineAlarm:
    """The timers of one deadline: of the records of a machine that are in a state of its rows."""

    __slots__ = ("at", "kind", "machine", "states", "subject", "trigger")

    def __init__(self, machine: Machine[Any, Any], at: Deadline, rows: list[Row]) -> None:
        assert machine._table is not None
        self.machine = machine
        self.at = at
        self.kind = at.timer
        self.subject = machine._table.key if at.subject is None else attrgetter(at.subject)
        self.trigger = rows[0].when
        self.states = tuple(state for row in rows for state in row.on)

    def set_for(self, record: Any) -> tuple[int, str] | None:
        """Return the due instant and the subject of the timer that a record has; None if it has none."""
        if self.machine.read(record) not in self.states:
            return None
        due = self.at.due(record)
        return None if due is None else (due, str(self.subject(record)))

    def timer(self, name: Name, serial: int, record: Any) -> Timer:
        """Return the timer of this name for a record that has one."""
        due, subject = self.set_for(record) or (NEVER, "")
        return Timer(name, due, serial, self.machine.client(record), subject)

    def fire(self, change: Change, timer: Timer) -> bool:
        """Fire the trigger on the record of a timer. Return whether an advance of the clock lists the timer."""
        name, client, key, _ = timer.name
        record = Table.declared[name].of(change, client)[key]
        facts = NOTHING if self.at.facts is None else self.at.facts(change, record)
        return self.machine.attempt(change, record, self.trigger, facts) is not None and self.at.announced


def _only(name: str, states: type[Enum]) -> Field:
    """The field of a machine of one state, which is no field of its record. Raises ValueError for several states."""
    if len(states) != 1:
        raise ValueError(f"machine {name!r} has {len(states)} states and names no field that holds them")
    (only,) = states
    return Field("", lambda record: only)


def _record_of(table: Table[Any, Any] | Callable[[Any], Table[Any, Any]] | None) -> type[Record] | None:
    """The type of the records: that of the table, or the one that the function which chooses a table takes."""
    if table is None or isinstance(table, Table):
        return None if table is None else table.record
    record: type[Record] = next(iter(get_type_hints(table).values()))
    return record


def switch(
    name: str,
    title: str,
    table: Table[Any, R] | Callable[[R], Table[Any, R]],
    field: str | Field,
    states: type[S],
    *,
    triggers: tuple[str, str] = ("enable", "disable"),
    inverted: bool = False,
    only_if: tuple[Guard | None, Guard | None] = (None, None),
    facts: Mapping[str, str] = NOTHING,
    refusals: Mapping[Any, Enum],
    sources: tuple[str, str],
    initial: Enum | None = None,
    client: Callable[[R], str] = _CLIENT,
) -> Machine[S, R]:
    """A machine of two states; each trigger is admitted in both.

    ``states`` has two members, on and off in this order; ``triggers``, ``only_if`` and ``sources`` are those of turning
    on and of turning off. ``field`` holds the state, or is the name of a boolean field of the record, which is true
    when on, or when off if it is ``inverted``. ``initial`` defaults to off.
    """
    on, off = states
    if isinstance(field, str):
        field = Flag(field, off, on) if inverted else Flag(field, on, off)
    return Machine(
        name,
        title,
        table,
        states,
        (
            Row(triggers[0], (off, on), on, only_if=only_if[0], source=sources[0]),
            Row(triggers[1], (on, off), off, only_if=only_if[1], source=sources[1]),
        ),
        state=field,
        facts=facts,
        refusals=refusals,
        initial=off if initial is None else initial,
        client=client,
    )
