"""The health of webhook endpoints: what was delivered, what waits, and behind what."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import Annotated

from confsim.contract.types import Wire
from confsim.control.labels.label import Held, address, label
from confsim.control.labels.problem import problem_of
from confsim.domain.events.deliveries import DELIVERIES, QUEUE, Delivery, DeliveryState, Place, list_deliveries
from confsim.domain.events.endpoints import ENDPOINTS, EventsEndpoint
from confsim.kernel.world import Change

#: The newest deliveries of which the closed ones are counted.
COUNTED = 10_000
_GIVEN_UP = (DeliveryState.FAILED, DeliveryState.REFUSED, DeliveryState.LOST)


class EndpointHealth(Wire, kw_only=True):
    """An endpoint of the events interface, and what became of its deliveries.

    ``head`` is the delivery that the others wait behind, ``problem`` why its latest attempt failed, ``next`` the
    instant of its next one.
    """

    id: Annotated[str, "The id of the endpoint."]
    label: Annotated[str, "What people call it: where it is."]
    url: Annotated[str | None, "Its URL; null for an endpoint that was removed."]
    clientId: Annotated[str, "Its client."]
    active: Annotated[bool, "Whether events are delivered to it."]
    delivered: Annotated[int, "The number of deliveries that arrived."]
    undelivered: Annotated[int, "The number of deliveries that have not arrived: pending and given up."]
    retrying: Annotated[int, "The number of deliveries with a failed attempt, and another one to come."]
    waiting: Annotated[int, "The number of deliveries that wait behind another one, or for their endpoint."]
    failed: Annotated[int, "The number of deliveries that were given up."]
    head: Annotated[str | None, "The delivery that others wait behind; null for none."] = None
    headLabel: Annotated[str, "What people call the head."] = ""
    problem: Annotated[str, "Why the latest attempt of the head, or of a delivery given up, failed."] = ""
    attempts: Annotated[int, "The number of attempts of the head so far."] = 0
    next: Annotated[int | None, "The instant of the next attempt of the head, in epoch milliseconds."] = None
    last: Annotated[int | None, "The instant of the latest attempt of any, in epoch milliseconds."] = None


def head_of(change: Change, endpoint: str) -> Delivery | None:
    """Return the delivery that the waiting ones of an endpoint wait behind."""
    return DELIVERIES.of(change).where(QUEUE, (endpoint, Place.UNDER_WAY)).first


def endpoints_health(change: Change) -> list[EndpointHealth]:
    """Return the health of every endpoint, those with undelivered webhooks first."""
    counts: Counter[tuple[str, DeliveryState]] = Counter()
    newest: dict[str, Delivery] = {}
    given_up: dict[str, Delivery] = {}
    clients: dict[str, str] = {}
    for delivery in islice(list_deliveries(change).descending, COUNTED):
        counts[delivery.endpoint, delivery.state] += 1
        clients[delivery.endpoint] = delivery.client
        known = newest.get(delivery.endpoint)
        if delivery.attempts and (known is None or delivery.attempts[-1].at > known.attempts[-1].at):
            newest[delivery.endpoint] = delivery
        if delivery.state in _GIVEN_UP:
            given_up.setdefault(delivery.endpoint, delivery)
    found = {endpoint.id: endpoint for endpoint in _endpoints(change)}
    described = [
        _health(change, id, found.get(id), clients.get(id, ""), counts, newest.get(id), given_up.get(id))
        for id in dict.fromkeys((*found, *clients))
    ]
    return sorted(described, key=lambda each: not each.undelivered)


def _endpoints(change: Change) -> Iterator[EventsEndpoint]:
    for client, states in change.world.client_tables.items():
        if client and len(states) > ENDPOINTS.position and states[ENDPOINTS.position].rows:
            yield from ENDPOINTS.of(change, client).all


def _health(
    change: Change,
    id: str,
    endpoint: EventsEndpoint | None,
    client: str,
    counts: Counter[tuple[str, DeliveryState]],
    newest: Delivery | None,
    given_up: Delivery | None,
) -> EndpointHealth:
    rows = DELIVERIES.of(change)
    under_way, bypassing, waiting = (len(rows.where(QUEUE, (id, place))) for place in Place)
    failed = sum(counts[id, state] for state in _GIVEN_UP)
    head = head_of(change, id)
    shown = head if head is not None and head.attempts else given_up
    url = None if endpoint is None else endpoint.url
    return EndpointHealth(
        id=id,
        label=address(url or (newest.attempts[-1].url if newest is not None else None) or f"endpoint {id[:8]}"),
        url=url,
        clientId=client if endpoint is None else endpoint.client,
        active=endpoint is not None and endpoint.active,
        delivered=counts[id, DeliveryState.DELIVERED],
        undelivered=under_way + bypassing + waiting + failed,
        retrying=under_way + bypassing,
        waiting=waiting,
        failed=failed,
        head=None if head is None else head.id,
        headLabel="" if head is None else label(change, Held(DELIVERIES, "", head)),
        problem=problem_of(shown.attempts[-1]) if shown is not None and shown.attempts else "",
        attempts=0 if head is None else len(head.attempts),
        next=None if head is None else head.due,
        last=None if newest is None else newest.attempts[-1].at,
    )
