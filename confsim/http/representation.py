"""Content negotiation, conditional and range requests (RFC 9110, sections 12 to 14), by Werkzeug's sans-I/O request.

It works on the shared records, so that WSGI, the live server, httpx and requests answer alike. It is imported with the
first request that needs it: a live server starts without Werkzeug.
"""

from __future__ import annotations

from hashlib import blake2b

from msgspec.structs import replace
from werkzeug.datastructures import MIMEAccept, Range
from werkzeug.http import quote_etag
from werkzeug.sansio.http import is_resource_modified

from confsim.service.messages import Request, Response

from .inputs import sansio


def admits_json(request: Request) -> bool:
    """Return whether the Accept header allows application/json (R003).

    The most specific of the matching media ranges decides. Parameters, such as a charset, are ignored.
    """
    given = sansio(request).accept_mimetypes
    return MIMEAccept((kind.partition(";")[0], quality) for kind, quality in given).quality("application/json") > 0


def etag(body: bytes) -> str:
    """Return the strong entity tag of a body, for the header ETag."""
    return quote_etag(blake2b(body, digest_size=12).hexdigest())


def is_unmodified(request: Request, tag: str) -> bool:
    """Return whether If-None-Match names the tag: in a list, as ``*``, or as a weak tag, which matches too (13.1.2)."""
    return not is_resource_modified(http_if_none_match=request.headers.get("if-none-match"), etag=tag)


def in_range(request: Request, response: Response, tag: str) -> Response | None:
    """Return the response to a GET with a Range header: 206, the whole one, or None when the range contains no byte.

    An invalid range, another unit, several ranges, and a failed If-Range are ignored: the whole response (14.2,
    13.1.5).
    """
    headers = request.headers
    asked, condition = headers.get("range"), headers.get("if-range")
    ranges = sansio(request).range
    if ranges is None or ranges.units != "bytes" or len(ranges.ranges) > 1:
        return response
    if condition is not None:
        # Strong comparison: a weak tag matches nothing, which parse_if_range_header leaves to its caller.
        weak = condition.startswith("W/")
        if weak or is_resource_modified(asked, condition, etag=tag, ignore_if_range=False):
            return response
    length = len(response.body)
    start, _ = ranges.ranges[0]
    if 0 < length < -start:  # a suffix longer than the body means all of it; Werkzeug takes it for no range
        ranges = Range("bytes", [(0, None)])
    span, shown = ranges.range_for_length(length), ranges.make_content_range(length)
    if span is None or shown is None:
        return None
    response.headers.append(("Content-Range", shown.to_header()))
    return replace(response, status=206, body=response.body[slice(*span)])
