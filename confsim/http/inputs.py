"""Cookies and forms of a request, parsed before it reaches the service, which does not parse HTTP syntax.

Werkzeug parses them; it is imported with the first request that has one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from confsim.contract.operation import Operation
from confsim.contract.types import Form
from confsim.service.messages import Request

if TYPE_CHECKING:
    from werkzeug.sansio.request import Request as SansIORequest


def sansio(request: Request) -> SansIORequest:
    """Return the request as Werkzeug's sans-I/O request, whose properties parse their headers.

    It is made only when a header must be parsed, since making it takes 2 µs.
    """
    from werkzeug.datastructures import Headers
    from werkzeug.sansio.request import Request as SansIORequest

    query, headers = request.query.encode("latin-1", "replace"), Headers(request.headers)
    return SansIORequest(request.method, "http", None, "", request.target, query, headers, None)


def parse_cookies(request: Request) -> None:
    """Set ``request.cookies`` from a Cookie header; of two cookies of one name the first counts."""
    if "cookie" in request.headers:
        request.cookies = sansio(request).cookies.to_dict()


def parse_form(request: Request, operation: Operation) -> None:
    """Set ``request.form`` when the operation takes a file and the body is multipart/form-data (RFC 7578)."""
    body, kind = operation.body, request.headers.get("content-type")
    if body is not None and not body.is_json and kind is not None and kind[:10].lower() == "multipart/":
        request.form = _form(kind, request.body)


def form_with(file: bytes) -> tuple[str, bytes]:
    """Return the Content-Type and the body of a form with one file; equal files give equal forms (RFC 7578)."""
    from io import BytesIO

    from werkzeug.datastructures import FileStorage
    from werkzeug.test import encode_multipart

    boundary, body = encode_multipart({"file": FileStorage(BytesIO(file), filename="file")}, boundary="confsim")
    return f"multipart/form-data; boundary={boundary}", body


def _form(kind: str, body: bytes) -> Form | None:
    """Return the form in a body of this Content-Type; None for another media type or a missing boundary."""
    from werkzeug.http import parse_options_header
    from werkzeug.sansio.multipart import Data, Epilogue, File, MultipartDecoder, NeedData

    media_type, options = parse_options_header(kind)
    boundary = options.get("boundary", "").encode("latin-1", "replace")
    if media_type.lower() != "multipart/form-data" or not boundary:
        return None
    decoder = MultipartDecoder(boundary)
    file, pieces = None, list[bytes]()
    try:
        decoder.receive_data(body)
        decoder.receive_data(None)
        while not isinstance(event := decoder.next_event(), Epilogue | NeedData):
            if isinstance(event, File):
                file = event
            elif isinstance(event, Data) and file is not None:
                pieces.append(event.data)
                if not event.more_data:
                    return Form(file.headers.get("content-type"), b"".join(pieces))
    except ValueError:
        return Form(problem="the form is malformed, or cut short")
    return Form(problem="no part has a filename")
