"""Files that callers upload: the body itself, or the file of a form in it."""

from __future__ import annotations

from confsim.assumptions.protocol import images
from confsim.assumptions.protocol.refusals import Reason
from confsim.assumptions.register import Assumption, ask
from confsim.contract.text_values import invalid_input
from confsim.kernel.refusal import Refusal

from .call import Call

_FORM = "multipart/form-data"


def uploaded(call: Call, body: bytes, form: Assumption[str]) -> tuple[str | None, bytes]:
    """Return the type that the file says it is, and its bytes.

    Raises Refusal INVALID_INPUT where a form is asked for and there is none, or none with a file;
    UNSUPPORTED_MEDIA_TYPE where the body is to be the file and is a form: its envelope is no part of the file.
    """
    kind = call.content_type or ""
    if not body:
        return call.content_type, body
    if ask(call, form) == "multipart":
        if call.form is None:
            raise invalid_input("header content-type", f"{kind[:80]!r} is no {_FORM} with a boundary")
        if call.form.problem:
            raise invalid_input("body", call.form.problem)
        return call.form.content_type, call.form.data
    if kind.partition(";")[0].strip().lower() == _FORM:
        raise Refusal(Reason.UNSUPPORTED_MEDIA_TYPE, expected="the bytes of the file", given=_FORM)
    return call.content_type, body


def image(call: Call, body: bytes, url: str | None) -> bytes:
    """Return the bytes of an image in a body, which play no part beside a URL (R167, R379)."""
    return b"" if url is not None else uploaded(call, body, images.FORM)[1]
