"""Validators of identity tokens: set up outside the API, at most one active in a client."""

from collections.abc import Iterable
from enum import Enum

from confsim.assumptions import Reason, ask, not_found
from confsim.assumptions.identity import CLAIM_NAMES, INHERITED_VALIDATORS
from confsim.domain.clients import clients
from confsim.domain.clients.clients import Client
from confsim.domain.conventions import turn
from confsim.kernel import Change, Field, Index, Misuse, Record, SecretForm, Table, Toggle, View

from . import jws

#: The details that claims of an identity token can carry (G200).
ABOUT = tuple(CLAIM_NAMES)


class ValidatorState(Enum):
    """Whether the client accepts the identity tokens of the validator (P1 States L180-181)."""

    ACTIVE = "active"
    INACTIVE = "inactive"


class Validator(Record, kw_only=True):
    """One validator. ``key`` is a secret, a PEM or a JWK as text; ``claims`` maps originId, name, picture, email and
    emailVerified to the claims that carry them, where they are not the usual ones (G200).
    """

    id: str
    client: str
    algorithm: str
    key: str
    name: str
    issuer: str | None = None
    audience: str | None = None
    claims: tuple[tuple[str, str], ...] = ()
    state: ValidatorState = ValidatorState.INACTIVE


ACTIVE: Index[Validator] = Index("active", "state", of=lambda state: (True,) if state is ValidatorState.ACTIVE else ())
VALIDATORS: Table[str, Validator] = Table("validators", Validator, "id", ACTIVE, secrets={"key": SecretForm.TEXT})


MACHINE = Toggle(
    "validator",
    "A validator of identity tokens; at most one of a client is active (R113-R116, R238).",
    VALIDATORS,
    Field("state"),
    ValidatorState,
    refused=Reason.NOT_FOUND,
    sources=("P1 States L180, R113, R114, G537", "P1 States L181, R115, G537"),
)
_ADD = MACHINE.added("add", into=ValidatorState.INACTIVE, source="R139, G190")


def add(
    change: Change,
    client: Client,
    id: str,
    algorithm: str,
    key: str,
    *,
    name: str | None = None,
    issuer: str | None = None,
    audience: str | None = None,
    claims: tuple[tuple[str, str], ...] = (),
) -> Validator:
    """Set a validator up, as only the service operator can (R139, G190). Raises Misuse for invalid values."""
    if not id.strip():
        raise Misuse("a validator needs an id")
    if id in VALIDATORS.of(change, client.id):
        raise Misuse(f"the client has a validator {id!r} already", status=409)
    for about, claim in claims:
        if about not in ABOUT or not claim:
            raise Misuse(
                f"validator {id!r}: claims go from one of {', '.join(ABOUT)} to a name, not {about!r} to {claim!r}"
            )
    try:
        jws.require_key(algorithm, key)
    except ValueError as error:
        raise Misuse(f"validator {id!r}: {error}") from None
    draft = Validator(
        id=id,
        client=client.id,
        algorithm=algorithm,
        key=key,
        name=name or id,
        issuer=issuer,
        audience=audience,
        claims=claims,
    )
    return _ADD(change, draft)


def get(change: Change, client: Client, id: str) -> Validator:
    """The validator of this id in the client. Refusal NOT_FOUND (G192)."""
    return VALIDATORS.get(change, id, client.id) or not_found("validator", id)


def enable(change: Change, validator: Validator) -> Validator:
    """Make the validator the client's active one. Refusal STATE_HOLDS (G537)."""
    return turn(change, MACHINE.on, validator)


def disable(change: Change, validator: Validator) -> Validator:
    """Make the validator inactive; others are unchanged. Refusal STATE_HOLDS (G537)."""
    return turn(change, MACHINE.off, validator)


def list_validators(change: Change, client: Client) -> View[Validator]:
    """The validators that could be assigned in the client, in order of creation (G191)."""
    return VALIDATORS.of(change, client.id).all


def list_assignable(change: Change, client: Client) -> Iterable[Validator]:
    """The validators that the client sees: its own, and where that is assumed those above, nearest first (G191)."""
    if not ask(change, INHERITED_VALIDATORS):
        return list_validators(change, client)
    return [each for above in clients.ancestors(change, client) for each in list_validators(change, above)]


def list_active(change: Change, client: str) -> View[Validator]:
    """The active validators of the client of this id, in order of creation."""
    return VALIDATORS.where(change, ACTIVE, True, client)


def find_active(change: Change, client: Client) -> Validator | None:
    """The client's active validator, or None."""
    return list_active(change, client.id).last
