"""Where a token stands in a request, by the presentations in force (G016, G017, G024)."""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping
from functools import lru_cache

from confsim.assumptions.refusals import Reason
from confsim.kernel.refusal import Refusal

from .message import Request

#: Reads the token out of the headers and the query, None when there is none.
Read = Callable[[Request, Mapping[str, str]], str | None]


def _header(name: str, scheme: str) -> Read:
    wanted, opening = name.lower(), f"{scheme.lower()} " if scheme else ""

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
    """The password of a user name and a password, as the scheme Basic puts them together."""
    try:
        return b64decode(credentials, validate=True).decode().partition(":")[2]
    except ValueError:
        raise Refusal(Reason.CREDENTIAL_INVALID) from None


def _cookie(name: str) -> Read:
    def read(request: Request, query: Mapping[str, str]) -> str | None:
        for item in request.headers.get("cookie", "").split(";"):
            key, _, value = item.strip().partition("=")
            if key == name:
                return value
        return None

    return read


def _query(name: str) -> Read:
    return lambda request, query: query.get(name)


@lru_cache(maxsize=64)
def presentation(lines: tuple[str, ...]) -> Read:
    """How a token is read from a request that presents it in one of these ways."""
    reads: list[Read] = []
    for line in lines:
        if line.startswith("?"):
            reads.append(_query(line[1:].partition("=")[0]))
        elif line.startswith("Cookie: "):
            reads.append(_cookie(line.removeprefix("Cookie: ").partition("=")[0]))
        else:
            name, _, rest = line.partition(": ")
            reads.append(_header(name, rest.removesuffix("{token}").strip()))
    if len(reads) == 1:
        return reads[0]

    def read(request: Request, query: Mapping[str, str]) -> str | None:
        found = [token for each in reads if (token := each(request, query)) is not None]
        if len(found) > 1:
            raise Refusal(Reason.CREDENTIAL_AMBIGUOUS)
        return found[0] if found else None

    return read


def present(lines: tuple[str, ...], token: str) -> tuple[dict[str, str], dict[str, str]]:
    """The headers and the query parameters by which a client presents the token, in the first of these ways."""
    line = lines[0]
    if line.startswith("?"):
        return {}, {line[1:].partition("=")[0]: token}
    name, _, rest = line.partition(": ")
    if rest.lower().startswith("basic "):
        token = b64encode(f":{token}".encode()).decode()
    return {name: rest.replace("{token}", token)}, {}


def challenge(lines: tuple[str, ...]) -> str | None:
    """What a refusal of a missing or wrong token says it wants: a scheme of the header Authorization, where one is."""
    for line in lines:
        name, _, rest = line.partition(": ")
        scheme = rest.removesuffix("{token}").strip()
        if name.lower() == "authorization" and scheme:
            return f'{scheme} realm="confsim"' if scheme.lower() == "basic" else scheme
    return None
