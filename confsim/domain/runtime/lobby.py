"""The lobby: its door, and whether the door closes by itself when the channel becomes empty."""

from __future__ import annotations

from enum import Enum

from confsim.assumptions.refusals import Reason
from confsim.domain.channels import channels
from confsim.domain.channels.channels import Channel
from confsim.domain.channels.switches import turn
from confsim.kernel.old_machine import Facts, Guard, Machine, Row
from confsim.kernel.world import Change


class Door(Enum):
    """Open: everyone can join. Closed: users wait for an invitation from an operator (P2 States)."""

    OPEN = "open"
    CLOSED = "closed"


class AutoClose(Enum):
    """Whether the door closes whenever the channel becomes empty (P2 States)."""

    ON = "on"
    OFF = "off"


def _open(change: Change, channel: Channel, facts: Facts) -> Channel:
    """Everyone can join."""
    return channels.update(change, channel, open=True)


def _close(change: Change, channel: Channel, facts: Facts) -> Channel:
    """Newcomers wait for an invitation."""
    return channels.update(change, channel, open=False)


def _set_auto(change: Change, channel: Channel, facts: Facts) -> Channel:
    """The door as such stays as it is."""
    return channels.update(change, channel, auto_close=facts["auto"])


_BY_ITSELF = Guard("auto-close is on", lambda channel, facts: channel.auto_close)

DOOR: Machine[Door, Channel] = Machine(
    "lobby door",
    "The door between the lobby and the channel (R339-R342).",
    Door,
    (
        Row("open", (Door.CLOSED, Door.OPEN), Door.OPEN, effect=_open, source="P2 States L156, R339, G537"),
        Row("close", (Door.OPEN, Door.CLOSED), Door.CLOSED, effect=_close, source="P2 States L157, R340, G537"),
        Row("become empty", Door.OPEN, Door.CLOSED, only_if=_BY_ITSELF, effect=_close, source="P2 States L158, R342"),
    ),
    read=lambda channel, facts: Door.OPEN if channel.open else Door.CLOSED,
    refusals={None: Reason.INVALID_STATE},
    initial=Door.CLOSED,
)

AUTO_CLOSE: Machine[AutoClose, Channel] = Machine(
    "lobby auto-close",
    "Whether the door closes each time the channel becomes empty (R342-R344).",
    AutoClose,
    (
        Row(
            "enable", (AutoClose.OFF, AutoClose.ON), AutoClose.ON, effect=_set_auto, source="P2 States L158, R342, G537"
        ),
        Row("disable", (AutoClose.ON, AutoClose.OFF), AutoClose.OFF, effect=_set_auto, source="P2 States L158, R343"),
    ),
    read=lambda channel, facts: AutoClose.ON if channel.auto_close else AutoClose.OFF,
    refusals={None: Reason.INVALID_STATE},
    initial=AutoClose.OFF,
)


def set_door(change: Change, channel: Channel, event: str) -> Channel:
    """Open or close the door. Those inside stay when it closes; those who wait come in when it opens (G329, G331)."""
    return turn(change, channel, DOOR, event)


def set_auto_close(change: Change, channel: Channel, event: str) -> Channel:
    """Enable or disable auto-close; an open door stays open until the channel becomes empty (G333)."""
    return turn(change, channel, AUTO_CLOSE, event, auto=event == "enable")
