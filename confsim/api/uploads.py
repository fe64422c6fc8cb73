"""Files that callers upload: the body itself, or the first file of a form in it."""

from __future__ import annotations

import re

from confsim.assumptions.protocol import images
from confsim.assumptions.register import Entry, ask
from confsim.contract.text_values import invalid_input

from .call import Call

_BOUNDARY = re.compile(r'multipart/form-data *;.*\bboundary="?([^";]+)"?', re.IGNORECASE)
_FILENAME = re.compile(rb"^content-disposition:.*\bfilename\*?=", re.IGNORECASE | re.MULTILINE)
_PART_TYPE = re.compile(rb"^content-type: *([^\r\n]+)", re.IGNORECASE | re.MULTILINE)


def uploaded(call: Call, body: bytes, form: Entry[str]) -> tuple[str | None, bytes]:
    """The type that the file says it is, and its bytes. Refusal INVALID_INPUT for a form without a file."""
    if body and ask(call, form) == "multipart":
        return _part(call.content_type or "", body)
    return call.content_type, body


def image(call: Call, body: bytes, url: str | None) -> bytes:
    """The bytes of an image in a body, which play no part beside a URL (R167, R379)."""
    return b"" if url is not None else uploaded(call, body, images.FORM)[1]


def _part(kind: str, body: bytes) -> tuple[str | None, bytes]:
    """The type and the bytes of the first part with a filename (RFC 7578)."""
    boundary = _BOUNDARY.match(kind)
    if boundary is None:
        raise invalid_input("header content-type", f"{kind[:80]!r} is no multipart/form-data with a boundary")
    for part in (b"\r\n" + body).split(b"\r\n--" + boundary[1].encode("latin-1", "replace"))[1:]:
        head, _, data = part.partition(b"\r\n\r\n")
        if _FILENAME.search(head):
            given = _PART_TYPE.search(head)
            return given[1].decode("latin-1").strip() if given else None, data
    raise invalid_input("body", "no part has a filename")
