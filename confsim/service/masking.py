"""Masking of credentials in requests that people read: decided by place and by value, after decoding.

A place carries credentials if ``auth.presentation`` or its name says so. A value is a credential if it is a token that
the world knows, wherever it stands. The journal keeps a request that reached no operation only masked. The request of
an operation is masked where it is shown; an export, which repeats it, keeps what the operation reads.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any
from urllib.parse import unquote_plus

from msgspec.structs import replace

from confsim.assumptions.protocol import wire
from confsim.assumptions.register import in_force
from confsim.contract.operation import Operation
from confsim.domain.identity.credentials import CREDENTIALS
from confsim.kernel.refusal import Refusal
from confsim.kernel.world import World

from .messages import Request, Response

#: Replaces a credential.
MASK = "***"
#: The length from which a text counts as a token by its value alone: a shorter one may be a word of any request.
DISTINCTIVE = 8
#: Ends of names, and whole names, of parameters, cookies and fields whose values are credentials, whatever the profile
#: calls them; and a regular expression of such a name.
ENDS = ("token", "password", "passphrase", "secret", "apikey", "api-key", "api_key")
_WHOLE = ("authorization", "bearer", "jwt")
CREDENTIAL_NAMES = rf'[^"]*(?:{"|".join(ENDS)})|{"|".join(_WHOLE)}'
#: Whole names that count where no operation reads the value; an operation may mean something else by them.
NAMES = (*_WHOLE, "auth", "code", "key", "pass", "passwd", "pin", "pwd", "sig", "signature")
#: Headers whose values are credentials.
CREDENTIAL_HEADERS = re.compile(r"authorization|cookie|token|secret|password|api-?key", re.IGNORECASE)
#: The subprotocol of a websocket after which its token follows, and the header that offers it.
SUBPROTOCOL = "bearer"
OFFER = "sec-websocket-protocol"
#: Most bytes of a body that are searched.
_SEARCHED = 64 << 10

#: Words that are long enough to be tokens.
_WORD = re.compile(rf"""[^\s"'<>&=;,/?#:{{}}\[\]()|\\]{{{DISTINCTIVE},}}""")
_FIELD = re.compile(
    rf'("(?:{CREDENTIAL_NAMES}|{"|".join(NAMES)})"\s*:\s*)("(?:[^"\\]|\\.)*"?|-?[0-9][0-9.e+-]*)', re.IGNORECASE
)


class Mask:
    """Masks the credentials of requests to a world under a profile."""

    def __init__(self, profile: Mapping[str, Any], world: World) -> None:
        self._ways = _ways(in_force(profile, wire.PRESENTATION))
        self._tokens = world.state(CREDENTIALS).rows

    def request(self, request: Request) -> Request:
        """Return a request that reached no operation without its credentials."""
        return replace(self.shown(request), body=self._body(request.body), cookies={}, form=None)

    def shown(self, request: Request) -> Request:
        """Return a request with the credentials of its target, query and headers masked, and with the same body."""
        headers = {name: self._header(name, value) for name, value in request.headers.items()}
        return replace(request, target=self.path(request.target), query=self.query(request.query), headers=headers)

    def repeatable(self, request: Request, operation: Operation) -> Request:
        """Return a request of an operation with those credentials masked that neither it nor its gate reads."""
        declared = operation.query_names
        query = "&".join(
            part
            if self._presents("query", name := unquote_plus(part.partition("=")[0])) or name in declared
            else masked
            for part, masked in zip(request.query.split("&"), self.query(request.query).split("&"), strict=True)
        )
        headers = {
            name: value if self._presents("header", name) else self._header(name, value, presented=False)
            for name, value in request.headers.items()
        }
        return (
            request
            if (query, headers) == (request.query, request.headers)
            else replace(request, query=query, headers=headers)
        )

    def path(self, target: str) -> str:
        """Return a path with the segments masked that hold a token."""
        if not self._holds(target):
            return target
        return "/".join(MASK if self._holds(each) else each for each in target.split("/"))

    def query(self, text: str) -> str:
        """Return a raw query with the values of credentials masked; names stay as they were written."""
        return "&".join(map(self._parameter, text.split("&"))) if text else ""

    def refusal(self, refusal: Refusal) -> Refusal:
        """Return a refusal whose facts hold no token of the request."""
        facts = {name: self._text(fact) if isinstance(fact, str) else fact for name, fact in refusal.facts.items()}
        return refusal if facts == refusal.facts else Refusal(refusal.reason, **facts)

    def response(self, response: Response) -> Response:
        """Return the response to such a request with the credentials masked that it sends the client on with."""
        headers = [
            (name, self._header(name.lower(), value) if name == "Location" else value)
            for name, value in response.headers
        ]
        return response if headers == response.headers else replace(response, headers=headers)

    def _parameter(self, text: str) -> str:
        name, equals, value = text.partition("=")
        if not equals:
            return MASK if self._holds(name) else text
        carries = self._carries("query", unquote_plus(name)) or self._holds(value)
        return f"{MASK if self._holds(name) else name}={MASK if carries else value}"

    def _header(self, name: str, value: str, *, presented: bool = True) -> str:
        """Return a header line without credentials; without ``presented``, cookies that present a token stay."""
        if name == OFFER:
            return self._offer(value)
        if name == "cookie":
            cookies = value.split(";")
            kept = [not presented and self._presents("cookie", each.partition("=")[0].strip()) for each in cookies]
            return ";".join(each if keep else self._cookie(each) for each, keep in zip(cookies, kept, strict=True))
        if self._presents("header", name) or CREDENTIAL_HEADERS.search(name):
            scheme, space, _ = value.partition(" ")
            return f"{scheme} {MASK}" if space and ("scheme", scheme.lower()) in self._ways else MASK
        before, mark, query = value.partition("?")
        return f"{self._text(before)}?{self.query(query)}" if mark else self._text(value)

    def _cookie(self, text: str) -> str:
        name, equals, _ = text.partition("=")
        return f"{name}={MASK}" if equals and self._carries("cookie", name.strip()) else self._text(text)

    def _offer(self, value: str) -> str:
        words = [each.strip() for each in value.split(",")]
        after = words.index(SUBPROTOCOL) + 1 if SUBPROTOCOL in words else len(words)
        return ", ".join(MASK if place == after or self._holds(word) else word for place, word in enumerate(words))

    def _body(self, body: bytes) -> bytes:
        if not body:
            return body
        if len(body) > _SEARCHED:
            return f"({len(body)} bytes, which no operation took)".encode()
        text = body.decode("utf-8", "surrogateescape")
        text = self._text(_FIELD.sub(rf'\1"{MASK}"', text))
        text = self.query(text) if "=" in text and not text.lstrip().startswith(("{", "[")) else text
        return text.encode("utf-8", "surrogateescape")

    def _text(self, text: str) -> str:
        """Return a text with the words masked that are tokens."""
        if not self._holds(text):
            return text
        if text in self._tokens:
            return MASK
        return _WORD.sub(lambda match: MASK if self._holds(match[0]) else match[0], text)

    def _presents(self, place: str, name: str) -> bool:
        return (place, name.lower()) in self._ways

    def _carries(self, place: str, name: str) -> bool:
        lower = name.lower()
        return (place, lower) in self._ways or lower.endswith(ENDS) or lower in NAMES

    def _holds(self, text: str) -> bool:
        """Return whether a text, or a word of it, is a token: as it is, or decoded once, twice or three times."""
        for _ in range(4):
            if len(text) < DISTINCTIVE:
                return False
            tokens = self._tokens
            if text in tokens:
                return True
            for word in _WORD.findall(text):
                if word in tokens or any(part in tokens for part in _long_parts(word)):
                    return True
            if "%" not in text and "+" not in text:
                return False
            text = unquote_plus(text)
        return False


def _long_parts(word: str) -> list[str]:
    """Return the parts of a word with dots, or with the user of a URL, that are long enough to be tokens."""
    parts = word.replace("@", ".").split(".")
    return [part for part in parts if len(part) >= DISTINCTIVE] if len(parts) > 1 else []


@lru_cache(maxsize=64)
def _ways(lines: tuple[str, ...]) -> frozenset[tuple[str, str]]:
    """Return the places of tokens, with their names in lower case, and the schemes before one."""
    found = {("scheme", "bearer"), ("scheme", "basic"), ("scheme", "digest")}
    for way in map(wire.presentation, lines):
        found |= {(way.place, way.name.lower()), ("scheme", way.scheme.lower())}
    return frozenset(found)
