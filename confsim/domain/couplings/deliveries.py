"""What clients, endpoints and finished deliveries do to deliveries."""

from collections.abc import Iterable
from functools import partial

from confsim.assumptions import ask, events as assumed
from confsim.domain.clients.clients import Client
from confsim.domain.events import deliveries, endpoints
from confsim.domain.events.deliveries import (
    CLOSED,
    DELIVERIES,
    QUEUE,
    Delivery,
    DeliveryState,
    Place,
    awaited,
    next_due,
)
from confsim.domain.events.endpoints import ENDPOINT, ENDPOINTS, EventsEndpoint, EventsEndpointState
from confsim.kernel import ABSENT, Change, Coupling, Enabled


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
    return _open(change, endpoint) if ask(change, assumed.WHILE_INACTIVE) == choice else ()


def _of_disabled(choice: str, change: Change, client: Client) -> Iterable[Delivery]:
    """The deliveries of a client whose events are off, where the assumption has this choice."""
    if ask(change, assumed.WHILE_INACTIVE) != choice:
        return []
    return [each for endpoint in ENDPOINTS.of(change, client.id).all for each in _open(change, endpoint)]


def _behind(change: Change, delivery: Delivery) -> Iterable[Delivery]:
    """The deliveries to the same endpoint that are due."""
    return next_due(change, delivery.client, delivery.endpoint)


def _passing(change: Change, delivery: Delivery) -> Iterable[Delivery]:
    """The deliveries that a postponed one lets pass."""
    return _behind(change, delivery) if delivery.bypasses else ()


_RELEASE = deliveries.RELEASE
_WAS_ACTIVE, _STATUS = (EventsEndpointState.ACTIVE,), "P2 L366, R532, G534"

for trigger, choice in ((deliveries.HOLD, "waits"), (deliveries.LOSE, "lost")):
    Coupling(
        *(ENDPOINT, EventsEndpointState.INACTIVE, trigger, partial(_of_inactive, choice)),
        out_of=_WAS_ACTIVE,
        source=_STATUS,
    )
    Coupling(endpoints.MACHINE, Enabled.DISABLED, trigger, partial(_of_disabled, choice), source="R531, G534, G591")
Coupling(ENDPOINT, EventsEndpointState.ACTIVE, _RELEASE, _of_endpoint, source=_STATUS)
Coupling(ENDPOINT, ABSENT, deliveries.LOSE, _open, source="P2 L368, G594")
Coupling(endpoints.MACHINE, Enabled.ENABLED, _RELEASE, _of_client, source="R531, G534, G591")
Coupling(*(deliveries.MACHINE, DeliveryState.WAITING, _RELEASE, _behind), out_of=(ABSENT, *CLOSED), source="G533, G534")
Coupling(deliveries.MACHINE, DeliveryState.LATER, _RELEASE, _passing, source="G534")
for closed in CLOSED:
    Coupling(deliveries.MACHINE, closed, _RELEASE, _behind, source="G534")
