"""Per-request faults, from the X-Confsim header or the ``_confsim`` query parameter.

The value is a JSON object, or ``name=value;...`` with JSON values or plain texts: effects of faults, and ``now``, the
instant at which the request is served. It applies to this request only.
"""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import unquote_plus

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from confsim.kernel.refusal import Misuse
from confsim.service.checks.sites import cross_site
from confsim.service.clock import instant
from confsim.service.messages import Request
from confsim.values.urls import normalised

from .effects import Effect
from .words import WORDS, read_effect

#: The header and the query parameter.
HEADER = "x-confsim"
QUERY = "_confsim"


class Override(Struct, frozen=True):
    """The faults of one request: their effect, the instant at which it is served, and both as given."""

    effect: Effect | None
    now: int | None
    given: dict[str, Any]


def read(request: Request) -> Override | None:
    """Return the override in a request, None for none. Raises Misuse for an invalid one."""
    texts = [request.headers[HEADER]] if HEADER in request.headers else []
    query = normalised(request.query)
    if QUERY in query:
        items = (item.partition("=") for item in query.split("&"))
        texts += [unquote_plus(value) for name, _, value in items if name == QUERY]
    if not texts:
        return None
    if len(texts) > 1:
        raise Misuse("X-Confsim: the request brings it more than once")
    given = _parsed(texts[0])
    words = {name: value for name, value in given.items() if name != "now"}
    effect = read_effect(words, "X-Confsim", (*WORDS, "now")) if words else None
    now = _instant(given["now"]) if "now" in given else None
    if (now is not None or "clock" in words) and cross_site(request):
        raise Misuse("X-Confsim: a page of another site does not move the clock", status=403)
    return Override(effect, now, given)


def without_override(query: str) -> str:
    """Return a query string without the parameter of an override."""
    if QUERY not in normalised(query):
        return query
    return "&".join(item for item in query.split("&") if normalised(item.partition("=")[0]) != QUERY)


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


def without_hold(request: Request) -> Request:
    """Return the request without a hold that it brings for itself; one whose override is invalid stays as it is."""
    try:
        override = read(request)
    except Misuse:
        return request
    if override is None or "hold" not in override.given:
        return request
    rest = {word: value for word, value in override.given.items() if word not in {"hold", "holdAtMost"}}
    headers = {name: text for name, text in request.headers.items() if name != HEADER}
    if rest:
        headers[HEADER] = json.dumps(rest)
    return replace(request, headers=headers, query=without_override(request.query))
