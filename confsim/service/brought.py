"""What a request brings to be done to itself alone, in the header X-Confsim or the query parameter ``_confsim``.

A JSON object, or ``name=value;...`` with JSON values or plain texts: what a fault can do (``doing``), and ``now``, the
instant at which the request is served. Nothing of it holds for any other request.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import unquote_plus

import msgspec
from msgspec import Struct

from confsim.kernel.refusal import Misuse

from . import doing
from .clock import instant
from .doing import Do
from .message import Request

#: The header and the query parameter.
HEADER = "x-confsim"
QUERY = "_confsim"


class Brought(Struct, frozen=True):
    """What a request brings: what is done to it, the instant at which it is served, and both as they were given."""

    do: Do | None
    now: int | None
    told: dict[str, Any]


def read(request: Request, query: str | dict[str, str]) -> tuple[Brought | None, str | dict[str, str]]:
    """What the request brings, None for nothing, and its query without that. Misuse for what cannot be."""
    texts = [request.headers[HEADER]] if HEADER in request.headers else []
    if isinstance(query, dict):
        texts += [query[QUERY]] if QUERY in query else []
        query = {name: value for name, value in query.items() if name != QUERY}
    elif QUERY in query:
        items = [(item, item.partition("=")) for item in query.split("&")]
        texts += [unquote_plus(value) for _, (name, _, value) in items if name == QUERY]
        query = "&".join(item for item, (name, _, _) in items if name != QUERY)
    if not texts:
        return None, query
    if len(texts) > 1:
        raise Misuse("X-Confsim: the request brings it more than once")
    told = _parsed(texts[0])
    words = {name: value for name, value in told.items() if name != "now"}
    do = doing.read(words, "X-Confsim", (*doing.WORDS, "now")) if words else None
    now = _instant(told["now"]) if "now" in told else None
    if (now is not None or "clock" in words) and foreign(request):
        raise Misuse("X-Confsim: a page of another site does not move the clock", status=403)
    return Brought(do, now, told), query


def foreign(request: Request, host: str = "") -> bool:
    """Whether a page of another site makes a browser send the request. ``host`` counts where the request names none."""
    headers = request.headers
    origin = headers.get("origin")
    if origin is not None:
        site = origin.lower().partition("://")[2]
        if not site or site != headers.get("host", host).lower():
            return True
    return headers.get("sec-fetch-site", "none") in {"cross-site", "same-site"}


def _instant(value: object) -> int:
    try:
        return instant(value)
    except Misuse as misuse:
        raise Misuse(f"X-Confsim.now: {misuse}") from None


def _parsed(text: str) -> dict[str, Any]:
    if text.lstrip().startswith("{"):
        try:
            whole: dict[str, Any] = msgspec.json.decode(text)
        except (msgspec.DecodeError, UnicodeError, RecursionError, ValueError) as error:
            raise Misuse(f"X-Confsim: it is no JSON: {error}") from None
        return whole
    values: dict[str, Any] = {}
    for item in filter(str.strip, text.split(";")):
        name, equals, value = (part.strip() for part in item.partition("="))
        if not equals or name in values:
            raise Misuse(f"X-Confsim: {item.strip()[:80]!r} is {'a second ' + name if equals else 'no name=value'}")
        try:
            values[name] = msgspec.json.decode(value)
        except (msgspec.DecodeError, UnicodeError, RecursionError, ValueError):
            values[name] = value
    return values
