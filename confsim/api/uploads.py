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
    """Return the declared media type of the file, and its bytes.

    Raises Refusal INVALID_INPUT when a form is expected and the body is none, or has no file; UNSUPPORTED_MEDIA_TYPE
    when the body should be the file itself and is a form.
    """
    kind = call.content_type or ""
    if not body:
        return call.content_type, body
    if ask(call.change, form) == "multipart":
        if call.form is None:
            raise invalid_input("header content-type", f"{kind[:80]!r} is no {_FORM} with a boundary")
        if call.form.problem:
            raise invalid_input("body", call.form.problem)
        return call.form.content_type, call.form.data
    if kind.partition(";")[0].strip().lower() == _FORM:
        raise Refusal(Reason.UNSUPPORTED_MEDIA_TYPE, expected="the bytes of the file", given=_FORM)
    return call.content_type, body


def image(call: Call, body: bytes, url: str | None) -> bytes:
    """Return the bytes of an image in a body; the body is ignored when there is a URL (R167, R379)."""
    return b"" if url is not None else uploaded(call, body, images.FORM)[1]
