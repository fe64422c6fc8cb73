"""JSON values that are stored for callers, as text, and answered unchanged."""

from __future__ import annotations

from msgspec import Raw
from msgspec.json import encode

from confsim.assumptions.protocol.refusals import Reason
from confsim.contract.types import Json
from confsim.kernel.refusal import Refusal


def packed(value: Json) -> str:
    """Encode a value as JSON text. Refusal BODY_MALFORMED when it is nested too deeply to be encoded."""
    try:
        return encode(value).decode()
    except RecursionError:
        raise Refusal(Reason.BODY_MALFORMED, problem="it is nested too deeply") from None


def unpacked(text: str) -> Json:
    """Wrap JSON text for an answer, where it is inserted unchanged."""
    return Raw(text.encode())
