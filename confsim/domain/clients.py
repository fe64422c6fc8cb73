"""Clients (tenants): their hierarchy, their switches, and the machine of their service."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from confsim.assumptions import initial
from confsim.assumptions.refusals import Reason
from confsim.assumptions.register import ask
from confsim.kernel.machine import Machine, Row, store
from confsim.kernel.refusal import Refusal
from confsim.kernel.table import Index, Record, Table
from confsim.kernel.world import Change


class Service(Enum):
    """The client's own flag; whether it has service also hangs on its ancestors."""

    ENABLED = "enabled"
    DISABLED = "disabled"


class Terms(Record):
    """The terms of one client (P1 Terms). ``promulgated`` in epoch milliseconds."""

    version: int
    url: str
    promulgated: int
    required: bool


class Client(Record, kw_only=True):
    """One client. ``parent`` is the id of the parent client; the feature flags are the defaults of new channels."""

    id: str
    name: str
    parent: str | None = None
    service: Service = Service.ENABLED
    reseller: bool = False
    terms: Terms
    unique_handles: bool
    friendly_urls: bool
    speech2text: bool
    dial_in: bool
    dial_out: bool
    midi: bool
    events: bool
    providers: tuple[str, ...]
    default_provider: str | None = None
    origins: tuple[str, ...] = ()
    domains: tuple[str, ...] = ()


CHILDREN: Index[Client] = Index("children", lambda client: (client.parent,) if client.parent else ())
CLIENTS: Table[str, Client] = Table("clients", Client, "id", CHILDREN, shared=True)

MACHINE: Machine[Service, Client] = Machine(
    "client service",
    "Whether a client is served (R109-R112); an ancestor that is disabled takes the service from it too (R086).",
    Service,
    (
        Row("disable", (Service.ENABLED, Service.DISABLED), Service.DISABLED, source="P1 States L178, R109, G537"),
        Row("enable", (Service.ENABLED, Service.DISABLED), Service.ENABLED, source="P1 States L179, R112, G537"),
    ),
    read=lambda client, facts: client.service,
    write=store("service"),
    refusals={None: Reason.NOT_PARENT},
    initial=Service.ENABLED,
)


def create(
    change: Change, name: str, parent: str | None, *, reseller: bool = False, id: str | UnsetType = UNSET
) -> Client:
    """A new client with the settings of a fresh one (G168, G296)."""
    return CLIENTS.of(change).put(
        Client(
            id=change.uuid() if isinstance(id, UnsetType) else id,
            name=name,
            parent=parent,
            reseller=reseller,
            terms=Terms(1, ask(change, initial.TERMS_URL), change.now, ask(change, initial.TERMS_REQUIRED)),
            unique_handles=ask(change, initial.UNIQUE_HANDLES),
            friendly_urls=ask(change, initial.FRIENDLY_URLS),
            speech2text=ask(change, initial.SPEECH2TEXT),
            dial_in=ask(change, initial.DIAL_IN),
            dial_out=ask(change, initial.DIAL_OUT),
            midi=ask(change, initial.MIDI),
            events=ask(change, initial.EVENTS),
            providers=ask(change, initial.PROVIDERS),
        )
    )


def get(change: Change, id: str) -> Client:
    """The client of this id. Refusal NOT_FOUND when there is none."""
    client = CLIENTS.of(change).get(id)
    if client is None:
        raise Refusal(Reason.NOT_FOUND, what="client", id=id)
    return client


def update(change: Change, client: Client, **fields: object) -> Client:
    """The client with these fields changed."""
    return CLIENTS.of(change).put(replace(client, **fields))


def children(change: Change, client: Client) -> list[Client]:
    """The direct children, in order of creation."""
    return CLIENTS.of(change).find(CHILDREN, client.id)


def lineage(change: Change, client: Client) -> Iterator[Client]:
    """The client and its ancestors, from the nearest to the root."""
    clients = CLIENTS.of(change)
    while True:
        yield client
        if client.parent is None:
            return
        client = clients[client.parent]


def served(change: Change, client: Client) -> bool:
    """Whether neither the client nor an ancestor is disabled (R086, G165)."""
    if client.parent is None:
        return client.service is Service.ENABLED
    return all(each.service is Service.ENABLED for each in lineage(change, client))


def switch_service(change: Change, client: Client, event: str) -> Client:
    """Enable or disable the client's service; nothing else in it moves (G163, G543)."""
    return CLIENTS.of(change).put(MACHINE.fire(change, client, event))
