"""Prices of calls: always in US dollars per minute, by the country of the number (R327, R487)."""

from msgspec import Struct

from confsim.assumptions import Reason, ask, note_shown, telephony as assumed
from confsim.domain.channels.channels import Channel
from confsim.kernel import Change, Refusal

from . import e164

#: The currency of all prices (P2 Limits L398).
CURRENCY = "USD"
#: The country code of numbers without a country (ISO 3166-1, user-assigned).
NOWHERE = "ZZ"


class Quote(Struct, frozen=True):
    """The price of a call to a number. ``cost`` in US dollars per minute."""

    number: str
    cost: float
    country: str


def quote(change: Change, channel: Channel, text: str) -> Quote:
    """The price of a call from the channel to the number, whose DTMF part is ignored (R487, R488).

    Refusals NUMBER_MALFORMED, DTMF_MALFORMED (G456), DESTINATION_UNKNOWN (G459), DIAL_OUT_OFF (G460).
    """
    note_shown(change, channel, "dial_out")
    if not channel.dial_out and not ask(change, assumed.QUOTE_OFF):
        raise Refusal(Reason.DIAL_OUT_OFF)
    number = e164.priced(change, text)
    country = e164.country(number)
    price = _price(change, country)
    if price is None:
        if ask(change, assumed.QUOTE_UNKNOWN) == "refuse":
            raise Refusal(Reason.DESTINATION_UNKNOWN, number=number)
        price = 0.0
    canonical = ask(change, assumed.QUOTE_NUMBER) == "canonical"
    return Quote(e164.shown(change, number) if canonical else text, price, _country_text(change, country))


def _price(change: Change, country: str | None) -> float | None:
    prices = ask(change, assumed.PRICES)
    return None if country is None else prices.get(country, prices.get("*"))


def _country_text(change: Change, country: str | None) -> str:
    if country is None:
        return NOWHERE
    return country if ask(change, assumed.QUOTE_COUNTRY) == "iso" else e164.country_name(country)
