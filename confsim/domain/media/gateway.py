"""Gateway endpoints: where users send their own media in, each with its credentials."""

from __future__ import annotations

from enum import Enum

from confsim.assumptions import media as assumed
from confsim.assumptions.refusals import Reason
from confsim.assumptions.register import ask
from confsim.domain.users.users import User
from confsim.kernel.old_machine import Facts, Guard, Machine, Row
from confsim.kernel.refusal import Refusal
from confsim.kernel.table import Index, Record, Table
from confsim.kernel.world import Change


class Life(Enum):
    """Whether an endpoint is there; no call takes it away (P2 Gateway)."""

    ABSENT = "absent"
    EXISTS = "exists"


class Endpoint(Record, kw_only=True):
    """One endpoint of a user. ``username`` and ``password`` are None for kinds without credentials."""

    uuid: str
    user: int
    kind: str
    host: str
    port: int
    username: str | None = None
    password: str | None = None


BY_USER: Index[Endpoint] = Index("user", lambda endpoint: (endpoint.user,))
ENDPOINTS: Table[str, Endpoint] = Table("gateway endpoints", Endpoint, "uuid", BY_USER)


class Slot(Record):
    """The place of one endpoint of a user, taken or not: what the machine moves."""

    client: str
    user: int
    endpoint: Endpoint | None


def _create(change: Change, slot: Slot, facts: Facts) -> Slot:
    """An address that nothing listens at, with credentials of its own."""
    kind = facts["kind"]
    secret = kind in ask(change, assumed.GATEWAY_CREDENTIALS)
    endpoint = Endpoint(
        uuid=change.uuid(),
        user=slot.user,
        kind=kind,
        host=ask(change, assumed.GATEWAY_HOST),
        port=ask(change, assumed.GATEWAY_KINDS)[kind],
        username=f"user-{change.digits(8)}" if secret else None,
        password=change.token() if secret else None,
    )
    return Slot(slot.client, slot.user, ENDPOINTS.of(change, slot.client).put(endpoint))


_ANOTHER = Guard("a user may have several of a kind", lambda slot, facts: facts["several"])

MACHINE: Machine[Life, Slot] = Machine(
    "gateway endpoint",
    "An endpoint at which a user sends media in (R332, R333, R520-R522).",
    Life,
    (
        Row("create", Life.ABSENT, Life.EXISTS, effect=_create, source="P2 L338, R520"),
        Row("create", Life.EXISTS, Life.EXISTS, only_if=_ANOTHER, effect=_create, source="P2 L338, R520, G516"),
        Row("create", Life.EXISTS, Life.EXISTS, only_if=~_ANOTHER, source="G516"),
    ),
    read=lambda slot, facts: Life.ABSENT if slot.endpoint is None else Life.EXISTS,
    refusals={None: Reason.NOT_FOUND},
    initial=Life.ABSENT,
)


def create(change: Change, user: User, kind: str) -> Endpoint:
    """A new endpoint of the user. Refusal INVALID_INPUT for an unknown kind (G514)."""
    literal = _literal(change, kind)
    found = ENDPOINTS.of(change, user.client).find(BY_USER, user.id)
    same = next((endpoint for endpoint in found if endpoint.kind == literal), None)
    several = ask(change, assumed.GATEWAY_SEVERAL)
    slot = MACHINE.fire(change, Slot(user.client, user.id, same), "create", kind=literal, several=several)
    assert slot.endpoint is not None
    return slot.endpoint


def _literal(change: Change, kind: str) -> str:
    kinds = ask(change, assumed.GATEWAY_KINDS)
    if kind in kinds:
        return kind
    if ask(change, assumed.GATEWAY_KIND_CASE) == "ignore":
        for literal in kinds:
            if literal.casefold() == kind.casefold():
                return literal
    raise Refusal(Reason.INVALID_INPUT, where="body kind", problem=f"{kind[:40]!r} is none of {', '.join(kinds)}")


def get(change: Change, user: User, uuid: str) -> Endpoint:
    """The endpoint of the user. Refusal NOT_FOUND, also when it is another user's."""
    endpoint = ENDPOINTS.of(change, user.client).get(uuid)
    if endpoint is None or endpoint.user != user.id:
        raise Refusal(Reason.NOT_FOUND, what="gateway endpoint", id=uuid)
    return endpoint
