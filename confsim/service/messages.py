"""The records of HTTP that every entry point shares (a request and a response), and the answer of a call in process.

The WSGI application, the live server, the clients in process and the tests use them; this module depends on none of
these.
"""

from __future__ import annotations

import copyreg
import json
from collections.abc import Callable, Collection, Mapping
from concurrent.futures import Future
from typing import Any

import msgspec
from msgspec import Struct

from confsim.contract.types import Form
from confsim.kernel.refusal import Misuse, suggest

from .worker import Worker

#: The most bytes of the body of a request, unless a server is given another limit.
LARGEST_BODY = 100 * 2**20


class Request(Struct, gc=False):
    """A request as it arrived.

    ``target`` is the path, still percent-encoded; ``query`` the raw query string without the question mark. ``headers``
    has lower-case names, values as they came; a header sent twice is joined by ``", "``. ``cookies`` by name and the
    ``form`` in the body, None for none, are parsed by ``http.inputs``. ``fault`` is the reason why a transport stopped
    reading, if it did, and ``problem`` the message of its parser. ``scheme`` is "https" for one that came by TLS.
    ``worker`` does what takes long while the transport serves others; without one, the transport waits.
    """

    method: str
    target: str
    query: str = ""
    headers: dict[str, str] = {}
    body: bytes = b""
    fault: str = ""
    problem: str = ""
    cookies: Mapping[str, str] | None = None
    form: Form | None = None
    scheme: str = "http"
    worker: Worker | None = None


def split_target(target: str) -> tuple[str | None, str]:
    """Return the authority of a request target in absolute form, or None, and its path (RFC 9112, 3.2.2)."""
    if "://" in target and not target.startswith("/"):
        authority, _, path = target.partition("://")[2].partition("/")
        return authority, f"/{path}"
    return None, target


class Response(Struct, gc=False):
    """A whole response: status code, headers in order, body.

    A fault delays a response by ``delay`` seconds (``waiting.delayed``), and has its connection dropped after ``cut``
    bytes of the body: -1 for before the status line, None for not at all.
    """

    status: int
    headers: list[tuple[str, str]]
    body: bytes = b""
    delay: float = 0.0
    cut: int | None = None

    @property
    def dropped(self) -> bool:
        """Whether the connection is dropped before the status line."""
        return self.cut is not None and self.cut < 0


#: The answer to a request: a response, or the future of one that comes later.
Outcome = Response | Future[Response]
#: Answers a request.
Handler = Callable[[Request], Outcome]


class StatusError(Exception):
    """Raised for an unexpected status; ``answer`` is the answer."""

    def __init__(self, message: str, answer: Answer) -> None:
        super().__init__(message)
        self.answer = answer

    def __reduce__(self) -> tuple[Any, ...]:
        return copyreg.__newobj__, (type(self), *self.args), vars(self)  # type: ignore[attr-defined]


class HeaderLines(dict[str, str]):
    """Header lines by name, in any case."""

    def __missing__(self, name: str) -> str:
        found: str | None = self.get(name)
        if found is None:
            __tracebackhide__ = True  # pytest then shows the caller's line
            raise KeyError(f"there is no header {name!r}{suggest(name, self)}")
        return found

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self.get(name) is not None

    def get(self, name: str, default: Any = None) -> Any:
        """Return the line of this name, or the default."""
        wanted = name.lower()
        return next((line for each, line in self.items() if each.lower() == wanted), default)


class Answer(Struct, frozen=True, eq=False, gc=False):
    """The answer to a call in process.

    ``status`` and ``status_code`` are the status code; ``body`` and ``json()`` the JSON body as plain values;
    ``content`` and ``text`` the body as bytes and as text; ``operation`` is the name of the operation.
    """

    _response: Response
    operation: str = ""

    @property
    def status(self) -> int:
        """The HTTP status code."""
        return self._response.status

    @property
    def status_code(self) -> int:
        """The HTTP status code, as HTTP clients call it."""
        return self._response.status

    @property
    def ok(self) -> bool:
        """Whether the status is a success."""
        return self._response.status < 400

    @property
    def headers(self) -> HeaderLines:
        """The header lines; names match in any case."""
        return HeaderLines(self._response.headers)

    @property
    def content(self) -> bytes:
        """The body as bytes."""
        return self._response.body

    @property
    def text(self) -> str:
        """The body as text; invalid UTF-8 is replaced."""
        return self._response.body.decode(errors="replace")

    @property
    def body(self) -> Any:
        """The JSON body as plain values, None when the body is empty."""
        return msgspec.json.decode(self._response.body) if self._response.body else None

    def json(self) -> Any:
        """Return the JSON body as plain values. Raises ValueError when the body is not JSON or is empty."""
        __tracebackhide__ = True
        try:
            return json.loads(self._response.body)
        except ValueError as error:
            what = "is no JSON" if self._response.body else "is empty"
            raise ValueError(f"the body of {self._summary()} {what}: {error}") from None

    def raise_for_status(self) -> Answer:
        """Return the answer if its status is below 400. Raises StatusError otherwise."""
        if not self.ok:
            raise StatusError(self._summary(), self)
        return self

    def expect(self, status: int | Collection[int]) -> Answer:
        """Return the answer if it has one of these statuses. Raises StatusError otherwise, Misuse for no status."""
        wanted = (status,) if isinstance(status, int) else status
        if isinstance(wanted, str) or not all(isinstance(each, int) for each in wanted):
            raise Misuse(f"expect is a status or several, such as 200 or (200, 204), not {status!r}")
        if self.status not in wanted:
            raise StatusError(f"{self._summary()}\nexpected {' or '.join(map(str, wanted))}", self)
        return self

    def _summary(self) -> str:
        request = self.headers.get("X-Confsim-Request-Id")
        of = f" to request {request}" if request else ""
        body = self.text[:1000] + ("…" if len(self.text) > 1000 else "")
        return f"{self.operation or 'the call'} answered {self.status}{of}: {body}".rstrip(": ")

    def __repr__(self) -> str:
        return f"<Answer {self.status} {self.content[:200]!r}>"
