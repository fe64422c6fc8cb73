"""JSON values that the service keeps for its callers: as text within, as they are on the wire."""

from __future__ import annotations

from msgspec import Raw
from msgspec.json import encode

from confsim.assumptions.refusals import Reason
from confsim.contract.types import Json
from confsim.kernel.refusal import Refusal


def packed(value: Json) -> str:
    """The value as JSON text. Refusal BODY_MALFORMED when it is nested too deeply to be told again."""
    try:
        return encode(value).decode()
    except RecursionError:
        raise Refusal(Reason.BODY_MALFORMED, problem="it is nested too deeply") from None


def unpacked(text: str) -> Json:
    """The JSON text as an answer."""
    return Raw(text.encode())
