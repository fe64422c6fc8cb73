"""Deliveries: what has happened, on its way to each endpoint that is told of it.

What is to be sent, when, in which order, and what an answer means is decided here; who really sends it is not known
here: ``ready`` tells what is to be sent now, ``answered`` takes what became of it. How any of it works is nowhere
documented (P2 L370 "not shown", G533, G534).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from confsim.assumptions import events as assumed
from confsim.assumptions.events import Kind
from confsim.assumptions.refusals import Reason
from confsim.assumptions.register import ask
from confsim.domain.clients.clients import CLIENTS
from confsim.kernel.machine import Coupling
from confsim.kernel.old_machine import Effect, Facts, Guard, Machine, Row
from confsim.kernel.table import Index, Record, SharedTable
from confsim.kernel.timers import on_timer
from confsim.kernel.world import Change, World

from . import endpoints
from .endpoints import ENDPOINTS
from .envelopes import enveloped

_TIMER = "webhook delivery"


class State(Enum):
    """Where a delivery is."""

    ABSENT = "absent"
    #: Behind an earlier one, or its endpoint is not told anything at present.
    WAITING = "waiting"
    #: To be sent at this instant.
    READY = "ready"
    #: To be sent when its time comes.
    LATER = "later"
    DELIVERED = "delivered"
    #: Given up after its last retry.
    FAILED = "failed"
    #: Never sent, since its endpoint is not to be reached from here.
    REFUSED = "refused"
    LOST = "lost"


class Attempt(Struct, frozen=True):
    """One attempt: its instant (epoch milliseconds), the status it was answered, or the problem that there was."""

    at: int
    status: int | None
    problem: str | None = None


class Delivery(Record, kw_only=True):
    """One thing that happened, for one endpoint.

    ``message`` is the id of what happened, the same for every endpoint and attempt; ``payload`` the JSON value that is
    sent. ``tries`` counts the attempts since it was last begun, ``due`` is the instant of the next where it is known.
    What is ``aside`` lets others pass. ``number`` counts the deliveries of a client.
    """

    id: str
    number: int
    client: str
    endpoint: str
    message: str
    kind: Kind
    at: int
    payload: Any
    state: State = State.ABSENT
    attempts: tuple[Attempt, ...] = ()
    tries: int = 0
    due: int | None = None
    aside: bool = False


OPEN = (State.WAITING, State.READY, State.LATER)
_CLOSED = (State.DELIVERED, State.FAILED, State.REFUSED, State.LOST)


def _lane(delivery: Delivery) -> tuple[tuple[str, str], ...]:
    if delivery.state is State.WAITING:
        return ((delivery.endpoint, "waits"),)
    if delivery.state in OPEN:
        return ((delivery.endpoint, "aside" if delivery.aside else "under way"),)
    return ()


#: Those of an endpoint that are not done with: which wait, are under way, stand aside.
LANE: Index[Delivery] = Index("lane", _lane)
READY: Index[Delivery] = Index("ready", lambda delivery: (True,) if delivery.state is State.READY else ())
NUMBER: Index[Delivery] = Index("number", lambda delivery: ((delivery.client, delivery.number),))
DELIVERIES: SharedTable[str, Delivery] = SharedTable("webhook deliveries", Delivery, "id", LANE, READY, NUMBER)


def _put(change: Change, delivery: Delivery, state: State, **fields: Any) -> Delivery:
    if delivery.due is not None:
        change.cancel(_TIMER, delivery.client, delivery.id)
    return DELIVERIES.of(change).put(replace(delivery, **{"state": state, "due": None, **fields}))


def _to(state: State, meaning: str) -> Effect:
    def effect(change: Change, delivery: Delivery, facts: Facts) -> Delivery:
        return _put(change, delivery, state)

    effect.__doc__ = meaning
    return effect


def _tried(state: State, meaning: str) -> Effect:
    def effect(change: Change, delivery: Delivery, facts: Facts) -> Delivery:
        attempts = (*delivery.attempts, facts["attempt"])
        return _put(change, delivery, state, attempts=attempts, tries=delivery.tries + 1)

    effect.__doc__ = meaning
    return effect


def _retry(change: Change, delivery: Delivery, facts: Facts) -> Delivery:
    """It is tried again after the next of the delays."""
    due = change.now + facts["delays"][delivery.tries]
    change.schedule(_TIMER, due, delivery.client, delivery.id)
    attempts = (*delivery.attempts, facts["attempt"])
    moved = replace(delivery, state=State.LATER, due=due, attempts=attempts, tries=delivery.tries + 1)
    return DELIVERIES.of(change).put(moved)


def _postpone(change: Change, delivery: Delivery, facts: Facts) -> Delivery:
    """It is sent after a while; meanwhile it is in the way of the next ones, or lets them pass."""
    due = change.now + facts["delay"]
    change.schedule(_TIMER, due, delivery.client, delivery.id)
    return DELIVERIES.of(change).put(replace(delivery, state=State.LATER, due=due, aside=facts["aside"]))


def _again(change: Change, delivery: Delivery, facts: Facts) -> Delivery:
    """All its retries are before it again."""
    return _put(change, delivery, State.WAITING, tries=0, aside=False)


_MORE = Guard("a retry is left", lambda delivery, facts: delivery.tries < len(facts["delays"]))

MACHINE: Machine[State, Delivery] = Machine(
    "webhook delivery",
    "What happened, on its way to one endpoint (G533, G534).",
    State,
    (
        Row("happen", State.ABSENT, State.WAITING, effect=_to(State.WAITING, "It waits for its turn."), source="G533"),
        Row(
            "release",
            (State.WAITING, State.LATER),
            State.READY,
            effect=_to(State.READY, "It is to be sent now."),
            source="G534",
        ),
        Row(
            "take",
            OPEN,
            State.DELIVERED,
            effect=_tried(State.DELIVERED, "The endpoint has it, whatever happened meanwhile."),
            source="G534",
        ),
        Row(
            "fail",
            State.WAITING,
            State.WAITING,
            effect=_tried(State.WAITING, "It was sent before its endpoint was told no more."),
            source="G534",
        ),
        Row("fail", State.READY, State.LATER, only_if=_MORE, effect=_retry, source="G534"),
        Row(
            "fail",
            State.READY,
            State.FAILED,
            only_if=~_MORE,
            effect=_tried(State.FAILED, "It is given up."),
            source="G534",
        ),
        Row(
            "refuse",
            State.READY,
            State.REFUSED,
            effect=_tried(State.REFUSED, "Nothing was sent, and nothing will be."),
            source="G534",
        ),
        Row("postpone", State.READY, State.LATER, effect=_postpone, source="G534"),
        Row("hold", (State.READY, State.LATER), State.WAITING, effect=_again, source="P2 L366, R532, G534"),
        Row("lose", OPEN, State.LOST, effect=_to(State.LOST, "It never arrives."), source="P2 L366, R532, G534"),
        Row("redeliver", _CLOSED, State.WAITING, effect=_again, source="G534"),
        Row("redeliver", State.LATER, State.READY, effect=_to(State.READY, "It is sent at once."), source="G534"),
    ),
    read=lambda delivery, facts: delivery.state,
    refusals={None: Reason.DELIVERY_UNDER_WAY},
    initial=State.ABSENT,
)


# What is to be delivered


def tell(change: Change, client: str, kind: Kind, message: str, payload: Mapping[str, Any]) -> None:
    """Begin the delivery of what happened to every active endpoint of the client, in the order of the endpoints."""
    body: Any = None
    for endpoint in endpoints.listening(change, client):
        if body is None:
            body = enveloped(change, client, kind, message, payload)
        number = change.count(f"webhook delivery {client}")
        made = Delivery(
            id=change.uuid(),
            number=number,
            client=client,
            endpoint=endpoint.id,
            message=message,
            kind=kind,
            at=change.now,
            payload=body,
        )
        MACHINE.fire(change, made, "happen")
        _release(change, client, endpoint.id)
        past = DELIVERIES.of(change).first(NUMBER, (client, number - ask(change, assumed.DELIVERIES_STORED)))
        if past is not None:
            MACHINE.follow(change, past, "lose")
            DELIVERIES.of(change).remove(past.id)


def _release(change: Change, client: str, endpoint: str) -> None:
    for each in turn(change, client, endpoint):
        MACHINE.fire(change, each, "release")


def turn(change: Change, client: str, endpoint: str) -> Iterable[Delivery]:
    """Those of an endpoint whose turn it is, and that are not under way."""
    there = ENDPOINTS.get(change, endpoint, client)
    if there is None or not there.active or not CLIENTS.of(change)[client].events:
        return ()
    rows = DELIVERIES.of(change)
    if ask(change, assumed.DELIVERY_ORDER) == "free":
        return rows.find(LANE, (endpoint, "waits"))
    if rows.find(LANE, (endpoint, "under way")):
        return ()
    first = rows.first(LANE, (endpoint, "waits"))
    return () if first is None else (first,)


@on_timer(_TIMER)
def _fall_due(change: Change, client: str, id: str) -> bool:
    delivery = DELIVERIES.of(change).get(id)
    return delivery is not None and MACHINE.follow(change, delivery, "release") is not delivery


# What becomes of it


def ready(world: World) -> list[Delivery]:
    """What is to be sent now, in the order in which it is to be."""
    if not world.state(DELIVERIES).indexes[READY.place]:
        return []
    return DELIVERIES.seen(world).find(READY, True)


def answered(change: Change, id: str, at: int, status: int | None, problem: str | None = None) -> None:
    """Take what became of an attempt that was made at the instant ``at``: answered with a status, or a problem."""
    delivery = DELIVERIES.of(change).get(id)
    if delivery is not None:
        event = "take" if _taken(change, status) else "fail"
        attempt = Attempt(at, status, problem)
        MACHINE.follow(change, delivery, event, attempt=attempt, delays=ask(change, assumed.DELAYS))


def _taken(change: Change, status: int | None) -> bool:
    if status is None:
        return False
    taken = ask(change, assumed.DELIVERED)
    return taken == "any" or status == 200 or (taken == "2xx" and 200 <= status <= 299)


def refuse(change: Change, id: str, problem: str) -> None:
    """Do not send it, now or later, and say why."""
    delivery = DELIVERIES.of(change)[id]
    MACHINE.follow(change, delivery, "refuse", attempt=Attempt(change.now, None, problem))


def postpone(change: Change, id: str, delay: int, *, aside: bool) -> None:
    """Send it so many milliseconds later. ``aside`` lets those behind it pass."""
    delivery = MACHINE.follow(change, DELIVERIES.of(change)[id], "postpone", delay=delay, aside=aside)
    if aside:
        _release(change, delivery.client, delivery.endpoint)


def lose(change: Change, id: str) -> None:
    """Let it never arrive."""
    MACHINE.follow(change, DELIVERIES.of(change)[id], "lose")


def redeliver(change: Change, delivery: Delivery) -> Delivery:
    """Deliver it once more, with all its retries before it. Refusal DELIVERY_UNDER_WAY while it waits to be sent."""
    delivery = MACHINE.fire(change, delivery, "redeliver", id=delivery.id)
    _release(change, delivery.client, delivery.endpoint)
    return DELIVERIES.of(change)[delivery.id]


def listed(change: Change) -> list[Delivery]:
    """Every delivery, newest last."""
    return DELIVERIES.of(change).oldest()


def _next(change: Change, delivery: Delivery) -> Iterable[Delivery]:
    return turn(change, delivery.client, delivery.endpoint)


#: What ends lets the next one go.
NEXT: tuple[Coupling, ...] = tuple(
    Coupling(MACHINE, closed, MACHINE, "release", _next, source="G534") for closed in _CLOSED
)
