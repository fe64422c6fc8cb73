"""The token of a websocket handshake: in a header or the query as for calls, or in a way of its own."""

from __future__ import annotations

from confsim.assumptions.protocol import wire
from confsim.assumptions.protocol.refusals import Reason
from confsim.assumptions.register import Context, ask
from confsim.assumptions.runtime import streaming as assumed
from confsim.contract.query import decode_query
from confsim.kernel.refusal import Refusal
from confsim.service.checks.credentials import Read
from confsim.service.masking import OFFER, SUBPROTOCOL
from confsim.service.messages import Request

#: The query parameter of the token.
PARAMETER = "token"


def read(context: Context, token_of: Read, request: Request) -> str:
    """Return the token of the request, in one of the ways in force.

    Raises Refusal INVALID_INPUT for an unreadable query, CREDENTIAL_MISSING, CREDENTIAL_INVALID and
    CREDENTIAL_AMBIGUOUS.
    """
    ways = ask(context, assumed.TOKEN)
    query = decode_query(context, request.query) if request.query else {}
    found: dict[str, None] = {}
    if "calls" in ways:
        ask(context, wire.PRESENTATION)
        token = token_of(request, query)
        if token is not None:
            found[token] = None
    if "query" in ways and PARAMETER in query:
        found[query[PARAMETER]] = None
    offered = offers(request)
    if "subprotocol" in ways and SUBPROTOCOL in offered[:-1]:
        found[offered[offered.index(SUBPROTOCOL) + 1]] = None
    if len(found) > 1:
        raise Refusal(Reason.CREDENTIAL_AMBIGUOUS)
    token = next(iter(found), None)
    if not token:
        raise Refusal(Reason.CREDENTIAL_MISSING)
    return token


def offers(request: Request) -> list[str]:
    """Return the subprotocols that the request offers, in order (RFC 6455, 11.3.4)."""
    return [each.strip() for each in request.headers.get(OFFER, "").split(",") if each.strip()]
