"""The events interface of a client: whether it is on, its endpoints, its secret."""

from __future__ import annotations

from base64 import b64encode
from enum import Enum

from msgspec.structs import replace

from confsim.assumptions import events as assumed
from confsim.assumptions.refusals import Reason
from confsim.assumptions.register import ask, note
from confsim.domain import repeats
from confsim.domain.clients import clients
from confsim.domain.clients.clients import Client
from confsim.kernel.ids import as_token
from confsim.kernel.old_machine import Facts, Guard, Machine, Row
from confsim.kernel.refusal import Refusal
from confsim.kernel.table import Index, Record, Table
from confsim.kernel.world import Change


class Interface(Enum):
    """Whether the Events API is enabled for the client (P2 L362)."""

    DISABLED = "disabled"
    ENABLED = "enabled"


def _switch(change: Change, client: Client, facts: Facts) -> Client:
    """Endpoints and secret stay; only what happens while it is on is told."""
    return clients.update(change, client, events=facts["on"])


_BOTH = (Interface.DISABLED, Interface.ENABLED)

MACHINE: Machine[Interface, Client] = Machine(
    "events interface",
    "Whether a client's events are on (R531).",
    Interface,
    (
        Row("enable", _BOTH, Interface.ENABLED, effect=_switch, source="P2 L362, L368, R531, G537, G591"),
        Row("disable", _BOTH, Interface.DISABLED, effect=_switch, source="P2 L362, L368, R531, G537, G591"),
    ),
    read=lambda client, facts: Interface.ENABLED if client.events else Interface.DISABLED,
    refusals={None: Reason.EVENTS_OFF},
    initial=Interface.DISABLED,
)


def switch(change: Change, client: Client, event: str) -> Client:
    """Enable or disable the client's events."""
    on = event == "enable"
    repeats.allow(change, f"{event}d", holds=client.events is on)
    return MACHINE.fire(change, client, event, on=on)


# Endpoints


class Life(Enum):
    """Whether an endpoint is there, and whether it is told what happens (P2 L366)."""

    ABSENT = "absent"
    ACTIVE = "active"
    INACTIVE = "inactive"


class Endpoint(Record, kw_only=True):
    """One endpoint: the URL that is told. ``created`` in epoch milliseconds."""

    id: str
    url: str
    active: bool
    created: int


LISTENING: Index[Endpoint] = Index("active", lambda endpoint: (True,) if endpoint.active else ())
ENDPOINTS: Table[str, Endpoint] = Table("events endpoints", Endpoint, "id", LISTENING)


class Slot(Record):
    """The place of one endpoint of a client, taken or not: what the machine moves."""

    client: str
    endpoint: Endpoint | None


def _add(change: Change, slot: Slot, facts: Facts) -> Slot:
    """The endpoint is told what happens, unless it begins inactive."""
    made = Endpoint(id=change.uuid(), url=facts["url"], active=facts["active"], created=change.now)
    return _keep(change, slot, made)


def _activate(change: Change, slot: Slot, facts: Facts) -> Slot:
    """It is told what happens from now on."""
    return _keep(change, slot, replace(_of(slot), active=True))


def _deactivate(change: Change, slot: Slot, facts: Facts) -> Slot:
    """It is told nothing more."""
    return _keep(change, slot, replace(_of(slot), active=False))


def _move(change: Change, slot: Slot, facts: Facts) -> Slot:
    """Its URL is another."""
    return _keep(change, slot, replace(_of(slot), url=facts["url"]))


def _remove(change: Change, slot: Slot, facts: Facts) -> Slot:
    """It is gone."""
    ENDPOINTS.of(change, slot.client).remove(_of(slot).id)
    return replace(slot, endpoint=None)


def _of(slot: Slot) -> Endpoint:
    assert slot.endpoint is not None
    return slot.endpoint


def _keep(change: Change, slot: Slot, endpoint: Endpoint) -> Slot:
    return Slot(slot.client, ENDPOINTS.of(change, slot.client).put(endpoint))


def _life(slot: Slot, facts: Facts) -> Life:
    if slot.endpoint is None:
        return Life.ABSENT
    return Life.ACTIVE if slot.endpoint.active else Life.INACTIVE


_ACTIVE = Guard("it begins active", lambda slot, facts: facts["active"])
_EITHER = (Life.ACTIVE, Life.INACTIVE)

ENDPOINT: Machine[Life, Slot] = Machine(
    "events endpoint",
    "An endpoint of a client that is told what happens (R336, R532-R534).",
    Life,
    (
        Row("add", Life.ABSENT, Life.ACTIVE, only_if=_ACTIVE, effect=_add, source="P2 L368, G589"),
        Row("add", Life.ABSENT, Life.INACTIVE, only_if=~_ACTIVE, effect=_add, source="P2 L368, G589"),
        Row("activate", _EITHER, Life.ACTIVE, effect=_activate, source="P2 L366, R532"),
        Row("deactivate", _EITHER, Life.INACTIVE, effect=_deactivate, source="P2 L366, R532"),
        Row("move", Life.ACTIVE, Life.ACTIVE, effect=_move, source="P2 L366, R532"),
        Row("move", Life.INACTIVE, Life.INACTIVE, effect=_move, source="P2 L366, R532"),
        Row("remove", _EITHER, Life.ABSENT, effect=_remove, source="P2 L368, G594"),
    ),
    read=_life,
    refusals={None: Reason.NOT_FOUND},
    initial=Life.ABSENT,
)


def add(change: Change, client: Client, url: str, active: bool | None) -> Endpoint:
    """A new endpoint. Refusal INVALID_INPUT for a scheme that is not taken."""
    _check(change, url)
    on = ask(change, assumed.ACTIVE) if active is None else active
    return _of(ENDPOINT.fire(change, Slot(client.id, None), "add", url=url, active=on))


def update(change: Change, client: Client, id: str, url: str | None, active: bool | None) -> None:
    """Change the URL of the endpoint, or whether it is active; what is None stays (R533).

    Refusals NOT_FOUND, and INVALID_INPUT for a scheme that is not taken.
    """
    slot = Slot(client.id, ENDPOINTS.of(change, client.id).get(id))
    if slot.endpoint is None:
        if ask(change, assumed.UNKNOWN) == "ignore":
            return
        raise _missing(id)
    if url is None and active is None and ask(change, assumed.EMPTY_UPDATE) == "refuse":
        raise Refusal(Reason.INVALID_INPUT, where="body", problem="it has neither url nor active")
    if url is not None:
        _check(change, url)
        slot = ENDPOINT.fire(change, slot, "move", url=url)
    if active is not None:
        ENDPOINT.fire(change, slot, "activate" if active else "deactivate")


def _check(change: Change, url: str) -> None:
    if not url.lower().startswith("https://") and ask(change, assumed.SCHEMES) == "https":
        raise Refusal(Reason.INVALID_INPUT, where="body url", problem=f"{url[:80]!r} is no https URL")


def _missing(id: str) -> Refusal:
    return Refusal(Reason.NOT_FOUND, what="events endpoint", id=id)


def remove(change: Change, client: Client, id: str) -> None:
    """Remove the endpoint. Refusal NOT_FOUND."""
    slot = Slot(client.id, ENDPOINTS.of(change, client.id).get(id))
    ENDPOINT.fire(change, slot, "remove", what="events endpoint", id=id)


def listed(change: Change, client: Client) -> list[Endpoint]:
    """The client's endpoints, in order of creation."""
    return ENDPOINTS.of(change, client.id).oldest()


def listening(change: Change, client: str) -> list[Endpoint]:
    """The endpoints of the client that are told what happens, in order of creation."""
    return ENDPOINTS.of(change, client).find(LISTENING, True)


# The secret


class Secret(Record):
    """How often the client's secret was made anew; the secret itself hangs on that and on the world's seed."""

    client: str
    renewals: int


SECRETS: Table[str, Secret] = Table("events secrets", Secret, "client")


def secret(change: Change, client: str) -> str:
    """The secret that the client shares with its endpoints."""
    note(change, assumed.SECRET)
    kept = SECRETS.of(change, client).get(client)
    key = change.key(f"events secret {client} {0 if kept is None else kept.renewals}")
    if ask(change, assumed.SECRET_FORM) == "text":
        return as_token(key)
    return "whsec_" + b64encode(key).decode()


def renew_secret(change: Change, client: str) -> str:
    """Make the secret anew; the old one is dead at once (G535)."""
    kept = SECRETS.of(change, client).get(client)
    SECRETS.of(change, client).put(Secret(client, 1 if kept is None else kept.renewals + 1))
    return secret(change, client)
