"""Clients (tenants): their hierarchy and their service."""

import re
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from itertools import count

from msgspec import UNSET, UnsetType

from confsim.assumptions import Reason, ask, channels as ids, clients as assumed, not_found, note_shown
from confsim.assumptions.protocol import initial
from confsim.domain.conventions import require_change
from confsim.kernel import (
    ABSENT,
    Change,
    Filled,
    Guard,
    Index,
    Machine,
    OnOff,
    Record,
    Refusal,
    Row,
    Table,
    Toggle,
    View,
)


class ServiceState(Enum):
    """The client's own service flag; whether it is served also depends on its ancestors (R086)."""

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
    service: ServiceState = ServiceState.ENABLED
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


CHILDREN: Index[Client] = Index("children", "parent", of=lambda parent: (parent,) if parent else ())
BY_ORIGIN: Index[Client] = Index("origin", "origins", of=lambda origins: tuple(map(str.lower, origins)))
CLIENTS: Table[str, Client] = Table(
    "clients", Client, "id", CHILDREN, BY_ORIGIN, names={"parent": "clients"}, shared=True, of_clients=True
)

MACHINE: Machine[ServiceState, Client] = Machine(
    "client service",
    "Whether a client is served (R109-R112); an ancestor that is disabled takes the service from it too (R086).",
    CLIENTS,
    ServiceState,
    state="service",
    refused=Reason.NOT_PARENT,
    initial=ServiceState.ENABLED,
)


@MACHINE.effect("enable")
def _enable(change: Change, client: Client, by: Client | None) -> Client:
    return client


@MACHINE.effect("disable")
def _disable(change: Change, client: Client, by: Client | None) -> Client:
    return client


def _is_parent(change: Change, client: Client, by: Client | None) -> bool:
    """Whether the client of the Partner Admin who calls is a parent; None, the service operator, counts as one."""
    if by is None:
        return True
    return ask(change, assumed.OWN_SERVICE) if client.id == by.id else is_below(change, client, by)


_EITHER = tuple(ServiceState)
_BY_PARENT = Guard("a Partner Admin of the parent calls", _is_parent)

MACHINE.declare(
    Row(_enable, _EITHER, ServiceState.ENABLED, only_if=_BY_PARENT, source="P1 States L179, R112, G166, G537"),
    Row(_disable, _EITHER, ServiceState.DISABLED, only_if=_BY_PARENT, source="P1 States L178, R109, R110, G537"),
)


class ClientRank(Enum):
    """The position of a client in the hierarchy; its parent never changes and it is never deleted (P1 L7)."""

    ROOT = "root"
    CHILD = "child"


HIERARCHY: Machine[ClientRank, Client] = Machine(
    "client hierarchy",
    "Whether a client is a root or the child of another (R084, R234).",
    CLIENTS,
    ClientRank,
    state=Filled("parent", ClientRank.CHILD, ClientRank.ROOT),
    refused=Reason.STATE_HOLDS,
)
_CREATE_ROOT = HIERARCHY.draft("create root")
_CREATE = HIERARCHY.draft("create")

HIERARCHY.declare(
    Row(_CREATE_ROOT, ABSENT, ClientRank.ROOT, source="G137"),
    Row(_CREATE, ABSENT, ClientRank.CHILD, source="P1 L296, R234, G296"),
)


def create(
    change: Change, name: str, parent: str | None, *, reseller: bool = False, id: str | UnsetType = UNSET
) -> Client:
    """A new client with initial settings (G168, G296): a child of the parent, or a root without one."""
    draft = Client(
        id=_new_id(change, name) if isinstance(id, UnsetType) else id,
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
        origins=(origins := ask(change, initial.ORIGINS)),
        domains=origins,
    )
    return (_CREATE_ROOT if parent is None else _CREATE)(change, draft)


def _new_id(change: Change, name: str) -> str:
    """The id of a new client (G131)."""
    form = ask(change, ids.CLIENT_IDS)
    if form == "uuid":
        return change.uuid()
    if form == "short":
        return change.token()[:10].lower()
    plain = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "client"
    taken = CLIENTS.of(change)
    return next(id for number in count(1) if (id := plain if number == 1 else f"{plain}-{number}") not in taken)


def has_unique_handles(change: Change, client: Client) -> bool:
    """Whether handles must be unique in the client (G253)."""
    note_shown(change, client, "unique_handles")
    return client.unique_handles


def require_name(change: Change, name: str) -> None:
    """Raise Refusal CLIENT_NAME_TAKEN when another client has the name, where that is refused (G293)."""
    if ask(change, assumed.NAMES) == "refuse" and any(each.name == name for each in CLIENTS.of(change).all):
        raise Refusal(Reason.CLIENT_NAME_TAKEN, name=name)


def get(change: Change, id: str) -> Client:
    """The client of this id. Refusal NOT_FOUND when there is none."""
    return CLIENTS.get(change, id) or not_found("client", id)


def update(change: Change, client: Client, **fields: object) -> Client:
    """The client with these fields changed."""
    return CLIENTS.of(change).update(client, **fields)


def list_children(change: Change, client: Client) -> View[Client]:
    """The direct children, in order of creation."""
    return CLIENTS.where(change, CHILDREN, client.id)


def is_below(change: Change, client: Client, ancestor: Client) -> bool:
    """Whether the client is a child of the ancestor: a direct one, or any below it (G154)."""
    if client.parent == ancestor.id:
        return True
    if client.parent is None or ask(change, assumed.DEPTH) == "direct":
        return False
    return any(above.parent == ancestor.id for above in ancestors(change, client))


def list_below(change: Change, client: Client) -> Sequence[Client]:
    """The children of the client, in order of creation; with all descendants, depth first, where those count (G154)."""
    direct = list_children(change, client)
    if ask(change, assumed.DEPTH) == "direct":
        return direct
    return [each for child in direct for each in (child, *list_below(change, child))]


def descendants(change: Change, client: Client) -> Iterator[Client]:
    """The client and every client below it."""
    yield client
    for child in list_children(change, client):
        yield from descendants(change, child)


def ancestors(change: Change, client: Client) -> Iterator[Client]:
    """The client and its ancestors, from the nearest to the root."""
    clients = CLIENTS.of(change)
    while True:
        yield client
        if client.parent is None:
            return
        client = clients[client.parent]


_ENABLED = ServiceState.ENABLED


def is_served(change: Change, client: Client) -> bool:
    """Whether neither the client nor an ancestor is disabled (R086, G165)."""
    above: Client | None = client
    while above is not None and above.service is _ENABLED:
        if above.parent is None:
            return True
        above = CLIENTS.get(change, above.parent)
    return False


def shown_disabled(change: Change, client: Client) -> bool:
    """The value of the client's ``disabled`` field in answers (R085, G165)."""
    if ask(change, assumed.DISABLED_FIELD) == "own":
        return client.service is ServiceState.DISABLED
    return not is_served(change, client)


def require_reseller(change: Change, client: Client, call: str) -> None:
    """Raise Refusal RESELLER_DISABLED when the call needs a reseller and the client is none (R235, G167)."""
    if not client.reseller and call in ask(change, assumed.RESELLER_CALLS):
        raise Refusal(Reason.RESELLER_DISABLED, client=client.id)


def switch_service(change: Change, client: Client, trigger: str, by: Client | None = None) -> Client:
    """Enable or disable the client's service (R109-R112, R549, G543).

    ``by`` is the client of the Partner Admin who calls, None for the service operator. Refusals: NOT_PARENT when the
    client is the caller's own, STATE_HOLDS where repeating a state is refused (G537).
    """
    switch = _enable if trigger == "enable" else _disable
    holds = switch.holds(client)
    switched = switch(change, client, by)
    require_change(change, trigger, holds=holds)
    return switched


# The flags that new channels start with


class Default(Enum):
    """A feature flag of a client, the default of new channels (P2 Legacy client settings)."""

    SPEECH2TEXT = "speech2text"
    DIAL_IN = "dial_in"
    DIAL_OUT = "dial_out"
    MIDI = "midi"


_OF_DEFAULTS = "P2 L112, L354, R315, G537"

#: New channels start with the value; existing ones keep theirs (R316).
DEFAULTS: Mapping[Default, Toggle[OnOff, Client]] = {
    flag: Toggle(
        f"client default {flag.value}",
        "A feature flag of a client, which only seeds new channels (R088, R315, R316, G297).",
        CLIENTS,
        flag.value,
        OnOff,
        refused=Reason.INVALID_STATE,
        sources=(_OF_DEFAULTS, _OF_DEFAULTS),
    )
    for flag in Default
}
