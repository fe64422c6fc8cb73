"""Files that callers upload: the body itself, or the first file of a form in it.

``email`` parses the headers of a form. Own code splits its parts, as ``email`` drops files of type message/rfc822 and
changes files of type multipart/*.
"""

from __future__ import annotations

import re

from confsim.assumptions.protocol import images
from confsim.assumptions.register import Entry, ask
from confsim.contract.text_values import invalid_input

from .call import Call


def uploaded(call: Call, body: bytes, form: Entry[str]) -> tuple[str | None, bytes]:
    """The declared type of the file, or None, and its bytes. Refusal INVALID_INPUT for a form without a file."""
    if body and ask(call, form) == "multipart":
        return _part(call.content_type or "", body)
    return call.content_type, body


def image(call: Call, body: bytes, url: str | None) -> bytes:
    """The bytes of an image in a body; empty when a URL is given, which wins (R167, R379)."""
    return b"" if url is not None else uploaded(call, body, images.FORM)[1]


def _part(kind: str, body: bytes) -> tuple[str | None, bytes]:
    """The type and the bytes of the first part with a filename (RFC 7578)."""
    from email.parser import HeaderParser

    head = HeaderParser().parsestr(f"Content-Type: {kind}")
    boundary = head.get_boundary() if head.get_content_type() == "multipart/form-data" else None
    if not boundary:
        raise invalid_input("header content-type", f"{kind[:80]!r} is no multipart/form-data with a boundary")
    # A delimiter is a whole line (RFC 2046 5.1.1): a longer line that begins like one belongs to the file.
    delimiter = rb"\r\n--" + re.escape(boundary.encode("latin-1", "replace")) + rb"(?:--)?[ \t]*(?=\r\n|\Z)"
    for part in re.split(delimiter, b"\r\n" + body)[1:]:
        lines, _, data = part.removeprefix(b"\r\n").partition(b"\r\n\r\n")
        headers = HeaderParser().parsestr(lines.decode("latin-1"))
        if headers.get_filename() is not None:
            given = headers["Content-Type"]
            return given and " ".join(given.split()), data
    raise invalid_input("body", "no part has a filename")
