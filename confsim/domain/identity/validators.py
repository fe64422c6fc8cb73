"""Validators of identity tokens: set up outside the API, at most one active in a client."""

from __future__ import annotations

from enum import Enum

from confsim.assumptions.identity import CLAIM_NAMES
from confsim.assumptions.refusals import Reason
from confsim.domain import repeats
from confsim.domain.clients.clients import Client
from confsim.kernel.old_machine import Facts, Machine, Row, store
from confsim.kernel.refusal import Misuse, Refusal
from confsim.kernel.table import Record, Table
from confsim.kernel.world import Change

from . import jws

#: What a claim of an identity token can be about (G200).
ABOUT = tuple(CLAIM_NAMES)


class Activity(Enum):
    """Whether the validator may vouch for identity tokens (P1 States L180-181)."""

    INACTIVE = "inactive"
    ACTIVE = "active"


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
    state: Activity = Activity.INACTIVE


VALIDATORS: Table[str, Validator] = Table("validators", Validator, "id")


def _activate(change: Change, validator: Validator, facts: Facts) -> Validator:
    """Any validator that was active before becomes inactive in the same step."""
    rows = VALIDATORS.of(change, validator.client)
    for other in rows.oldest():
        if other.state is Activity.ACTIVE and other.id != validator.id:
            rows.put(MACHINE.fire(change, other, "disable"))
    return validator


MACHINE: Machine[Activity, Validator] = Machine(
    "validator",
    "A validator of identity tokens (R113-R116, R238).",
    Activity,
    (
        Row(
            "enable",
            (Activity.INACTIVE, Activity.ACTIVE),
            Activity.ACTIVE,
            effect=_activate,
            source="P1 States L180, R113, R114, G537",
        ),
        Row(
            "disable",
            (Activity.ACTIVE, Activity.INACTIVE),
            Activity.INACTIVE,
            source="P1 States L181, R115, G537",
        ),
    ),
    read=lambda validator, facts: validator.state,
    write=store("state"),
    refusals={None: Reason.NOT_FOUND},
    initial=Activity.INACTIVE,
)


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
    """Set a validator up, as only the service operator can (R139, G190). Misuse that names what cannot be."""
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
        jws.parse_key(algorithm, key)
    except ValueError as error:
        raise Misuse(f"validator {id!r}: {error}") from None
    return VALIDATORS.of(change, client.id).put(
        Validator(
            id=id,
            client=client.id,
            algorithm=algorithm,
            key=key,
            name=name or id,
            issuer=issuer,
            audience=audience,
            claims=claims,
        )
    )


def enable(change: Change, client: Client, id: str) -> Validator:
    """Make the validator the client's active one. Refusals NOT_FOUND (G192), STATE_HOLDS (G537)."""
    validator = _to_be(change, client, id, Activity.ACTIVE)
    return VALIDATORS.of(change, client.id).put(MACHINE.fire(change, validator, "enable"))


def disable(change: Change, client: Client, id: str) -> Validator:
    """Make the validator inactive; no other is touched. Refusals NOT_FOUND (G192), STATE_HOLDS (G537)."""
    validator = _to_be(change, client, id, Activity.INACTIVE)
    return VALIDATORS.of(change, client.id).put(MACHINE.fire(change, validator, "disable"))


def listed(change: Change, client: Client) -> list[Validator]:
    """The validators that could be assigned in the client, in order of creation (G191)."""
    return VALIDATORS.of(change, client.id).oldest()


def active(change: Change, client: Client) -> Validator | None:
    """The client's active validator, or None."""
    return next((each for each in VALIDATORS.of(change, client.id) if each.state is Activity.ACTIVE), None)


def _to_be(change: Change, client: Client, id: str, state: Activity) -> Validator:
    validator = VALIDATORS.of(change, client.id).get(id)
    if validator is None:
        raise Refusal(Reason.NOT_FOUND, what="validator", id=id)
    repeats.allow(change, state.value, holds=validator.state is state)
    return validator
