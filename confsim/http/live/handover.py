"""The interface of live connections, and the upgrade from HTTP to a websocket."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple, Protocol

from confsim.http.limits import Limits
from confsim.service.messages import Request, Response

from .streams import FindStream

if TYPE_CHECKING:
    from .websocket import WebSocket

_LOG = logging.getLogger("confsim.http")


class Peer(Protocol):
    """A connection, as the server sees it."""

    deadline: float

    def expire(self) -> None:
        """Act on a deadline that has passed."""
        ...

    def hang_up(self) -> None:
        """Close the connection at once."""
        ...


class HandedOver(NamedTuple):
    """The result of a handshake: the websocket (None for a refusal), the request without its token, the response."""

    websocket: WebSocket | None
    noted: Request
    response: Response


def hand_over(
    find_stream: FindStream,
    request: Request,
    head: bytes,
    transport: asyncio.Transport,
    limits: Limits,
    clock: Callable[[], float],
) -> HandedOver | None:
    """Answer a websocket handshake on the transport; return None when none is served.

    ``head`` is the request as bytes. Never raises: an internal error becomes a response.
    """
    stream = find_stream(request)
    if stream is None:
        return None
    from .websocket import WebSocket  # importing websockets takes 60 ms

    websocket, noted = WebSocket(transport, limits, clock), stream.noted
    try:
        response = websocket.open_(head, stream)
    except Exception:
        _LOG.exception("the handler failed at %s %s", noted.method, noted.target)
        websocket.connection_lost(None)
        response = Response(500, [("Content-Type", "application/json")], b'{"error":"the handler failed; see the log"}')
        return HandedOver(None, noted, response)
    if not websocket.is_open:
        websocket.forget()
        return HandedOver(None, noted, response)
    return HandedOver(websocket, noted, response)
