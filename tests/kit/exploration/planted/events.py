"""Planted faults of events, and of what a refusal leaves."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from confsim.assumptions.events import EventKind
from confsim.domain.clients.clients import CLIENTS
from confsim.domain.couplings import events
from confsim.domain.events.event_log import emit
from confsim.domain.runtime import presence, sessions
from confsim.domain.runtime.presence import Presence, Where
from confsim.domain.runtime.sessions import SessionState
from confsim.kernel.refusal import Refusal
from confsim.kernel.world import Change, World
from confsim.service.pipeline import Pipeline

from .fault import Fault, altered, forgotten, observer

_EVENTS = ("events and webhooks", "room", "meeting")
_JOINED = observer(presence.MACHINE, Where.IN)
_TELL = _JOINED.on


def _tell_twice(change: Change, present: Presence) -> None:
    """Emit the event, and again."""
    _TELL(change, present)
    _TELL(change, present)


def _emit_elsewhere(
    change: Change, client: str, kind: EventKind, describe: Callable[[Any], Mapping[str, Any]], record: Any
) -> None:
    """Record the event in the log of another client."""
    other = next(each.id for each in CLIENTS.of(change).all if each.id != client)
    emit(change, other, kind, describe, record)


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
