"""The couplings: which machine moves which other one, in the order in which it happens.

One row for each: when a machine comes to a state, an event is fired on the related subjects of another machine, in the
same change, until nothing moves any more. A subject that does not admit the event stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from confsim.assumptions import recordings as recordings_assumed
from confsim.assumptions import runtime
from confsim.assumptions.register import ask
from confsim.kernel.machine import Coupling
from confsim.kernel.world import Change

from . import (
    assets,
    assignments,
    breakout_relations,
    breakout_rooms,
    breakouts,
    broadcast,
    calls,
    channels,
    invitations,
    lobby,
    number_assignments,
    numbers,
    presence,
    recordings,
    sessions,
    streaming,
    users,
)
from .assets import Asset
from .breakout_rooms import State
from .breakouts import Phase
from .channels import Channel
from .lobby import AutoClose, Door
from .presence import Audience, Crowd, Presence, Where
from .recordings import Take
from .sessions import Life, Run
from .streaming import Placed, Placement
from .users import USERS, Account, User

# What is related to what


def _crowd(change: Change, present: Presence) -> Iterable[Crowd]:
    return (presence.crowd(change, present.client, present.channel),)


def _run_at(change: Change, present: Presence) -> Iterable[Run]:
    return (sessions.run(change, present.client, present.place or present.channel),)


def _attending(change: Change, present: Presence, run: Run) -> dict[str, Any]:
    user = USERS.of(change, present.client)[present.user]
    place = channels.get(change, present.client, run.channel)
    return {"user": user, "inside": presence.number_inside(change, place)}


def _run_of(change: Change, subject: Crowd | Placement) -> Iterable[Run]:
    return (sessions.run(change, subject.client, subject.channel),)


def _run_of_base(change: Change, placement: Placement) -> Iterable[Run]:
    """The session of a room is made when the room opens, not when its address is asked for."""
    channel = channels.get(change, placement.client, placement.channel)
    if channel.parent is None and ask(change, runtime.PLACED_SESSION):
        yield from _run_of(change, placement)


def _placement(change: Change, subject: Crowd | Run) -> Iterable[Placement]:
    return (streaming.placement(change, subject.client, subject.channel),)


def _channel(change: Change, crowd: Crowd) -> Iterable[Channel]:
    return (channels.get(change, crowd.client, crowd.channel),)


def _left_empty(change: Change, present: Presence) -> Iterable[Channel]:
    """The event room that nobody is in any more, where those in its breakout rooms do not count (G334)."""
    if not presence.crowd(change, present.client, present.channel).count:
        return  # it is empty either way
    channel = channels.get(change, present.client, present.channel)
    if not presence.number_inside(change, channel) and ask(change, runtime.EMPTY) == "channel":
        yield channel


def _empty_already(change: Change, channel: Channel) -> Iterable[Channel]:
    if not presence.crowd(change, channel.client, channel.id).count and ask(change, runtime.AUTO_CLOSE_EMPTY):
        yield channel


def _waiting(change: Change, channel: Channel) -> Iterable[Presence]:
    if ask(change, runtime.ON_OPEN) == "admit":
        yield from presence.fresh(change, presence.waiting(change, channel))


def _fits(change: Change, channel: Channel, present: Presence) -> dict[str, Any]:
    return presence.room_left(change, channel)


def _attendees(change: Change, channel: Channel) -> Iterable[Presence]:
    if ask(change, runtime.ON_CLOSE) == "lobby":
        found = presence.inside(change, channel)
        yield from (each for each in presence.fresh(change, found) if not presence.hosts(change, each))


def _connected(change: Change, run: Run) -> Iterable[Presence]:
    """Everybody in the channel, its lobby and its rooms; of a room those inside. When a session ends because the last
    one has left, who waits goes on waiting.
    """
    channel = channels.get(change, run.client, run.channel)
    if channel.parent is not None:
        return presence.fresh(change, presence.inside(change, channel))
    if not presence.crowd(change, channel.client, channel.id).count:
        return ()
    return presence.fresh(change, presence.everybody(change, channel))


def _wherever(change: Change, user: User) -> Iterable[Presence]:
    found = presence.PRESENCES.of(change, user.client).find(presence.BY_USER, user.id)
    return presence.fresh(change, found)


def _broadcast_of(change: Change, run: Run) -> Iterable[broadcast.Run]:
    return (broadcast.run(change, run.client, run.channel),)


def _showing(change: Change, run: Run, shown: broadcast.Run) -> dict[str, Any]:
    assert run.session is not None
    return {"session": run.session.id}


def _recording_of(change: Change, run: Run) -> Iterable[Take]:
    if ask(change, recordings_assumed.SESSION_ENDS) == "stops":
        yield recordings.run(change, run.client, run.channel)


def _drafts(change: Change, take: Take) -> Iterable[Asset]:
    assert take.recording is not None
    return recordings.drafts(change, take.recording)


def _assets(change: Change, take: Take) -> Iterable[Asset]:
    assert take.recording is not None
    return assets.of(change, take.client, take.recording.id)


def _end_of(change: Change, take: Take, asset: Asset) -> dict[str, Any]:
    assert take.recording is not None
    return {"ended": take.recording.ended}


# The table

_CAME = (Where.AWAY, Where.WAITING)

COUPLINGS: tuple[Coupling, ...] = (
    # Users come
    Coupling(presence.MACHINE, Where.IN, presence.AUDIENCE, "enter", _crowd, out_of=_CAME, source="G327"),
    Coupling(
        presence.MACHINE,
        Where.IN,
        sessions.MACHINE,
        "attend",
        _run_at,
        facts=_attending,
        out_of=_CAME,
        source="P2 Session L64, R287",
    ),
    Coupling(presence.AUDIENCE, Audience.OCCUPIED, streaming.MACHINE, "place", _placement, source="G349, G359"),
    Coupling(presence.AUDIENCE, Audience.OCCUPIED, sessions.MACHINE, "initialise", _run_of, source="R285, G350"),
    Coupling(presence.AUDIENCE, Audience.OCCUPIED, sessions.MACHINE, "start", _run_of, source="R285, G359"),
    Coupling(
        presence.MACHINE,
        Where.IN,
        presence.MACHINE,
        "route",
        breakout_relations.latecomer,
        facts=breakout_relations.way,
        out_of=_CAME,
        source="G437",
    ),
    Coupling(streaming.MACHINE, Placed.HOSTED, sessions.MACHINE, "initialise", _run_of_base, source="P2 L69, G350"),
    # Users go
    Coupling(
        presence.MACHINE,
        Where.AWAY,
        presence.AUDIENCE,
        "leave",
        _crowd,
        out_of=(Where.IN, Where.IN_ROOM),
        source="G327",
    ),
    Coupling(
        presence.MACHINE, Where.WAITING, presence.AUDIENCE, "leave", _crowd, out_of=(Where.IN,), source="G331, G328"
    ),
    Coupling(presence.AUDIENCE, Audience.EMPTY, lobby.DOOR, "become empty", _channel, source="P2 States L158, R342"),
    Coupling(
        presence.AUDIENCE,
        Audience.EMPTY,
        sessions.MACHINE,
        "become empty",
        _run_of,
        facts=lambda change, crowd, run: sessions.ending(change),
        source="G359",
    ),
    # The lobby
    Coupling(lobby.DOOR, Door.OPEN, presence.MACHINE, "admit", _waiting, facts=_fits, source="R339, G329"),
    Coupling(lobby.DOOR, Door.CLOSED, presence.MACHINE, "send to the lobby", _attendees, source="G331"),
    Coupling(lobby.AUTO_CLOSE, AutoClose.ON, lobby.DOOR, "become empty", _empty_already, source="G333"),
    # A session ends
    Coupling(sessions.MACHINE, Life.ENDED, presence.MACHINE, "disconnect", _connected, source="P2 States L164, R353"),
    Coupling(sessions.MACHINE, Life.ENDED, streaming.MACHINE, "release", _placement, source="G349"),
    Coupling(
        sessions.MACHINE,
        Life.ENDED,
        recordings.MACHINE,
        "lose session",
        _recording_of,
        source="P2 L7, R557, G487, G365",
    ),
    Coupling(
        sessions.MACHINE,
        Life.ENDED,
        breakouts.MACHINE,
        "lose the main session",
        breakout_relations.breakout_of,
        source="G440, G365",
    ),
    # Recordings
    Coupling(
        recordings.MACHINE, recordings.Phase.PROCESSING, assets.MACHINE, "create", _drafts, source="P2 L170, R362, G491"
    ),
    Coupling(
        recordings.MACHINE,
        recordings.Phase.READY,
        assets.MACHINE,
        "finish upload",
        _assets,
        facts=_end_of,
        source="P2 L170, R362, G491",
    ),
    Coupling(recordings.MACHINE, recordings.Phase.FAILED, assets.MACHINE, "fail", _assets, source="R364, G489"),
    # Broadcasts
    Coupling(
        sessions.MACHINE,
        Life.ONGOING,
        broadcast.MACHINE,
        "take session in",
        _broadcast_of,
        facts=_showing,
        source="P2 Broadcast L141",
    ),
    Coupling(sessions.MACHINE, Life.ENDED, broadcast.MACHINE, "lose session", _broadcast_of, source="P2 L72, G569"),
    # Breakout sessions
    Coupling(
        breakouts.MACHINE,
        Phase.ACTIVE,
        breakout_rooms.ROOM,
        "open",
        breakout_relations.rooms,
        source="P2 Breakout L108, G438",
    ),
    Coupling(
        breakouts.MACHINE,
        Phase.ACTIVE,
        assignments.MACHINE,
        "spread",
        assignments.unassigned,
        facts=breakout_relations.next_room,
        source="G436",
    ),
    Coupling(
        breakouts.MACHINE,
        Phase.ACTIVE,
        presence.MACHINE,
        "route",
        breakout_relations.in_event_room,
        facts=breakout_relations.way,
        source="P2 States L166, R355",
    ),
    Coupling(
        sessions.MACHINE,
        Life.ONGOING,
        sessions.MACHINE,
        "belong",
        breakout_relations.without_parent,
        facts=breakout_relations.parent,
        source="P2 Session L67, R288, G432",
    ),
    Coupling(
        sessions.MACHINE,
        Life.ONGOING,
        breakouts.MACHINE,
        "meet the main session",
        breakout_relations.without_main,
        facts=breakout_relations.main,
        source="R457, G432",
    ),
    Coupling(presence.MACHINE, Where.IN_ROOM, sessions.MACHINE, "start", _run_at, source="R288, G369"),
    Coupling(
        presence.MACHINE,
        Where.IN_ROOM,
        sessions.MACHINE,
        "attend",
        _run_at,
        facts=_attending,
        source="R287, R288",
    ),
    *(
        Coupling(presence.MACHINE, gone, lobby.DOOR, "become empty", _left_empty, out_of=(Where.IN,), source="G334")
        for gone in (Where.IN_ROOM, Where.AWAY)
    ),
    *(
        row
        for over in (Phase.COMPLETED, Phase.PREPARED)
        for row in (
            Coupling(
                breakouts.MACHINE,
                over,
                presence.MACHINE,
                "return",
                breakout_relations.in_rooms,
                source="P2 States L166-167, R356, R357",
            ),
            Coupling(
                breakouts.MACHINE,
                over,
                breakout_rooms.ROOM,
                "close",
                breakout_relations.rooms,
                source="R356, R357, G435",
            ),
        )
    ),
    Coupling(
        breakouts.MACHINE, Phase.DELETED, breakout_rooms.ROOM, "drop", breakout_relations.rooms, source="P2 L275, R456"
    ),
    Coupling(
        breakout_rooms.ROOM, State.CLOSED, sessions.MACHINE, "end", breakout_relations.run_in, source="R356, R357"
    ),
    Coupling(breakout_rooms.ROOM, State.DELETED, presence.MACHINE, "return", breakout_relations.in_room, source="G426"),
    Coupling(breakout_rooms.ROOM, State.DELETED, sessions.MACHINE, "end", breakout_relations.run_in, source="G426"),
    Coupling(
        breakout_rooms.ROOM,
        State.DELETED,
        assignments.MACHINE,
        "forget",
        breakout_relations.assigned,
        source="R462, G427",
    ),
    # Phones
    Coupling(presence.MACHINE, Where.AWAY, calls.MACHINE, "hang up", calls.phones, source="G452, R353"),
    Coupling(calls.MACHINE, calls.State.ENDED, presence.MACHINE, "disconnect", calls.arrived, source="G452"),
    Coupling(
        numbers.STANDING,
        numbers.Standing.DISABLED,
        number_assignments.USE,
        "release",
        number_assignments.lines_of,
        source="P2 States L172, R366",
    ),
    Coupling(
        channels.MACHINE,
        channels.Life.EXISTS,
        number_assignments.USE,
        "assign",
        number_assignments.default_lines,
        facts=number_assignments.first_facts,
        out_of=(channels.Life.ABSENT,),
        source="G479",
    ),
    # Users are removed
    Coupling(
        users.MACHINE,
        Account.REMOVED,
        invitations.MACHINE,
        "withdraw",
        lambda change, user: (invitations.slot_of(change, user),),
        source="P2 States L171, R365",
    ),
    Coupling(users.MACHINE, Account.REMOVED, presence.MACHINE, "disconnect", _wherever, source="R365, G542"),
    Coupling(
        users.MACHINE,
        Account.REMOVED,
        assignments.MACHINE,
        "forget",
        breakout_relations.assigned_to,
        source="R365, G542",
    ),
)
