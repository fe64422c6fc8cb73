"""Webhook deliveries of events to the active endpoints of a client.

This module decides the content, time and order of deliveries and evaluates the responses. It sends nothing itself:
``ready`` returns the deliveries to send now, ``answered`` records the attempts. None of it is documented (P2 L370
"not shown", G533, G534).
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from enum import Enum, StrEnum
from typing import Any, assert_never

from msgspec import Struct

from confsim.assumptions import Reason, ask, events as assumed, note
from confsim.assumptions.events import EventKind
from confsim.domain.clients.clients import CLIENTS
from confsim.domain.fault_points import WEBHOOK, FaultOutcome, fault_for
from confsim.kernel import (
    ABSENT,
    Change,
    Guard,
    Index,
    Machine,
    Record,
    Row,
    Table,
    TableState,
    Unique,
    View,
    World,
    replace,
)

from . import endpoints
from .endpoints import ENDPOINTS


class DeliveryState(Enum):
    """The state of a delivery."""

    #: Queued behind an earlier one, or its endpoint is not active at present.
    WAITING = "waiting"
    #: To be sent at this instant.
    READY = "ready"
    #: To be sent at the instant ``due``.
    LATER = "later"
    DELIVERED = "delivered"
    #: Given up after its last retry.
    FAILED = "failed"
    #: Never sent, since its endpoint is not reachable.
    REFUSED = "refused"
    LOST = "lost"


class Attempt(Struct, frozen=True):
    """One attempt: its instant (epoch milliseconds), the status of the response or the problem, and where it went."""

    at: int
    status: int | None
    problem: str | None = None
    url: str | None = None


class Delivery(Record, kw_only=True):
    """The delivery of one event to one endpoint.

    ``message`` is the id of the event, the same for every endpoint and attempt; ``payload`` the JSON value that is
    sent. ``tries`` counts the attempts since it last began, ``due`` is the instant of the next while it is LATER.
    One that ``bypasses`` its queue does not block those behind it. ``number`` counts the deliveries of a client.
    """

    id: str
    number: int
    client: str
    endpoint: str
    message: str
    kind: EventKind
    at: int
    payload: Any
    state: DeliveryState = DeliveryState.WAITING
    attempts: tuple[Attempt, ...] = ()
    tries: int = 0
    due: int | None = None
    bypasses: bool = False


OPEN = (DeliveryState.WAITING, DeliveryState.READY, DeliveryState.LATER)
CLOSED = (DeliveryState.DELIVERED, DeliveryState.FAILED, DeliveryState.REFUSED, DeliveryState.LOST)


class Place(StrEnum):
    """The place of an open delivery in the queue of its endpoint."""

    UNDER_WAY = "under way"
    BYPASSING = "bypassing"
    WAITING = "waiting"


def _place(endpoint: str, state: DeliveryState, bypasses: bool) -> tuple[tuple[str, Place], ...]:
    if state is DeliveryState.WAITING:
        return ((endpoint, Place.WAITING),)
    if state in OPEN:
        return ((endpoint, Place.BYPASSING if bypasses else Place.UNDER_WAY),)
    return ()


#: The open deliveries by endpoint and place in its queue.
QUEUE: Index[Delivery] = Index("queue", "endpoint", "state", "bypasses", of=_place)
READY: Index[Delivery] = Index("ready", "state", of=lambda state: (True,) if state is DeliveryState.READY else ())
#: The waiting deliveries by client.
WAITING: Index[Delivery] = Index(
    "waiting", "state", "client", of=lambda state, client: (client,) if state is DeliveryState.WAITING else ()
)
NUMBER: Unique[Delivery] = Unique("number", "client", "number")
DELIVERIES: Table[str, Delivery] = Table(
    "webhook deliveries", Delivery, "id", QUEUE, READY, WAITING, NUMBER, shared=True
)


MACHINE: Machine[DeliveryState, Delivery] = Machine(
    "webhook delivery",
    "An event on its way to one endpoint (G533, G534).",
    DELIVERIES,
    DeliveryState,
    state="state",
    refused={ABSENT: Reason.NOT_FOUND, None: Reason.DELIVERY_UNDER_WAY},
)
_BEGIN = MACHINE.draft("begin")
RELEASE = MACHINE.trigger("release")
HOLD = MACHINE.trigger("hold")
LOSE = MACHINE.trigger("lose")
#: Deliver again, with all retries. Refusal DELIVERY_UNDER_WAY while the delivery is queued.
redeliver = MACHINE.trigger("redeliver", details=lambda change, delivery: {"id": delivery.id})
_DISCARD = MACHINE.trigger("discard")


def _without_due(change: Change, delivery: Delivery) -> Delivery:
    """The instant of the next attempt is removed."""
    return replace(delivery, due=None)


def _record_attempt(change: Change, delivery: Delivery, attempt: Attempt) -> Delivery:
    """The attempt is recorded."""
    return replace(delivery, due=None, attempts=(*delivery.attempts, attempt), tries=delivery.tries + 1)


_ACCEPT = MACHINE.effect("accept")(_record_attempt)
_FAIL = MACHINE.effect("fail")(_record_attempt)
_REFUSE = MACHINE.effect("refuse")(_record_attempt)


def _retry(change: Change, delivery: Delivery, attempt: Attempt) -> Delivery:
    """The attempt is recorded, and the next follows after the next of the delays."""
    due = change.now + ask(change, assumed.DELAYS)[delivery.tries]
    return replace(_record_attempt(change, delivery, attempt), due=due)


@MACHINE.effect("postpone")
def _postpone(change: Change, delivery: Delivery, delay: int, bypasses: bool) -> Delivery:
    """The delivery is sent after the delay; meanwhile it blocks those behind it, or lets them pass."""
    return replace(delivery, due=change.now + delay, bypasses=bypasses)


def _restart(change: Change, delivery: Delivery) -> Delivery:
    """The delivery begins again, with all its retries."""
    return replace(delivery, due=None, tries=0, bypasses=False)


_RETRIES_LEFT = Guard("a retry is left", lambda change, delivery: delivery.tries < len(ask(change, assumed.DELAYS)))
_DUE = MACHINE.deadline("webhook delivery", lambda delivery: delivery.due)
_WAITING, _READY, _LATER, _DELIVERED, _FAILED, _REFUSED, _LOST = DeliveryState

MACHINE.declare(
    Row(_BEGIN, ABSENT, _WAITING, source="G533"),
    Row(RELEASE, (_WAITING, _LATER), _READY, effect=_without_due, at=_DUE, source="G534"),
    # A response counts although the endpoint was deactivated, or events switched off, after it was sent.
    Row(_ACCEPT, OPEN, _DELIVERED, source="G534"),
    Row(_FAIL, _WAITING, _WAITING, source="G534"),
    Row(_FAIL, _READY, _LATER, only_if=_RETRIES_LEFT, effect=_retry, source="G534"),
    Row(_FAIL, _READY, _FAILED, only_if=~_RETRIES_LEFT, source="G534"),
    Row(_REFUSE, _READY, _REFUSED, source="G534"),
    Row(_postpone, _READY, _LATER, source="G534"),
    Row(HOLD, (_READY, _LATER), _WAITING, effect=_restart, source="P2 L366, R532, G534"),
    Row(LOSE, OPEN, _LOST, effect=_without_due, source="P2 L366, R532, G534"),
    Row(redeliver, CLOSED, _WAITING, effect=_restart, source="G534"),
    Row(redeliver, _LATER, _READY, effect=_without_due, source="G534"),
    Row(_DISCARD, CLOSED, ABSENT, source="G533"),
)


# Queue


def deliver(change: Change, client: str, kind: EventKind, message: str, payload: Mapping[str, Any]) -> None:
    """Begin the deliveries of an event to every active endpoint of the client, in the order of the endpoints."""
    body: Any = None
    for endpoint in endpoints.subscribed(change, client):
        if body is None:
            body = enveloped(ask(change, assumed.ENVELOPE), change.now, client, kind, message, payload)
        number = change.count(f"webhook delivery {client}")
        draft = Delivery(
            id=change.uuid(),
            number=number,
            client=client,
            endpoint=endpoint.id,
            message=message,
            kind=kind,
            at=change.now,
            payload=body,
        )
        _BEGIN(change, draft)
        past = DELIVERIES.one(change, NUMBER, (client, number - ask(change, assumed.DELIVERIES_STORED)))
        if past is not None:
            _DISCARD(change, LOSE.if_allowed(change, past))


def awaited(change: Change, client: str) -> set[str]:
    """The ids of the endpoints to which deliveries of a client wait."""
    return {delivery.endpoint for delivery in DELIVERIES.where(change, WAITING, client)}


def next_due(change: Change, client: str, endpoint: str) -> Sequence[Delivery]:
    """The waiting deliveries of an endpoint to send now: the first one, or all where order is free."""
    receiver = ENDPOINTS.get(change, endpoint, client)
    if receiver is None or not receiver.active or not CLIENTS.of(change)[client].events:
        return ()
    rows = DELIVERIES.of(change)
    if ask(change, assumed.DELIVERY_ORDER) == "free":
        return rows.where(QUEUE, (endpoint, Place.WAITING))
    if rows.where(QUEUE, (endpoint, Place.UNDER_WAY)):
        return ()
    first = rows.where(QUEUE, (endpoint, Place.WAITING)).first
    return () if first is None else (first,)


# Attempts


def begin_attempt(change: Change, id: str) -> int:
    """Return how often to send a delivery now: once, or as a fault of its first attempt says."""
    delivery = DELIVERIES.of(change)[id]
    if delivery.attempts:
        return 1
    facts = {"client": delivery.client, "endpoint": delivery.endpoint, "kind": delivery.kind}
    fault = fault_for(change, WEBHOOK, **facts, id=id)
    if fault is None:
        return 1
    if fault.outcome is FaultOutcome.DOUBLED:
        return 2
    if fault.outcome is FaultOutcome.LOST:
        LOSE.if_allowed(change, delivery)
    elif fault.outcome is FaultOutcome.LATE:
        _postpone.if_allowed(change, delivery, fault.by, bypasses=False)
    elif fault.outcome is FaultOutcome.OUT_OF_ORDER:
        _postpone.if_allowed(change, delivery, fault.by, bypasses=True)
    else:
        assert_never(fault.outcome)
    return 0


def any_ready(state: TableState) -> bool:
    """Whether there are deliveries to send now in a state of their table."""
    return bool(state.rows and state.index(READY))


def ready(world: World) -> View[Delivery]:
    """The deliveries to send now, in order."""
    return DELIVERIES.seen(world).where(READY, True)


def answered(
    change: Change, id: str, at: int, status: int | None, problem: str | None = None, url: str | None = None
) -> None:
    """Record an attempt at the instant ``at`` (epoch milliseconds) with the status of the response or the problem.

    ``url`` is where it went, if that is not the URL of the endpoint as it is now.
    """
    delivery = DELIVERIES.get(change, id)
    if delivery is None:
        return
    if url is None:
        endpoint = ENDPOINTS.get(change, delivery.endpoint, delivery.client)
        url = None if endpoint is None else endpoint.url
    note(change, assumed.DELAYS)
    (_ACCEPT if _is_accepted(change, status) else _FAIL).if_allowed(change, delivery, Attempt(at, status, problem, url))


def _is_accepted(change: Change, status: int | None) -> bool:
    if status is None:
        return False
    accepted = ask(change, assumed.DELIVERED)
    return accepted == "any" or status == 200 or (accepted == "2xx" and 200 <= status <= 299)


def refuse(change: Change, id: str, problem: str, url: str) -> None:
    """Mark the delivery as refused, never to be sent to its URL; ``problem`` is the reason."""
    _REFUSE.if_allowed(change, DELIVERIES.of(change)[id], Attempt(change.now, None, problem, url))


def list_deliveries(change: Change) -> View[Delivery]:
    """Every delivery, newest last."""
    return DELIVERIES.of(change).all


def enveloped(
    envelope: str, instant: int, client: str, kind: EventKind, message: str, payload: Mapping[str, Any]
) -> Any:
    """The JSON sent to an endpoint for an event of an instant, in epoch milliseconds (G533).

    ``envelope`` is the choice of ``webhooks.envelope``, ``message`` the id of the event.
    """
    if envelope == "data-alone":
        return dict(payload)
    if envelope == "standard-webhooks":
        at = datetime.fromtimestamp(instant // 1000, UTC).replace(microsecond=instant % 1000 * 1000)
        return {
            "type": kind.value,
            "timestamp": at.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "data": dict(payload),
        }
    return {
        "id": message,
        "kind": kind.value,
        "time": instant,
        "clientId": client,
        "channel": payload.get("channel"),
        "data": dict(payload),
    }
