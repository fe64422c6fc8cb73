"""The order of deliveries: their places as they happened and as they arrived, and the attempts that are planned."""

from __future__ import annotations

from msgspec import Struct

from confsim.assumptions.events import DELAYS
from confsim.assumptions.register import in_force
from confsim.control.labels.label import Held, label
from confsim.control.labels.problem import problem_of
from confsim.control.labels.span import lasting
from confsim.control.summary.endpoints import by_endpoint, head_of
from confsim.domain.clients.clients import CLIENTS
from confsim.domain.events.deliveries import DELIVERIES, Delivery, DeliveryState
from confsim.domain.events.endpoints import ENDPOINTS
from confsim.kernel.world import Change
from confsim.service.service import Service


class Place(Struct, frozen=True):
    """The place of a delivery among those to its endpoint, from 1: as it happened, and as it arrived, 0 if it did not.

    ``among`` is the number of the deliveries to the endpoint, of the newest 10,000 of all.
    """

    happened: int
    arrived: int
    among: int


def places(change: Change) -> dict[str, Place]:
    """Return the places of the deliveries by their ids."""
    found: dict[str, Place] = {}
    for newest_first in by_endpoint(change).values():
        queue = newest_first[::-1]
        there = [each for each in queue if each.state is DeliveryState.DELIVERED and each.attempts]
        arrived = {each.id: place for place, each in enumerate(sorted(there, key=lambda each: each.attempts[-1].at), 1)}
        for place, each in enumerate(queue, 1):
            found[each.id] = Place(place, arrived.get(each.id, 0), len(queue))
    return found


def behind(change: Change, delivery: Delivery) -> Delivery | None:
    """Return the delivery behind which one waits; None for one that does not, or waits for its endpoint."""
    return head_of(change, delivery.endpoint) if delivery.state is DeliveryState.WAITING else None


def planned(service: Service, delivery: Delivery) -> list[int]:
    """Return the instants of the attempts to come if each of them fails, in epoch milliseconds."""
    if delivery.due is None:
        return []
    delays = in_force(service.profile, DELAYS)[delivery.tries :]
    found = [delivery.due]
    for delay in delays:
        found.append(found[-1] + delay)
    return found


def standing(service: Service, change: Change, delivery: Delivery) -> str:
    """Return how a delivery stands, in a sentence without a full stop."""
    state, tries = delivery.state, len(delivery.attempts)
    problem = problem_of(delivery.attempts[-1]) if delivery.attempts else ""
    times = "once" if tries == 1 else f"{tries} times"
    if state is DeliveryState.DELIVERED:
        return f"Delivered at the attempt {tries}" if tries > 1 else "Delivered"
    if state is DeliveryState.LATER and delivery.due is not None:
        wait = lasting(delivery.due - change.now)
        return f"{problem}; tried {times}, again in {wait}" if tries else f"It is sent in {wait}, by a fault"
    if state is DeliveryState.WAITING:
        return _waiting(change, delivery)
    if state is DeliveryState.READY:
        return "It is being sent"
    if state is DeliveryState.LOST:
        return "It was lost: its endpoint was removed, or a fault lost it"
    attempts = "one attempt" if tries == 1 else f"{tries} attempts"
    return f"{problem}; given up after {attempts}" if tries else "Given up"


def _waiting(change: Change, delivery: Delivery) -> str:
    """Return what a delivery waits for."""
    head = behind(change, delivery)
    if head is not None:
        problem = f": {problem_of(head.attempts[-1])}" if head.attempts else ""
        return f"It waits behind {label(change, Held(DELIVERIES, '', head))}{problem}"
    endpoint = ENDPOINTS.get(change, delivery.endpoint, delivery.client)
    if endpoint is not None and not endpoint.active:
        return "It waits until its endpoint is active again"
    client = CLIENTS.of(change).get(delivery.client)
    if client is not None and not client.events:
        return "It waits until the events interface of its client is on again"
    return "It waits for its turn"
