"""The errors of look-ups that find nothing."""

from __future__ import annotations

from typing import NoReturn

from confsim.assumptions.protocol.refusals import Reason
from confsim.kernel.refusal import Refusal


def not_found(what: str, id: str | int) -> NoReturn:
    """Refuse with NOT_FOUND, as in ``record or not_found(…)``. ``what`` and ``id`` say what was asked for."""
    raise Refusal(Reason.NOT_FOUND, what=what, id=id)
