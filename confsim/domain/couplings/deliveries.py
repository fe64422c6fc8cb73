"""The couplings of deliveries with their endpoints and with each other in the queue."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from confsim.assumptions import events
from confsim.assumptions.register import ask
from confsim.domain.clients.clients import Client
from confsim.domain.events import endpoints
from confsim.domain.events.deliveries import (
    CLOSED,
    DELIVERIES,
    MACHINE,
    QUEUE,
    Delivery,
    DeliveryState,
    Place,
    awaited,
    next_due,
)
from confsim.domain.events.endpoints import ENDPOINTS, EventsEndpoint, EventsEndpointState, Interface
from confsim.kernel.influence import Coupling
from confsim.kernel.rows import ABSENT
from confsim.kernel.world import Change


def _of_endpoint(change: Change, endpoint: EventsEndpoint) -> Iterable[Delivery]:
    """The deliveries to an endpoint that are due."""
    return next_due(change, endpoint.client, endpoint.id)


def _of_client(change: Change, client: Client) -> Iterable[Delivery]:
    """The deliveries to the active endpoints of a client that are due."""
    active, waiting = endpoints.subscribed(change, client.id), awaited(change, client.id)
    for place, id in enumerate(active.keys):
        if place == 0 or id in waiting:
            yield from next_due(change, client.id, id)


def _open(change: Change, endpoint: EventsEndpoint) -> list[Delivery]:
    """The deliveries to an endpoint that are not finished."""
    rows = DELIVERIES.of(change)
    return [each for place in Place for each in rows.where(QUEUE, (endpoint.id, place))]


def _of_inactive(choice: str, change: Change, endpoint: EventsEndpoint) -> Iterable[Delivery]:
    """The deliveries to an inactive endpoint, where the assumption has this choice."""
    return _open(change, endpoint) if ask(change, events.WHILE_INACTIVE) == choice else ()


def _of_disabled(choice: str, change: Change, client: Client) -> Iterable[Delivery]:
    """The deliveries of a client whose events are off, where the assumption has this choice."""
    if ask(change, events.WHILE_INACTIVE) != choice:
        return []
    return [each for endpoint in ENDPOINTS.of(change, client.id).all for each in _open(change, endpoint)]


def _behind(change: Change, delivery: Delivery) -> Iterable[Delivery]:
    """The deliveries to the same endpoint that are due."""
    return next_due(change, delivery.client, delivery.endpoint)


def _passing(change: Change, delivery: Delivery) -> Iterable[Delivery]:
    """The deliveries that a postponed one lets pass."""
    return _behind(change, delivery) if delivery.bypasses else ()


#: Endpoints fire triggers on their deliveries; a finished delivery releases the next one.
MOVES: tuple[Coupling, ...] = (
    *(
        Coupling(
            endpoints.ENDPOINT,
            EventsEndpointState.INACTIVE,
            MACHINE,
            trigger,
            partial(_of_inactive, choice),
            out_of=(EventsEndpointState.ACTIVE,),
            source="P2 L366, R532, G534",
        )
        for trigger, choice in (("hold", "waits"), ("lose", "lost"))
    ),
    *(
        Coupling(
            endpoints.MACHINE,
            Interface.DISABLED,
            MACHINE,
            trigger,
            partial(_of_disabled, choice),
            source="R531, G534, G591",
        )
        for trigger, choice in (("hold", "waits"), ("lose", "lost"))
    ),
    Coupling(
        endpoints.ENDPOINT, EventsEndpointState.ACTIVE, MACHINE, "release", _of_endpoint, source="P2 L366, R532, G534"
    ),
    Coupling(endpoints.ENDPOINT, ABSENT, MACHINE, "lose", _open, source="P2 L368, G594"),
    Coupling(endpoints.MACHINE, Interface.ENABLED, MACHINE, "release", _of_client, source="R531, G534, G591"),
    Coupling(
        MACHINE, DeliveryState.WAITING, MACHINE, "release", _behind, out_of=(ABSENT, *CLOSED), source="G533, G534"
    ),
    Coupling(MACHINE, DeliveryState.LATER, MACHINE, "release", _passing, source="G534"),
    *(Coupling(MACHINE, closed, MACHINE, "release", _behind, source="G534") for closed in CLOSED),
)
