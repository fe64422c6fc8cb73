"""Things of a client that no call of the API creates: validators of identity tokens, and inbound numbers."""

from __future__ import annotations

import msgspec

from confsim.contract.types import Json, Name, Wire
from confsim.control.context import ControlContext, get_client
from confsim.control.declare import CommandBody, operation
from confsim.domain.identity import validators
from confsim.domain.telephony import numbers
from confsim.kernel.refusal import Misuse


class MakeValidator(CommandBody):
    """A validator. ``key`` is a secret, a PEM, or a JWK (as an object or as text).

    ``claims`` maps originId, name, picture, email and emailVerified to the names of the claims that carry them.
    """

    clientId: str
    validatorId: str
    algorithm: str
    key: Json
    name: Name | None = None
    issuer: str | None = None
    audience: str | None = None
    claims: dict[str, str] = {}
    active: bool = False


class MadeValidator(Wire):
    """The id of the new validator."""

    validatorId: str


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


class MakeNumber(CommandBody):
    """An inbound number. ``code`` is its country as ISO 3166-1 alpha-2; by default it is derived from the number."""

    clientId: str
    number: str
    code: str | None = None
    isDefault: bool = False


class MadeNumber(Wire):
    """The number as +E164."""

    number: str


@operation("POST /numbers")
def make_number(context: ControlContext, body: MakeNumber) -> MadeNumber:
    """Add an enabled inbound number to a client; ``isDefault`` puts it on the default list.

    Refusal NUMBER_MALFORMED. Misuse when a client has the number (409), and when its country cannot be derived and
    ``code`` is left out.
    """
    with context.change() as change:
        client = get_client(change, body.clientId)
        made = numbers.add(change, client, body.number, body.code, default=body.isDefault)
        return MadeNumber(number=made.number)
