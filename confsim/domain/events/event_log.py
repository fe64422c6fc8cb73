"""The event log of a client, from which webhooks are delivered.

The events of a client are recorded while it has an active endpoint, and only the latest are stored.
"""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from confsim.assumptions import ask, events as assumed, note_shown
from confsim.assumptions.events import EventKind
from confsim.domain.clients.clients import CLIENTS
from confsim.kernel import Change, Record, Table, as_uuid

from . import deliveries, endpoints

R = TypeVar("R", bound=Record)


class Event(Record, kw_only=True):
    """One event of a client; ``number`` counts them, ``at`` is the instant in epoch milliseconds."""

    number: int
    id: str
    client: str
    kind: EventKind
    at: int
    payload: dict[str, Any]


EVENTS: Table[int, Event] = Table("event log", Event, "number")


def emit(change: Change, client: str, kind: EventKind, describe: Callable[[R], Mapping[str, Any]], record: R) -> None:
    """Record and deliver an event about a record, when the client has events enabled and an active endpoint (G533).

    ``describe(record)`` returns its payload, JSON values: the ids of the objects concerned, and details.
    """
    found = CLIENTS.get(change, client)
    subscribed = False
    if found is not None and endpoints.subscribed(change, client):
        note_shown(change, found, "events")
        subscribed = found.events
    recorded = ask(change, assumed.RECORDED) == "always" or subscribed
    if not recorded or kind not in ask(change, assumed.KINDS):
        return
    payload = describe(record)
    rows = EVENTS.of(change, client)
    number = change.count(f"event {client}")
    id = as_uuid(change.key(f"event {number} of {client}")[:16])
    rows.put(Event(number=number, id=id, client=client, kind=kind, at=change.now, payload=dict(payload)))
    past = number - ask(change, assumed.EVENTS_STORED)
    if past in rows:
        rows.remove(past)
    if found is not None and found.events:
        deliveries.deliver(change, client, kind, id, payload)
