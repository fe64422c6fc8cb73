"""Whether a channel admits guests."""

from __future__ import annotations

from enum import Enum

from confsim.assumptions.refusals import Reason
from confsim.domain import repeats
from confsim.kernel.old_machine import Facts, Machine, Row
from confsim.kernel.world import Change

from . import channels
from .channels import Channel


class Admission(Enum):
    """Whether guests can be made for the channel and join it."""

    ON = "on"
    OFF = "off"


def _on(change: Change, channel: Channel, facts: Facts) -> Channel:
    """Guests can be made for the channel and join it."""
    return channels.update(change, channel, guest_access=True)


def _off(change: Change, channel: Channel, facts: Facts) -> Channel:
    """No guest can be made or join any more; those inside stay."""
    return channels.update(change, channel, guest_access=False)


_BOTH = (Admission.ON, Admission.OFF)

MACHINE: Machine[Admission, Channel] = Machine(
    "guest access",
    "Whether a channel admits guests (R274).",
    Admission,
    (
        Row("enable", _BOTH, Admission.ON, effect=_on, source="P1 L247, G565, G537"),
        Row("disable", _BOTH, Admission.OFF, effect=_off, source="P1 L247, G227, G565, G537"),
    ),
    read=lambda channel, facts: Admission.ON if channel.guest_access else Admission.OFF,
    refusals={None: Reason.STATE_HOLDS},
    initial=Admission.ON,
)


def switch(change: Change, channel: Channel, event: str) -> Channel:
    """Enable or disable guest access. Refusal STATE_HOLDS where repeating a state is refused (G537)."""
    repeats.allow(change, event, holds=channel.guest_access is (event == "enable"))
    return MACHINE.fire(change, channel, event)
