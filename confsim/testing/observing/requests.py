"""Observed requests, read as calls of operations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl

import msgspec

from confsim.api.catalogue import API
from confsim.assumptions.protocol import wire
from confsim.assumptions.register import ProfileContext
from confsim.http.routing import Found, Routes
from confsim.kernel.refusal import Refusal
from confsim.service.checks.credentials import present
from confsim.service.messages import Request
from confsim.testing.learning.accounts import Accounts
from confsim.testing.learning.calls import ModelCall
from confsim.values.urls import path_segments

#: Headers that no request may have both (RFC 9112, 6.2): a service may refuse it, whatever the call is.
TWO_LENGTHS = {"content-length", "transfer-encoding"}
_HOLE = "\0token\0"


class Reader:
    """Reads calls from requests, under a profile."""

    def __init__(self, profile: Mapping[str, Any]) -> None:
        self._routes = Routes([(API.prefix_under(profile), API)], profile)

    def call(self, request: Request, token: str | None) -> ModelCall | None:
        """Return the call of a request, None when it matches no operation."""
        segments = path_segments(request.target.strip("/"))
        try:
            found = self._routes.match(ProfileContext({}), request.method, segments, request.query)
        except Refusal:
            return None
        if not isinstance(found, Found):
            return None
        operation = found.operation
        path = dict(zip(operation.placeholders, found.texts, strict=True))
        query = dict(parse_qsl(request.query, keep_blank_values=True))
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower() or None
        body: Any = request.body or None
        if request.body and operation.body is not None and operation.body.is_json:
            try:
                body = msgspec.json.decode(request.body)
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
                body = request.body
        return ModelCall(operation.name, token, path, query, body, kind if request.body else None)


def token_of(request: Request, accounts: Accounts) -> tuple[bool, str | None]:
    """Return whether the request has no token or a known one, and which, in whatever way it is presented."""
    for template in (wire.PRESENTATION.default, *wire.PRESENTATION.candidates()):
        lines, query = present(template, _HOLE)
        for name, line in lines.items():
            before, _, after = line.partition(_HOLE)
            given = request.headers.get(name.lower(), "")
            if given.startswith(before) and given.endswith(after) and len(given) > len(before) + len(after):
                token = given[len(before) : len(given) - len(after)]
                return token in accounts.tokens.values(), token
        for name in query:
            for each, text in parse_qsl(request.query):
                if each == name:
                    return text in accounts.tokens.values(), text
    return True, None
