"""Inbound numbers, which come from a carrier and not from the API."""

from __future__ import annotations

from confsim.contract.types import Wire
from confsim.control.context import ControlContext, get_client
from confsim.control.declare import CommandBody, operation
from confsim.domain.telephony import numbers


class MakeNumber(CommandBody):
    """An inbound number. ``code`` is its country as ISO 3166-1 alpha-2; by default it is derived from the number."""

    clientId: str
    number: str
    code: str | None = None
    isDefault: bool = False


class MadeNumber(Wire):
    """The number as +E164."""

    number: str


@operation("POST /numbers")
def make_number(context: ControlContext, body: MakeNumber) -> MadeNumber:
    """Add an enabled inbound number to a client; ``isDefault`` puts it on the default list.

    Refusal NUMBER_MALFORMED. Misuse when a client has the number (409), and when its country cannot be derived and
    ``code`` is left out.
    """
    with context.change() as change:
        client = get_client(change, body.clientId)
        made = numbers.add(change, client, body.number, body.code, default=body.isDefault)
        return MadeNumber(number=made.number)
