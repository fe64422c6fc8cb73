"""A request and its answer in the form of HTTP messages, for a report."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import msgspec

from confsim.service.messages import Request
from confsim.testing.learning.comparing.comparison import Reply
from confsim.testing.verifying.findings import MASK

#: Headers, and parameters of a URL, that may give access: to the service, or to a proxy in front of it.
_SECRET = re.compile(r"cookie|token|secret|session|signature|password|(?<!www-)auth|key", re.IGNORECASE)
_PARAMETER = re.compile(r"(?i)([?&][^=&\s]*(?:token|secret|signature|password|auth|api_?key)[^=&\s]*=)[^&\s]+")
#: Most characters of a body that are shown.
_SHOWN = 4000


def request_text(request: Request) -> str:
    """Return a request: its request line, its headers and, after an empty line, its body."""
    target = _masked(f"{request.target}?{request.query}" if request.query else request.target)
    return _message(f"{request.method} {target}", request.headers, request.body)


def answer_text(reply: Reply) -> str:
    """Return an answer: its status, its headers and, after an empty line, its body."""
    return _message(str(reply.status), reply.headers, reply.body)


def _message(first: str, headers: Mapping[str, str], body: Any) -> str:
    lines = [first, *(f"{name}: {_header(name, value)}" for name, value in headers.items())]
    if body is not None and body != b"":
        lines += ["", _body_text(body)]
    return "\n".join(lines)


def _header(name: str, value: str) -> str:
    if name == "authorization":
        return f"{value.partition(' ')[0]} {MASK}"
    return MASK if _SECRET.search(name) else _masked(value)


def _masked(url: str) -> str:
    return _PARAMETER.sub(rf"\1{MASK}", url)


def _body_text(body: Any) -> str:
    """Return the text of a body, abridged; of bytes that are no text only their number."""
    if isinstance(body, bytes):
        try:
            text = body.decode()
        except UnicodeDecodeError:
            return f"({len(body)} bytes)"
    else:
        text = msgspec.json.encode(body).decode()
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}… ({len(text)} characters)"
