"""Refusals of the control plane as problem documents (RFC 9457)."""

from __future__ import annotations

from difflib import get_close_matches
from http import HTTPStatus
from typing import Any

import msgspec

from confsim.assumptions.protocol.refusals import Reason
from confsim.kernel.refusal import Misuse, Refusal
from confsim.service.messages import Response

#: Header lines of every problem document.
HEADERS = (("Content-Type", "application/problem+json"), ("Cache-Control", "no-store"))


def misuse_of(refusal: Refusal) -> Misuse:
    """Return a refusal by the rules of the API as a Misuse with its message, status and facts.

    The fact ``code`` is the reason in lower case; status and message are the defaults of the register, whatever the
    profile of the world says.
    """
    reason = refusal.reason
    assert isinstance(reason, Reason)
    facts = {**refusal.facts, "code": reason.name.lower()}
    return Misuse(reason.value.message.format_map(refusal.facts), reason.value.status, **facts)


def refuse(refusal: Refusal | Misuse) -> Response:
    """Return the problem document of a refusal."""
    misuse = refusal if isinstance(refusal, Misuse) else misuse_of(refusal)
    detail = str(misuse)
    if isinstance(refusal, Refusal) and refusal.reason is Reason.ROUTE_NOT_FOUND:
        detail += _similar_route(str(refusal.facts["method"]), str(refusal.facts["path"]))
    response = problem(misuse.status, detail, **misuse.facts)
    if isinstance(refusal, Refusal) and "allowed" in refusal.facts:
        response.headers.append(("Allow", str(refusal.facts["allowed"])))
    if "retryAfter" in misuse.facts:
        response.headers.append(("Retry-After", str(misuse.facts["retryAfter"])))
    return response


def _similar_route(method: str, path: str) -> str:
    """Return the end of a message about an unknown path: the most similar route of the control plane, or their list."""
    from .declare import CONTROL, PREFIX

    below = path.rpartition(PREFIX)[2]
    routes = sorted(((operation.path, operation.method) for operation in CONTROL), key=lambda each: each[1] != method)
    near = get_close_matches(below, [path for path, _ in routes], 1)
    if not near:
        return f" GET {PREFIX}/openapi.json lists all routes."
    return f" Did you mean {next(way for path, way in routes if path == near[0])} {PREFIX}{near[0]}?"


def problem(status: int, detail: str, /, **facts: Any) -> Response:
    """A problem document; ``facts`` become further members, except under the names of the standard ones."""
    members: dict[str, Any] = {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
    }
    members |= {name: value for name, value in facts.items() if name not in members}
    return Response(status, list(HEADERS), msgspec.json.encode(members, enc_hook=str))
