"""Slow things: what is done at once, when its time has come, or when it was looked at often enough."""

from __future__ import annotations

from functools import lru_cache

from confsim.assumptions.protocol.durations import Slow, slow_word
from confsim.assumptions.register import Asker, Entry, ask
from confsim.kernel.world import Change


@lru_cache(maxsize=64)
def _parsed(text: str) -> Slow:
    return slow_word(text)


def takes(asker: Asker, entry: Entry[str]) -> Slow:
    """How long this kind of thing takes."""
    return _parsed(ask(asker, entry))


def begin(change: Change, entry: Entry[str], kind: str, client: str, subject: str, *, since: int) -> int | None:
    """Begin a slow thing that counts from the instant ``since``.

    Answers 0 when it is done already, None when the timer of this kind and subject will tell, else the number of
    looks that it takes.
    """
    slow = takes(change, entry)
    if slow.word != "time":
        return slow.amount
    due = since + slow.amount * 1000
    if due <= change.now:
        return 0
    change.schedule(kind, due, client, subject)
    return None
