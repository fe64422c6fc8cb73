"""The invariants of the exploration: one table, in the documents' words, with the source of each sentence."""

from __future__ import annotations

from . import doors, kept, meetings, members, reads, timers, told
from .invariant import Invariant

#: Every invariant, those of worlds and those of steps.
INVARIANTS: tuple[Invariant, ...] = (
    *doors.INVARIANTS,
    *kept.INVARIANTS,
    *meetings.INVARIANTS,
    *members.INVARIANTS,
    *reads.INVARIANTS,
    *timers.INVARIANTS,
    *told.INVARIANTS,
)
