"""Validators of identity tokens, which the API assigns but cannot set up."""

from __future__ import annotations

import msgspec

from confsim.contract.types import Json, Name, Wire
from confsim.domain.identity import validators
from confsim.kernel.refusal import Misuse

from .control import Control, Order, client_of, operation


class MakeValidator(Order):
    """A validator. ``key`` is a secret, a PEM, or a JWK (as an object or as text).

    ``claims`` goes from originId, name, picture, email and emailVerified to the claims that carry them.
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
    """The validator that was made."""

    validatorId: str


@operation("POST /validators")
def make_validator(control: Control, body: MakeValidator) -> MadeValidator:
    """Set a validator up for a client; it is inactive unless ``active`` says otherwise.

    Misuse for an unknown algorithm, a key that does not fit it, and an id that is taken (409).
    """
    key = body.key if isinstance(body.key, str) else msgspec.json.encode(body.key).decode()
    if not isinstance(body.key, str | dict):
        raise Misuse("key: it is neither a text nor a JWK object")
    with control.change() as change:
        client = client_of(change, body.clientId)
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
