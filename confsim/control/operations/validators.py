"""Validators of identity tokens, which the API assigns but cannot create."""

from __future__ import annotations

import msgspec

from confsim.contract.types import Json, Name, Wire
from confsim.control.context import ControlContext, get_client
from confsim.control.declare import CommandBody, operation
from confsim.domain.identity import validators
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
            validators.enable(change, client, made.id)
        return MadeValidator(validatorId=made.id)
