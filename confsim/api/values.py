"""JSON values that are stored for callers, as text, and answered unchanged."""

from __future__ import annotations

from msgspec import Raw
from msgspec.json import decode, encode

from confsim.assumptions.properties import TEXT_VALUE
from confsim.assumptions.protocol.refusals import Reason
from confsim.assumptions.register import ask
from confsim.contract.encode import Raw as Plain
from confsim.contract.types import Json
from confsim.kernel.refusal import Refusal

from .call import Call


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
