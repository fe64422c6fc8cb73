"""Instants of the domain (epoch milliseconds) in the units of the wire."""

from __future__ import annotations

from confsim.assumptions.protocol import durations
from confsim.assumptions.register import Assumption, ask

from .call import Call

#: Milliseconds of the units of instants since 1970, and of the units of the time left until an instant.
_EPOCH = {"epoch-ms": 1, "epoch-s": 1000, "epoch-days": durations.DAY}
_LEFT = {"milliseconds": 1, "seconds": 1000}


def instant(call: Call, entry: Assumption[str], at: int) -> int:
    """Convert an instant (epoch milliseconds) to the unit of the entry: of instants, or of the time left until one."""
    unit = ask(call, entry)
    return (at - call.now) // _LEFT[unit] if unit in _LEFT else at // _EPOCH[unit]


def instants(call: Call, entry: Assumption[str], first: int, *others: int | None) -> tuple[int, list[int | None]]:
    """Convert an instant and the others of one thing as ``instant`` does, those that are None to None."""
    unit = ask(call, entry)
    if unit == "epoch-ms":
        return first, [*others]
    scale, since = (_LEFT[unit], call.now) if unit in _LEFT else (_EPOCH[unit], 0)
    return (first - since) // scale, [None if at is None else (at - since) // scale for at in others]
