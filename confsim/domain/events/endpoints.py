"""The events interface of a client: its state, its endpoints, its secret."""

from base64 import b64encode
from enum import Enum

from confsim.assumptions import Reason, ask, events as assumed, not_found, note
from confsim.domain.clients.clients import CLIENTS, Client
from confsim.domain.conventions import fresh_id
from confsim.kernel import (
    Change,
    Enabled,
    Index,
    Record,
    Refusal,
    SecretForm,
    Table,
    Toggle,
    View,
    as_token,
    replace,
)

#: Whether the Events API is enabled for the client (P2 L362). Endpoints and secret are preserved; only events that
#: occur while events are enabled are delivered.
MACHINE: Toggle[Enabled, Client] = Toggle(
    "events interface",
    "Whether a client's events are on (R531).",
    CLIENTS,
    "events",
    Enabled,
    refused=Reason.EVENTS_OFF,
    sources=("P2 L362, L368, R531, G537, G591",) * 2,
    client=lambda client: client.id,
)


# Endpoints


class EventsEndpointState(Enum):
    """Whether events are delivered to an endpoint (P2 L366)."""

    ACTIVE = "active"
    INACTIVE = "inactive"


class EventsEndpoint(Record, kw_only=True):
    """One endpoint: the URL to which events are sent. ``created`` in epoch milliseconds."""

    id: str
    client: str
    url: str
    active: bool
    created: int


SUBSCRIBED: Index[EventsEndpoint] = Index("active", "active", of=lambda active: (True,) if active else ())
ENDPOINTS: Table[str, EventsEndpoint] = Table(
    "events endpoints", EventsEndpoint, "id", SUBSCRIBED, secrets={"url": SecretForm.URL}
)


ENDPOINT = Toggle(
    "events endpoint",
    "An endpoint of a client, to which events are delivered (R336, R532-R534).",
    ENDPOINTS,
    "active",
    EventsEndpointState,
    words=("activate", "deactivate"),
    refused=Reason.NOT_FOUND,
    sources=("P2 L366, R532", "P2 L366, R532"),
)
_ADD = ENDPOINT.added("add", source="P2 L368, G589")
#: Remove the endpoint.
remove = ENDPOINT.removed("remove", source="P2 L368, G594")


@ENDPOINT.changed("move", source="P2 L366, R532")
def _move(change: Change, endpoint: EventsEndpoint, url: str) -> EventsEndpoint:
    """The URL of the endpoint is replaced."""
    return replace(endpoint, url=url)


def add(change: Change, client: Client, url: str, active: bool | None) -> EventsEndpoint:
    """Add an endpoint and return it. Refusal INVALID_INPUT for a scheme that is not accepted."""
    _check(change, url)
    on = ask(change, assumed.ACTIVE) if active is None else active
    return _ADD(change, EventsEndpoint(id=fresh_id(change), client=client.id, url=url, active=on, created=change.now))


def find(change: Change, client: Client, id: str) -> EventsEndpoint | None:
    """The endpoint of this id in the client, or None."""
    return ENDPOINTS.get(change, id, client.id)


def get(change: Change, client: Client, id: str) -> EventsEndpoint:
    """The endpoint of this id in the client. Refusal NOT_FOUND."""
    return find(change, client, id) or not_found("events endpoint", id)


def update(change: Change, endpoint: EventsEndpoint, url: str | None, active: bool | None) -> None:
    """Change the URL of the endpoint, or whether it is active; None leaves the value unchanged (R533).

    Refusal INVALID_INPUT for a scheme that is not accepted.
    """
    if url is None and active is None and ask(change, assumed.EMPTY_UPDATE) == "refuse":
        raise Refusal(Reason.INVALID_INPUT, where="body", problem="it has neither url nor active")
    if url is not None:
        _check(change, url)
        endpoint = _move(change, endpoint, url)
    if active is not None:
        (ENDPOINT.on if active else ENDPOINT.off)(change, endpoint)


def _check(change: Change, url: str) -> None:
    if not url.lower().startswith("https://") and ask(change, assumed.SCHEMES) == "https":
        raise Refusal(Reason.INVALID_INPUT, where="body url", problem=f"{url[:80]!r} is no https URL")


def subscribed(change: Change, client: str) -> View[EventsEndpoint]:
    """The active endpoints of the client, in order of creation."""
    return ENDPOINTS.where(change, SUBSCRIBED, True, client)


# The secret


class Secret(Record):
    """The number of renewals of the client's secret, from which and the world's seed the secret is derived."""

    client: str
    renewals: int


SECRETS: Table[str, Secret] = Table("events secrets", Secret, "client")


def secret(change: Change, client: str) -> str:
    """The secret that the client shares with its endpoints."""
    note(change, assumed.SECRET)
    key = change.key(f"events secret {client} {_renewals(change, client)}")
    if ask(change, assumed.SECRET_FORM) == "text":
        return as_token(key)
    return "whsec_" + b64encode(key).decode()


def renew_secret(change: Change, client: str) -> str:
    """Renew the secret; the old one is invalid at once (G535)."""
    SECRETS.of(change, client).put(Secret(client, _renewals(change, client) + 1))
    return secret(change, client)


def _renewals(change: Change, client: str) -> int:
    stored = SECRETS.get(change, client, client)
    return 0 if stored is None else stored.renewals
