"""The health of webhook endpoints: what was delivered, what waits, and behind what."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import islice
from typing import Annotated

from confsim.contract.types import Wire
from confsim.control.labels.label import Held, address, label
from confsim.control.labels.problem import problem_of
from confsim.domain.events.deliveries import DELIVERIES, QUEUE, Delivery, DeliveryState, Place, list_deliveries
from confsim.domain.events.endpoints import ENDPOINTS, EventsEndpoint
from confsim.kernel.timers import NEVER
from confsim.kernel.world import Change

#: The newest deliveries of which the closed ones are counted.
COUNTED = 10_000
_GIVEN_UP = (DeliveryState.FAILED, DeliveryState.REFUSED, DeliveryState.LOST)


class EndpointHealth(Wire, kw_only=True):
    """An endpoint of the events interface, and what became of its deliveries.

    ``head`` is the delivery that the others wait behind, ``problem`` why its latest attempt failed, ``next`` the
    instant of its next one. ``latecomer`` arrived out of order.
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
    overtaken: Annotated[int, "The number of deliveries that arrived after one of a later event."]
    head: Annotated[str | None, "The delivery that others wait behind; null for none."] = None
    headLabel: Annotated[str, "What people call the head."] = ""
    problem: Annotated[str, "Why the latest attempt of the head, or of a delivery given up, failed."] = ""
    attempts: Annotated[int, "The number of attempts of the head so far."] = 0
    next: Annotated[int | None, "The instant of the next attempt of the head, in epoch milliseconds."] = None
    last: Annotated[int | None, "The instant of the latest attempt of any, in epoch milliseconds."] = None
    latecomer: Annotated[str | None, "The newest delivery that arrived after one of a later event; null for none."] = (
        None
    )
    latecomerLabel: Annotated[str, "What people call that delivery."] = ""


def head_of(change: Change, endpoint: str) -> Delivery | None:
    """Return the delivery that the waiting ones of an endpoint wait behind."""
    return DELIVERIES.of(change).where(QUEUE, (endpoint, Place.UNDER_WAY)).first


def endpoints_health(change: Change) -> list[EndpointHealth]:
    """Return the health of every endpoint, those with undelivered webhooks first, then those with late ones."""
    found = {endpoint.id: endpoint for endpoint in _endpoints(change)}
    sent = by_endpoint(change)
    described = [_health(change, id, found.get(id), sent.get(id, [])) for id in dict.fromkeys((*found, *sent))]
    return sorted(described, key=lambda each: (not each.undelivered, not each.overtaken))


def by_endpoint(change: Change) -> dict[str, list[Delivery]]:
    """Return the newest deliveries of each endpoint, newest first, of ``COUNTED`` of all."""
    queues: dict[str, list[Delivery]] = defaultdict(list)
    for delivery in islice(list_deliveries(change).descending, COUNTED):
        queues[delivery.endpoint].append(delivery)
    return dict(queues)


def _endpoints(change: Change) -> Iterator[EventsEndpoint]:
    for client, states in change.world.client_tables.items():
        if client and len(states) > ENDPOINTS.position and states[ENDPOINTS.position].rows:
            yield from ENDPOINTS.of(change, client).all


def _health(change: Change, id: str, endpoint: EventsEndpoint | None, deliveries: list[Delivery]) -> EndpointHealth:
    """Return the health of an endpoint with these deliveries, newest first."""
    rows, states = DELIVERIES.of(change), Counter(each.state for each in deliveries)
    under_way, bypassing, waiting = (len(rows.where(QUEUE, (id, place))) for place in Place)
    failed = sum(states[state] for state in _GIVEN_UP)
    head, late = head_of(change, id), list(_overtaken(deliveries))
    given_up = next((each for each in deliveries if each.state in _GIVEN_UP), None)
    shown = head if head is not None and head.attempts else given_up
    latest = max((each.attempts[-1] for each in deliveries if each.attempts), key=lambda each: each.at, default=None)
    url = None if endpoint is None else endpoint.url
    return EndpointHealth(
        id=id,
        label=address(url or (None if latest is None else latest.url) or f"endpoint {id[:8]}"),
        url=url,
        clientId=endpoint.client if endpoint is not None else deliveries[0].client,
        active=endpoint is not None and endpoint.active,
        delivered=states[DeliveryState.DELIVERED],
        undelivered=under_way + bypassing + waiting + failed,
        retrying=under_way + bypassing,
        waiting=waiting,
        failed=failed,
        overtaken=len(late),
        head=None if head is None else head.id,
        headLabel="" if head is None else label(change, Held(DELIVERIES, "", head)),
        problem=problem_of(shown.attempts[-1]) if shown is not None and shown.attempts else "",
        attempts=0 if head is None else len(head.attempts),
        next=None if head is None else head.due,
        last=None if latest is None else latest.at,
        latecomer=late[0].id if late else None,
        latecomerLabel=label(change, Held(DELIVERIES, "", late[0])) if late else "",
    )


def _overtaken(deliveries: list[Delivery]) -> Iterator[Delivery]:
    """Yield the deliveries that arrived after one of a later event, newest first as they are given."""
    earliest = NEVER
    for each in deliveries:
        if each.state is DeliveryState.DELIVERED and each.attempts:
            at = each.attempts[-1].at
            if at > earliest:
                yield each
            earliest = min(earliest, at)
