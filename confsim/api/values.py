"""Values of the domain on the wire: stored JSON, instants in their units, files that callers upload."""

from typing import Any, TypeVar

from msgspec import Raw
from msgspec.json import decode, encode

from confsim.api.call import Call
from confsim.assumptions import Assumption, Reason, ask
from confsim.assumptions.properties import TEXT_VALUE
from confsim.assumptions.protocol import durations, images
from confsim.contract import Json, Raw as Plain, invalid_input
from confsim.kernel import Refusal


def packed(value: Json) -> str:
    """Encode a value as JSON text. Refusal BODY_MALFORMED when it is nested too deeply to be encoded."""
    try:
        return encode(value).decode()
    except RecursionError:
        raise Refusal(Reason.BODY_MALFORMED, problem="it is nested too deeply") from None


def shown(call: Call, text: str) -> Json | Plain:
    """Return the value of a property, stored as JSON text, for an answer (G099)."""
    how = ask(call.change, TEXT_VALUE)
    if how == "object":
        return {"value": unpacked(text)}
    if how == "plain" and text.startswith('"'):
        return Plain("text/plain; charset=utf-8", decode(text, type=str).encode())
    return unpacked(text)


def unpacked(text: str) -> Json:
    """Wrap JSON text for an answer, which contains it unchanged."""
    return Raw(text.encode())


#: The instants of one thing.
T = TypeVar("T", bound=tuple[int | None, ...])

#: Milliseconds of the units of instants since 1970, and of the units of the time left until an instant.
_EPOCH = {"epoch-ms": 1, "epoch-s": 1000, "epoch-days": durations.DAY}
_LEFT = {"milliseconds": 1, "seconds": 1000}


def instant(call: Call, entry: Assumption[str], at: int) -> int:
    """Convert an instant (epoch milliseconds) to the unit of the entry: of instants, or of the time left until one."""
    unit = ask(call.change, entry)
    return (at - call.change.now) // _LEFT[unit] if unit in _LEFT else at // _EPOCH[unit]


def instants(call: Call, entry: Assumption[str], things: list[T]) -> list[T]:
    """Convert the instants of each of some things as ``instant`` does, those that are None to None."""
    unit = ask(call.change, entry)
    if unit == "epoch-ms":
        return things
    scale, since = (_LEFT[unit], call.change.now) if unit in _LEFT else (_EPOCH[unit], 0)
    converted: Any = [tuple([None if at is None else (at - since) // scale for at in each]) for each in things]
    found: list[T] = converted
    return found


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
