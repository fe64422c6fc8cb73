"""The lobby: its door, and the auto-close of the door when the channel becomes empty."""

from enum import Enum

from confsim.assumptions import Reason, note_shown
from confsim.domain.channels import channels
from confsim.domain.channels.channels import Channel
from confsim.kernel import Change, Guard, OnOff, Row, Toggle


class Door(Enum):
    """The door. Open: everyone can join. Closed: users wait for an invitation from an operator (P2 States)."""

    OPEN = "open"
    CLOSED = "closed"


def _closes(change: Change, channel: Channel) -> bool:
    note_shown(change, channel, "auto_close")
    return channel.auto_close


_BY_ITSELF = Guard("auto-close is on", _closes)

DOOR: Toggle[Door, Channel] = Toggle(
    "lobby door",
    "The door between the lobby and the channel (R339-R342).",
    channels.table_of,
    "open",
    Door,
    words=("open", "close"),
    refused=Reason.INVALID_STATE,
    sources=("P2 States L156, R339, G537", "P2 States L157, R340, G537"),
)
BECOME_EMPTY = DOOR.trigger("become empty")

DOOR.declare(*DOOR.rows, Row(BECOME_EMPTY, Door.OPEN, Door.CLOSED, only_if=_BY_ITSELF, source="P2 States L158, R342"))

AUTO_CLOSE: Toggle[OnOff, Channel] = Toggle(
    "lobby auto-close",
    "Whether the door closes each time the channel becomes empty (R342-R344).",
    channels.table_of,
    "auto_close",
    OnOff,
    refused=Reason.INVALID_STATE,
    sources=("P2 States L158, R342, G537", "P2 States L158, R343"),
)
