"""Instants of the domain (epoch milliseconds) in the units of the wire."""

from __future__ import annotations

from typing import Any, TypeVar

from confsim.assumptions.protocol import durations
from confsim.assumptions.register import Assumption, ask

from .call import Call

#: The instants of one thing.
T = TypeVar("T", bound=tuple[int | None, ...])

#: Milliseconds of the units of instants since 1970, and of the units of the time left until an instant.
_EPOCH = {"epoch-ms": 1, "epoch-s": 1000, "epoch-days": durations.DAY}
_LEFT = {"milliseconds": 1, "seconds": 1000}


def instant(call: Call, entry: Assumption[str], at: int) -> int:
    """Convert an instant (epoch milliseconds) to the unit of the entry: of instants, or of the time left until one."""
    unit = ask(call.change, entry)
    return (at - call.change.now) // _LEFT[unit] if unit in _LEFT else at // _EPOCH[unit]


def instants(call: Call, entry: Assumption[str], things: list[T]) -> list[T]:
    """Convert the instants of each of some things as ``instant`` does, those that are None to None."""
    unit = ask(call.change, entry)
    if unit == "epoch-ms":
        return things
    scale, since = (_LEFT[unit], call.change.now) if unit in _LEFT else (_EPOCH[unit], 0)
    converted: Any = [tuple([None if at is None else (at - since) // scale for at in each]) for each in things]
    found: list[T] = converted
    return found
