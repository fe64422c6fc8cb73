"""What connections of the live server have in common, and how one of HTTP becomes a websocket."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from confsim.http.limits import Limits
from confsim.service.messages import Request, Response

from .streams import FindStream

if TYPE_CHECKING:
    from .websocket import WebSocket

_LOG = logging.getLogger("confsim.http")


class Peer(Protocol):
    """What the server asks of each of its connections."""

    deadline: float

    def expire(self) -> None:
        """Act on a deadline that has passed."""
        ...

    def hang_up(self) -> None:
        """Close the connection at once."""
        ...


def hand_over(
    find_stream: FindStream,
    request: Request,
    head: bytes,
    transport: asyncio.Transport,
    limits: Limits,
    clock: Callable[[], float],
) -> WebSocket | Response | None:
    """The websocket that a handshake opens on the transport, the response that refuses it; None where none is served.

    ``head`` is the request as bytes. Raises nothing: a failure of confsim is a response.
    """
    stream = find_stream(request)
    if stream is None:
        return None
    from .websocket import WebSocket  # websockets takes 60 ms to import

    websocket = WebSocket(transport, limits, clock)
    try:
        refusal = websocket.open_(head, stream)
    except Exception:
        _LOG.exception("the handler failed at %s %s", request.method, request.target)
        return Response(500, [("Content-Type", "application/json")], b'{"error":"the handler failed; see the log"}')
    return refusal or websocket
