"""A planted fault, and the ways to plant one: in a row of a machine, in an influence, or in a function."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from enum import Enum
from typing import Any, TypeAlias
from unittest import mock

from msgspec import Struct

from confsim.kernel.influence import Cascade, Coupling, Need
from confsim.kernel.machine import Machine, Trigger
from confsim.kernel.rows import Row
from kit.tables import influences_of

AnyMachine: TypeAlias = Machine[Any, Any]
AnyTrigger: TypeAlias = Trigger[Any, ...]
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


def row(trigger: AnyTrigger, state: Enum, then: Enum | None = None) -> Row:
    """Return the first row of a trigger out of a state, into ``then`` if it is given."""
    return next(each for each in trigger.rows if state in each.on and then in (None, each.then))


def coupling(when: AnyMachine, fires: AnyTrigger, reaches: Enum | None = None) -> Coupling:
    """Return the first coupling by which a machine fires a trigger, on reaching a state if one is given."""
    for each in influences_of(when):
        if isinstance(each, Coupling) and each.fires is fires and reaches in (None, each.reaches):
            return each
    raise LookupError(f"{when.name} does not fire {fires} of {fires.machine.name}")


def need(by: AnyTrigger, fires: AnyTrigger) -> Need:
    """Return the need of a trigger that another machine moves first."""
    needs: Iterator[Need] = (each for row in by.rows for each in row.needs)
    return next(each for each in needs if each.fires is fires)


def cascade(when: AnyMachine, fires: AnyTrigger) -> Cascade:
    """Return the cascade by which the removal of a record fires a trigger."""
    cascades: tuple[Cascade, ...] = when.cascades
    return next(each for each in cascades if each.fires is fires)


def observer(when: AnyMachine, reaches: Enum) -> Coupling:
    """Return the first coupling with a state that fires nothing: it emits the event of that."""
    found = (each for each in influences_of(when) if isinstance(each, Coupling) and each.fires is None)
    return next(each for each in found if each.reaches is reaches)


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


def forgotten(influence: Coupling | Need | Cascade) -> Plant:
    """Return the fault that a coupling, a need, a cascade or an event does not happen."""
    return altered(influence, on=_none)
