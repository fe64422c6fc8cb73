"""Things of a client that no call of the API creates: validators, their identity tokens, and inbound numbers."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

from confsim.contract.types import Long, Name, Wire
from confsim.control.context import ControlContext, get_client, get_user
from confsim.control.declare import CommandBody, operation
from confsim.control.fields import Duration, Key, one_of
from confsim.domain.clients.clients import CLIENTS
from confsim.domain.identity import token_exchange, validators
from confsim.domain.identity.credentials import CREDENTIALS
from confsim.domain.identity.jws import ALGORITHMS
from confsim.domain.identity.token_exchange import Person
from confsim.domain.identity.validators import Validator
from confsim.domain.telephony import numbers
from confsim.kernel.refusal import Misuse
from confsim.kernel.world import Change
from confsim.values.spans import span


class MakeValidator(CommandBody):
    """A validator. ``key`` is a secret, a PEM, or a JWK (as an object or as text).

    ``claims`` maps originId, name, picture, email and emailVerified to the names of the claims that carry them.
    """

    clientId: Annotated[str, "The client of the validator."]
    validatorId: Annotated[str, "The id of the validator."]
    algorithm: Annotated[str, one_of(*ALGORITHMS), "The algorithm of the signatures."]
    key: Annotated[Key, "A secret, a PEM, or a JWK."]
    name: Annotated[Name | None, "The name of the validator."] = None
    issuer: Annotated[str | None, "The issuer that tokens must name."] = None
    audience: Annotated[str | None, "The audience that tokens must name."] = None
    claims: Annotated[dict[str, str], "The names of the claims that carry details of the user."] = {}
    active: Annotated[bool, "Whether it is the active one."] = False


class MadeValidator(Wire):
    """The id of the new validator."""

    validatorId: Annotated[str, "The id of the validator."]


@operation("POST /validators")
def make_validator(context: ControlContext, body: MakeValidator) -> MadeValidator:
    """Create a validator of a client; it is inactive unless ``active`` is true.

    Misuse for an unknown algorithm, a key that does not fit it, and an id that is taken (409).
    """
    key = body.key if isinstance(body.key, str) else msgspec.json.encode(body.key).decode()
    if not isinstance(body.key, str | dict):
        raise Misuse("key: it is neither a text nor a JWK object")
    with context.change() as change:
        client = get_client(change, body.clientId)
        made = validators.add(
            change,
            client,
            body.validatorId,
            body.algorithm,
            key,
            name=body.name,
            issuer=body.issuer,
            audience=body.audience,
            claims=tuple(body.claims.items()),
        )
        if body.active:
            validators.enable(change, made)
        return MadeValidator(validatorId=made.id)


class IssueIdentityToken(CommandBody):
    """The holder of the token: a person by ``originId``, or a user who has one; and what it says of the person.

    ``clientId`` may be left out for a user, and when one client alone has an active validator, ``validatorId`` for the
    active one.
    """

    originId: Annotated[str | None, "The id of the person at the provider."] = None
    userId: Annotated[Long | None, "The user of the token, by origin id."] = None
    clientId: Annotated[str | None, "The client of the validator."] = None
    validatorId: Annotated[str | None, "The validator whose key signs."] = None
    ttl: Annotated[Duration, "Its lifetime: a duration such as 5m, or milliseconds."] = "5m"
    name: Annotated[str | None, "The name of the person."] = None
    email: Annotated[str | None, "The address of the person."] = None
    emailVerified: Annotated[bool | None, "Whether the provider has verified the address."] = None
    picture: Annotated[str | None, "The URL of a picture of the person."] = None
    claims: Annotated[dict[str, Any], "Claims that are added, over those made of the other fields."] = {}


class IssuedIdentityToken(Wire):
    """An identity token, as the customer's own provider issues it."""

    token: Annotated[str, "The signed token."]


@operation("POST /identity-tokens")
def issue_identity_token(context: ControlContext, body: IssueIdentityToken) -> IssuedIdentityToken:
    """Issue an identity token of a person, signed by a validator, as the customer's own provider would.

    Misuse for a client (404) or a validator (404) that is not there or not clear, a user without an origin id, and a
    validator whose key cannot sign.
    """
    ttl = span(body.ttl)
    with context.change() as change:
        owner = body.clientId
        if owner is None and body.userId is not None:
            owner = get_user(change, body.userId).client
        validator = _validator(change, owner, body.validatorId)
        person = Person(
            origin=_origin(change, body),
            name=body.name,
            email=body.email,
            verified=body.emailVerified is True,
            picture=body.picture,
        )
        try:
            return IssuedIdentityToken(token=token_exchange.identity_token(change, validator, person, body.claims, ttl))
        except ValueError as error:
            raise Misuse(f"validator {validator.id!r}: {error}") from None


def _origin(change: Change, body: IssueIdentityToken) -> str:
    if (body.originId is None) is (body.userId is None):
        raise Misuse("give originId or userId")
    if body.originId is not None:
        if not body.originId.strip():
            raise Misuse("originId: it is empty")
        known = CREDENTIALS.of(change).get(body.originId)
        if known is not None:
            meant = f"; did you mean user {known.user}?" if known.user is not None else ""
            raise Misuse(f"originId: {body.originId!r} is a token of confsim, and no id of a person{meant}")
        return body.originId
    origin = get_user(change, body.userId or 0).origin_id
    if origin is None:
        raise Misuse(f"userId: user {body.userId} has no origin id; give the originId of a person")
    return origin


def _validator(change: Change, client: str | None, id: str | None) -> Validator:
    """Return the validator to use. Raises Misuse (404) when there is none, or several."""
    owners = [each.id for each in CLIENTS.of(change).all] if client is None else [get_client(change, client).id]
    found = [
        each
        for owner in owners
        for each in (
            validators.list_active(change, owner)
            if id is None
            else [one for one in validators.VALIDATORS.of(change, owner).all if one.id == id]
        )
    ]
    if len(found) != 1:
        what = "an active validator" if id is None else f"a validator {id!r}"
        who = "no client has" if client is None else f"client {client!r} does not have"
        raise Misuse(f"{who} {what}" if not found else f"more than one client has {what}; say which", 404)
    return found[0]


class MakeNumber(CommandBody):
    """An inbound number. ``code`` is its country as ISO 3166-1 alpha-2; by default it is derived from the number."""

    clientId: Annotated[str, "The client of the number."]
    number: Annotated[str, "The number, as E.164."]
    code: Annotated[str | None, "Its country, as ISO 3166-1 alpha-2."] = None
    isDefault: Annotated[bool, "Whether it is a default of the client."] = False


class MadeNumber(Wire):
    """The number as +E164."""

    number: Annotated[str, "The number, as E.164."]


@operation("POST /numbers")
def make_number(context: ControlContext, body: MakeNumber) -> MadeNumber:
    """Add an enabled inbound number to a client; ``isDefault`` adds it to the default list.

    Refusal NUMBER_MALFORMED. Misuse when a client has the number (409), and when its country cannot be derived and
    ``code`` is left out.
    """
    with context.change() as change:
        client = get_client(change, body.clientId)
        made = numbers.add(change, client, body.number, body.code, default=body.isDefault)
        return MadeNumber(number=made.number)
