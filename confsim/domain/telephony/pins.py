"""PINs of a channel; when there are any, inbound calls require one."""

import re
from collections.abc import Sequence

from confsim.assumptions import Reason, ask, not_found, note_shown, telephony as assumed
from confsim.domain.channels import channels
from confsim.domain.channels.channels import Channel
from confsim.kernel import Change, Collection, Index, Record, Refusal, SecretForm, Table, View

from . import number_assignments


class Pin(Record, kw_only=True):
    """A PIN of a channel. ``organizer`` is whether it starts the meeting."""

    client: str
    channel: str
    pin: str
    organizer: bool = False

    @property
    def key(self) -> str:
        """The key of the record."""
        return f"{self.channel}/{self.pin}"


OF_CHANNEL: Index[Pin] = Index("channel", "channel")
PINS: Table[str, Pin] = Table("pins", Pin, "key", OF_CHANNEL, secrets={"pin": SecretForm.TEXT})


SET: Collection[Pin] = Collection(
    "dial-in PINs",
    "The PINs of a channel: with none anyone can dial in, with any a PIN is required (R323, R324, R478, R479).",
    PINS,
    refused=Reason.NOT_FOUND,
)
_ADD = SET.added("add", source="P2 L297, R479, G462")
_DELETE = SET.removed("delete", source="P2 L296, L354, R478, G577")
CLEAR = SET.removed("clear", source="G309, G462")


@SET.changed("add again", source="P2 L297, R479, G462")
def _replace(change: Change, pin: Pin, draft: Pin) -> Pin:
    """Whether it is an organizer PIN is replaced."""
    return draft


def list_of_channel(change: Change, channel: Channel) -> View[Pin]:
    """The PINs stored for the channel itself, in the order in which they were added."""
    return PINS.where(change, OF_CHANNEL, channel.id, channel.client)


def list_in_force(change: Change, channel: Channel) -> View[Pin]:
    """The PINs for the channel, those of the event room for its rooms; empty when anyone may dial in (R478, G438)."""
    return list_of_channel(change, channels.governing(change, channel))


def find(change: Change, channel: Channel, pin: str) -> Pin | None:
    """The PIN for the channel, or None."""
    return PINS.get(change, f"{channels.governing(change, channel).id}/{pin}", channel.client)


def get(change: Change, channel: Channel, pin: str) -> Pin:
    """The PIN of the channel. Refusal NOT_FOUND."""
    return find(change, channel, pin) or not_found("PIN", pin[:40])


def add(change: Change, channel: Channel, pin: str, *, organizer: bool = False) -> None:
    """Add a PIN required of inbound calls (R479); an existing one changes its ``organizer`` (G462).

    Refusals PIN_MALFORMED (G461), PIN_TAKEN (G462), DIAL_IN_OFF (G467).
    """
    number_assignments.require_dial_in(change, channel)
    channel = channels.governing(change, channel)
    form = ask(change, assumed.PIN_FORM)
    if not re.match(assumed.PIN_FORMS[form], pin, re.ASCII):
        raise Refusal(Reason.PIN_MALFORMED, pin=pin[:40], expected=form)
    several = ask(change, assumed.PIN_AGAIN)
    known = find(change, channel, pin)
    if several == "refuse" and known is not None:
        raise Refusal(Reason.PIN_TAKEN, pin=pin)
    if several == "single":
        for other in list_of_channel(change, channel):
            if other != known:
                CLEAR(change, other)
    draft = Pin(client=channel.client, channel=channel.id, pin=pin, organizer=organizer)
    if known is None:
        _ADD(change, draft)
    else:
        _replace(change, known, draft)


def delete(change: Change, channel: Channel, pin: Pin) -> None:
    """Remove a PIN of the channel (G577). Refusal DIAL_IN_OFF."""
    number_assignments.require_dial_in(change, channel)
    _DELETE(change, pin)


def list_shown(change: Change, channel: Channel, *, host: bool) -> Sequence[Pin]:
    """The PINs of the channel that are shown to a host, or to another user (R319). Refusal PINS_HIDDEN (G464)."""
    pins = list_in_force(change, channel)
    if host:
        return pins
    plain = [pin for pin in pins if not pin.organizer]
    note_shown(change, channel, "public_pin")
    if channel.public_pin:
        return plain if ask(change, assumed.PUBLIC) == "plain" else pins
    hidden = ask(change, assumed.HIDDEN)
    if hidden == "refuse":
        raise Refusal(Reason.PINS_HIDDEN)
    return plain if hidden == "plain" else []


def check(change: Change, channel: Channel, pin: str | None) -> bool:
    """Whether the PIN of an inbound call is an organizer PIN; with PINs set, one of them is required (R478, R479).

    Refusal PIN_WRONG.
    """
    pins = list_in_force(change, channel)
    if not pins:
        return False
    known = None if pin is None else find(change, channel, pin)
    if known is not None:
        return known.organizer
    raise Refusal(Reason.PIN_WRONG)
