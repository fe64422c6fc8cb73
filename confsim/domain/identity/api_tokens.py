"""API tokens of a client: administrative credentials for servers."""

from __future__ import annotations

from enum import Enum

from msgspec.structs import replace

from confsim.assumptions import identity as assumed
from confsim.assumptions.protocol import durations
from confsim.assumptions.refusals import Reason
from confsim.assumptions.register import ask
from confsim.domain.clients.clients import Client
from confsim.kernel.old_machine import Facts, Machine, Row
from confsim.kernel.table import Record, Table
from confsim.kernel.world import Change

from .credentials import CREDENTIALS, Credential, secret


class Life(Enum):
    """Whether an API token exists; removal is final (P1 States)."""

    ABSENT = "absent"
    EXISTS = "exists"


class ApiToken(Record):
    """One API token. No call sets ``expires`` (G279), epoch milliseconds."""

    id: str
    value: str
    label: str | None = None
    expires: int | None = None


API_TOKENS: Table[str, ApiToken] = Table("api tokens", ApiToken, "id")


class Slot(Record):
    """The place of one API token of a client, taken or not: what the machine moves."""

    client: str
    token: ApiToken | None


def _make(change: Change, slot: Slot, facts: Facts) -> Slot:
    """A new value that is told this once."""
    return _keep(change, slot.client, ApiToken(change.uuid(), secret(change), facts["label"], _expiry(change)))


def _renew(change: Change, slot: Slot, facts: Facts) -> Slot:
    """The old value is dead, the new one told this once."""
    assert slot.token is not None
    CREDENTIALS.of(change).remove(slot.token.value)
    kept = ask(change, assumed.REGENERATED_EXPIRY) == "kept"
    expires = slot.token.expires if kept else _expiry(change)
    return _keep(change, slot.client, replace(slot.token, value=secret(change), expires=expires))


def _remove(change: Change, slot: Slot, facts: Facts) -> Slot:
    """The value is dead for good."""
    assert slot.token is not None
    CREDENTIALS.of(change).remove(slot.token.value)
    API_TOKENS.of(change, slot.client).remove(slot.token.id)
    return Slot(slot.client, None)


def _expiry(change: Change) -> int | None:
    life = ask(change, durations.API_TOKEN)
    return change.now + life if life else None


def _keep(change: Change, client: str, token: ApiToken) -> Slot:
    API_TOKENS.of(change, client).put(token)
    CREDENTIALS.of(change).put(Credential(token.value, client, api_token=token.id, expires=token.expires))
    return Slot(client, token)


MACHINE: Machine[Life, Slot] = Machine(
    "API token",
    "One API token of a client (R117-R121).",
    Life,
    (
        Row("create", Life.ABSENT, Life.EXISTS, effect=_make, source="P1 States L182, R117"),
        Row("regenerate", Life.EXISTS, Life.EXISTS, effect=_renew, source="P1 States L183, R118"),
        Row("delete", Life.EXISTS, Life.ABSENT, effect=_remove, source="P1 States L184, R119-R121"),
    ),
    read=lambda slot, facts: Life.ABSENT if slot.token is None else Life.EXISTS,
    refusals={None: Reason.NOT_FOUND},
    initial=Life.ABSENT,
)


def create(change: Change, client: Client, label: str | None) -> ApiToken:
    """A new API token with its value."""
    return _told(MACHINE.fire(change, Slot(client.id, None), "create", label=label))


def regenerate(change: Change, client: Client, id: str) -> ApiToken:
    """The same token with a new value; the label stays, the old value is dead (R118, G280). Refusal NOT_FOUND."""
    slot = Slot(client.id, API_TOKENS.of(change, client.id).get(id))
    return _told(MACHINE.fire(change, slot, "regenerate", what="API token", id=id))


def delete(change: Change, client: Client, id: str) -> None:
    """Remove the token; the last one and the one that makes the call may go too. Refusal NOT_FOUND."""
    slot = Slot(client.id, API_TOKENS.of(change, client.id).get(id))
    MACHINE.fire(change, slot, "delete", what="API token", id=id)


def listed(change: Change, client: Client) -> list[ApiToken]:
    """The client's tokens in order of creation (G136)."""
    return API_TOKENS.of(change, client.id).oldest()


def masked(change: Change, value: str) -> str:
    """What a list shows of a value: enough to recognise it, useless as a credential (R092, G278)."""
    form = ask(change, assumed.MASK)
    return {"last-4": "****" + value[-4:], "first-4": value[:4] + "****", "asterisks": "********"}[form]


def _told(slot: Slot) -> ApiToken:
    assert slot.token is not None
    return slot.token
