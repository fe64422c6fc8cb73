"""The switches of a channel: wall, attendee lock, presenters limit and feature flags, each a machine of its own."""

from __future__ import annotations

from enum import Enum
from typing import Any

from confsim.assumptions import channels as assumed
from confsim.assumptions import runtime
from confsim.assumptions.refusals import Reason
from confsim.assumptions.register import ask, note
from confsim.domain import repeats
from confsim.kernel.old_machine import Facts, Guard, Machine, Row
from confsim.kernel.refusal import Refusal
from confsim.kernel.world import Change

from . import channels
from .channels import Channel


class Flag(Enum):
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


def _set_wall(change: Change, channel: Channel, facts: Facts) -> Channel:
    """Both views of the channel tell the negation of the switch."""
    return channels.update(change, channel, wall_disabled=facts["disabled"])


WALL: Machine[Wall, Channel] = Machine(
    "wall",
    "Wall messages of a channel (R345, R273).",
    Wall,
    (
        Row(
            "enable", (Wall.DISABLED, Wall.ENABLED), Wall.ENABLED, effect=_set_wall, source="P2 States L159, R345, G537"
        ),
        Row("disable", (Wall.ENABLED, Wall.DISABLED), Wall.DISABLED, effect=_set_wall, source="P2 States L159, R345"),
    ),
    read=lambda channel, facts: Wall.DISABLED if channel.wall_disabled else Wall.ENABLED,
    refusals={None: Reason.INVALID_STATE},
    initial=Wall.ENABLED,
)


def _set_lock(change: Change, channel: Channel, facts: Facts) -> Channel:
    """Attendees are muted for as long as the lock holds."""
    return channels.update(change, channel, attendees_muted=facts["muted"])


_BOTH = (Attendees.LOCKED, Attendees.UNLOCKED)
ATTENDEES: Machine[Attendees, Channel] = Machine(
    "attendee lock",
    "The lock that mutes the attendees of a channel (R346-R348).",
    Attendees,
    (
        Row("mute", _BOTH, Attendees.LOCKED, effect=_set_lock, source="P2 States L160, R346, G537"),
        Row("unmute", _BOTH, Attendees.UNLOCKED, effect=_set_lock, source="P2 States L160, R347, G537"),
    ),
    read=lambda channel, facts: Attendees.LOCKED if channel.attendees_muted else Attendees.UNLOCKED,
    refusals={None: Reason.INVALID_STATE},
    initial=Attendees.UNLOCKED,
)


def _set_limit(change: Change, channel: Channel, facts: Facts) -> Channel:
    """Those who present already go on presenting (G338)."""
    return channels.update(change, channel, presenters_limit=facts["limit"])


LIMIT: Machine[Limit, Channel] = Machine(
    "presenters limit",
    "How many users of a channel may share video (R349, R350).",
    Limit,
    (
        Row("limit", (Limit.NONE, Limit.LIMITED), Limit.LIMITED, effect=_set_limit, source="P2 States L161, R349"),
        Row("lift", (Limit.LIMITED, Limit.NONE), Limit.NONE, effect=_set_limit, source="P2 States L162, R350, G536"),
    ),
    read=lambda channel, facts: Limit.NONE if channel.presenters_limit is None else Limit.LIMITED,
    refusals={None: Reason.INVALID_STATE},
    initial=Limit.NONE,
)


def _flag(
    field: str,
    title: str,
    source: str,
    *,
    enable: Guard | None = None,
    disable: Guard | None = None,
    refusals: dict[str | None, Enum] | None = None,
) -> Machine[Flag, Channel]:
    """The machine of one feature flag of a channel; the client's default never moves with it (R352)."""

    def put(change: Change, channel: Channel, facts: Facts) -> Channel:
        """The feature is on or off for this channel alone."""
        return channels.update(change, channel, **{field: facts["on"]})

    both = (Flag.ON, Flag.OFF)
    return Machine(
        field.replace("_", " "),
        title,
        Flag,
        (
            Row("enable", both, Flag.ON, only_if=enable, effect=put, source=f"P2 States L163, {source}, G537"),
            Row("disable", both, Flag.OFF, only_if=disable, effect=put, source=f"P2 States L163, {source}, G537"),
        ),
        read=lambda channel, facts: Flag.ON if getattr(channel, field) else Flag.OFF,
        refusals={None: Reason.INVALID_STATE, **(refusals or {})},
        initial=Flag.OFF,
    )


_TOKEN = Guard("it has a midi token, where one is needed", lambda channel, facts: not facts["needs"] or channel.premium)
_QUIET = Guard("no breakout session is active", lambda channel, facts: not facts["busy"])

SPEECH2TEXT = _flag("speech2text", "Speech to text of a channel (R352, R403).", "R352, R403")
MIDI = _flag(
    "midi", "Midi of a channel (R352, R404).", "R352, R404", enable=_TOKEN, refusals={"enable": Reason.MIDI_NEEDS_TOKEN}
)
BROADCAST = _flag("broadcast_enabled", "Live streaming of a channel (R523, G526).", "R523, G569")
DIAL_IN = _flag("dial_in", "Dialling in to a channel (R352).", "R352")
DIAL_OUT = _flag("dial_out", "Dialling out of a channel (R352).", "R352")
EVENT_ROOM = _flag(
    "event_room",
    "Whether a channel is an event room, which can hold breakout sessions (R352, R405, R406).",
    "R352, R405, G354",
    disable=_QUIET,
    refusals={"disable": Reason.BREAKOUT_ACTIVE},
)


def turn(change: Change, channel: Channel, machine: Machine[Any, Channel], event: str, **facts: object) -> Channel:
    """Turn a switch; one that stands so already is left, or refused as STATE_HOLDS (G537)."""
    state = machine.read(channel, facts)
    holds = all(row.then is state for row in machine.rows if row.when == event)
    repeats.allow(change, state.value, holds=holds)
    return machine.fire(change, channel, event, **facts)


def set_wall(change: Change, channel: Channel, event: str) -> Channel:
    """Enable or disable wall messages; what becomes of those that are there is outside of the API (G335)."""
    return turn(change, channel, WALL, event, disabled=event == "disable")


def set_attendees(change: Change, channel: Channel, event: str) -> Channel:
    """Lock the attendees (mute) or let them unmute themselves again (unmute)."""
    return turn(change, channel, ATTENDEES, event, muted=event == "mute")


def limit_presenters(change: Change, channel: Channel, limit: int | None) -> Channel:
    """Set the presenters limit, or lift it with None. Refusals INVALID_INPUT for a 0 that means nothing (G338), and
    NOT_FOUND where lifting needs a limit (G536).
    """
    empty = limit is None and channel.presenters_limit is None
    repeats.allow_empty(change, "presenters limit of channel", channel.id, empty=empty)
    if limit == 0:
        meaning = ask(change, runtime.ZERO_PRESENTERS)
        if meaning == "refuse":
            raise Refusal(Reason.INVALID_INPUT, where="path limit", problem="0 is less than 1")
        if meaning == "unlimited":
            limit = None
    return LIMIT.fire(change, channel, "lift" if limit is None else "limit", limit=limit)


def set_flag(change: Change, channel: Channel, machine: Machine[Flag, Channel], event: str, **facts: object) -> Channel:
    """Switch a feature of the channel on or off; what is running goes on (G355)."""
    note(change, assumed.FEATURES_SWITCHED_OFF)
    return turn(change, channel, machine, event, on=event == "enable", **facts)


def set_midi(change: Change, channel: Channel, event: str) -> Channel:
    """Switch midi. Refusal MIDI_NEEDS_TOKEN where enabling needs a token that the channel has not (G318)."""
    return set_flag(change, channel, MIDI, event, needs=ask(change, assumed.MIDI) == "needs-premium")
