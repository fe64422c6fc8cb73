"""The placement of a channel on a streaming server, which a client waits for."""

from __future__ import annotations

from enum import Enum

from msgspec.structs import replace

from confsim.assumptions import runtime as assumed
from confsim.assumptions.protocol import durations
from confsim.assumptions.refusals import Reason
from confsim.assumptions.register import ask
from confsim.domain import delays
from confsim.domain.channels.channels import Channel
from confsim.domain.fault_points import PROXY, struck
from confsim.kernel.old_machine import Facts, Guard, Machine, Row
from confsim.kernel.refusal import NotYet
from confsim.kernel.table import Record, Table
from confsim.kernel.timers import on_timer
from confsim.kernel.world import Change

from . import sessions


class Placed(Enum):
    """Whether a channel is placed on a streaming server (P2 Runtime, proxyfor)."""

    IDLE = "idle"
    CREATING = "creating"
    HOSTED = "hosted"


class Placement(Record):
    """The placement of a channel. ``looks`` is how often it is still asked for in vain, None when time will tell."""

    channel: str
    client: str
    state: Placed = Placed.IDLE
    looks: int | None = 0


PLACEMENTS: Table[str, Placement] = Table("placements", Placement, "channel")


def _begin(change: Change, placement: Placement, facts: Facts) -> Placement:
    """The channel is being created there; this was the first look in vain."""
    looks = facts["looks"]
    return _place(change, placement, Placed.CREATING, None if looks is None else looks - 1)


def _look(change: Change, placement: Placement, facts: Facts) -> Placement:
    """One more look in vain."""
    looks = placement.looks
    return _place(change, placement, Placed.CREATING, None if looks is None else looks - 1)


def _host(change: Change, placement: Placement, facts: Facts) -> Placement:
    """The channel is there."""
    change.cancel("placement", placement.client, placement.channel)
    return _place(change, placement, Placed.HOSTED, 0)


def _release(change: Change, placement: Placement, facts: Facts) -> Placement:
    """The streaming server has let go of the channel."""
    PLACEMENTS.of(change, placement.client).remove(placement.channel)
    return Placement(placement.channel, placement.client)


def _place(change: Change, placement: Placement, state: Placed, looks: int | None) -> Placement:
    return PLACEMENTS.of(change, placement.client).put(replace(placement, state=state, looks=looks))


_NO_WAIT = Guard("it is done at once", lambda placement, facts: facts["looks"] == 0)
_DONE = Guard("it was asked for often enough", lambda placement, facts: placement.looks == 0)

MACHINE: Machine[Placed, Placement] = Machine(
    "streaming placement",
    "Whether a channel is placed on a streaming server (R395-R397, R538).",
    Placed,
    (
        Row("ask", Placed.IDLE, Placed.HOSTED, only_if=_NO_WAIT, effect=_host, source="P2 L209, R395, G349"),
        Row("ask", Placed.IDLE, Placed.CREATING, only_if=~_NO_WAIT, effect=_begin, source="P2 L209, R396, G349"),
        Row("ask", Placed.CREATING, Placed.HOSTED, only_if=_DONE, effect=_host, source="P2 L380, R397, G349"),
        Row("ask", Placed.CREATING, Placed.CREATING, only_if=~_DONE, effect=_look, source="P2 L380, R396"),
        Row("ask", Placed.HOSTED, Placed.HOSTED, source="P2 L209, R395"),
        Row("place", (Placed.IDLE, Placed.CREATING), Placed.HOSTED, effect=_host, source="G349, G359"),
        Row("release", Placed.HOSTED, Placed.IDLE, effect=_release, source="G349"),
    ),
    read=lambda placement, facts: placement.state,
    refusals={None: Reason.CHANNEL_BEING_CREATED},
    initial=Placed.IDLE,
)


def placement(change: Change, client: str, channel: str) -> Placement:
    """Where the channel stands with the streaming servers."""
    return PLACEMENTS.of(change, client).get(channel) or Placement(channel, client)


def place(change: Change, channel: Channel) -> None:
    """Ask for the streaming server of the channel, which begins its placement there.

    Refused as NotYet CHANNEL_BEING_CREATED while it is being created: the placement goes on all the same.
    """
    if struck(change, PROXY, client=channel.client, channel=channel.id) is not None:
        raise NotYet(Reason.CHANNEL_BEING_CREATED)
    standing = placement(change, channel.client, channel.id)
    looks = _wait(change, channel) if standing.state is Placed.IDLE else 0
    if MACHINE.fire(change, standing, "ask", looks=looks).state is Placed.CREATING:
        raise NotYet(Reason.CHANNEL_BEING_CREATED)


def _wait(change: Change, channel: Channel) -> int | None:
    """How long the placement takes that begins now, or that began when the channel was made."""
    since = change.now
    if ask(change, assumed.CREATING) == "channel-creation":
        since = channel.created
        past = sessions.SESSIONS.of(change, channel.client).first(sessions.BY_CHANNEL, channel.id)
        if past is not None and delays.delay_of(change, durations.PLACEMENT).mode == "manual":
            return 0
    return delays.begin(change, durations.PLACEMENT, "placement", channel.client, channel.id, since=since)


@on_timer("placement")
def _placed(change: Change, client: str, channel: str) -> bool:
    MACHINE.follow(change, placement(change, client, channel), "place")
    return True


def remove_of_channel(change: Change, channel: Channel) -> None:
    """The streaming server lets go of a channel that is no more."""
    change.cancel("placement", channel.client, channel.id)
    if channel.id in PLACEMENTS.of(change, channel.client):
        PLACEMENTS.of(change, channel.client).remove(channel.id)
