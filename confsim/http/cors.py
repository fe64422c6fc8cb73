"""CORS headers, for the origins that clients allow (G005, G006), and for those that the server allows.

Own code, as the middleware that there is takes a list of origins, and these are records of the world.
"""

from __future__ import annotations

from confsim.assumptions.protocol import transport
from confsim.assumptions.register import Context, ProfileContext, ask
from confsim.contract.query import decode_query
from confsim.domain.clients.clients import BY_ORIGIN, CLIENTS
from confsim.domain.identity.credentials import CREDENTIALS
from confsim.kernel.refusal import Refusal
from confsim.service.messages import Request
from confsim.service.service import Service
from confsim.values.urls import origin_spellings


def headers(service: Service, request: Request, context: Context) -> list[tuple[str, str]]:
    """Return the CORS headers of a response to any method except OPTIONS."""
    origin = request.headers.get("origin", "")
    if not origin or not ask(context, transport.CORS) or not _allowed(service, request, origin):
        return []
    return [("Access-Control-Allow-Origin", origin), ("Vary", "Origin")]


def preflight(service: Service, request: Request, context: Context, allowed: str) -> list[tuple[str, str]]:
    """Return the CORS headers of a response to OPTIONS."""
    granted = headers(service, request, context)
    if not granted:
        return []
    wanted = request.headers.get("access-control-request-headers", "authorization, content-type")
    return [
        *granted,
        ("Access-Control-Allow-Methods", allowed),
        ("Access-Control-Allow-Headers", wanted),
        ("Access-Control-Max-Age", "600"),
    ]


def _allowed(service: Service, request: Request, origin: str) -> bool:
    """Return whether the server or the caller's client allows the origin; without a known token, whether any does."""
    spellings, of_server = origin_spellings(origin), service.address.origins
    if of_server and ("*" in of_server or not of_server.isdisjoint(spellings)):
        return True
    try:
        token = service.token_of(request, decode_query(ProfileContext(service.profile), request.query))
    except Refusal:
        token = None
    credential = None if token is None else CREDENTIALS.seen(service.world).get(token)
    clients = CLIENTS.seen(service.world)
    if credential is None:
        return any(len(clients.where(BY_ORIGIN, each)) for each in spellings)
    client = clients.get(credential.client)
    return client is not None and any(each.lower() in spellings for each in client.origins)
