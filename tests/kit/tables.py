"""The golden tables of the machines, and where a machine differs from its own.

``tests/data/machines/*.toml`` says for every machine, trigger and state what comes of it, and of ABSENT alone for a
trigger that makes a record. It was written from the documents, and is to be changed with them alone: ``A if x; refuses
R`` is the state A when the guard x holds, and otherwise a refusal. ``tests/data/influence.toml`` lists what one machine
does to others, in order.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import Enum
from functools import cache
from inspect import getclosurevars
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import confsim.api.catalogue  # noqa: F401 its modules declare the machines
from confsim.kernel.influence import Cascade, Coupling, Need
from confsim.kernel.machine import Machine, Trigger
from confsim.kernel.rows import ABSENT, Deadline

DATA = Path(__file__).parents[1] / "data"
#: What guards and finders get that look at nothing.
NO_CHANGE: Any = None


class Outcome(NamedTuple):
    """What comes of a trigger when a guard holds: a state, or the reason of a refusal."""

    what: str
    guard: str
    holds: bool

    def applies(self, truth: dict[str, bool]) -> bool:
        """Whether it is the outcome for these values of the guards."""
        return not self.guard or truth[self.guard] is self.holds


class Golden(NamedTuple):
    """What is to come of each trigger in each state, in the order in which guards are asked."""

    states: list[str]
    begins: str
    timers: dict[str, str]
    triggers: dict[str, dict[str, list[Outcome]]]


@cache
def golden() -> dict[str, Golden]:
    """The golden table of each machine, by its name."""
    tables: dict[str, Golden] = {}
    for path in sorted((DATA / "machines").glob("*.toml")):
        for name, table in tomllib.loads(path.read_text()).items():
            triggers = {
                trigger: {state: _outcomes(text) for states, text in row.items() for state in states.split()}
                for trigger, row in table["triggers"].items()
            }
            tables[name] = Golden(table["states"].split(), table["begins"], table.get("timers", {}), triggers)
    return tables


def package_of(name: str) -> str:
    """The package of the domain that declares a machine, such as ``domain/runtime``; ``domain`` for its own modules."""
    for path in (DATA / "machines").glob("*.toml"):
        if name in tomllib.loads(path.read_text()):
            return "domain" if path.stem == "other" else f"domain/{path.stem}"
    raise LookupError(f"no golden table of {name!r}")


def _outcomes(text: str) -> list[Outcome]:
    found = []
    for part in text.split("; "):
        what, _, guard = part.partition(" if ")
        negated = guard.startswith("not ")
        found.append(Outcome(what, guard.removeprefix("not "), not negated))
    return found


class Triple(NamedTuple):
    """A state, a trigger, and whether each guard holds; ``expected`` is the state or refusal that is to come of it."""

    state: str
    trigger: str
    truth: dict[str, bool]
    expected: str


def triples(name: str) -> Iterator[Triple]:
    """Every triple of a machine, as its golden table has them."""
    for trigger, row in golden()[name].triggers.items():
        for state, outcomes in row.items():
            guards = sorted({each.guard for each in outcomes if each.guard})
            for values in product([True, False], repeat=len(guards)):
                truth = dict(zip(guards, values, strict=True))
                expected = next((each.what for each in outcomes if each.applies(truth)), "refuses ?")
                yield Triple(state, trigger, truth, expected)


def differences(machine: Machine[Any, Any]) -> list[str]:
    """Where a machine differs from its golden table; it is asked for every triple."""
    table = golden()[machine.name]
    states = {state.name: state for state in machine.states}
    timers = {alarm.at.timer: _timed(machine, alarm.at, alarm.states) for alarm in machine.alarms()}
    found = [
        f"{what}: {actual}, not {expected}"
        for what, actual, expected in (
            ("states", sorted(states), sorted(table.states)),
            ("begins", machine.initial.name, table.begins),
            ("timers", timers, table.timers),
            ("triggers", sorted(machine.triggers), sorted(table.triggers)),
        )
        if actual != expected
    ]
    if found:
        return found
    for name, trigger in machine.triggers.items():
        told, possible = sorted(table.triggers[name]), [ABSENT.name] if trigger.creates else sorted(states)
        if told != possible:
            return [f"{name}: the table tells of {told}, not of {possible}"]
    for triple in triples(machine.name):
        trigger, state = machine.triggers[triple.trigger], states[triple.state]
        with guards(machine, triple.truth) as unknown:
            row = trigger.row(state, NO_CHANGE, None, (), {})
        actual = f"refuses {trigger.reason(state).name}" if row is None else row.then.name
        if unknown:
            found.append(f"{triple.trigger} in {triple.state} asks whether {', '.join(unknown)}")
        elif actual != triple.expected:
            found.append(f"{triple}: {actual}")
    return found


def _timed(machine: Machine[Any, Any], at: Deadline, states: tuple[Enum, ...]) -> str:
    """The triggers that fire by themselves at a deadline, and the states in which they do."""
    triggers = {row.when.name for row in machine.rows if row.at is at}
    return f"{' '.join(sorted(triggers))} in {' '.join(dict.fromkeys(state.name for state in states))}"


@contextmanager
def guards(machine: Machine[Any, Any], truth: dict[str, bool]) -> Iterator[list[str]]:
    """Give the guards of a machine these values; yields the names of guards that are evaluated and have none."""
    unknown: list[str] = []

    def answer(name: str) -> Callable[..., bool]:
        def test(*_: object, **__: object) -> bool:
            if name not in truth:
                unknown.append(name)
            return truth.get(name, False)

        return test

    tests = {id(row.only_if): row.only_if for row in machine.rows if row.only_if is not None}.values()
    patches = [mock.patch.object(guard, "test", answer(guard.name)) for guard in tests]
    for patch in patches:
        patch.start()
    try:
        yield unknown
    finally:
        for patch in patches:
            patch.stop()


def fire_untold(trigger: Trigger[Any, ...], change: Any, record: Any) -> Any:
    """Fire a trigger without arguments, whatever it takes; a refusal has no details."""
    with mock.patch.object(trigger, "details", None):
        return Trigger.__call__(trigger, change, record)


def fire(machine: Machine[Any, Any], name: str, change: Any, record: Any, **given: Any) -> Any:
    """Fire the trigger of this name with those of the given values that it takes; a refusal has no details."""
    trigger = machine.triggers[name]
    with mock.patch.object(trigger, "details", None):
        return Trigger.__call__(trigger, change, record, *(given[argument] for argument in trigger.parameters))


def golden_influences() -> dict[str, list[str]]:
    """What each machine is to do to others, in order."""
    return tomllib.loads((DATA / "influence.toml").read_text())


def influences() -> dict[str, list[str]]:
    """What each machine does to others, in order, as the golden list writes it; machines that do nothing are left out.

    What it needs before it moves comes first, then what its removal takes along, then what it stores and fires.
    """
    found = {machine.name: [line(each) for each in influences_of(machine)] for machine in Machine.declared.values()}
    return {name: lines for name, lines in found.items() if lines}


def influences_of(machine: Machine[Any, Any]) -> list[Need | Cascade | Coupling]:
    """The needs, the cascades and the couplings of a machine, each once, those of a row in its order."""
    needs = _merged([row.needs for row in machine.rows])
    return [*needs, *machine.cascades, *_merged([row.couplings for row in machine.rows])]


def _merged(sequences: list[tuple[Any, ...]]) -> list[Any]:
    """What stands in the sequences, each once, in an order that is that of each sequence."""
    merged: list[Any] = []
    for sequence in sequences:
        place = 0
        for each in sequence:
            if each in merged:
                place = merged.index(each) + 1
            else:
                merged.insert(place, each)
                place += 1
    return merged


def line(each: Need | Cascade | Coupling) -> str:
    """One influence in words."""
    return _need(each) if isinstance(each, Need) else _cascade(each) if isinstance(each, Cascade) else _coupling(each)


def _states(states: tuple[Enum, ...] | None) -> str:
    return "" if states is None else " out of " + " ".join(state.name for state in states)


def _related(function: Any) -> str:
    """The name of the function that finds related records, or of the table and the index that it asks."""
    function = getattr(function, "func", function)
    name = str(function.__qualname__)
    if "<locals>" in name:  # a function made for another one
        inner = getclosurevars(function).nonlocals
        if "index" in inner:
            return f"{inner['table'].name} by {inner['index'].name}"
        return " of ".join(_related(each) for each in inner.values() if callable(each))
    return f"{function.__module__.rpartition('.')[2]}.{name}"


def _target(fires: Trigger[Any, ...]) -> str:
    return f"{'creates' if fires.creates else 'fires'} {fires.machine.name}: {fires.name}"


def _coupling(each: Coupling) -> str:
    by = f" by {each.by}" if each.by else ""
    when = f"{each.reaches.name}{by}{_states(each.out_of)}"
    if each.fires is None:
        kind = getclosurevars(each.on).nonlocals.get("kind")
        return f"{when} stores {_related(each.on) if kind is None else kind.value}"
    return f"{when} {_target(each.fires)}, for {_related(each.on)}"


def _need(each: Need) -> str:
    return f"{each.reaches.name} by {each.by} needs: {_target(each.fires)}, for {_related(each.on)}"


def _cascade(each: Cascade) -> str:
    step = "" if each.step is None else f" {each.step.name}"
    if each.fires is None:
        return f"removal{step} takes {_related(each.on)}"
    return f"removal{step} {_target(each.fires)}, for {_related(each.on)}"
