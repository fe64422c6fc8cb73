from __future__ import annotations

import pytest

from confsim.assumptions.protocol.refusals import Reason
from confsim.assumptions.register import ProfileContext
from confsim.domain.channels import channels
from confsim.domain.clients import clients
from confsim.domain.telephony import prices
from confsim.kernel.refusal import Refusal
from confsim.kernel.world import World
from kit.each import each

GB, NOWHERE = "+442079460123", "+999123456"


def quote(number, profile=None, *, dial_out=True):
    """The quote for a number under a profile, or the reason why there is none."""
    change = World(seed=1).change(0, ProfileContext(profile or {}))
    channel = channels.create(change, clients.create(change, "C", None), "A", None, None)
    channel = channels.update(change, channel, dial_out=dial_out)
    try:
        found = prices.quote(change, channel, number)
    except Refusal as refusal:
        return refusal.reason
    return found.number, found.cost, found.country


@pytest.mark.rule("R487", "R488")
@pytest.mark.parametrize("number", [GB, GB[1:], f"{GB},1234#", f"{GB}*9"])
def test_the_price_hangs_on_the_country(number):
    """The same for the same number, whatever DTMF follows it; the answer has its canonical form."""
    assert quote(number) == (GB, 0.02, "GB")


def test_prices_are_a_table():
    """A country of its own price, any other, and one without a price where the table has no other."""
    assert quote("+37061234567") == ("+37061234567", 0.25, "LT")
    table = {"quote.prices": {"GB": 1.5}}
    assert quote(GB, table) == (GB, 1.5, "GB")
    assert quote("+37061234567", table) is Reason.DESTINATION_UNKNOWN


@each(
    "number, profile, expected",
    [
        (NOWHERE, {}, Reason.DESTINATION_UNKNOWN),
        (NOWHERE, {"quote.unknown": "free"}, (NOWHERE, 0.0, "ZZ")),
        ("x", {}, Reason.NUMBER_MALFORMED),
        (f"{GB},{'1' * 25}", {}, (GB, 0.02, "GB")),
        (f"{GB},{'1' * 25}", {"quote.long-dtmf": "held"}, Reason.DTMF_MALFORMED),
        ("442079460123,1", {"quote.number": "given"}, ("442079460123,1", 0.02, "GB")),
        (GB, {"quote.country": "name"}, (GB, 0.02, "United Kingdom")),
        (GB, {"numbers.form": "digits"}, (GB[1:], 0.02, "GB")),
    ],
)
def test_quotes_by_profile(number, profile, expected):
    """What the documents leave open, and each way to settle it."""
    assert quote(number, profile) == expected


def test_a_price_may_be_asked_while_dial_out_is_off():
    """Asking a price is no call, unless a profile says so."""
    assert quote(GB, dial_out=False) == (GB, 0.02, "GB")
    assert quote(GB, {"quote.while-off": False}, dial_out=False) is Reason.DIAL_OUT_OFF
