"""The head of a request: its target, its version, its framing and its declared length."""

from __future__ import annotations

from collections.abc import Mapping

from confsim.http.limits import Limits, Unread
from confsim.service.messages import Request, split_target


class FaultError(Exception):
    """Raised in a parser callback to stop reading: the fault of the request, and a description."""

    def __init__(self, fault: Unread, problem: str = "") -> None:
        super().__init__(fault, problem)


def declared_length(version: str, headers: Mapping[str, str], limits: Limits) -> int:
    """Return the declared length of a body, 0 for none. Raises FaultError for a head that is not read any further."""
    coding = headers.get("transfer-encoding")
    if version not in {"1.0", "1.1"}:
        raise FaultError(Unread.VERSION_UNSUPPORTED, f"HTTP/{version}")
    if coding is not None and version == "1.0":  # RFC 9112, 6.1: such framing is invalid
        raise FaultError(Unread.MALFORMED, "an HTTP/1.0 request has no Transfer-Encoding")
    codings = [] if coding is None else [each.strip() for each in coding.lower().split(",")]
    if codings and (codings[-1] != "chunked" or codings.count("chunked") > 1):  # RFC 9112, 6.3 and 7
        raise FaultError(Unread.MALFORMED, "Transfer-Encoding does not end with chunked, once")
    if len(codings) > 1:
        raise FaultError(Unread.CODING_UNSUPPORTED, str(coding))
    length = int(headers.get("content-length", 0))
    if length > limits.body:
        raise FaultError(Unread.BODY_TOO_LARGE)
    return length


def request_of(
    method: str, url: bytes, headers: dict[str, str], body: bytes = b"", fault: str = "", problem: str = ""
) -> Request:
    """Return the request of a target; the authority in one of absolute form takes the place of the Host header."""
    path, _, query = url.decode("latin-1").partition("?")
    authority, target = split_target(path)
    if authority is not None:
        headers["host"] = authority  # RFC 9112, 3.2.2: the Host header is ignored for such a target
    return Request(method, target, query, headers, body, fault, problem)
