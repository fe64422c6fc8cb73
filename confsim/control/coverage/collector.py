"""The counting of coverage: operations, refusals, transitions of machines and assumptions."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache
from types import ModuleType
from typing import Any, ClassVar

from confsim.api.catalogue import API
from confsim.assumptions.protocol.refusals import CODE, Reason
from confsim.assumptions.register import REGISTER, context_of
from confsim.contract.openapi.reasons import reasons_of
from confsim.kernel.machine import Machine
from confsim.kernel.rows import Row
from confsim.kernel.world import Change, World
from confsim.reference.observed import observed
from confsim.service.entries import JournalEntry
from confsim.service.live import EVERYWHERE, WorldObserver

#: The kinds of things that are counted, in the order of the report.
KINDS = ("operations", "refusals", "transitions", "assumptions")


def _code(reason: Reason) -> str:
    """Return the code that names a refusal: its default code on the wire."""
    return reason.name.lower()


#: Before the names of the modules of the API and the domain.
_API, _DOMAIN = "confsim.api.", "confsim.domain."
#: The code of each refusal, by the id of the assumption that an answered refusal uses.
_REASONS = {entry.id: _code(reason) for reason, entry in CODE.items()}
#: A thing that is counted: (operation,), (operation, code), (machine, transition) or (assumption,).
Item = tuple[str, ...]
#: The number of occurrences of each thing, by kind.
Counts = dict[str, Counter[Item]]


def no_counts() -> Counts:
    """Return empty counts."""
    return {kind: Counter() for kind in KINDS}


def transition(row: Row) -> str:
    """Return a row of a machine in words: ``reserve: absent -> reserved [free]``."""
    label = f"{row.when}: {' | '.join(state.value for state in row.on)} -> {row.then.value}"
    return label if row.only_if is None else f"{label} [{row.only_if}]"


@cache
def _item(row: Row) -> Item:
    """Return the transition of a row as it is counted."""
    return row.when.machine.name, transition(row)


class Collector(WorldObserver):
    """Counts the coverage of every world that is made in this process while the collector is attached.

    Calls of a scenario that makes a world are not counted, nor anything while the collector is ``paused``.
    """

    outside = True
    #: The attached collectors of this process, newest last.
    attached: ClassVar[tuple[Collector, ...]] = ()

    def __init__(self) -> None:
        self.counts = no_counts()
        self.paused = False

    def attach(self) -> None:
        """Follow every world that is made from now on."""
        EVERYWHERE.add(self)
        Collector.attached = (*Collector.attached, self)

    def detach(self) -> None:
        """Stop following worlds."""
        Collector.attached = tuple(each for each in Collector.attached if each is not self)
        EVERYWHERE.remove(self)
        self.pause()

    def pause(self) -> None:
        """Count nothing until ``resume`` is called."""
        self.paused = True

    def resume(self) -> None:
        """Count from now on."""
        self.paused = False

    def answered(self, entry: JournalEntry, withheld: JournalEntry | None) -> None:  # noqa: ARG002 - counted once
        """Count a call."""
        if self.paused:
            return
        operation, counts = entry.operation, self.counts
        counts["assumptions"].update((id,) for id in entry.assumptions)
        if operation in API.operations:  # the journal has the files beside the API too
            counts["operations"][operation,] += 1
            counts["refusals"].update((operation, _REASONS[id]) for id in entry.assumptions if id in _REASONS)

    def changed(self, before: World, change: Change, after: World) -> None:  # noqa: ARG002 - the change says enough
        """Count the transitions of a change, and the assumptions that it used."""
        if not self.paused:
            self.counts["transitions"].update(map(_item, change.applied))
            assumptions = self.counts["assumptions"]
            for used in context_of(
                change
            ).used:  # these are of timers and the control plane; calls are counted with their entries
                assumptions.setdefault((used,), 0)


def possible(profile: Mapping[str, Any]) -> dict[str, dict[str, set[Item]]]:
    """Return what calls can show under a profile, by area of the API and by kind.

    The refusals of an operation follow from its declaration and from observed calls. An assumption belongs to the areas
    of its operations; one that names no operation belongs to no area.
    """
    found: dict[str, dict[str, set[Item]]] = {area: {kind: set() for kind in KINDS} for area in API.areas}
    for operation in API:
        area = found[operation.area]
        area["operations"].add((operation.name,))
        reasons = reasons_of(operation, observed().get(operation.name, {}), profile)
        area["refusals"] |= {(operation.name, _code(reason)) for reason in reasons}
    for machine in Machine.declared.values():
        place = area_of(machine)
        if place:
            found[place]["transitions"] |= {(machine.name, transition(row)) for row in machine.rows}
    for entry in REGISTER.entries.values():
        for concerned in API.concerned(entry):
            found[API[concerned].area]["assumptions"].add((entry.id,))
    return found


def area_of(machine: Machine[Any, Any]) -> str:
    """Return the area of the API that a machine belongs to: that of the API's module of its name, else of its package.

    The API has the packages and modules of the domain; of a package, the area of its main module, else of its first. A
    machine of no package belongs to the first area that uses its module; "" for one outside the domain.
    """
    holder = _holders().get(machine.name)
    if holder is None:
        return ""
    areas = {each.function.__module__.removeprefix(_API): each.area for each in API}
    name = holder.__name__.removeprefix(_DOMAIN)
    package = name.partition(".")[0]
    near = [area for module, area in areas.items() if module.startswith(f"{package}.")]
    using = [area for module, area in areas.items() if holder in vars(sys.modules[_API + module]).values()]
    return next(filter(None, (areas.get(name), areas.get(f"{package}.{package}"), *near, *using)), "")


@cache
def _holders() -> dict[str, ModuleType]:
    """Return the module of the domain that holds each machine, by the name of the machine; couplings hold none."""
    found: dict[str, ModuleType] = {}
    for name, module in [*sys.modules.items()]:
        if name.startswith(_DOMAIN) and not name.startswith(f"{_DOMAIN}couplings."):
            for value in vars(module).values():
                several = value.values() if isinstance(value, dict) else value if isinstance(value, tuple) else (value,)
                found.update({each.name: module for each in several if isinstance(each, Machine)})
    return found


def merge(counts: Counts, more: Mapping[str, Iterable[tuple[Item, int]]]) -> None:
    """Add counts, in the form that ``plain`` returns, to others."""
    for kind, items in more.items():
        for item, count in items:
            counts[kind][tuple(item)] += count


def plain(counts: Counts) -> dict[str, list[tuple[Item, int]]]:
    """Return the counts as lists, which xdist can transport."""
    return {kind: sorted(items.items()) for kind, items in counts.items()}
