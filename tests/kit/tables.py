"""The golden tables of the machines, and where a machine differs from its own.

``tests/data/machines/*.toml`` says for every machine, trigger and state what comes of it. It was written from the
documents, and is to be changed with them alone: ``A if x; refuses R`` is the state A when the guard x holds, and
otherwise a refusal. ``tests/data/influence.toml`` lists what one machine does to others, in order.
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
from confsim.domain.couplings.deletion import DELETION
from confsim.domain.couplings.deliveries import MOVES
from confsim.domain.couplings.emitted import EMITTED
from confsim.domain.couplings.machines import COUPLINGS
from confsim.domain.couplings.needs import NEEDS
from confsim.kernel.influence import Cascade, Coupling, Need, TransitionObserver
from confsim.kernel.machine import Machine
from confsim.kernel.rows import Deadline

DATA = Path(__file__).parents[1] / "data"


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
    for triple in triples(machine.name):
        with guards(machine, triple.truth) as unknown:
            row = machine.row(states[triple.state], triple.trigger, None, dict.fromkeys(machine.facts[triple.trigger]))
        actual = (
            f"refuses {machine.reason(states[triple.state], triple.trigger).name}" if row is None else row.then.name
        )
        if unknown:
            found.append(f"{triple.trigger} in {triple.state} asks whether {', '.join(unknown)}")
        elif actual != triple.expected:
            found.append(f"{triple}: {actual}")
    return found


def _timed(machine: Machine[Any, Any], at: Deadline, states: tuple[Enum, ...]) -> str:
    """The triggers that fire by themselves at a deadline, and the states in which they do."""
    triggers = {row.when for row in machine.rows if row.at is at}
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


def golden_influences() -> dict[str, list[str]]:
    """What each machine is to do to others, in order."""
    return tomllib.loads((DATA / "influence.toml").read_text())


def influences() -> dict[str, list[str]]:
    """What each machine does to others, in order, as the golden list writes it."""
    return {
        "couplings": [_coupling(each) for each in (*COUPLINGS, *MOVES)],
        "needs": [_need(each) for each in NEEDS],
        "observers": [_observer(each) for each in EMITTED],
        "cascades": [_cascade(each) for each in DELETION],
    }


def in_force() -> dict[str, list[str]]:
    """The same for what the machines and their rows hold, each once and sorted."""
    every = list(Machine.declared.values())
    rows = [row for machine in every for row in machine.rows]
    couplings = {id(each): each for row in rows for each in row.couplings}.values()
    needs = {id(each): each for row in rows for each in row.needs}.values()
    observers = {id(each): each for row in rows for each in row.observers}.values()
    return {
        "couplings": sorted(map(_coupling, couplings)),
        "needs": sorted(map(_need, needs)),
        "observers": sorted(map(_observer, observers)),
        "cascades": sorted(_cascade(each) for machine in every for each in machine.cascades),
    }


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


def _coupling(each: Coupling) -> str:
    by = f" by {each.by}" if each.by else ""
    verb = "creates" if each.creates else "fires"
    target = f"{each.fires.name}: {each.trigger}"
    return f"{each.when.name} {each.reaches.name}{by}{_states(each.out_of)} {verb} {target}, for {_related(each.on)}"


def _need(each: Need) -> str:
    verb = "creates" if each.creates else "fires"
    target = f"{each.fires.name}: {each.trigger}"
    return f"{each.when.name} {each.reaches.name} by {each.by} {verb} {target}, for {_related(each.on)}"


def _observer(each: TransitionObserver) -> str:
    kind = getclosurevars(each.notify).nonlocals.get("kind")
    by = f" by {each.by}" if each.by else ""
    reported = _related(each.notify) if kind is None else kind.value
    return f"{each.when.name} {each.reaches.name}{by}{_states(each.out_of)} stores {reported}"


def _cascade(each: Cascade) -> str:
    step = "" if each.step is None else f" {each.step.name}"
    if each.firing is not None:
        target = f"{each.firing.fires.name}: {each.firing.trigger}"
        return f"{each.when.name}{step} fires {target}, for {_related(each.firing.on)}"
    return f"{each.when.name}{step} takes {_related(each.take)}"
