"""The proxy: a WSGI application that sends each request on and lets drifts change the answer."""

from __future__ import annotations

import http.client
from collections.abc import Callable, Iterable
from http import HTTPStatus
from threading import Lock
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from werkzeug.test import run_wsgi_app
from werkzeug.wrappers import Request

from services.drifts import answers, values  # noqa: F401  (which register the drifts)
from services.drifts.exchange import Exchange, Memory
from services.drifts.registry import DRIFTS

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

Headers = list[tuple[str, str]]
#: Sends method, target, headers and body, and returns status, headers and body.
Send = Callable[[str, str, Headers, bytes], tuple[int, Headers, bytes]]
#: Headers that are of one connection, and not of the message (RFC 9110, 7.6.1).
_OF_CONNECTION = {"connection", "keep-alive", "transfer-encoding", "upgrade", "te", "trailer", "content-length"}


def to_url(base_url: str) -> Send:
    """Send to a server. The path of a request stands as it is: that of the base URL is part of it."""
    place = urlsplit(base_url)
    kind = http.client.HTTPSConnection if place.scheme == "https" else http.client.HTTPConnection

    def send(method: str, target: str, headers: Headers, body: bytes) -> tuple[int, Headers, bytes]:
        connection = kind(place.hostname or "", place.port, timeout=60)
        try:
            connection.request(method, target, body=body or None, headers=dict(headers))
            answer = connection.getresponse()
            return answer.status, answer.getheaders(), answer.read()
        finally:
            connection.close()

    return send


def to_app(application: WSGIApplication) -> Send:
    """Send to an application in this process."""

    def send(method: str, target: str, headers: Headers, body: bytes) -> tuple[int, Headers, bytes]:
        request = Request.from_values(target, method=method, headers=headers, data=body)
        parts, status, answered = run_wsgi_app(application, request.environ, buffered=True)
        return int(status[:3]), list(answered), b"".join(parts)

    return send


class Proxy:
    """A proxy as a WSGI application. Raises ValueError for a drift that there is not.

    ``has_changed`` says whether an answer has been changed so far.
    """

    def __init__(self, send: Send, drifts: Iterable[str], seed: int = 0) -> None:
        names = list(drifts)
        unknown = [name for name in names if name not in DRIFTS]
        if unknown:
            raise ValueError(f"no such drift: {', '.join(unknown)}")
        self.drifts = [DRIFTS[name] for name in names]
        self._send = send
        self._memories = {name: Memory(seed) for name in names}
        self._lock = Lock()
        self.has_changed = False

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Send a request on, and hand its answer back."""
        request = Request(environ)
        sent = request.get_data()
        target = environ.get("REQUEST_URI") or environ.get("RAW_URI") or request.full_path.rstrip("?")
        headers = [(name, text) for name, text in request.headers if name.lower() not in _OF_CONNECTION]
        exchange = self._exchange(request.method, target, headers, sent)
        reason = HTTPStatus(exchange.status).phrase
        kept = [(name, text) for name, text in exchange.headers if name.lower() not in _OF_CONNECTION]
        if exchange.status != HTTPStatus.NO_CONTENT:
            kept.append(("Content-Length", str(len(exchange.raw))))
        start_response(f"{exchange.status} {reason}", kept)
        return [] if request.method == "HEAD" else [exchange.raw]

    def _exchange(self, method: str, target: str, headers: Headers, sent: bytes) -> Exchange:
        answer: Any = self._send(method, target, headers, sent)
        with self._lock:
            exchange = Exchange(method, target, sent, Memory(0))
            exchange.answered(*answer)
            before = exchange.text()
            for each in self.drifts:
                exchange.memory = self._memories[each.name]
                each.change(exchange)
            if before != exchange.text():
                self.has_changed = True
                if exchange.body is not None:
                    exchange.encode()
        return exchange
