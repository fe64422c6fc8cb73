"""The switches of a channel: wall, attendee lock, guest access, presenters limit and feature flags, each a machine."""

from enum import Enum

from confsim.assumptions import Reason, ask, channels as assumed, note, note_shown
from confsim.assumptions.runtime import presence as assumed_presence
from confsim.domain.conventions import require_filled, turn
from confsim.kernel import Change, Enabled, Filled, Guard, Machine, OnOff, Refusal, Row, Toggle, Trigger, replace

from .channels import Channel, table_of


class Attendees(Enum):
    """Whether attendees are locked: muted, and unable to unmute themselves (P2 States)."""

    LOCKED = "locked"
    UNLOCKED = "unlocked"


class Limit(Enum):
    """Whether the number of users who share video is limited (P2 States)."""

    NONE = "none"
    LIMITED = "limited"


#: Whether wall messages are enabled for the channel (P2 States).
WALL = Toggle(
    "wall",
    "Wall messages of a channel (R345, R273).",
    table_of,
    "wall_disabled",
    Enabled,
    inverted=True,
    initial=Enabled.ENABLED,
    refused=Reason.INVALID_STATE,
    sources=("P2 States L159, R345, G537", "P2 States L159, R345"),
)
ATTENDEES = Toggle(
    "attendee lock",
    "The lock that mutes the attendees of a channel (R346-R348).",
    table_of,
    "attendees_muted",
    Attendees,
    words=("mute", "unmute"),
    refused=Reason.INVALID_STATE,
    sources=("P2 States L160, R346, G537", "P2 States L160, R347, G537"),
)

GUEST_ACCESS = Toggle(
    "guest access",
    "Whether a channel admits guests; those inside stay when it does no more (R274, G227).",
    table_of,
    "guest_access",
    OnOff,
    initial=OnOff.ON,
    refused=Reason.STATE_HOLDS,
    sources=("P1 L247, G565, G537", "P1 L247, G227, G565, G537"),
)

_NONE, _LIMITED = Limit

LIMIT: Machine[Limit, Channel] = Machine(
    "presenters limit",
    "How many users of a channel may share video (R349, R350).",
    table_of,
    Limit,
    state=Filled("presenters_limit", _LIMITED, _NONE),
    refused=Reason.INVALID_STATE,
    initial=_NONE,
)
_LIFT = LIMIT.trigger("lift")


@LIMIT.effect("limit")
def limit_to(change: Change, channel: Channel, limit: int) -> Channel:
    """Users who present already go on presenting (G338)."""
    return replace(channel, presenters_limit=limit)


LIMIT.declare(
    Row(limit_to, (_NONE, _LIMITED), _LIMITED, source="P2 States L161, R349"),
    Row(_LIFT, (_LIMITED, _NONE), _NONE, source="P2 States L162, R350, G536"),
)


def feature(
    field: str,
    title: str,
    source: str,
    *,
    only_if: tuple[Guard | None, Guard | None] = (None, None),
    refused: Enum = Reason.INVALID_STATE,
) -> Toggle[OnOff, Channel]:
    """The switch of one feature of a channel; the client's default is not affected (R352)."""
    return Toggle(
        field.replace("_", " "),
        title,
        table_of,
        field,
        OnOff,
        only_if=only_if,
        refused=refused,
        sources=(f"P2 States L163, {source}, G537", f"P2 States L163, {source}, G537"),
    )


def _has_token(change: Change, channel: Channel) -> bool:
    if ask(change, assumed.MIDI) != "needs-premium":
        return True
    note_shown(change, channel, "premium")
    return channel.premium


_TOKEN = Guard("it has a midi token, where one is needed", _has_token)

SPEECH2TEXT = feature("speech2text", "Speech to text of a channel (R352, R403).", "R352, R403")
MIDI = feature(
    "midi", "Midi of a channel (R352, R404).", "R352, R404", only_if=(_TOKEN, None), refused=Reason.MIDI_NEEDS_TOKEN
)
BROADCAST = feature("broadcast_enabled", "Live streaming of a channel (R523, G526).", "R523, G569")
DIAL_IN = feature("dial_in", "Dialling in to a channel (R352).", "R352")
DIAL_OUT = feature("dial_out", "Dialling out of a channel (R352).", "R352")


def limit_presenters(change: Change, channel: Channel, limit: int | None) -> Channel:
    """Set the presenters limit, or lift it with None. Refusals INVALID_INPUT for 0 when that is refused (G338), and
    NOT_FOUND when there is no limit to lift and that is refused (G536).
    """
    empty = limit is None and channel.presenters_limit is None
    require_filled(change, "presenters limit of channel", channel.id, empty=empty)
    if limit == 0:
        meaning = ask(change, assumed_presence.ZERO_PRESENTERS)
        if meaning == "refuse":
            raise Refusal(Reason.INVALID_INPUT, where="path limit", problem="0 is less than 1")
        if meaning == "unlimited":
            limit = None
    if limit is None:
        return _LIFT(change, channel)
    return limit_to(change, channel, limit)


def set_feature(change: Change, channel: Channel, trigger: Trigger[Channel, []]) -> Channel:
    """Fire the trigger of a feature of the channel; running activities continue (G355)."""
    note(change, assumed.FEATURES_SWITCHED_OFF)
    return turn(change, trigger, channel)
