"""The events interface of a client: its state, its endpoints, its secret (P2 Events)."""

from typing import Annotated, ClassVar

from confsim.api.call import API, Call
from confsim.api.forms import EndpointId, Secret
from confsim.api.views import Id
from confsim.assumptions import Reason, ask, events as assumed, in_force, note_shown
from confsim.contract import URL, Long, Pattern, Present, Source, StatedUnit, Switch, Url, Wire, gates
from confsim.domain.conventions import turn
from confsim.domain.events import endpoints
from confsim.kernel import Refusal


def _require_on(call: Call, *_: object) -> None:
    """Raise Refusal EVENTS_OFF if the operation needs the client's events to be on and they are off (G532)."""
    if not call.client.events and call.operation.name in ask(call.change, assumed.OPEN_WHILE_OFF):
        return
    note_shown(call.change, call.client, "events")
    if not call.client.events:
        raise Refusal(Reason.EVENTS_OFF, client=call.client.id)


named = API.family(gate=gates.ADMIN.assumed("G531"), requires=_require_on, line="P2 L368", source=Source.NAME_ONLY)
_HTTPS = URL.replace("https?", "https")


#: A URL, of https if only that is accepted.
HookUrl = Annotated[
    Url,
    Pattern(lambda profile: {"pattern": _HTTPS} if in_force(profile, assumed.SCHEMES) == "https" else {}),
]


class EndpointChange(Wire):
    """Changes of an events endpoint; omitted fields stay (P2 L366)."""

    LEAST_FIELDS: ClassVar = Present(assumed.EMPTY_UPDATE, always={"refuse"})

    url: Annotated[HookUrl | None, "The URL to which events are sent from now on."] = None
    active: Annotated[bool | None, "Whether events are sent there."] = None


class NewEndpoint(Wire):
    """An events endpoint to be added."""

    url: Annotated[HookUrl, "The URL to which events are sent."]
    active: Annotated[bool | None, "Whether events are sent there."] = None


class EventsEndpoint(Wire):
    """An events endpoint; ``created`` in epoch milliseconds."""

    id: Annotated[EndpointId, "The id of the endpoint."]
    url: Annotated[str, "The URL to which events are sent."]
    active: Annotated[bool, "Whether events are sent there."]
    created: Annotated[
        Long | None,
        "The instant at which it was added, in epoch milliseconds.",
        StatedUnit("epoch-ms"),
        Present(assumed.RECORD, always={"with-created"}),
    ] = None


class EventsStatus(Wire):
    """Whether the client's events are on."""

    enabled: Annotated[bool, "Whether the events of the client are on."]


class EventsSecret(Wire):
    """The secret that a client shares with its endpoints."""

    secret: Annotated[Secret, "The secret by which deliveries are signed."]


@named(
    "POST /events/endpoints/{id}",
    rules="R336 R532 R533 R534",
    line="P2 Events",
    source=Source.DOCUMENTED,
    gaps="G529 G530 G532",
)
def update_events_endpoint(call: Call, endpoint: endpoints.EventsEndpoint | None, body: EndpointChange) -> None:
    """Update an events endpoint: its URL, or whether it is enabled.

    404 for an unknown endpoint.
    """
    if endpoint is not None:
        endpoints.update(call.change, endpoint, body.url, body.active)


@named("POST /events/endpoints", gaps="G527 G589", identifies={"id": "endpoints"}, of_whole_client=True)
def add_events_endpoint(call: Call, body: NewEndpoint) -> Id:
    """Add an events endpoint; it is active, and events are delivered to it once the client's events are on."""
    return Id(id=endpoints.add(call.change, call.client, body.url, body.active).id)


@named("GET /events/endpoints", gaps="G527 G528 G593")
def list_events_endpoints(call: Call) -> list[EventsEndpoint]:
    """List the client's events endpoints, in order of creation."""
    dated = ask(call.change, assumed.RECORD) == "with-created"
    return [
        EventsEndpoint(id=each.id, url=each.url, active=each.active, created=each.created if dated else None)
        for each in endpoints.ENDPOINTS.of(call.change, call.client.id).all
    ]


@named("DELETE /events/endpoints/{id}", gaps="G594", removes="endpoints")
def remove_events_endpoint(call: Call, endpoint: endpoints.EventsEndpoint) -> None:
    """Remove an events endpoint.

    404 for an unknown endpoint.
    """
    endpoints.remove(call.change, endpoint)


@named("GET /events/status", rules="R531", gaps="G590")
def get_events_status(call: Call) -> EventsStatus:
    """Get whether the client's events are on."""
    note_shown(call.change, call.client, "events")
    return EventsStatus(enabled=call.client.events)


@named("POST /events/{state}", rules="R531", gaps="G591 G597")
def set_events_state(call: Call, state: Switch) -> None:
    """Enable or disable the client's events."""
    turn(call.change, endpoints.MACHINE.to(state), call.client)


@named("GET /events/secret", gaps="G535 G592", of_whole_client=True)
def get_events_secret(call: Call) -> EventsSecret:
    """Get the secret that the client shares with its endpoints.

    403 while the client's events are off.
    """
    return EventsSecret(secret=endpoints.secret(call.change, call.client.id))


@named("POST /events/secret/regenerate", gaps="G535 G592")
def regenerate_events_secret(call: Call) -> EventsSecret:
    """Regenerate the secret; the old one is invalid at once.

    403 while the client's events are off.
    """
    return EventsSecret(secret=endpoints.renew_secret(call.change, call.client.id))
