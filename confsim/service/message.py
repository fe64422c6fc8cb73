"""What comes in and what goes out, before and after any transport.

The WSGI app, the live server and the tests all speak these two records; nothing in them belongs to one of them.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from confsim.contract.form import Form


class Request(Struct):
    """One request as it arrived.

    ``target`` is the path, still percent-encoded; ``query`` the raw query string without the question mark.
    ``headers`` has lower-case names, values as they came; a header sent twice is joined by ``", "``.
    ``cookies`` by name and the ``form`` in the body are parsed from these by ``http.inputs``.
    ``fault`` is set by a transport that had to stop reading, and says why; ``problem`` what its parser found then.
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
    """The authority (None for none) and the path of a request target, which a proxy gets in absolute form.

    RFC 9112, 3.2.2.
    """
    if "://" in target and not target.startswith("/"):
        authority, _, path = target.partition("://")[2].partition("/")
        return authority, f"/{path}"
    return None, target


class Response(Struct):
    """One answer, complete: status code, headers in order, body bytes.

    An answer that is yet to come has ``until``: to be called every now and then, from any thread and holding no lock,
    until it gives the answer. Whoever carries answers sees to it; ``service.waiting.arrived`` just blocks.
    By a fault, an answer is on its way for ``after`` seconds, and its connection is dropped after ``cut`` bytes of the
    body: with -1 before anything at all, with None not.
    """

    status: int
    headers: list[tuple[str, str]]
    body: bytes = b""
    until: Callable[[], Response | None] | None = None
    after: float = 0.0
    cut: int | None = None
