"""Prices of calls, and calls that a channel makes (P2 Endpoints, Telephony)."""

from typing import Annotated

from confsim.api.call import API, Call
from confsim.api.forms import DialledNumber, QuotedNumber, UserId, WrittenNumber
from confsim.api.views import NumberId
from confsim.contract import Handle, Pattern, Wire, gates
from confsim.domain.channels.channels import Channel
from confsim.domain.telephony import calls, prices

operation = API.family(gate=gates.OPERATOR.assumed("G449"), line="P2 Telephony")


class CallQuote(Wire):
    """The price of a call: ``cost`` per minute, always in US dollars; ``country`` as ISO alpha-2 (G459)."""

    number: Annotated[str, "The number that was asked for."]
    cost: Annotated[float, "The price of a minute."]
    currency: Annotated[str, Pattern(lambda profile: {"enum": [prices.CURRENCY]}), "The currency, always USD."]
    country: Annotated[str, "The country of the number."]


class DialRegistered(Wire):
    """A number to call, and the user as whom the callee appears; ``whisper`` has no effect (G453)."""

    number: Annotated[DialledNumber, "The number to call: E.164 digits, and tones to send after a second."]
    sipUserId: Annotated[UserId, "The user of the callee."]
    whisper: Annotated[bool | None, "Whether the call is whispered."] = False


class DialUnregistered(Wire):
    """A number to call, however it is written, and the name under which the callee appears."""

    number: Annotated[WrittenNumber, "The number to call, however it is written."]
    name: Annotated[Handle, "The name under which the callee appears."]
    whisper: Annotated[bool | None, "Whether the call is whispered."] = False


@operation(
    "GET /channels/{uuid}/dial/quote/{number}", rules="R327 R487 R488 R495 R496", gaps="G454 G455 G456 G458 G459 G460"
)
def get_dial_quote(
    call: Call, channel: Channel, number: Annotated[QuotedNumber, "The number whose price is asked."]
) -> CallQuote:
    """Get the price of a call to a number per minute; its DTMF part is ignored.

    Refusals NUMBER_MALFORMED, DTMF_MALFORMED, DESTINATION_UNKNOWN.
    """
    quoted = prices.quote(call.change, channel, number)
    return CallQuote(number=quoted.number, cost=quoted.cost, currency=prices.CURRENCY, country=quoted.country)


@operation(
    "POST /channels/{uuid}/dial/registered",
    rules="R489 R490 R494 R495 R496 R497",
    gaps="G448 G450 G451 G452 G453 G454 G455",
    runtime=True,
    rings=True,
)
def dial_registered_user(call: Call, channel: Channel, body: DialRegistered) -> None:
    """Dial a number; the callee appears as the registered user.

    Refusals DIAL_OUT_OFF, NUMBER_MALFORMED, DTMF_MALFORMED, NOT_FOUND and NOT_REGISTERED for sipUserId; those of
    joining the channel when calls are answered immediately.
    """
    calls.dial_registered(call.change, channel, body.number, body.sipUserId, whisper=bool(body.whisper))


@operation(
    "POST /channels/{uuid}/dial/unregistered",
    rules="R044 R197 R491 R492 R493 R494 R496 R498",
    gaps="G448 G450 G452 G453 G457",
    runtime=True,
    identifies={"id": "users"},
    rings=True,
)
def dial_unregistered_user(call: Call, channel: Channel, body: DialUnregistered) -> NumberId:
    """Dial a number, extracted from the given text; the callee appears as a new user of the given name.

    Refusals DIAL_OUT_OFF, NUMBER_MALFORMED, DTMF_MALFORMED; those of joining the channel when calls are answered
    immediately.
    """
    made = calls.dial_unregistered(call.change, channel, body.number, body.name, whisper=bool(body.whisper))
    return NumberId(id=made.user)
