"""Responses as the bytes that the live server sends."""

from __future__ import annotations

from http import HTTPStatus

from confsim.http.stamps import PHRASES
from confsim.service.messages import Response

#: The response when the handler fails.
BROKEN = Response(500, [("Content-Type", "application/json")], b'{"error":"the handler failed; see the log"}')


def encoded(response: Response, *, bare: bool, keep: bool) -> tuple[bytes, bytes]:
    """Return head and body of a response as bytes; ``bare`` leaves out the body, but not its Content-Length."""
    status, body = response.status, response.body
    lines = [f"HTTP/1.1 {status} {PHRASES.get(status, '')}", f"Connection: {'keep-alive' if keep else 'close'}"]
    if status == HTTPStatus.UPGRADE_REQUIRED:  # Connection names what is of this connection alone (RFC 9110, 7.6.1)
        lines[1] += ", Upgrade"
    lines += [f"{name}: {value}" for name, value in response.headers]
    if status in (204, 304):
        bare = True
    else:
        lines.append(f"Content-Length: {len(body)}")
    head = "\r\n".join(lines)
    if not head.count("\r") == head.count("\n") == len(lines) - 1:
        raise ValueError("a response header contains a line break")
    return f"{head}\r\n\r\n".encode("latin-1"), b"" if bare else body[: response.cut]
