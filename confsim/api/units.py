"""Instants and spans of the domain in the units of the wire."""

from __future__ import annotations

from confsim.assumptions.protocol import durations
from confsim.assumptions.register import Entry, ask

from .call import Call

#: Milliseconds of the units in which instants are counted since 1970, and of those that tell what is left until one.
_EPOCH = {"epoch-ms": 1, "epoch-s": 1000, "epoch-days": durations.DAY}
_LEFT = {"milliseconds": 1, "seconds": 1000}


def instant(call: Call, entry: Entry[str], at: int) -> int:
    """An instant (epoch milliseconds), or what is left until it, in the unit that the entry chooses."""
    unit = ask(call, entry)
    return (at - call.now) // _LEFT[unit] if unit in _LEFT else at // _EPOCH[unit]
