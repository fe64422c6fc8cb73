"""Inbound numbers, and the channels they are assigned to (P2 Endpoints, Telephony)."""

from typing import Annotated

from confsim.api.call import API, Call
from confsim.api.forms import DialCode
from confsim.api.things import EnabledNumber
from confsim.api.views import page
from confsim.assumptions import ask, telephony as assumed
from confsim.contract import Chosen, Limit, Offset, Page, Source, Switch, Wire, Word, gates
from confsim.domain.channels.channels import Channel
from confsim.domain.conventions import turn
from confsim.domain.telephony import e164, number_assignments, numbers
from confsim.domain.telephony.number_assignments import NumberAssignment as Assigned
from confsim.domain.telephony.numbers import Listing, Number

operation = API.family(line="P2 Telephony")
named = API.family(gate=gates.ADMIN.assumed("G449"), line="P2 L354", source=Source.NAME_ONLY)


class AvailableNumber(Wire):
    """An inbound number; ``code`` is its country. ``isDefault`` is there when it is default for the client."""

    number: Annotated[str, "The number, as E.164."]
    code: Annotated[str, "The code of its country."]
    isDefault: Annotated[bool | None, "True for a default of the client."] = None


class PhoneNumber(Wire):
    """A number and its country (G476)."""

    number: Annotated[str, "The number, as E.164."]
    code: Annotated[str, "The code of its country."]


class NumberAssignment(Wire):
    """A number that leads to a channel; ``code`` is the channel's routing code, which an exclusive number needs not."""

    phone: Annotated[
        PhoneNumber | str,
        Chosen(assumed.PHONE, {"object": PhoneNumber, "text": str}),
        "The number that leads to the channel.",
    ]
    code: Annotated[DialCode | None, "The code that callers key in; absent for a number of this channel alone."] = None


_READ = gates.REGISTERED.assumed("G449 G469")
_MANAGE = gates.ADMIN.assumed("G449")
_ASSIGN = gates.OWNER_OR_ADMIN.assumed("G477")


def _number_view(call: Call, number: Number) -> AvailableNumber:
    return AvailableNumber(
        number=e164.shown(call.change, number.number),
        code=numbers.code(call.change, number),
        isDefault=True if number.listing is Listing.DEFAULT else None,
    )


def _assignment_view(call: Call, assigned: Assigned) -> NumberAssignment:
    number = e164.shown(call.change, assigned.number)
    if ask(call.change, assumed.PHONE) == "text":
        return NumberAssignment(phone=number, code=assigned.code)
    known = numbers.NUMBERS.of(call.change, assigned.client)[assigned.number]
    return NumberAssignment(phone=PhoneNumber(number=number, code=numbers.code(call.change, known)), code=assigned.code)


@operation(
    "GET /channels/available/dial/numbers",
    gate=_READ,
    rules="R325 R480",
    gaps="G094 G468 G469 G471",
    container=assumed.LIST_CONTAINER,
)
def list_available_dial_numbers(
    call: Call,
    *,
    limit: Limit | None = None,
    offset: Offset | None = None,
    countryCode: Annotated[Word | None, "The code of a country, as in the list."] = None,
) -> Page[AvailableNumber]:
    """List the numbers that can be attached to a channel, directly or through a routing code."""
    found = number_assignments.list_available(call.change, call.client, countryCode)
    return page(call, found, limit, offset, lambda shown: [_number_view(call, number) for number in shown])


@operation("GET /numbers/inbound", gate=_READ, rules="R024 R025 R325 R366 R367 R481", gaps="G468 G470 G471")
def list_inbound_numbers(
    call: Call,
    *,
    limit: Limit | None = None,
    offset: Offset | None = None,
    countryCode: Annotated[Word | None, "The code of a country, as in the list."] = None,
) -> list[AvailableNumber]:
    """List the enabled inbound numbers of the client, exclusively assigned ones included."""
    found = numbers.list_inbound(call.change, call.client, countryCode)
    return page(call, found, limit, offset, lambda shown: [_number_view(call, number) for number in shown]).results


@operation(
    "POST /channels/{uuid}/dial/numbers/{number}",
    gate=_ASSIGN,
    rules="R326 R367 R482 R483",
    gaps="G059 G454 G472 G473 G475 G476 G478",
)
def assign_dial_number(call: Call, channel: Channel, number: EnabledNumber) -> NumberAssignment:
    """Assign a number to the channel with a routing code, beside other channels.

    The leading plus is optional. The same number again answers the same code. Refusals NUMBER_MALFORMED,
    NUMBER_UNAVAILABLE for one that is unknown or disabled, NUMBER_EXCLUSIVE.
    """
    return _assignment_view(call, number_assignments.assign(call.change, channel, number))


@operation(
    "POST /channels/{uuid}/dial/numbers/{number}/exclusive",
    gate=_ASSIGN,
    rules="R326 R367 R484 R485",
    gaps="G473 G474 G475",
    disturbs_others="it takes a number away from other channels",
)
def assign_exclusive_dial_number(call: Call, channel: Channel, number: EnabledNumber) -> NumberAssignment:
    """Assign a number to this channel only, without a routing code.

    Refusals NUMBER_MALFORMED, NUMBER_UNAVAILABLE, NUMBER_SHARED, NUMBER_EXCLUSIVE.
    """
    return _assignment_view(call, number_assignments.assign(call.change, channel, number, exclusive=True))


@operation(
    "GET /channels/{channel}/dial/numbers",
    gate=gates.ACCESS.assumed("G449"),
    rules="R326 R366 R486",
    gaps="G094 G476",
    container=assumed.LIST_CONTAINER,
)
def list_dial_number_assignments(
    call: Call, channel: Channel, *, limit: Limit | None = None, offset: Offset | None = None
) -> Page[NumberAssignment]:
    """List the numbers assigned to the channel, in the order of assignment."""
    found = number_assignments.list_of_channel(call.change, channel)
    return page(call, found, limit, offset, lambda shown: [_assignment_view(call, each) for each in shown])


@named("DELETE /channels/{uuid}/dial/numbers/{number}", gate=_ASSIGN, gaps="G579")
def cancel_dial_number_assignment(call: Call, channel: Channel, assignment: Assigned) -> None:
    """Cancel the assignment of a number to the channel. Refusals NUMBER_MALFORMED, NOT_FOUND."""
    number_assignments.cancel(call.change, assignment)


@named("POST /numbers/inbound/{number}/default", rules="R325", gaps="G479 G578")
def add_default_dial_number(call: Call, number: Number) -> None:
    """Add a number to the default list of the client. Refusals NUMBER_MALFORMED, NOT_FOUND."""
    turn(call.change, numbers.LISTING.on, number)


@named("DELETE /numbers/inbound/{number}/default", rules="R325", gaps="G479 G578")
def remove_default_dial_number(call: Call, number: Number) -> None:
    """Remove a number from the default list of the client. Refusals NUMBER_MALFORMED, NOT_FOUND."""
    numbers.remove_from_defaults(call.change, number)


@operation(
    "POST /numbers/inbound/{number}/{state}",
    gate=_MANAGE,
    rules="R366 R367",
    source=Source.IMPLIED,
    gaps="G580",
    line="P2 States L172",
)
def set_inbound_number_state(call: Call, number: Number, state: Switch) -> None:
    """Enable or disable an inbound number; disabling removes all its assignments, which do not come back.

    Refusals NUMBER_MALFORMED, NOT_FOUND.
    """
    turn(call.change, numbers.STANDING.to(state), number, state=state)
