"""Instants and spans of the domain in the units of the wire."""

from __future__ import annotations

from confsim.assumptions.register import Entry, ask

from .call import Call


def instant(call: Call, entry: Entry[str], at: int) -> int:
    """An instant (epoch milliseconds) in the unit that the entry chooses."""
    return at // 1000 if ask(call, entry) == "epoch-s" else at


def life(call: Call, entry: Entry[str], until: int) -> int:
    """What is left until an instant, or the instant itself, in the unit that the entry chooses."""
    unit = ask(call, entry)
    if unit == "seconds":
        return (until - call.now) // 1000
    if unit == "milliseconds":
        return until - call.now
    return until // 1000 if unit == "epoch-s" else until
