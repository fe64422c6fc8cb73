"""Webhooks: deliveries to the endpoints of the events interface, and how they are sent."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import msgspec
from msgspec.structs import replace

from confsim.contract.types import Count, Wire
from confsim.control.context import ControlContext, newest, refusals_as_conflicts
from confsim.control.declare import CommandBody, operation
from confsim.control.history.deliveries import Place, behind, places, planned, standing
from confsim.control.journal_view import FaultHit, describe_hits
from confsim.control.labels.label import Held, address, label
from confsim.control.labels.problem import problem_of
from confsim.control.matching import read_body
from confsim.control.summary.endpoints import EndpointHealth, endpoints_health
from confsim.control.why.headline import headline
from confsim.control.why.past import Past
from confsim.domain.events import deliveries
from confsim.domain.events.deliveries import DELIVERIES, Attempt, Delivery, DeliveryState
from confsim.domain.events.endpoints import ENDPOINTS
from confsim.kernel.refusal import Misuse
from confsim.kernel.world import Change
from confsim.service.masking import CREDENTIAL_HEADERS, MASK
from confsim.service.webhooks.sending import Route


class AttemptInfo(Wire):
    """An attempt: its instant, its URL, the status of the response, or null and the error (``problem``)."""

    at: Annotated[int, "The instant of it, in epoch milliseconds."]
    status: Annotated[int | None, "The status of the response; null for none."]
    problem: Annotated[str | None, "Why there was no response; null where there was."]
    url: Annotated[str | None, "The URL to which it was sent."]
    text: Annotated[str, "What came of it, in plain words."] = ""
    headers: Annotated[list[list[str]], "The header lines of the answer, each a name and a value."] = []
    body: Annotated[Any, "The beginning of the body of the answer, 4 KB at most, as JSON or as text."] = None


class DeliveryInfo(Wire):
    """A delivery. ``next`` is the instant of the next attempt, if known.

    ``url`` is where the last attempt went, and before the first that of the endpoint, null once it is removed.
    ``message`` is the webhook-id: it identifies the event, and is the same for every endpoint and attempt.
    """

    id: Annotated[str, "The id of the delivery."]
    message: Annotated[str, "The id of the event."]
    endpoint: Annotated[str, "The id of the endpoint."]
    url: Annotated[str | None, "The URL to which it is sent."]
    clientId: Annotated[str, "The client of the event."]
    kind: Annotated[str, "The kind of the event."]
    at: Annotated[int, "The instant of it, in epoch milliseconds."]
    payload: Annotated[Any, "The body that is sent."]
    state: Annotated[DeliveryState, "The state of the delivery."]
    delivered: Annotated[bool, "Whether it was delivered."]
    attempts: Annotated[list[AttemptInfo], "The attempts so far."]
    next: Annotated[int | None, "The instant of the next attempt, in epoch milliseconds; null for none or not known."]
    fault: Annotated[list[FaultHit], "The faults that were injected into it."]
    label: Annotated[str, "What people call the event."] = ""
    endpointLabel: Annotated[str, "What people call the endpoint: where it is."] = ""
    text: Annotated[str, "How it stands, in a sentence without a full stop."] = ""
    behind: Annotated[str | None, "The delivery that it waits behind; null for none."] = None
    planned: Annotated[list[int], "The instants of the attempts to come if each of them fails."] = []
    happened: Annotated[int | None, "Its place among those to its endpoint in the order of events, from 1."] = None
    arrived: Annotated[int | None, "Its place in the order of arrival, from 1; null if it has not arrived."] = None
    among: Annotated[int | None, "The number of deliveries to its endpoint."] = None
    cause: Annotated[str | None, "The journal entry that caused the event; null where the journal has none."] = None
    causeText: Annotated[str, "What that entry did, in a sentence without a full stop."] = ""

    def __repr__(self) -> str:
        return f"<delivery {self.id} of {self.kind} to {self.url}: {self.state.value}>"


class WebhookDestination(Wire):
    """How deliveries are sent: ``deliver`` says whether to the list alone, over HTTP, or to a receiver in process.

    ``allow`` lists the hosts beside loopback that this world may send to.
    """

    deliver: Annotated[Route, "The route of deliveries."]
    allow: Annotated[list[str], "Hosts beside loopback that may be sent to."]


class SetWebhookDestination(CommandBody):
    """``deliver`` is list, or http on a live server; ``allow`` are hosts. A field that is left out stays unchanged."""

    deliver: Annotated[Route | None, "The route of deliveries."] = None
    allow: Annotated[list[str] | None, "Hosts beside loopback that may be sent to."] = None


@operation("GET /webhooks")
def get_webhooks(context: ControlContext) -> WebhookDestination:
    """Get how deliveries are sent."""
    webhooks = context.service.webhooks
    return WebhookDestination(deliver=webhooks.route, allow=sorted(webhooks.allowed))


@operation("PUT /webhooks", replayed=False)
def set_webhooks(context: ControlContext, body: SetWebhookDestination) -> WebhookDestination:
    """Set how deliveries are sent, and the hosts beside loopback. Misuse (409) when that is not possible."""
    webhooks = context.service.webhooks
    if body.deliver is Route.RECEIVER:
        raise Misuse("deliver: a receiver can be set in Python alone, by Simulator.webhooks.deliver_to")
    if body.deliver is not None:
        obstacle = webhooks.obstacle(body.deliver)
        if obstacle:
            raise Misuse(f"deliver: {body.deliver} cannot be, since {obstacle}", 409)
    if body.allow is not None:
        webhooks.allow(body.allow)
    if body.deliver is not None:
        webhooks.set_listed(body.deliver is Route.LIST)
        webhooks.send_now()
    return get_webhooks(context)


@operation("GET /webhooks/deliveries", beside=True)
def list_deliveries(
    context: ControlContext,
    *,
    endpoint: Annotated[str | None, "Deliveries to this endpoint."] = None,
    kind: Annotated[str | None, "Deliveries of this kind of event."] = None,
    delivered: Annotated[bool | None, "Those that were delivered, or the others."] = None,
    state: DeliveryState | None = None,
    limit: Count | None = None,
    offset: Annotated[Count | None, "How many of the newest are left out."] = None,
    text: Annotated[str | None, "Deliveries with this text in event, payload, address or problem, in any case."] = None,
) -> list[DeliveryInfo]:
    """List the deliveries, pending ones included, newest last: all, or those that match.

    With ``limit`` only the newest ones. Their places and the entries that caused them are left out without a limit, and
    beyond the newest 10,000.
    """
    found = matching_deliveries(context, endpoint, kind, delivered, state, text, descending=True)
    shown = newest(found, limit, offset)
    if limit is None:
        return shown
    there, past = places(context.view()), Past(context.service)
    return [_placed(past, there.get(each.id), each) for each in shown]


@operation("GET /webhooks/endpoints", beside=True)
def list_endpoints(context: ControlContext) -> list[EndpointHealth]:
    """List the endpoints of all clients with what became of their deliveries, those with undelivered ones first.

    Closed deliveries are counted among the newest 10,000.
    """
    return endpoints_health(context.view())


@operation("GET /webhooks/deliveries/{id}", beside=True)
def get_delivery(context: ControlContext, id: Annotated[str, "The id of the delivery."]) -> DeliveryInfo:
    """Get a delivery with its place among those to its endpoint, and the entry that caused it.

    Raises Misuse (404) for an unknown delivery.
    """
    change = context.view()
    delivery = DELIVERIES.of(change).get(id)
    if delivery is None:
        raise Misuse(f"there is no delivery {id!r}", status=404)
    described = describe_delivery(context, change, delivery)
    return _placed(Past(context.service), places(change).get(id), described)


def _placed(past: Past, place: Place | None, described: DeliveryInfo) -> DeliveryInfo:
    """Return a delivery with its place, and with the entry that caused it."""
    cause = past.made(("", DELIVERIES.name, described.id))
    return replace(
        described,
        happened=None if place is None else place.happened,
        arrived=None if place is None else place.arrived or None,
        among=None if place is None else place.among,
        cause=None if cause is None else cause.id,
        causeText="" if cause is None else headline(past, cause),
    )


@operation("POST /webhooks/deliveries/{id}/redeliver")
def redeliver(context: ControlContext, id: Annotated[str, "The id of the delivery."]) -> DeliveryInfo:
    """Start a new series of attempts, or make the next attempt of a delivery that waits for a retry now.

    Misuse for an unknown delivery (404), one that has yet to be sent, and one whose endpoint was removed (409).
    """
    with context.change() as change:
        delivery = DELIVERIES.of(change).get(id)
        if delivery is None:
            raise Misuse(f"there is no delivery {id!r}", status=404)
        if ENDPOINTS.get(change, delivery.endpoint, delivery.client) is None:
            raise Misuse(f"the endpoint of the delivery {id} was removed", status=409)
        with refusals_as_conflicts():
            deliveries.redeliver(change, delivery)
    change = context.view()
    return describe_delivery(context, change, DELIVERIES.of(change)[id])


def matching_deliveries(
    context: ControlContext,
    endpoint: str | None,
    kind: str | None,
    delivered: bool | None,
    state: DeliveryState | None,
    text: str | None = None,
    *,
    descending: bool = False,
) -> Iterator[DeliveryInfo]:
    """Yield the deliveries that match every given value, newest last or first."""
    change = context.view()
    found = deliveries.list_deliveries(change)
    for each in found.descending if descending else found:
        if (
            (endpoint is None or each.endpoint == endpoint)
            and (kind is None or each.kind == kind)
            and (delivered is None or (each.state is DeliveryState.DELIVERED) is delivered)
            and (state is None or each.state is state)
            and (not text or _says(change, each, text.lower()))
        ):
            yield describe_delivery(context, change, each)


def _says(change: Change, delivery: Delivery, text: str) -> bool:
    """Return whether a lower-case text stands in a delivery: its event, payload, addresses or problems."""
    words = [delivery.id, label(change, Held(DELIVERIES, "", delivery)), _url(change, delivery) or ""]
    words += [f"{each.url or ''} {problem_of(each)}" for each in delivery.attempts]
    return any(text in word.lower() for word in words) or text in msgspec.json.encode(delivery.payload).decode().lower()


def _url(change: Change, delivery: Delivery) -> str | None:
    endpoint = ENDPOINTS.get(change, delivery.endpoint, delivery.client)
    return None if endpoint is None else endpoint.url


def describe_delivery(context: ControlContext, change: Change, delivery: Delivery) -> DeliveryInfo:
    """Return the description of a delivery."""
    url, head = _url(change, delivery), behind(change, delivery)
    attempts = [_attempt(context, delivery.id, each) for each in delivery.attempts]
    sent_to = (attempts[-1].url if attempts else None) or url
    return DeliveryInfo(
        id=delivery.id,
        message=delivery.message,
        endpoint=delivery.endpoint,
        url=sent_to,
        clientId=delivery.client,
        kind=delivery.kind.value,
        at=delivery.at,
        payload=delivery.payload,
        state=delivery.state,
        delivered=delivery.state is DeliveryState.DELIVERED,
        attempts=attempts,
        next=delivery.due,
        fault=describe_hits(context.service.journal.hits_of(delivery.id)),
        label=label(change, Held(DELIVERIES, "", delivery)),
        endpointLabel=address(sent_to or f"endpoint {delivery.endpoint[:8]}"),
        text=standing(context.service, change, delivery),
        behind=None if head is None else head.id,
        planned=planned(context.service, delivery),
    )


def _attempt(context: ControlContext, id: str, attempt: Attempt) -> AttemptInfo:
    """Return the description of an attempt, with what the receiver answered, as far as that is known."""
    headers, body = context.service.journal.answer_to(id, attempt.at)
    return AttemptInfo(
        at=attempt.at,
        status=attempt.status,
        problem=attempt.problem,
        url=attempt.url,
        text=problem_of(attempt),
        headers=[[name, MASK if CREDENTIAL_HEADERS.search(name) else value] for name, value in headers],
        body=read_body(body),
    )
