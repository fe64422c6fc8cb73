"""The errors of look-ups that find nothing."""

from __future__ import annotations

from typing import TypeVar

from confsim.assumptions.protocol.refusals import Reason
from confsim.kernel.refusal import Refusal

T = TypeVar("T")


def require_found(record: T | None, what: str, id: str | int) -> T:
    """The record that was looked up. Refusal NOT_FOUND when it is None; ``what`` and ``id`` say what was asked for."""
    if record is None:
        raise Refusal(Reason.NOT_FOUND, what=what, id=id)
    return record
