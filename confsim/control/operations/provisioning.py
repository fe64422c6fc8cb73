"""Things of a client that no call of the API creates: validators of identity tokens, and inbound numbers."""

from __future__ import annotations

from typing import Annotated

import msgspec

from confsim.contract.types import Name, Wire
from confsim.control.context import ControlContext, get_client
from confsim.control.declare import CommandBody, operation
from confsim.control.fields import Key
from confsim.domain.identity import validators
from confsim.domain.telephony import numbers
from confsim.kernel.refusal import Misuse


class MakeValidator(CommandBody):
    """A validator. ``key`` is a secret, a PEM, or a JWK (as an object or as text).

    ``claims`` maps originId, name, picture, email and emailVerified to the names of the claims that carry them.
    """

    clientId: Annotated[str, "The client of the validator."]
    validatorId: Annotated[str, "The id of the validator."]
    algorithm: Annotated[str, "The algorithm of the signatures."]
    key: Annotated[Key, "A secret, a PEM, or a JWK."]
    name: Annotated[Name | None, "What the validator is called."] = None
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
    """Add an enabled inbound number to a client; ``isDefault`` puts it on the default list.

    Refusal NUMBER_MALFORMED. Misuse when a client has the number (409), and when its country cannot be derived and
    ``code`` is left out.
    """
    with context.change() as change:
        client = get_client(change, body.clientId)
        made = numbers.add(change, client, body.number, body.code, default=body.isDefault)
        return MadeNumber(number=made.number)
