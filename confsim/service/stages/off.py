"""The stages that are off by default: a call notes those that could have answered it otherwise."""

from __future__ import annotations

from confsim.assumptions.protocol import transport
from confsim.assumptions.register import note
from confsim.kernel.world import Change
from confsim.service.incoming import Incoming
from confsim.service.journal import Journal

#: The fewest calls in a minute, and the longest delay of reads in milliseconds, among the alternatives.
_FEWEST, _LONGEST = min(transport.RATE.candidates()), max(transport.LAG.candidates())
#: The header by which services know a repeated call, in lower case.
_KEY = transport.IDEMPOTENCY.candidates()[0].lower()
_MINUTE = 60_000


def note_off(change: Change, incoming: Incoming, journal: Journal, changed: int) -> None:
    """Note the limit of calls, the keys of repeated calls and the delay of reads, where a call shows that they are off.

    ``changed`` is the instant at which the world changed last.
    """
    if change.now - journal.instant_of(_FEWEST) < _MINUTE:
        note(change, transport.RATE)
    if not incoming.operation.changes:
        if change.now - changed < _LONGEST:
            note(change, transport.LAG)
    elif _KEY in incoming.request.headers:
        note(change, transport.IDEMPOTENCY)
