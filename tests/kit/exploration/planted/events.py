"""Planted faults of events, and of what a refusal leaves."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from inspect import getclosurevars
from typing import Any

from confsim.assumptions.events import EventKind
from confsim.domain.clients.clients import CLIENTS
from confsim.domain.couplings import events
from confsim.domain.events import event_log
from confsim.domain.events.event_log import emit
from confsim.domain.members import roles
from confsim.domain.members.roles import Role
from confsim.domain.runtime import presence, sessions
from confsim.domain.runtime.presence import Presence, Where
from confsim.domain.runtime.sessions import SessionState
from confsim.kernel.influence import Coupling
from confsim.kernel.refusal import Refusal
from confsim.kernel.rows import ABSENT
from confsim.kernel.world import Change, World
from confsim.service.pipeline import Pipeline
from kit.tables import influences_of

from .fault import AnyMachine, Fault, altered, forgotten, observer

_EVENTS = ("events and webhooks", "room", "meeting")
_SOURCE = "P2 Events, G533"


def _emitting(when: AnyMachine, reaches: Enum, kind: EventKind) -> Coupling:
    """Return the coupling that emits this kind of event when the machine reaches the state."""
    found = (each for each in influences_of(when) if isinstance(each, Coupling) and each.reaches is reaches)
    return next(each for each in found if each.fires is None and getclosurevars(each.on).nonlocals.get("kind") is kind)


_JOINED = _emitting(presence.MACHINE, Where.IN, EventKind.PARTICIPANT_JOINED)
_TELL: Callable[[Change, Presence, Presence | None], object] = _JOINED.on


def _tell_twice(change: Change, present: Presence, before: Presence | None) -> None:
    """Emit the event, and again."""
    _TELL(change, present, before)
    _TELL(change, present, before)


def _emit_elsewhere(
    change: Change, client: str, kind: EventKind, describe: Callable[[], Mapping[str, Any]], *, late: bool = False
) -> None:
    """Record the event in the log of another client."""
    other = next(each.id for each in CLIENTS.of(change).all if each.id != client)
    emit(change, other, kind, describe, late=late)


def _keep(pipeline: Pipeline, change: Change, refusal: Refusal | None = None) -> World:
    """Put the change of a refused call in force."""
    return pipeline._live.put(change)


FAULTS: tuple[Fault, ...] = (
    Fault(
        "the end of a session is not told",
        "events",
        "P2 Events, G533",
        _EVENTS,
        forgotten(observer(sessions.MACHINE, SessionState.ENDED)),
    ),
    Fault(
        "a participant who joins is told twice",
        "events",
        "P2 Events, G533",
        _EVENTS,
        altered(_JOINED, on=_tell_twice),
    ),
    Fault(
        "who leaves the lobby without getting in is not told",
        "events",
        _SOURCE,
        ("lobby",),
        forgotten(_emitting(presence.MACHINE, ABSENT, EventKind.PARTICIPANT_WAITED)),
    ),
    Fault(
        "who returns from a breakout room is not told",
        "events",
        _SOURCE,
        ("breakout active",),
        forgotten(_emitting(presence.MACHINE, Where.IN, EventKind.ROOM_LEFT)),
    ),
    Fault(
        "a new operator is not told",
        "events",
        _SOURCE,
        ("members",),
        forgotten(_emitting(roles.MACHINE, Role.OPERATOR, EventKind.ROLE_CHANGED)),
    ),
    Fault(
        "a rename of a channel is not told",
        "events",
        _SOURCE,
        ("room", "event room", "members"),
        altered(events, CHANNEL_FIELDS={}, _TOLD={}),
    ),
    Fault(
        "events of one instant are told as they come about",
        "events",
        _SOURCE,
        _EVENTS,
        altered(event_log, _place=lambda kind, payload: 0),
    ),
    Fault(
        "an event is recorded in the log of another client",
        "events",
        "P1 L7, P2 Events, G533",
        _EVENTS,
        altered(events, emit=_emit_elsewhere),
    ),
    Fault(
        "a refused call leaves what it had changed",
        "refusals",
        "a forbidden event changes nothing (machines.md), P1 L7",
        ("identity", "numbers and PINs", "handles"),
        altered(Pipeline, _dropped=_keep),
    ),
)
