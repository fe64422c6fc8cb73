"""The event log of a client, from which webhooks are delivered.

The events of a client are recorded while it has an active endpoint, and only the latest are stored. What happens in one
change is told at its end, in an order that does not depend on what caused it.
"""

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct

from confsim.assumptions import ask, events as assumed, note_shown
from confsim.assumptions.events import EventKind
from confsim.domain.clients.clients import CLIENTS
from confsim.kernel import Change, Record, Table, as_uuid

from . import deliveries, endpoints

Payload = Mapping[str, Any]


class Event(Record, kw_only=True):
    """One event of a client; ``number`` counts them, ``at`` is the instant in epoch milliseconds."""

    number: int
    id: str
    client: str
    kind: EventKind
    at: int
    payload: dict[str, Any]


EVENTS: Table[int, Event] = Table("event log", Event, "number")


class Occurrence(Struct, frozen=True):
    """An event that is to be told at the end of the change; its payload, or what returns it then."""

    client: str
    kind: EventKind
    payload: Payload | Callable[[], Payload | None] | None


#: What begins, the outermost first. The session of a breakout room begins with the channel of the room.
BEGINNINGS = (
    EventKind.SERVICE_ENABLED,
    EventKind.USER_CREATED,
    EventKind.CHANNEL_CREATED,
    EventKind.SESSION_STARTED,
    EventKind.BREAKOUT_STARTED,
    EventKind.ROOM_CREATED,
    EventKind.BROADCAST_STARTED,
    EventKind.RECORDING_STARTED,
    EventKind.CALL_STARTED,
    EventKind.CALL_ANSWERED,
    EventKind.CHANNEL_CHANGED,
    EventKind.USER_CHANGED,
)
#: What ends, the innermost first; a recording is processed beyond the end of its session.
ENDS = (
    EventKind.BROADCAST_STOPPED,
    EventKind.RECORDING_STOPPED,
    EventKind.CALL_ENDED,
    EventKind.ROOM_DELETED,
    EventKind.BREAKOUT_ENDED,
    EventKind.SESSION_ENDED,
    EventKind.RECORDING_READY,
    EventKind.RECORDING_FAILED,
    EventKind.CHANNEL_DELETED,
    EventKind.USER_REMOVED,
    EventKind.SERVICE_DISABLED,
)
_OF_ROOMS = {EventKind.SESSION_STARTED: EventKind.ROOM_CREATED, EventKind.SESSION_ENDED: EventKind.ROOM_DELETED}


def _place(kind: EventKind, payload: Payload) -> int:
    """The place of an event within its instant: what neither begins nor ends stands between, as it comes about."""
    if "eventRoom" in payload:
        kind = _OF_ROOMS.get(kind, kind)
    if kind in BEGINNINGS:
        return BEGINNINGS.index(kind) - len(BEGINNINGS)
    return ENDS.index(kind) + 1 if kind in ENDS else 0


def is_heard(change: Change, client: str) -> bool:
    """Whether events of the client are recorded: it has events enabled and an active endpoint, or always (G533)."""
    found = CLIENTS.get(change, client)
    subscribed = False
    if found is not None and endpoints.subscribed(change, client):
        note_shown(change, found, "events")
        subscribed = found.events
    return ask(change, assumed.RECORDED) == "always" or subscribed


def emit(
    change: Change, client: str, kind: EventKind, describe: Callable[[], Payload | None], *, late: bool = False
) -> None:
    """Tell of an event at the end of the change, if somebody hears of it (G533).

    ``describe()`` returns its payload, JSON values: the ids of the objects concerned, and details; None for nothing to
    tell of. It is called now, or ``late`` at the end of the change, for what begins before that to which it belongs.
    """
    if is_heard(change, client) and kind in ask(change, assumed.KINDS):
        change.collected.append(Occurrence(client, kind, describe if late else describe()))


def tell(change: Change) -> None:
    """Record and deliver the events of a change, in the order of ``events.order``."""
    told: list[tuple[str, EventKind, Payload]] = []
    for event in change.collected:
        payload = event.payload() if callable(event.payload) else event.payload
        if payload is not None:
            told.append((event.client, event.kind, payload))
    change.collected.clear()
    if len(told) > 1 and ask(change, assumed.ORDER) == "nested":
        told.sort(key=lambda event: _place(event[1], event[2]))
    for client, kind, payload in told:
        _record(change, client, kind, payload)


def _record(change: Change, client: str, kind: EventKind, payload: Payload) -> None:
    rows = EVENTS.of(change, client)
    number = change.count(f"event {client}")
    id = as_uuid(change.key(f"event {number} of {client}")[:16])
    rows.put(Event(number=number, id=id, client=client, kind=kind, at=change.now, payload=dict(payload)))
    past = number - ask(change, assumed.EVENTS_STORED)
    if past in rows:
        rows.remove(past)
    found = CLIENTS.get(change, client)
    if found is not None and found.events:
        deliveries.deliver(change, client, kind, id, payload)
