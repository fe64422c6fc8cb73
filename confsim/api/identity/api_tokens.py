"""API tokens of a client (P1 API tokens)."""

from typing import Annotated

from confsim.api.call import API, Call
from confsim.api.forms import ApiTokenId, Token
from confsim.api.values import instant
from confsim.assumptions.protocol import units
from confsim.contract import InUnit, Label, Long, ShownOnce, Wire, gates
from confsim.domain.identity import api_tokens
from confsim.domain.identity.api_tokens import ApiToken as StoredToken

operation = API.family(gate=gates.ADMIN.assumed("G277"), line="P1 API tokens", for_client=True)


class ApiToken(Wire):
    """An API token; ``token`` is whole in the answers that make a value, masked in lists."""

    id: Annotated[ApiTokenId, "The id of the token."]
    token: Annotated[Token, "The credential: masked in lists, complete when it was just made.", ShownOnce()]
    expiresAt: Annotated[
        Long | None, "The instant at which it expires; absent for never.", InUnit(units.API_TOKEN_EXPIRES)
    ] = None
    label: Annotated[str | None, "The label of the token."] = None


class ApiTokenLabel(Wire):
    """The label of a new API token."""

    label: Annotated[Label | None, "The label of the token."] = None


def _api_token_view(call: Call, stored: StoredToken, token: str) -> ApiToken:
    expires = None if stored.expires is None else instant(call, units.API_TOKEN_EXPIRES, stored.expires)
    return ApiToken(id=stored.id, token=token, expiresAt=expires, label=stored.label)


@operation(
    "POST /api_tokens",
    rules="R013 R032 R091 R093 R117 R216 R218",
    gaps="G022 G117 G279 G282",
    identifies={"id": "api_tokens"},
    makes_caller="api-token",
)
def create_api_token(call: Call, body: ApiTokenLabel) -> ApiToken:
    """Create an API token; its value is shown here only."""
    made = api_tokens.create(call.change, call.client, body.label)
    return _api_token_view(call, made, made.value)


@operation("GET /api_tokens", rules="R024 R032 R091 R092 R217 R218", gaps="G136 G278")
def list_api_tokens(call: Call) -> list[ApiToken]:
    """List the client's API tokens with their values masked: a bare array in order of creation."""
    return [
        _api_token_view(call, each, api_tokens.masked(call.change, each.value))
        for each in api_tokens.API_TOKENS.of(call.change, call.client.id).all
    ]


@operation(
    "POST /api_tokens/{tokenId}/regenerate",
    rules="R032 R091 R093 R118 R218 R219",
    gaps="G280",
    identifies={"token": "tokens"},
    revokes_access=True,
    makes_caller="api-token",
)
def regenerate_api_token(call: Call, token: StoredToken) -> ApiToken:
    """Regenerate the value of an API token, which is shown here only; the old one is invalid at once.

    The token that makes the call may be regenerated too. Refusal NOT_FOUND.
    """
    made = api_tokens.regenerate(call.change, token)
    return _api_token_view(call, made, made.value)


@operation(
    "DELETE /api_tokens/{tokenId}",
    rules="R032 R119 R120 R121 R218",
    gaps="G536",
    revokes_access=True,
    removes="api_tokens",
)
def delete_api_token(call: Call, token: StoredToken) -> None:
    """Delete an API token for good; the last one and the one that makes the call can be deleted too.

    Refusal NOT_FOUND.
    """
    api_tokens.delete(call.change, token)
