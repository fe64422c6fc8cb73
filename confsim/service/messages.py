"""The two records of HTTP that every entry point shares, a request and a response, and the answer of a call in process.

The WSGI application, the live server, the clients in process and the tests make and read them; they depend on none.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
from msgspec import Struct

from confsim.contract.form import Form


class Request(Struct, gc=False):
    """A request as it arrived.

    ``target`` is the path, still percent-encoded; ``query`` the raw query string without the question mark.
    ``headers`` has lower-case names, values as they came; a header sent twice is joined by ``", "``.
    ``cookies`` by name and the ``form`` in the body are parsed from these by ``http.inputs``.
    ``fault`` names why a transport stopped reading, if it did, and ``problem`` is what its parser found then.
    """

    method: str
    target: str
    query: str = ""
    headers: dict[str, str] = {}
    body: bytes = b""
    fault: str = ""
    problem: str = ""
    cookies: dict[str, str] = {}
    form: Form | None = None


def split_target(target: str) -> tuple[str | None, str]:
    """Return the authority of a request target in absolute form, or None, and its path (RFC 9112, 3.2.2)."""
    if "://" in target and not target.startswith("/"):
        authority, _, path = target.partition("://")[2].partition("/")
        return authority, f"/{path}"
    return None, target


class Response(Struct, gc=False):
    """A whole response: status code, headers in order, body.

    A response that is yet to come has ``poll``, which returns the response once it is there, and None before. The
    transport must call it, from any thread and holding no lock; ``deferred.wait_for`` blocks until it is there. A
    fault delays a response by ``delay`` seconds, and has its connection dropped after ``cut`` bytes of the body: -1
    for before the status line, None for not at all.
    """

    status: int
    headers: list[tuple[str, str]]
    body: bytes = b""
    poll: Callable[[], Response | None] | None = None
    delay: float = 0.0
    cut: int | None = None


class Answer(Struct, frozen=True, eq=False, gc=False):
    """The answer to a call in process: status code, headers, and the body as plain values (None when there is none)."""

    _response: Response

    @property
    def status(self) -> int:
        """The HTTP status code."""
        return self._response.status

    @property
    def ok(self) -> bool:
        """Whether the status is a success."""
        return self._response.status < 400

    @property
    def headers(self) -> dict[str, str]:
        """The header lines."""
        return dict(self._response.headers)

    @property
    def content(self) -> bytes:
        """The body as bytes."""
        return self._response.body

    @property
    def body(self) -> Any:
        """The JSON body as plain values, None when the body is empty."""
        return msgspec.json.decode(self._response.body) if self._response.body else None

    def __repr__(self) -> str:
        return f"<Answer {self.status} {self.content[:200]!r}>"
