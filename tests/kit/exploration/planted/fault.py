"""A planted fault, and the ways to plant one: in a row of a machine, in an influence, or in a function."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from enum import Enum
from typing import Any, TypeAlias
from unittest import mock

from msgspec import Struct

from confsim.domain.couplings.deletion import DELETION
from confsim.domain.couplings.emitted import EMITTED
from confsim.domain.couplings.machines import COUPLINGS
from confsim.domain.couplings.needs import NEEDS
from confsim.kernel.influence import Cascade, Coupling, Firing, Need, TransitionObserver
from confsim.kernel.machine import Machine
from confsim.kernel.rows import Row

AnyMachine: TypeAlias = Machine[Any, Any]
Plant: TypeAlias = Callable[[], AbstractContextManager[object]]


class Fault(Struct, frozen=True):
    """A fault: the name says what goes wrong, ``source`` which words of the documents it breaks.

    ``starts`` are the names of those from which it is looked for first. ``hidden`` is the reason why no walk can show
    it, empty for a fault that some invariant has to find.
    """

    name: str
    area: str
    source: str
    starts: tuple[str, ...]
    plant: Plant
    hidden: str = ""


def row(machine: AnyMachine, trigger: str, state: Enum, then: Enum | None = None) -> Row:
    """Return the first row of a trigger out of a state, into ``then`` if it is given."""
    rows = machine.rows
    return next(each for each in rows if each.when == trigger and state in each.on and then in (None, each.then))


def coupling(when: AnyMachine, fires: AnyMachine, trigger: str, reaches: Enum | None = None) -> Coupling:
    """Return the first coupling by which a machine fires a trigger of another, on reaching a state if one is given."""
    for each in COUPLINGS:
        if (each.when, each.fires, each.trigger) == (when, fires, trigger) and reaches in (None, each.reaches):
            return each
    raise LookupError(f"{when.name} does not fire {trigger!r} of {fires.name}")


def need(when: AnyMachine, by: str, fires: AnyMachine, trigger: str) -> Need:
    """Return the need of a trigger that another machine moves first."""
    return next(each for each in NEEDS if (each.when, each.by, each.fires, each.trigger) == (when, by, fires, trigger))


def cascade(when: AnyMachine, fires: AnyMachine, trigger: str) -> Cascade:
    """Return the cascade by which the removal of a record fires a trigger of another machine."""
    for each in DELETION:
        firing = each.firing
        if each.when is when and isinstance(firing, Firing) and (firing.fires, firing.trigger) == (fires, trigger):
            return each
    raise LookupError(f"a removal by {when.name} does not fire {trigger!r} of {fires.name}")


def observer(when: AnyMachine, reaches: Enum) -> TransitionObserver:
    """Return the first observer of a state: it emits the event of that."""
    return next(each for each in EMITTED if each.when is when and each.reaches is reaches)


def altered(thing: Any, **fields: Any) -> Plant:
    """Return the fault that fields of a row, an influence, a machine or a module have other values."""
    return lambda: mock.patch.multiple(thing, **fields)


def altered_each(things: Iterable[Any], **fields: Any) -> Plant:
    """Return the fault that fields of several things have other values."""
    every = list(things)

    @contextmanager
    def planted() -> Iterator[None]:
        with ExitStack() as stack:
            for thing in every:
                stack.enter_context(mock.patch.multiple(thing, **fields))
            yield

    return planted


def _none(*_: object, **__: object) -> tuple[()]:
    return ()


def forgotten(influence: Coupling | Need | Cascade | TransitionObserver) -> Plant:
    """Return the fault that a coupling, a need, a cascade or an event does not happen."""
    if isinstance(influence, Cascade):
        return altered(influence, take=_none)
    if isinstance(influence, TransitionObserver):
        return altered(influence, notify=_none)
    return altered(influence, on=_none)
