"""Clients: the reseller's view of tenants below its own (P1 Endpoints, Clients)."""

from typing import Annotated, ClassVar

from confsim.api.call import API, Call
from confsim.api.forms import ClientId
from confsim.api.views import Id, page
from confsim.assumptions import ask, clients as assumed, note, note_shown
from confsim.assumptions.channels import CLIENT_ID_NAMES
from confsim.assumptions.protocol import initial
from confsim.contract import Invented, Json, Limit, Name, Offset, Page, Search, Source, Switch, Wire, gates
from confsim.domain import lists
from confsim.domain.clients import clients
from confsim.domain.clients.clients import Client
from confsim.domain.couplings.clients import create_child
from confsim.domain.identity import validators


def _require_reseller(call: Call, *_: object) -> None:
    clients.require_reseller(call.change, call.client, call.operation.name)


operation = API.family(gate=gates.PARTNER_ADMIN, requires=_require_reseller, line="P1 Clients")


class NewClient(Wire):
    """A client to create."""

    name: Annotated[Name, "The name of the client."]


class ClientView(Wire, kw_only=True):
    """A client (P1 Client). The documents show no field of ``details`` (G295)."""

    COMPONENT: ClassVar[str] = "Client"
    #: What generators call the class: openapi-python-client has a class Client of its own.
    KEYWORDS: ClassVar = {"title": "ClientView"}

    name: Annotated[str, "The name of the client."]
    clientId: Annotated[ClientId, "The id of the client."]
    details: Annotated[dict[str, Json] | None, Invented.TEXT, "Other attributes of the client."] = None
    disabled: Annotated[bool | None, "Whether its service is disabled."] = None
    parentId: Annotated[ClientId | None, "The client above it."] = None


class ClientItem(Wire, kw_only=True):
    """A client as the client list shows it (P1 Client list item)."""

    COMPONENT: ClassVar[str] = "ClientListItem"

    id: Annotated[ClientId, "The id of the client."]
    name: Annotated[str, "The name of the client."]
    parent: Annotated[ClientId | None, "The client above it."] = None
    uniqueUsersHandle: Annotated[bool, "Whether handles of its users must be unique."]
    speech2text: Annotated[bool, "Whether new channels have speech to text."]
    dialOut: Annotated[bool, "Whether new channels can call phones."]
    dialIn: Annotated[bool, "Whether phones can call new channels."]
    midi: Annotated[bool, "Whether new channels have midi."]
    friendlyURLs: Annotated[bool, "Whether friendly URLs are enabled."]
    validator: Annotated[str | None, "The validator of identity tokens that is active."] = None
    disabled: Annotated[bool, "Whether the service of it and of all clients below it is disabled."]
    events: Annotated[bool, "Whether its events are on."]


@operation(
    "POST /clients/create",
    rules="R013 R084 R232 R233 R234 R235",
    gaps="G137 G138 G152 G293 G296",
    identifies={"id": "clients"},
)
def create_client(call: Call, body: NewClient) -> Id:
    """Create a child client of the caller's own, with the initial settings."""
    clients.require_name(call.change, body.name)
    return Id(id=create_child(call.change, call.client, body.name).id)


@operation(
    "POST /clients/{clientId}/service/{state}",
    rules="R042 R085 R086 R109 R110 R112 R235 R236 R549",
    gaps="G154 G163 G165 G166 G537",
    revokes_access=True,
)
def set_client_service_state(call: Call, client: Client, state: Switch) -> None:
    """Enable or disable the service of a child client, and with it of all clients below.

    Nothing is lost. Refused with 403 for the caller's own client and with 404 for an unrelated one.
    """
    clients.switch_service(call.change, client, state, by=call.client)


@operation(
    "GET /clients/{clientId}",
    requires=None,
    gate=gates.Gate(gates.Grant.PARTNER_ADMIN, gates.Grant.CUSTOMER_ADMIN, gates.Grant.API_TOKEN).assumed("G294"),
    rules="R083 R084 R085 R235 R237",
    gaps="G157 G165 G294 G295 G545",
)
def get_client(call: Call, client: Client) -> ClientView:
    """Get a client: the own or a child for a Partner Admin, the own for a Customer Admin or an API token."""
    caller = call.caller
    note(call.change, CLIENT_ID_NAMES)
    if caller is not None and (caller.partner_admin or client.id != call.client.id):
        _require_reseller(call)
    return ClientView(
        name=client.name,
        clientId=client.id,
        details=_details(call, client),
        disabled=clients.shown_disabled(call.change, client),
        parentId=client.parent,
    )


def _details(call: Call, client: Client) -> dict[str, Json] | None:
    """The details of a client, None for none (G295)."""
    if ask(call.change, assumed.DETAILS) == "absent":
        return None
    note_shown(call.change, client, "speech2text", "dial_in", "dial_out", "midi", "events")
    features = {"speech2text": client.speech2text, "dialIn": client.dial_in, "dialOut": client.dial_out}
    return {"name": client.name, **features, "midi": client.midi, "events": client.events}


@operation(
    "GET /clients", source=Source.NAME_ONLY, rules="R021 R022 R023 R087 R088 R089 R090", gaps="G567", line="P1 L247"
)
def list_clients(
    call: Call, *, query: Search | None = None, offset: Offset | None = None, limit: Limit | None = None
) -> Page[ClientItem]:
    """List the child clients in the order of their creation; ``query`` is matched against the name."""
    found = clients.list_below(call.change, call.client)
    if query:
        found = [client for client in found if lists.matches(call.change, query, client.name)]
    return page(call, found, limit, offset, lambda shown: [_item_view(call, client) for client in shown])


def _item_view(call: Call, client: Client) -> ClientItem:
    note_shown(call.change, client, *initial.CLIENT_SETTINGS, "events")
    active = validators.find_active(call.change, client)
    return ClientItem(
        id=client.id,
        name=client.name,
        parent=client.parent,
        uniqueUsersHandle=client.unique_handles,
        speech2text=client.speech2text,
        dialOut=client.dial_out,
        dialIn=client.dial_in,
        midi=client.midi,
        friendlyURLs=client.friendly_urls,
        validator=active.id if active is not None else None,
        disabled=clients.shown_disabled(call.change, client),
        events=client.events,
    )
