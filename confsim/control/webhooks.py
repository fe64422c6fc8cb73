"""Webhooks: what is delivered to the endpoints of the events interface, and where deliveries go."""

from __future__ import annotations

from typing import Any

from confsim.contract.types import Wire
from confsim.domain.events import deliveries
from confsim.domain.events.deliveries import DELIVERIES, Delivery, State
from confsim.domain.events.endpoints import ENDPOINTS
from confsim.kernel.refusal import Misuse
from confsim.kernel.world import Change
from confsim.service.webhooks import Way

from .control import Control, Order, by_the_rules, operation


class AttemptInfo(Wire):
    """An attempt: its instant, the status that the endpoint answered, or null and the problem that there was."""

    at: int
    status: int | None
    problem: str | None


class DeliveryInfo(Wire):
    """A delivery. ``next`` is the instant of the next attempt where it is known, ``url`` null when there is none.

    ``message`` is the webhook-id: that of what happened, the same for every endpoint and attempt.
    """

    id: str
    message: str
    endpoint: str
    url: str | None
    clientId: str
    kind: str
    at: int
    payload: Any
    state: State
    delivered: bool
    attempts: list[AttemptInfo]
    next: int | None


class Destination(Wire):
    """Where deliveries go: ``deliver`` to a list alone, over HTTP, or to a receiver in the process of the world.

    ``allow`` are the hosts beside loopback that this world may send to.
    """

    deliver: Way
    allow: list[str]


class SetDestination(Order):
    """``deliver`` is list or http (the way of a live server); ``allow`` are hosts. What is left out stays."""

    deliver: Way | None = None
    allow: list[str] | None = None


@operation("GET /webhooks")
def get_webhooks(control: Control) -> Destination:
    """Tell where deliveries go."""
    webhooks = control.service.webhooks
    return Destination(deliver=webhooks.way, allow=sorted(webhooks.allowed))


@operation("PUT /webhooks")
def set_webhooks(control: Control, body: SetDestination) -> Destination:
    """Say where deliveries go, and which hosts beside loopback they may go to. Misuse (409) where it cannot be."""
    webhooks = control.service.webhooks
    if body.allow is not None:
        webhooks.allow(body.allow)
    if body.deliver is Way.RECEIVER:
        raise Misuse("deliver: a receiver can be set in Python alone, by Simulator.webhooks.deliver_to")
    if body.deliver is not None:
        webhooks.kept_in = body.deliver is Way.LIST
        if webhooks.way is not body.deliver:
            reason = "a receiver is set" if webhooks.way is Way.RECEIVER else "the world is not on a live server"
            raise Misuse(f"deliver: {body.deliver} cannot be, since {reason}", 409)
        webhooks.send_now()
    return get_webhooks(control)


@operation("GET /webhooks/deliveries")
def list_deliveries(
    control: Control,
    *,
    endpoint: str | None = None,
    kind: str | None = None,
    delivered: bool | None = None,
    state: State | None = None,
) -> list[DeliveryInfo]:
    """List what is and was to be delivered, newest last: all of it, or what fits."""
    change = control.see()
    return [told(change, each) for each in fitting(change, endpoint, kind, delivered, state)]


@operation("POST /webhooks/deliveries/{id}/redeliver")
def redeliver(control: Control, id: str) -> DeliveryInfo:
    """Deliver something once more, with all its retries before it; or at once, where it waits for a retry.

    Misuse for an unknown delivery (404), one that waits to be sent anyway, and one whose endpoint is gone (409).
    """
    with control.change() as change:
        delivery = DELIVERIES.of(change).get(id)
        if delivery is None:
            raise Misuse(f"there is no delivery {id!r}", status=404)
        if ENDPOINTS.get(change, delivery.endpoint, delivery.client) is None:
            raise Misuse(f"the endpoint of the delivery {id} is gone", status=409)
        with by_the_rules():
            deliveries.redeliver(change, delivery)
    change = control.see()
    return told(change, DELIVERIES.of(change)[id])


def fitting(
    change: Change, endpoint: str | None, kind: str | None, delivered: bool | None, state: State | None
) -> list[Delivery]:
    """The deliveries that are all of what is asked, newest last."""
    return [
        each
        for each in deliveries.listed(change)
        if (endpoint is None or each.endpoint == endpoint)
        and (kind is None or each.kind == kind)
        and (delivered is None or (each.state is State.DELIVERED) is delivered)
        and (state is None or each.state is state)
    ]


def told(change: Change, delivery: Delivery) -> DeliveryInfo:
    """The delivery as it is told."""
    endpoint = ENDPOINTS.get(change, delivery.endpoint, delivery.client)
    return DeliveryInfo(
        id=delivery.id,
        message=delivery.message,
        endpoint=delivery.endpoint,
        url=None if endpoint is None else endpoint.url,
        clientId=delivery.client,
        kind=delivery.kind.value,
        at=delivery.at,
        payload=delivery.payload,
        state=delivery.state,
        delivered=delivery.state is State.DELIVERED,
        attempts=[AttemptInfo(at=each.at, status=each.status, problem=each.problem) for each in delivery.attempts],
        next=delivery.due,
    )
