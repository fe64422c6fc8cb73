"""Mutants of the tables of machines, and of what machines do to each other; each is in force inside a block."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import confsim.api.catalogue  # noqa: F401 its modules declare the machines
from confsim.kernel.influence import Cascade, Coupling, Need
from confsim.kernel.machine import Machine, Trigger
from confsim.kernel.rows import ABSENT, Row

from .operators import Mutant, mutants
from .sample import ROOT

Block = Callable[[], AbstractContextManager[Any]]


class TableMutant(NamedTuple):
    """One change of a table: ``subject`` is what tests have to reach, a row of a machine or an influence of it."""

    machine: str
    kind: str
    what: str
    subject: str
    in_force: Block

    @property
    def key(self) -> str:
        """Its name."""
        return f"{self.machine}: {self.kind}: {self.what}"


def subject(machine: Machine[Any, Any], thing: Row | Coupling | Need | Cascade) -> str:
    """The name of a row, or of an influence, that tests reach."""
    if isinstance(thing, Row):
        return f"{machine.name}: row {machine.rows.index(thing)}"
    return f"{machine.name}: {type(thing).__name__} {_every(machine, type(thing)).index(thing)}"


def _every(machine: Machine[Any, Any], kind: type) -> list[Any]:
    """What a machine holds of a kind of influence, each once."""
    if kind is Cascade:
        return list(machine.cascades)
    field = {Coupling: "couplings", Need: "needs"}[kind]
    return list({id(each): each for row in machine.rows for each in getattr(row, field)}.values())


def of_rows(machine: Machine[Any, Any]) -> Iterator[TableMutant]:
    """The mutants of the rows of a machine."""

    def mutant(kind: str, row: Row, block: Block, more: str = "") -> TableMutant:
        states = " ".join(state.name for state in row.on)
        guard = f" if {row.only_if}" if row.only_if is not None else ""
        what = f"{row.when} in {states}{guard} to {row.then.name}{more}"
        return TableMutant(machine.name, kind, what, subject(machine, row), block)

    for row in machine.rows:
        yield mutant("row dropped", row, _without(machine, row))
        for other in machine.states:
            if other is not row.then and other is not ABSENT:
                yield mutant("row sent elsewhere", row, _set(row, then=other), f", now {other.name}")
                break
        for state in row.on if len(row.on) > 1 else ():
            rest = tuple(each for each in row.on if each is not state)
            yield mutant("state dropped", row, _set(row, on=rest), f", without {state.name}")
        if row.only_if is not None:
            yield mutant("guard negated", row, _set(row, only_if=~row.only_if))
            yield mutant("guard dropped", row, _set(row, only_if=None))
        if row.effect is not None and ABSENT not in row.on:
            yield mutant("effect skipped", row, _set(row, effect=_idle))
        if row.move_to_end:
            yield mutant("left in its place", row, _set(row, move_to_end=False))
        if row.at is not None:
            yield mutant("timer dropped", row, _without_alarms(machine))


def pairs(machine: Machine[Any, Any]) -> Iterator[TableMutant]:
    """Rows for the pairs of a state and a trigger that have none."""
    for trigger in machine.triggers.values():
        admitted = {state for row in trigger.rows for state in row.on}
        for state in machine.states:
            if state not in admitted and not (trigger.creates and state is not ABSENT):
                stays = state is not ABSENT
                row = Row(trigger, state, state if stays else machine.states[1], source="a mutant")
                what = f"{trigger} in {state.name} to {row.then.name}"
                block = _with(machine, row)
                yield TableMutant(machine.name, "pair added", what, f"{machine.name}: {trigger}", block)


def of_influences(machine: Machine[Any, Any]) -> Iterator[TableMutant]:
    """The mutants of what a machine does to others."""
    for kind in (Coupling, Need, Cascade):
        name = kind.__name__.lower()
        for each in _every(machine, kind):
            place = subject(machine, each)
            what = f"{place.rpartition(' ')[2]}, {_reported(each)}"
            yield TableMutant(machine.name, f"{name} dropped", what, place, _dropped(machine, each))
            if isinstance(each, Coupling) and each.out_of is not None:
                every = tuple(state for state in machine.states if state is not each.reaches or each.by is not None)
                yield TableMutant(machine.name, f"{name} widened", what, place, _set(each, out_of=None, sees=every))
            other = None if each.fires is None else _other_trigger(each.fires)
            if other is not None:
                more = f"{what}, now {other}"
                yield TableMutant(machine.name, f"{name} redirected", more, place, _set(each, fires=other))


def _reported(each: Any) -> str:
    fires = "" if each.fires is None else f": {each.fires.machine.name} {each.fires}"
    if isinstance(each, Cascade):
        return f"{each.step.name if each.step else 'all'}"
    return f"{each.reaches.name}{fires}"


def _other_trigger(fires: Trigger[Any, ...]) -> Trigger[Any, ...] | None:
    """Another trigger of the machine that is fired, with the same arguments."""
    same = (
        trigger
        for trigger in fires.machine.triggers.values()
        if trigger is not fires and (trigger.creates, trigger.parameters) == (fires.creates, fires.parameters)
    )
    return next(same, None)


def _idle(change: Any, record: Any, *_: Any, **__: Any) -> Any:
    """The effect that changes nothing."""
    return record


def _without(machine: Machine[Any, Any], row: Row) -> Block:
    return _with_rows(machine, row.when, lambda rows: tuple(each for each in rows if each is not row))


def _with(machine: Machine[Any, Any], row: Row) -> Block:
    return _with_rows(machine, row.when, lambda rows: (*rows, row))


def _with_rows(
    machine: Machine[Any, Any], trigger: Trigger[Any, ...], change: Callable[[tuple[Row, ...]], tuple[Row, ...]]
) -> Block:
    """A block in which a machine and a trigger of it have other rows."""

    @contextmanager
    def block() -> Iterator[None]:
        with _fields(machine, {"rows": change(machine.rows)}), _fields(trigger, {"rows": change(trigger.rows)}):
            yield

    return block


def _set(thing: Any, **fields: Any) -> Block:
    """Fields of a row or an influence, changed inside the block."""
    return lambda: _fields(thing, fields)


def _set_on(machine: Machine[Any, Any], **fields: Any) -> Block:
    return lambda: mock.patch.multiple(machine, **fields)


@contextmanager
def _fields(thing: Any, fields: dict[str, Any]) -> Iterator[None]:
    before = {name: getattr(thing, name) for name in fields}
    for name, value in fields.items():
        setattr(thing, name, value)
    try:
        yield
    finally:
        for name, value in before.items():
            setattr(thing, name, value)


def _without_alarms(machine: Machine[Any, Any]) -> Block:
    """A block in which the records of a machine have no timers."""
    assert machine._table is not None
    table = machine._table
    return _set(table, alarms=tuple(alarm for alarm in table.alarms if alarm not in machine.alarms()))


def _dropped(machine: Machine[Any, Any], each: Any) -> Block:
    """An influence taken from its machine and from all rows of it."""
    if isinstance(each, Cascade):
        return _set_on(machine, cascades=tuple(other for other in machine.cascades if other is not each))
    field = {Coupling: "couplings", Need: "needs"}[type(each)]

    @contextmanager
    def block() -> Iterator[None]:
        with ExitStack() as stack:
            for row in machine.rows:
                held = getattr(row, field)
                if each in held:
                    rest = tuple(other for other in held if other is not each)
                    stack.enter_context(_fields(row, {field: rest}))
            yield

    return block


def in_guards() -> list[Mutant]:
    """The mutants of the functions that guards ask: comparisons turned or off by one, operands, constants."""
    found: dict[str, Mutant] = {}
    rows = [row for machine in Machine.declared.values() for row in machine.rows]
    codes = {row.only_if.test.__code__ for row in rows if row.only_if is not None}
    for path in sorted({code.co_filename for code in codes}):
        lines = [{line for *_, line in code.co_lines() if line} for code in codes if code.co_filename == path]
        source = Path(path)
        for mutant in mutants(source.relative_to(ROOT).as_posix(), source.read_text()):
            if mutant.deferred and any(mutant.line in each for each in lines):
                found[mutant.key] = mutant
    return list(found.values())


def every() -> list[TableMutant]:
    """Every mutant of every table."""
    machines = Machine.declared.values()
    return [mutant for each in machines for of in (of_rows, pairs, of_influences) for mutant in of(each)]


def watch(note: Callable[[str], Any]) -> None:
    """From now on report the name of every row that is taken, and of every influence that is evaluated."""
    names: dict[int, str] = {}
    for machine in Machine.declared.values():
        names |= {id(row): subject(machine, row) for row in machine.rows}
        for kind in (Coupling, Need, Cascade):
            names |= {id(each): subject(machine, each) for each in _every(machine, kind)}

    def of(place: int) -> Callable[..., str]:
        return lambda arguments: names[id(arguments[place])]

    ask = Trigger.row

    def asked(trigger: Trigger[Any, ...], *arguments: Any) -> Row | None:
        row = ask(trigger, *arguments)
        if row is not None:
            note(names[id(row)])
        return row

    Trigger.row = asked  # type: ignore[assignment, method-assign]
    Machine._move = _noting(Machine._move, note, of(3))  # type: ignore[method-assign]
    Coupling.propagate = _noting(Coupling.propagate, note, of(0))  # type: ignore[method-assign]
    Need.satisfy = _noting(Need.satisfy, note, of(0))  # type: ignore[method-assign]
    Cascade.take = _noting(Cascade.take, note, of(0))  # type: ignore[method-assign]


def _noting(function: Any, note: Callable[[str], Any], named: Callable[..., str]) -> Any:
    """The function, which also reports the name of its argument."""

    def noting(*arguments: Any) -> Any:
        note(named(arguments))
        return function(*arguments)

    return noting
