"""CORS: which pages a browser lets read the answers, by the origins that clients have set (G005, G006)."""

from __future__ import annotations

from confsim.assumptions import transport
from confsim.assumptions.register import Asking, ask
from confsim.domain.clients import CLIENTS
from confsim.service.message import Request
from confsim.service.pipeline import Service


def headers(service: Service, request: Request, asker: Asking) -> list[tuple[str, str]]:
    """The CORS headers of an ordinary answer."""
    origin = request.headers.get("origin", "")
    if not origin or not ask(asker, transport.CORS) or not _allowed(service, origin):
        return []
    return [("Access-Control-Allow-Origin", origin), ("Vary", "Origin")]


def preflight(service: Service, request: Request, asker: Asking, allowed: str) -> list[tuple[str, str]]:
    """The CORS headers of an answer to OPTIONS."""
    granted = headers(service, request, asker)
    if not granted:
        return []
    wanted = request.headers.get("access-control-request-headers", "authorization, content-type")
    return [
        *granted,
        ("Access-Control-Allow-Methods", allowed),
        ("Access-Control-Allow-Headers", wanted),
        ("Access-Control-Max-Age", "600"),
    ]


def _allowed(service: Service, origin: str) -> bool:
    """Whether any client has set the origin: before a token is read, nobody knows whose call it is."""
    return any(origin in client.origins for client in CLIENTS.seen(service.world))
