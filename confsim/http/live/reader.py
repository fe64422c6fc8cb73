"""The reader of a live connection: bytes to requests by httptools."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from httptools import HttpParserError, HttpParserUpgrade, HttpRequestParser

from confsim.http.limits import Limits, Unread
from confsim.service.messages import Request
from confsim.service.worker import Worker

from .bodies import SMALL, LargeBody, UnfinishedBodies
from .framing import FaultError, declared_length, request_of
from .states import READING, Part, Reading


class Taker(Protocol):
    """A connection, as its reader sees it."""

    deadline: float

    def take(self, request: Request, keep: bool) -> None:
        """Take a request; ``keep`` says whether the connection stays open after it."""
        ...

    @property
    def is_ready(self) -> bool:
        """Whether it would answer a request at once."""
        ...


class RequestReader:
    """Collects one request after another; the parser calls the ``on_…`` methods.

    ``state`` is how far the present one has come, ``version`` that of its protocol.
    """

    def __init__(
        self, taker: Taker, limits: Limits, clock: Callable[[], float], bodies: UnfinishedBodies, worker: Worker | None
    ) -> None:
        self._taker, self._limits, self._clock, self._worker = taker, limits, clock, worker
        self._large = LargeBody(bodies, limits)
        self.version = ""
        self._unseen = 0  # bytes read since the last callback: limits what the parser buffers
        self._due = 0.0  # when the whole request must have arrived
        self.restart()

    def restart(self) -> None:
        """Begin anew, as on a new connection."""
        self._parser = HttpRequestParser(self)
        self.forget()

    def forget(self) -> None:
        """Forget the present request."""
        self._method, self._url, self._headers, self._body = "", b"", dict[str, str](), bytearray()
        self._room = self._limits.headers
        self.state = Reading.NOTHING
        self._large.end()
        self._taker.deadline = self._clock() + self._limits.idle

    def close(self) -> None:
        """Release the parser, which has methods of this object, and the connection: reference cycles."""
        self.forget()
        del self._parser, self._taker

    def feed(self, data: bytes) -> bytes | None:
        """Parse input; where a request offers another protocol, return the input behind its head. Refuses the rest."""
        self._unseen += len(data)
        try:
            self._parser.feed_data(data)
        except HttpParserUpgrade as pause:
            return data[pause.args[0] :]
        except HttpParserError as error:
            self.refuse(*_cause(error))
        if self._unseen > self._limits.url + self._limits.headers:
            self.refuse(Unread.HEADERS_TOO_LARGE)
        return None

    def advance(self, part: Part) -> None:
        """Note that a part has come."""
        self.state = READING.get((self.state, part), self.state)

    def refuse(self, fault: Unread, problem: str = "") -> None:
        """Pass on the present request as one that is not read any further."""
        self._pass_on(b"", False, fault, problem)

    def head(self, *, without: str = "") -> bytes:
        """Return the head of the present request, without one of its headers."""
        headers = "".join(f"{name}: {value}\r\n" for name, value in self._headers.items() if name != without)
        target = self._url.decode("latin-1")
        return f"{self._method} {target} HTTP/{self.version}\r\n{headers}\r\n".encode("latin-1")

    @property
    def offers_websocket(self) -> bool:
        """Whether the present request offers a websocket."""
        return self._headers.get("upgrade", "").lower() == "websocket"

    def request(self, body: bytes = b"", fault: str = "", problem: str = "") -> Request:
        """Return the present request, with a body."""
        request = request_of(self._method, self._url, self._headers, body, fault, problem)
        request.worker = self._worker
        return request

    def _pass_on(self, body: bytes, keep: bool, fault: str = "", problem: str = "") -> None:
        self._taker.take(self.request(body, fault, problem), keep)
        self.forget()

    # Callbacks of the parser

    def on_message_begin(self) -> None:
        """Start the deadline of a request."""
        self.advance(Part.BEGIN)
        now = self._clock()
        self._taker.deadline, self._due = now + self._limits.read, now + self._limits.whole

    def on_url(self, url: bytes) -> None:
        """Add a piece of the request target."""
        self._unseen = 0
        self._method = self._parser.get_method().decode()
        self._url += url
        if len(self._url) > self._limits.url:
            raise FaultError(Unread.URL_TOO_LONG)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Add a header line; lines of one name are joined."""
        self._room -= len(name) + len(value) + 4
        if self._room < 0:
            raise FaultError(Unread.HEADERS_TOO_LARGE)
        if self.state is Reading.HEAD:  # otherwise it is a trailer, which is ignored
            key, text = name.lower().decode("latin-1"), value.rstrip().decode("latin-1")
            self._headers[key] = f"{self._headers[key]}, {text}" if key in self._headers else text

    def on_headers_complete(self) -> None:
        """Check the head; note what it offers or expects; admit a large body."""
        self.version = self._parser.get_http_version()
        length = declared_length(self.version, self._headers, self._limits)
        if self._parser.should_upgrade() and self._method != "CONNECT":
            self.advance(Part.UPGRADING_HEAD)
        elif self._headers.get("expect", "").lower() == "100-continue" and self.version == "1.1":
            self.advance(Part.EXPECTING_HEAD)
        else:
            self.advance(Part.HEAD)
        if length > SMALL or self.state is Reading.EXPECTING:
            self._begin_large(length)

    def _begin_large(self, length: int) -> None:
        """Admit a large body, or refuse it; not behind other requests, which may change the answer."""
        if self._taker.is_ready:
            self._large.begin(self.request, length)

    def on_body(self, chunk: bytes) -> None:
        """Add a piece of the body."""
        self._unseen = 0
        self._taker.deadline = min(self._clock() + self._limits.read, self._due)
        self.advance(Part.BODY)
        self._body += chunk
        size = len(self._body)
        if size > self._limits.body:
            raise FaultError(Unread.BODY_TOO_LARGE)
        if size > SMALL:
            self._begin_large(0)
        self._large.grow(size)

    def on_message_complete(self) -> None:
        """Pass on the request."""
        self._unseen = 0
        if self.state is Reading.UPGRADING:
            return
        keep = self._parser.should_keep_alive() and self._method != "CONNECT"
        if "host" not in self._headers and self.version == "1.1":
            self._pass_on(b"", keep, Unread.MALFORMED, "an HTTP/1.1 request has a Host header")
        else:
            self._pass_on(bytes(self._body), keep)


def _cause(error: HttpParserError) -> tuple[Unread, str]:
    """Return why the parser stopped. No frame that the error refers to keeps it: a reference cycle."""
    cause = error.__context__
    return cause.args if isinstance(cause, FaultError) else (Unread.MALFORMED, str(error))
