"""The lobby: its door, and the auto-close of the door when the channel becomes empty."""

from __future__ import annotations

from enum import Enum

from confsim.assumptions.protocol.refusals import Reason
from confsim.domain.channels import channels, switches
from confsim.domain.channels.channels import Channel
from confsim.kernel.machine import Machine, switch
from confsim.kernel.rows import Flag, Guard, Row
from confsim.kernel.world import Change


class Door(Enum):
    """The door. Open: everyone can join. Closed: users wait for an invitation from an operator (P2 States)."""

    OPEN = "open"
    CLOSED = "closed"


class AutoClose(Enum):
    """Whether the door closes whenever the channel becomes empty (P2 States)."""

    ON = "on"
    OFF = "off"


_BY_ITSELF = Guard("auto-close is on", lambda channel: channel.auto_close)

DOOR: Machine[Door, Channel] = Machine(
    "lobby door",
    "The door between the lobby and the channel (R339-R342).",
    channels.table_of,
    Door,
    (
        Row("open", (Door.CLOSED, Door.OPEN), Door.OPEN, source="P2 States L156, R339, G537"),
        Row("close", (Door.OPEN, Door.CLOSED), Door.CLOSED, source="P2 States L157, R340, G537"),
        Row("become empty", Door.OPEN, Door.CLOSED, only_if=_BY_ITSELF, source="P2 States L158, R342"),
    ),
    state=Flag("open", Door.OPEN, Door.CLOSED),
    refusals={None: Reason.INVALID_STATE},
    initial=Door.CLOSED,
)

AUTO_CLOSE: Machine[AutoClose, Channel] = switch(
    "lobby auto-close",
    "Whether the door closes each time the channel becomes empty (R342-R344).",
    channels.table_of,
    "auto_close",
    AutoClose,
    refusals={None: Reason.INVALID_STATE},
    sources=("P2 States L158, R342, G537", "P2 States L158, R343"),
)


def set_door(change: Change, channel: Channel, trigger: str) -> Channel:
    """Open or close the door. Closing keeps the users inside; opening admits the waiting users (G329, G331)."""
    return switches.turn(change, channel, DOOR, trigger)


def set_auto_close(change: Change, channel: Channel, trigger: str) -> Channel:
    """Enable or disable auto-close; an open door stays open until the channel becomes empty (G333)."""
    return switches.turn(change, channel, AUTO_CLOSE, trigger)
