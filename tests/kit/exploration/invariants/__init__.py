"""The invariants of the exploration: one table, in the documents' words, with the source of each sentence."""

from __future__ import annotations

from . import (
    breakouts,
    callers,
    doors,
    effects,
    kept,
    lifetimes,
    meetings,
    members,
    phones,
    reads,
    sessions,
    settings,
    starting,
    timers,
    told,
)
from .invariant import Invariant

#: Every invariant, those of worlds and those of steps.
INVARIANTS: tuple[Invariant, ...] = (
    *breakouts.INVARIANTS,
    *callers.INVARIANTS,
    *doors.INVARIANTS,
    *effects.INVARIANTS,
    *kept.INVARIANTS,
    *lifetimes.INVARIANTS,
    *meetings.INVARIANTS,
    *members.INVARIANTS,
    *phones.INVARIANTS,
    *reads.INVARIANTS,
    *sessions.INVARIANTS,
    *settings.INVARIANTS,
    *starting.INVARIANTS,
    *timers.INVARIANTS,
    *told.INVARIANTS,
)
