"""Inbound numbers, which come from a carrier and not from the API."""

from __future__ import annotations

from confsim.contract.types import Wire
from confsim.domain.telephony import numbers

from .control import Control, Order, client_of, operation


class MakeNumber(Order):
    """An inbound number. ``code`` is its country as ISO alpha-2, worked out from the number when it is left out."""

    clientId: str
    number: str
    code: str | None = None
    isDefault: bool = False


class MadeNumber(Wire):
    """The number as +E164."""

    number: str


@operation("POST /numbers")
def make_number(control: Control, body: MakeNumber) -> MadeNumber:
    """Give a client an enabled inbound number, on its default list or not.

    Refusal NUMBER_MALFORMED. Misuse when a client has it (409), and for a number of no country without ``code``.
    """
    with control.change() as change:
        client = client_of(change, body.clientId)
        made = numbers.add(change, client, body.number, body.code, default=body.isDefault)
        return MadeNumber(number=made.number)
