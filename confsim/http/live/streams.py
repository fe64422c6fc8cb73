"""The addresses of websockets: the served world, channel and data channel of a request."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING

from confsim.assumptions.protocol.refusals import Reason
from confsim.assumptions.register import in_force
from confsim.assumptions.runtime import streaming as assumed
from confsim.http.app import App
from confsim.http.exchange import Exchange
from confsim.http.inputs import parse_cookies
from confsim.kernel.refusal import Refusal
from confsim.service.masking import Mask
from confsim.service.messages import Request, Response
from confsim.service.service import Service
from confsim.values.urls import path_segments

if TYPE_CHECKING:
    from confsim.service.realtime.connections import ChannelConnection, MessageSink, RealTime

_ROOT = "{root}/"
_DATA = r"(?:/data/(?P<kind>[^/]+))?"


class Stream:
    """The websocket that a request asks for: of a channel, or of one of its data channels."""

    def __init__(self, service: Service, request: Request, channel: str, kind: str | None) -> None:
        self.realtime: RealTime = service.realtime
        self._service = service
        self._request = request
        self._channel = channel
        self._kind = kind

    @property
    def noted(self) -> Request:
        """Return the request without the token, for the log and the journal."""
        return Mask(self._service.profile, self._service.world).request(self._request)

    def connect(self, wire: MessageSink) -> tuple[ChannelConnection | None, Response]:
        """Let the person join; return the connection (None for a refusal) and the response."""
        if "cookie" in self._request.headers:
            parse_cookies(self._request)
        finish = Exchange(self._service, self._request).finish
        return self.realtime.connect(self._request, self._channel, self._kind, wire, finish)

    def refuse(self, outcome: Response | Refusal) -> Response:
        """Return the response to a request that is no handshake, and note it in the journal."""
        finish = Exchange(self._service, self._request).finish
        return self.realtime.refuse(self._request, outcome, finish)


class Streams:
    """Finds the streams of websocket requests in the worlds of an app."""

    def __init__(self, app: App) -> None:
        self._app = app
        app.serve_websockets(self.refuse_plain)

    def __call__(self, request: Request) -> Stream | None:
        """Return the stream at the address of a request, None when no websocket is served there."""
        segments = path_segments(request.target)
        service: Service | None = self._app.worlds.default
        del segments[0]
        if len(segments) > 1 and segments[0] == "w":
            service = self._app.worlds.find(segments[1]) if segments[1] else None
            del segments[:2]
        if service is None or not self._is_for_us(request):
            return None
        pattern = _pattern(in_force(service.profile, assumed.STREAMING_URL))
        found = None if pattern is None else pattern.fullmatch("/".join(segments))
        return None if found is None else Stream(service, request, found["channel"], found["kind"])

    def refuse_plain(self, request: Request) -> Response | None:
        """The refusal of a request without a handshake (RFC 9110, 15.5.22), None where no websocket is served."""
        stream = self(request)
        if stream is None:
            return None
        path = request.target[:200]
        return stream.refuse(Refusal(Reason.UPGRADE_REQUIRED, path=path, upgrade="websocket"))

    def _is_for_us(self, request: Request) -> bool:
        """Return whether the Host header names this server; the app refuses other requests itself."""
        try:
            self._app.admit(request)
        except Refusal:
            return False
        return True


@lru_cache(maxsize=64)
def _pattern(template: str) -> re.Pattern[str] | None:
    """Return the pattern of paths below the mount for a template of addresses; None when that points elsewhere."""
    if not template.startswith(_ROOT) or "?" in template:
        return None
    before, _, after = template.removeprefix(_ROOT).partition("{channel}")
    return re.compile(f"{re.escape(before)}(?P<channel>[^/]+){re.escape(after)}{_DATA}")


#: Finds the stream of a request.
FindStream = Callable[[Request], Stream | None]
