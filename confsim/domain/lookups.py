"""The errors of look-ups that find nothing."""

from __future__ import annotations

from typing import NoReturn

from confsim.assumptions.protocol.refusals import Reason
from confsim.kernel.refusal import Refusal


def not_found(what: str, id: str | int) -> NoReturn:
    """Raise Refusal NOT_FOUND; ``what`` and ``id`` say what was asked for.

    The look-ups that must find something return ``record or not_found(…)``.
    """
    raise Refusal(Reason.NOT_FOUND, what=what, id=id)
