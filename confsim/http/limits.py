"""Limits on requests, and the refusals of what a transport does not read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum

from msgspec import Struct

from confsim.assumptions.protocol import sizes
from confsim.assumptions.protocol.refusals import Reason
from confsim.assumptions.register import Context, note
from confsim.kernel.refusal import Misuse, Refusal
from confsim.service.messages import LARGEST_BODY, Request


class Unread(StrEnum):
    """Why a transport stops reading a request (``Request.fault``)."""

    MALFORMED = "malformed"
    URL_TOO_LONG = "url_too_long"
    HEADERS_TOO_LARGE = "headers_too_large"
    BODY_TOO_LARGE = "body_too_large"
    TIMEOUT = "timeout"
    VERSION_UNSUPPORTED = "version_unsupported"
    CODING_UNSUPPORTED = "coding_unsupported"
    BUSY = "busy"  # the bodies of other requests fill the memory for all
    UNNEEDED = "unread"  # its answer does not depend on the body


class Limits(Struct, frozen=True):
    """Limits in bytes and in seconds. The WSGI application has only those of one request in bytes."""

    body: int = LARGEST_BODY
    url: int = 64 * 2**10
    headers: int = 64 * 2**10
    unfinished: int = 256 * 2**20  # of all bodies that are being read; further ones are refused with 503
    idle: float = 120.0  # between two requests; then the connection is closed
    read: float = 30.0  # for the head, and between two pieces of the body; then the fault is "timeout"
    whole: float = 120.0  # for a whole request, also if its body comes in many pieces
    linger: float = 2.0  # after the last response, while further input is discarded

    @property
    def tick(self) -> float:
        """Return the seconds between two checks of deadlines."""
        return min(self.idle, self.read, self.linger, 4.0) / 4


DEFAULT_LIMITS = Limits()


def _busy(limits: Limits, _: str) -> Misuse:
    text = (
        f"the bodies of other requests fill the {limits.unfinished:,} bytes that are read at once; send it again later"
    )
    return Misuse(text, 503, retryAfter=1)


#: The answer to each, by the limits and the description of the parser; None where the request is answered as it is.
REFUSALS: Mapping[str, Callable[[Limits, str], Refusal | Misuse] | None] = {
    Unread.MALFORMED: lambda _, problem: Refusal(Reason.REQUEST_MALFORMED, problem=problem or "it cannot be parsed"),
    Unread.URL_TOO_LONG: lambda limits, _: Refusal(Reason.URL_TOO_LONG, limit=limits.url),
    Unread.HEADERS_TOO_LARGE: lambda limits, _: Refusal(Reason.HEADERS_TOO_LARGE, limit=limits.headers),
    Unread.BODY_TOO_LARGE: lambda limits, _: Refusal(Reason.BODY_TOO_LARGE, limit=limits.body),
    Unread.TIMEOUT: lambda *_: Refusal(Reason.REQUEST_TIMEOUT),
    Unread.VERSION_UNSUPPORTED: lambda _, problem: Refusal(Reason.VERSION_UNSUPPORTED, version=problem),
    Unread.CODING_UNSUPPORTED: lambda _, problem: Refusal(Reason.CODING_UNSUPPORTED, coding=problem[:200]),
    Unread.BUSY: _busy,
    Unread.UNNEEDED: None,
}

_SIZES = {
    Unread.URL_TOO_LONG: sizes.REQUEST_URL,
    Unread.HEADERS_TOO_LARGE: sizes.REQUEST_HEADERS,
    Unread.BODY_TOO_LARGE: sizes.REQUEST_BODY,
}
_LONG_URL = min(sizes.REQUEST_URL.candidates())


def note_sizes(context: Context, request: Request) -> None:
    """Note the limit that refuses a request, and that of its URL if another value would refuse it."""
    if request.fault in _SIZES:
        note(context, _SIZES[Unread(request.fault)])
    if len(request.target) + len(request.query) > _LONG_URL:
        note(context, sizes.REQUEST_URL)
