"""Validators of identity tokens, and the exchange of a token (P1 Custom authentication)."""

from typing import Annotated

from confsim.api.call import API, Call
from confsim.api.forms import Code, Token
from confsim.api.values import instant
from confsim.assumptions import ask, identity as assumed
from confsim.assumptions.protocol import units
from confsim.contract import InUnit, Long, Present, Wire, gates
from confsim.domain.clients.clients import Client
from confsim.domain.identity import token_exchange, validators
from confsim.domain.identity.credentials import Credential
from confsim.domain.identity.validators import ValidatorState

operation = API.family(gate=gates.ADMIN.assumed("G193"), line="P1 Custom authentication", for_client=True)

_DESCRIBED = Present(assumed.VALIDATOR_FIELDS, always={"id, name, active"})


class Validator(Wire):
    """A validator of the client; at most one is active (G189)."""

    id: Annotated[str, "The id of the validator."]
    name: Annotated[str | None, "The name of the validator.", _DESCRIBED] = None
    active: Annotated[bool | None, "Whether it is the active one.", _DESCRIBED] = None


class IdentityToken(Wire):
    """An OpenID token, or the code of a Persistent invitation."""

    idToken: Annotated[Code, "The OpenID token, or the code of a Persistent invitation."]


class TokenResult(Wire):
    """A user's secret token and its time to live, in seconds by default (G111)."""

    token: Annotated[Token, "The secret token of the user."]
    expires: Annotated[Long, "The time to live of the token.", InUnit(units.TOKEN_EXPIRES)]


def token_result(call: Call, credential: Credential) -> TokenResult:
    """View of a new token."""
    assert credential.expires is not None
    return TokenResult(token=credential.value, expires=instant(call, units.TOKEN_EXPIRES, credential.expires))


def _validator_view(call: Call, validator: validators.Validator) -> Validator:
    if ask(call.change, assumed.VALIDATOR_FIELDS) == "id":
        return Validator(id=validator.id)
    return Validator(id=validator.id, name=validator.name, active=validator.state is ValidatorState.ACTIVE)


@operation(
    "GET /validators",
    rules="R032 R137 R138 R139",
    gaps="G096 G189 G191",
    container=assumed.VALIDATORS_CONTAINER,
)
def list_validators(call: Call) -> list[Validator]:
    """List the validators that could be assigned in the client, in order of creation."""
    return [_validator_view(call, each) for each in validators.list_assignable(call.change, call.client)]


@operation("POST /validators/{validatorId}/enable", rules="R032 R089 R113 R114 R116 R238", gaps="G192 G537")
def enable_validator(call: Call, validator: validators.Validator) -> None:
    """Enable a validator as the client's active one; the one before becomes inactive.

    Refusal NOT_FOUND.
    """
    validators.enable(call.change, validator)


@operation("POST /validators/{validatorId}/disable", rules="R032 R115", gaps="G192 G194 G537")
def disable_validator(call: Call, validator: validators.Validator) -> None:
    """Disable a validator; service tokens that were issued through it stay valid.

    Refusal NOT_FOUND.
    """
    validators.disable(call.change, validator)


@operation(
    "POST /clients/{clientId}/users/exchange",
    gate=gates.PUBLIC.assumed("G026"),
    for_client=False,
    rules="R013 R061 R068 R069 R070 R115 R140 R141 R142 R143 R144 R145 R239",
    gaps="G111 G112 G164 G195 G196 G197 G198 G199 G200 G201 G202 G235",
    identifies={"token": "tokens"},
    depends_on_outside="it needs a key that the service's makers hold",
    expires=True,
)
def exchange_identity_token(call: Call, client: Client, body: IdentityToken) -> TokenResult:
    """Exchange an identity token of a person, or a Persistent invitation, for a service token.

    The client's active validator must vouch for the token: its algorithm and key, exp, nbf and iat by the world's
    clock, issuer and audience where it has them. Name and picture in the token update the user; somebody unknown
    becomes a registered user. Refusals IDENTITY_TOKEN_MALFORMED, IDENTITY_TOKEN_INVALID, NO_ACTIVE_VALIDATOR,
    INVITATION_CODE_INVALID.
    """
    return token_result(call, token_exchange.exchange(call.change, client, body.idToken))
