"""Settings of a client: the switches whose position new channels start with."""

from __future__ import annotations

from enum import Enum

from confsim.assumptions.refusals import Reason
from confsim.domain import repeats
from confsim.kernel.old_machine import Facts, Machine, Row
from confsim.kernel.world import Change

from . import clients
from .clients import Client


class Default(Enum):
    """A feature flag of a client, the default of new channels (P2 Legacy client settings)."""

    SPEECH2TEXT = "speech2text"
    DIAL_IN = "dial_in"
    DIAL_OUT = "dial_out"
    MIDI = "midi"


class Position(Enum):
    """Where a switch stands."""

    OFF = "off"
    ON = "on"


def _turn(change: Change, client: Client, facts: Facts) -> Client:
    """New channels start with it; those that are there keep what they have (R316)."""
    return clients.update(change, client, **{facts["flag"].value: facts["on"]})


_BOTH = (Position.OFF, Position.ON)

MACHINE: Machine[Position, Client] = Machine(
    "client default",
    "A feature flag of a client, which only seeds new channels (R088, R315, R316, G297).",
    Position,
    (
        Row("enable", _BOTH, Position.ON, effect=_turn, source="P2 L112, L354, R315, G537"),
        Row("disable", _BOTH, Position.OFF, effect=_turn, source="P2 L112, L354, R315, G537"),
    ),
    read=lambda client, facts: Position.ON if getattr(client, facts["flag"].value) else Position.OFF,
    refusals={None: Reason.INVALID_STATE},
    initial=Position.OFF,
)


def switch(change: Change, client: Client, flag: Default, event: str) -> Client:
    """Enable or disable what new channels of the client start with."""
    on = event == "enable"
    repeats.allow(change, event, holds=getattr(client, flag.value) is on)
    return MACHINE.fire(change, client, event, flag=flag, on=on)
