"""Instants of the domain (epoch milliseconds) in the units of the wire."""

from __future__ import annotations

from confsim.assumptions.protocol import durations
from confsim.assumptions.register import Entry, ask

from .call import Call

#: Milliseconds of the units of instants since 1970, and of the units of the time left until an instant.
_EPOCH = {"epoch-ms": 1, "epoch-s": 1000, "epoch-days": durations.DAY}
_LEFT = {"milliseconds": 1, "seconds": 1000}


def instant(call: Call, entry: Entry[str], at: int) -> int:
    """Convert an instant (epoch milliseconds) to the unit of the entry: of instants, or of the time left until one."""
    unit = ask(call, entry)
    return (at - call.now) // _LEFT[unit] if unit in _LEFT else at // _EPOCH[unit]
