"""The lobby: its door, and the auto-close of the door when the channel becomes empty."""

from __future__ import annotations

from enum import Enum

from confsim.assumptions.protocol.refusals import Reason
from confsim.domain import repeats
from confsim.domain.channels import channels
from confsim.domain.channels.channels import Channel
from confsim.kernel.machine import Machine, Toggle
from confsim.kernel.rows import Flag, Guard, OnOff, Row
from confsim.kernel.world import Change


class Door(Enum):
    """The door. Open: everyone can join. Closed: users wait for an invitation from an operator (P2 States)."""

    OPEN = "open"
    CLOSED = "closed"


_BY_ITSELF = Guard("auto-close is on", lambda change, channel: channel.auto_close)

DOOR: Machine[Door, Channel] = Machine(
    "lobby door",
    "The door between the lobby and the channel (R339-R342).",
    channels.table_of,
    Door,
    state=Flag("open", Door.OPEN, Door.CLOSED),
    refused=Reason.INVALID_STATE,
    initial=Door.CLOSED,
)
OPEN = DOOR.trigger("open")
_CLOSE = DOOR.trigger("close")
BECOME_EMPTY = DOOR.trigger("become empty")

DOOR.declare(
    Row(OPEN, (Door.CLOSED, Door.OPEN), Door.OPEN, source="P2 States L156, R339, G537"),
    Row(_CLOSE, (Door.OPEN, Door.CLOSED), Door.CLOSED, source="P2 States L157, R340, G537"),
    Row(BECOME_EMPTY, Door.OPEN, Door.CLOSED, only_if=_BY_ITSELF, source="P2 States L158, R342"),
)

AUTO_CLOSE: Toggle[OnOff, Channel] = Toggle(
    "lobby auto-close",
    "Whether the door closes each time the channel becomes empty (R342-R344).",
    channels.table_of,
    "auto_close",
    OnOff,
    refused=Reason.INVALID_STATE,
    sources=("P2 States L158, R342, G537", "P2 States L158, R343"),
)


def set_door(change: Change, channel: Channel, trigger: str) -> Channel:
    """Open or close the door. Closing keeps the users inside; opening admits the waiting users (G329, G331)."""
    return repeats.turn(change, OPEN if trigger == "open" else _CLOSE, channel)


def set_auto_close(change: Change, channel: Channel, trigger: str) -> Channel:
    """Enable or disable auto-close; an open door stays open until the channel becomes empty (G333)."""
    return repeats.turn(change, AUTO_CLOSE.to(trigger), channel)
