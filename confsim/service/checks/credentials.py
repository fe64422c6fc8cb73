"""The token of a request, in the ways of presentation that are in force (G016, G017, G024)."""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping
from functools import lru_cache

from confsim.assumptions.protocol import wire
from confsim.assumptions.protocol.refusals import Reason
from confsim.assumptions.protocol.wire import Presentation
from confsim.kernel.refusal import Refusal
from confsim.service.messages import Request

#: A function that reads the token from the headers and the query; returns None when there is none.
Read = Callable[[Request, Mapping[str, str]], str | None]


def _header(way: Presentation) -> Read:
    wanted, opening = way.name.lower(), f"{way.scheme.lower()} " if way.scheme else ""

    def read(request: Request, query: Mapping[str, str]) -> str | None:
        value = request.headers.get(wanted)
        if value is None:
            return None
        if opening:
            if value[: len(opening)].lower() != opening:
                raise Refusal(Reason.CREDENTIAL_INVALID)
            value = value[len(opening) :].strip()
        if ", " in value:
            raise Refusal(Reason.CREDENTIAL_AMBIGUOUS)
        return _password(value) if opening == "basic " else value

    return read


def _password(credentials: str) -> str:
    """Return the password of a user name and a password in the scheme Basic."""
    try:
        return b64decode(credentials, validate=True).decode().partition(":")[2]
    except ValueError:
        raise Refusal(Reason.CREDENTIAL_INVALID) from None


def _cookie(way: Presentation) -> Read:
    return lambda request, query: None if request.cookies is None else request.cookies.get(way.name)


def _query(way: Presentation) -> Read:
    return lambda request, query: query.get(way.name)


_READS: dict[str, Callable[[Presentation], Read]] = {"header": _header, "cookie": _cookie, "query": _query}


@lru_cache(maxsize=64)
def presentation(lines: tuple[str, ...]) -> Read:
    """Return the function that reads a token presented in one of these ways."""
    reads = [_READS[way.place](way) for way in map(wire.presentation, lines)]
    if len(reads) == 1:
        return reads[0]

    def read(request: Request, query: Mapping[str, str]) -> str | None:
        found = [token for each in reads if (token := each(request, query)) is not None]
        if len(found) > 1:
            raise Refusal(Reason.CREDENTIAL_AMBIGUOUS)
        return found[0] if found else None

    return read


def present(lines: tuple[str, ...], token: str) -> tuple[dict[str, str], dict[str, str]]:
    """Return the headers and query parameters with which a client presents the token, in the first of these ways."""
    place, name, scheme = wire.presentation(lines[0])
    if place == "query":
        return {}, {name: token}
    if place == "cookie":
        return {"Cookie": f"{name}={token}"}, {}
    if scheme.lower() == "basic":
        token = b64encode(f":{token}".encode()).decode()
    return {name: f"{scheme} {token}".lstrip()}, {}


def challenge(lines: tuple[str, ...]) -> str | None:
    """Return the challenge for a missing or wrong token: a scheme of the header Authorization, or None."""
    ways = map(wire.presentation, lines)
    scheme = next((way.scheme for way in ways if way.name.lower() == "authorization" and way.scheme), None)
    return f'{scheme} realm="confsim"' if scheme is not None and scheme.lower() == "basic" else scheme
