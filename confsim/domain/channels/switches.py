"""The switches of a channel: wall, attendee lock, presenters limit and feature flags, each a machine of its own."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any

from msgspec.structs import replace

from confsim.assumptions import channels as assumed
from confsim.assumptions.protocol.refusals import Reason
from confsim.assumptions.register import ask, note
from confsim.assumptions.runtime import presence as assumed_presence
from confsim.domain import repeats
from confsim.kernel.machine import Machine, switch
from confsim.kernel.refusal import Refusal
from confsim.kernel.rows import NOTHING, Filled, Guard, Row
from confsim.kernel.world import Change

from .channels import Channel, table_of


class SwitchState(Enum):
    """A switch that is on or off."""

    ON = "on"
    OFF = "off"


class Wall(Enum):
    """Whether wall messages are enabled for the channel (P2 States)."""

    ENABLED = "enabled"
    DISABLED = "disabled"


class Attendees(Enum):
    """Whether attendees are locked: muted, and unable to unmute themselves (P2 States)."""

    LOCKED = "locked"
    UNLOCKED = "unlocked"


class Limit(Enum):
    """Whether the number of users who share video is limited (P2 States)."""

    NONE = "none"
    LIMITED = "limited"


WALL = switch(
    "wall",
    "Wall messages of a channel (R345, R273).",
    table_of,
    "wall_disabled",
    Wall,
    inverted=True,
    initial=Wall.ENABLED,
    refusals={None: Reason.INVALID_STATE},
    sources=("P2 States L159, R345, G537", "P2 States L159, R345"),
)
ATTENDEES = switch(
    "attendee lock",
    "The lock that mutes the attendees of a channel (R346-R348).",
    table_of,
    "attendees_muted",
    Attendees,
    triggers=("mute", "unmute"),
    refusals={None: Reason.INVALID_STATE},
    sources=("P2 States L160, R346, G537", "P2 States L160, R347, G537"),
)


def _set_limit(change: Change, channel: Channel, limit: int) -> Channel:
    """Users who present already go on presenting (G338)."""
    return replace(channel, presenters_limit=limit)


LIMIT: Machine[Limit, Channel] = Machine(
    "presenters limit",
    "How many users of a channel may share video (R349, R350).",
    table_of,
    Limit,
    (
        Row("limit", (Limit.NONE, Limit.LIMITED), Limit.LIMITED, effect=_set_limit, source="P2 States L161, R349"),
        Row("lift", (Limit.LIMITED, Limit.NONE), Limit.NONE, source="P2 States L162, R350, G536"),
    ),
    state=Filled("presenters_limit", Limit.LIMITED, Limit.NONE),
    facts={"limit": "limit"},
    refusals={None: Reason.INVALID_STATE},
    initial=Limit.NONE,
)


def _feature(
    field: str,
    title: str,
    source: str,
    *,
    only_if: tuple[Guard | None, Guard | None] = (None, None),
    facts: Mapping[str, str] = NOTHING,
    refusals: Mapping[str, Enum] = NOTHING,
) -> Machine[SwitchState, Channel]:
    """The machine of one feature switch of a channel; the client's default is not affected (R352)."""
    return switch(
        field.replace("_", " "),
        title,
        table_of,
        field,
        SwitchState,
        only_if=only_if,
        facts=facts,
        refusals={None: Reason.INVALID_STATE, **refusals},
        sources=(f"P2 States L163, {source}, G537", f"P2 States L163, {source}, G537"),
    )


_TOKEN = Guard("it has a midi token, where one is needed", lambda channel, needs: not needs or channel.premium)
_QUIET = Guard("no breakout session is active", lambda channel, busy: not busy)

SPEECH2TEXT = _feature("speech2text", "Speech to text of a channel (R352, R403).", "R352, R403")
MIDI = _feature(
    "midi",
    "Midi of a channel (R352, R404).",
    "R352, R404",
    only_if=(_TOKEN, None),
    facts={"enable": "needs"},
    refusals={"enable": Reason.MIDI_NEEDS_TOKEN},
)
BROADCAST = _feature("broadcast_enabled", "Live streaming of a channel (R523, G526).", "R523, G569")
DIAL_IN = _feature("dial_in", "Dialling in to a channel (R352).", "R352")
DIAL_OUT = _feature("dial_out", "Dialling out of a channel (R352).", "R352")
EVENT_ROOM = _feature(
    "event_room",
    "Whether a channel is an event room, which can hold breakout sessions (R352, R405, R406).",
    "R352, R405, G354",
    only_if=(None, _QUIET),
    facts={"disable": "busy"},
    refusals={"disable": Reason.BREAKOUT_ACTIVE},
)


def turn(change: Change, channel: Channel, machine: Machine[Any, Channel], trigger: str, **facts: Any) -> Channel:
    """Change a switch of the channel by the trigger. Refusal STATE_HOLDS when repeating a state is refused (G537)."""
    return repeats.turn(change, machine, channel, trigger, **facts)


def set_wall(change: Change, channel: Channel, trigger: str) -> Channel:
    """Enable or disable wall messages; the effect on existing ones is outside of the API (G335)."""
    return turn(change, channel, WALL, trigger)


def set_attendees(change: Change, channel: Channel, trigger: str) -> Channel:
    """Lock the attendees (mute) or let them unmute themselves again (unmute)."""
    return turn(change, channel, ATTENDEES, trigger)


def limit_presenters(change: Change, channel: Channel, limit: int | None) -> Channel:
    """Set the presenters limit, or lift it with None. Refusals INVALID_INPUT for 0 when that is refused (G338), and
    NOT_FOUND when there is no limit to lift and that is refused (G536).
    """
    empty = limit is None and channel.presenters_limit is None
    repeats.require_filled(change, "presenters limit of channel", channel.id, empty=empty)
    if limit == 0:
        meaning = ask(change, assumed_presence.ZERO_PRESENTERS)
        if meaning == "refuse":
            raise Refusal(Reason.INVALID_INPUT, where="path limit", problem="0 is less than 1")
        if meaning == "unlimited":
            limit = None
    if limit is None:
        return LIMIT.fire(change, channel, "lift")
    return LIMIT.fire(change, channel, "limit", limit=limit)


def set_feature(
    change: Change, channel: Channel, machine: Machine[SwitchState, Channel], trigger: str, **facts: object
) -> Channel:
    """Enable or disable a feature of the channel; running activities continue (G355)."""
    note(change, assumed.FEATURES_SWITCHED_OFF)
    return turn(change, channel, machine, trigger, **facts)


def set_event_room(change: Change, channel: Channel, trigger: str, *, busy: bool) -> Channel:
    """Enable or disable the event room. Refusal BREAKOUT_ACTIVE when it is disabled while ``busy`` (G354)."""
    return set_feature(change, channel, EVENT_ROOM, trigger, **({"busy": busy} if trigger == "disable" else {}))


def set_midi(change: Change, channel: Channel, trigger: str) -> Channel:
    """Enable or disable midi. Refusal MIDI_NEEDS_TOKEN when enabling needs a token that the channel lacks (G318)."""
    needs = ask(change, assumed.MIDI) == "needs-premium"
    return set_feature(change, channel, MIDI, trigger, **({"needs": needs} if trigger == "enable" else {}))
