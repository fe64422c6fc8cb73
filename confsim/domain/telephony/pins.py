"""PINs of a channel, which phones that dial in must give once there are any."""

from __future__ import annotations

import re
from enum import Enum

from confsim.assumptions import telephony as assumed
from confsim.assumptions.refusals import Reason
from confsim.assumptions.register import ask
from confsim.domain.channels.channels import Channel
from confsim.kernel.old_machine import Facts, Guard, Machine, Row
from confsim.kernel.refusal import Refusal
from confsim.kernel.table import Index, Record, Table
from confsim.kernel.world import Change

from . import number_assignments


class Lock(Enum):
    """Whether anyone may dial in."""

    EMPTY = "empty"
    SET = "set"


class Pin(Record, kw_only=True):
    """A PIN of a channel. ``organizer`` tells of one that starts the meeting."""

    client: str
    channel: str
    pin: str
    organizer: bool = False

    @property
    def key(self) -> str:
        """The key of the record."""
        return f"{self.channel}/{self.pin}"


OF_CHANNEL: Index[Pin] = Index("channel", lambda pin: (pin.channel,))
PINS: Table[str, Pin] = Table("pins", Pin, "key", OF_CHANNEL)


class PinSet(Record):
    """The PINs of one channel: what the machine moves."""

    client: str
    channel: str
    pins: tuple[Pin, ...]


def _set(change: Change, client: str, channel: str) -> PinSet:
    return PinSet(client, channel, tuple(PINS.of(change, client).find(OF_CHANNEL, channel)))


def _add(change: Change, pins: PinSet, facts: Facts) -> PinSet:
    """From now on a PIN is required."""
    rows = PINS.of(change, pins.client)
    for each in pins.pins if facts["single"] else ():
        rows.remove(each.key)
    rows.put(Pin(client=pins.client, channel=pins.channel, pin=facts["pin"], organizer=facts["organizer"]))
    return _set(change, pins.client, pins.channel)


def _delete(change: Change, pins: PinSet, facts: Facts) -> PinSet:
    """The PIN opens nothing any more; without any, anyone can dial in."""
    PINS.of(change, pins.client).remove(f"{pins.channel}/{facts['pin']}")
    return _set(change, pins.client, pins.channel)


def _clear(change: Change, pins: PinSet, facts: Facts) -> PinSet:
    """All are gone."""
    for each in pins.pins:
        PINS.of(change, pins.client).remove(each.key)
    return _set(change, pins.client, pins.channel)


def _known(pins: PinSet, facts: Facts) -> bool:
    return any(each.pin == facts["pin"] for each in pins.pins)


_LAST = Guard("it is the only one", lambda pins, facts: _known(pins, facts) and len(pins.pins) == 1)
_ONE_OF = Guard("it is one of several", lambda pins, facts: _known(pins, facts) and len(pins.pins) > 1)

MACHINE: Machine[Lock, PinSet] = Machine(
    "dial-in PINs",
    "The PINs of a channel: with none anyone can dial in, with any a PIN is required (R323, R324, R478, R479).",
    Lock,
    (
        Row("add", (Lock.EMPTY, Lock.SET), Lock.SET, effect=_add, source="P2 L297, R479, G462"),
        Row("delete", Lock.SET, Lock.SET, only_if=_ONE_OF, effect=_delete, source="P2 L354, G577"),
        Row("delete", Lock.SET, Lock.EMPTY, only_if=_LAST, effect=_delete, source="P2 L296, L354, R478, G577"),
        Row("clear", (Lock.EMPTY, Lock.SET), Lock.EMPTY, effect=_clear, source="G309"),
    ),
    read=lambda pins, facts: Lock.SET if pins.pins else Lock.EMPTY,
    refusals={None: Reason.NOT_FOUND},
    initial=Lock.EMPTY,
)


def of(change: Change, channel: Channel) -> tuple[Pin, ...]:
    """The PINs of the channel, in the order in which they were added; none when anyone can enter (R478)."""
    return _set(change, channel.client, channel.id).pins


def add(change: Change, channel: Channel, pin: str, *, organizer: bool = False) -> None:
    """Require a PIN from phones that dial in (R479); the same again changes whom it is for (G462).

    Refusals PIN_MALFORMED (G461), PIN_TAKEN (G462), DIAL_IN_OFF (G467).
    """
    number_assignments.require_dial_in(change, channel)
    form = ask(change, assumed.PIN_FORM)
    if not re.match(assumed.PIN_FORMS[form], pin, re.ASCII):
        raise Refusal(Reason.PIN_MALFORMED, pin=pin[:40], expected=form)
    several = ask(change, assumed.PIN_AGAIN)
    pins = _set(change, channel.client, channel.id)
    if several == "refuse" and _known(pins, {"pin": pin}):
        raise Refusal(Reason.PIN_TAKEN, pin=pin)
    MACHINE.fire(change, pins, "add", pin=pin, organizer=organizer, single=several == "single")


def delete(change: Change, channel: Channel, pin: str) -> None:
    """Take a PIN away (G577). Refusals NOT_FOUND, DIAL_IN_OFF."""
    number_assignments.require_dial_in(change, channel)
    pins = _set(change, channel.client, channel.id)
    MACHINE.fire(change, pins, "delete", pin=pin, what="PIN", id=pin[:40])


def shown(change: Change, channel: Channel, *, host: bool) -> tuple[Pin, ...]:
    """The PINs of the channel as a host sees them, or a user who is none (R319). Refusal PINS_HIDDEN (G464)."""
    pins = of(change, channel)
    if host:
        return pins
    plain = tuple(pin for pin in pins if not pin.organizer)
    if channel.public_pin:
        return plain if ask(change, assumed.PUBLIC) == "plain" else pins
    hidden = ask(change, assumed.HIDDEN)
    if hidden == "refuse":
        raise Refusal(Reason.PINS_HIDDEN)
    return plain if hidden == "plain" else ()


def check(change: Change, channel: Channel, pin: str | None) -> bool:
    """Let a phone in and tell whether it is an organizer's: with PINs set, one of them is required (R478, R479).

    Refusal PIN_WRONG.
    """
    pins = of(change, channel)
    if not pins:
        return False
    for each in pins:
        if each.pin == pin:
            return each.organizer
    raise Refusal(Reason.PIN_WRONG)


def release_of_channel(change: Change, channel: Channel) -> None:
    """The PINs of a channel go with it (G309)."""
    MACHINE.fire(change, _set(change, channel.client, channel.id), "clear")
