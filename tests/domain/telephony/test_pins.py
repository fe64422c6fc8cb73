from __future__ import annotations

import pytest

from confsim.assumptions.protocol.refusals import Reason
from confsim.assumptions.register import ProfileContext
from confsim.domain.channels import channels
from confsim.domain.clients import clients
from confsim.domain.telephony import pins
from confsim.kernel.refusal import Refusal
from confsim.kernel.world import World
from kit import refused
from kit.each import each


def room(**profile):
    """A change under a profile and a channel in it."""
    change = World(seed=1).change(
        0, ProfileContext({f"pins.{name.replace('_', '-')}": value for name, value in profile.items()})
    )
    return change, channels.create(change, clients.create(change, "C", None), "A", None, None)


def listed(change, channel):
    """The PINs of the channel as pairs."""
    return [(each.pin, each.organizer) for each in pins.list_of_channel(change, channel)]


@pytest.mark.rule("R478", "R479")
def test_a_pin_is_required_once_there_is_one():
    """Without any, anyone comes in, PIN or not; with some, one of them is needed; without the last, anyone again."""
    change, channel = room()
    assert pins.check(change, channel, None) is pins.check(change, channel, "1") is False
    pins.add(change, channel, "0042")
    pins.add(change, channel, "42")
    for wrong in (None, "", "042", "1"):
        assert refused(pins.check, change, channel, wrong) is Reason.PIN_WRONG
    assert pins.check(change, channel, "42") is pins.check(change, channel, "0042") is False
    for pin in ("42", "0042"):
        pins.delete(change, channel, pins.get(change, channel, pin))
    assert pins.check(change, channel, None) is False


@pytest.mark.rule("R323")
def test_some_pins_are_for_organizers():
    """Whose PIN it is comes out when it is keyed in; by default it is a participant's."""
    change, channel = room()
    pins.add(change, channel, "1")
    pins.add(change, channel, "2", organizer=True)
    assert listed(change, channel) == [("1", False), ("2", True)]
    assert [pins.check(change, channel, pin) for pin in "12"] == [False, True]


@pytest.mark.parametrize(
    ("form", "taken", "not_taken"),
    [
        ("1-16 digits", ["0", "1" * 16], ["", "1" * 17, "12a", "#1", "\u0661", "1\n"]),
        ("4-8 digits", ["0000", "12345678"], ["123", "123456789", "12 34"]),
        ("any text", ["open sesame", "é"], ["", "x" * 256]),
    ],
)
def test_the_form_of_a_pin(form, taken, not_taken):
    """Digits for the keypad of a phone, or what a profile says."""
    change, channel = room(form=form)
    for pin in taken:
        pins.add(change, channel, pin)
    for pin in not_taken:
        assert refused(pins.add, change, channel, pin) is Reason.PIN_MALFORMED
    assert [pin for pin, _ in listed(change, channel)] == taken


@pytest.mark.parametrize(("several", "expected"), [("update", [("1", True), ("2", False)]), ("single", [("2", False)])])
def test_the_same_pin_again(several, expected):
    """It changes whom it is for; by profile a new PIN replaces the only one."""
    change, channel = room(several=several)
    for pin, organizer in [("1", False), ("1", True), ("2", False)]:
        pins.add(change, channel, pin, organizer=organizer)
    assert listed(change, channel) == expected


def test_the_same_pin_can_be_refused():
    """By profile a PIN that the channel has is taken."""
    change, channel = room(several="refuse")
    pins.add(change, channel, "1")
    assert refused(pins.add, change, channel, "1", organizer=True) is Reason.PIN_TAKEN
    assert listed(change, channel) == [("1", False)]


def test_only_a_pin_that_is_there_is_deleted():
    """Another is not found, with PINs and without."""
    change, channel = room()
    assert refused(pins.get, change, channel, "1") is Reason.NOT_FOUND
    pins.add(change, channel, "1")
    assert refused(pins.get, change, channel, "2") is Reason.NOT_FOUND


@pytest.mark.rule("R319")
@each(
    "public, profile, expected",
    [
        (False, {}, Reason.PINS_HIDDEN),
        (False, {"hidden": "none"}, []),
        (False, {"hidden": "plain"}, ["1"]),
        (True, {}, ["1"]),
        (True, {"public": "all"}, ["1", "2"]),
    ],
)
def test_what_others_than_hosts_see(public, profile, expected):
    """PINs of participants while publicPIN is true, else a refusal, or what a profile says; hosts see all."""
    change, channel = room(**profile)
    pins.add(change, channel, "1")
    pins.add(change, channel, "2", organizer=True)
    channel = channels.update(change, channel, public_pin=public)
    assert len(pins.list_shown(change, channel, host=True)) == 2
    if isinstance(expected, Reason):
        assert refused(pins.list_shown, change, channel, host=False) is expected
    else:
        assert [each.pin for each in pins.list_shown(change, channel, host=False)] == expected


def test_a_deleted_channel_takes_its_pins_along():
    """None is left in the world."""
    change, channel = room()
    pins.add(change, channel, "1")
    channels.delete(change, channel)
    assert len(pins.PINS.of(change, channel.client)) == 0


def test_dial_in_that_is_off_can_stop_the_preparation():
    """By profile PINs are set and deleted only while dial-in is on."""
    change = World(seed=1).change(0, ProfileContext({"dial-in.while-off": "everything"}))
    channel = channels.create(change, clients.create(change, "C", None), "A", None, None)
    assert refused(pins.add, change, channel, "1") is Reason.DIAL_IN_OFF
    pins.add(change, channels.update(change, channel, dial_in=True), "1")
    assert refused(pins.delete, change, channel, pins.get(change, channel, "1")) is Reason.DIAL_IN_OFF


def test_of_a_long_pin_the_beginning_is_shown():
    """Its first 40 characters, of one that is not there and of one that is none."""
    change, channel = room()
    with pytest.raises(Refusal) as missing:
        pins.get(change, channel, "1" * 50)
    assert missing.value.facts["id"] == "1" * 40
    with pytest.raises(Refusal) as malformed:
        pins.add(change, channel, "x" * 50)
    assert malformed.value.facts["pin"] == "x" * 40
