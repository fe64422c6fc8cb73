"""The couplings: which machine moves which other one, in the order in which it happens.

One row for each: when a machine comes to a state, an event is fired on the related subjects of another machine, in the
same change, until nothing moves any more. A subject that does not admit the event stays as it is.
"""

from __future__ import annotations

from confsim.kernel.machine import Coupling

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
    relations,
    sessions,
    streaming,
    users,
)
from .breakout_rooms import State
from .breakouts import Phase
from .lobby import AutoClose, Door
from .presence import Audience, Where
from .sessions import Life
from .streaming import Placed
from .users import Account

_CAME = (Where.AWAY, Where.WAITING)

COUPLINGS: tuple[Coupling, ...] = (
    # Users come
    Coupling(presence.MACHINE, Where.IN, presence.AUDIENCE, "enter", relations.crowd, out_of=_CAME, source="G327"),
    Coupling(
        presence.MACHINE,
        Where.IN,
        sessions.MACHINE,
        "attend",
        relations.run_at,
        facts=relations.attending,
        out_of=_CAME,
        source="P2 Session L64, R287",
    ),
    Coupling(
        presence.AUDIENCE, Audience.OCCUPIED, streaming.MACHINE, "place", relations.placement, source="G349, G359"
    ),
    Coupling(
        presence.AUDIENCE, Audience.OCCUPIED, sessions.MACHINE, "initialise", relations.run_of, source="R285, G350"
    ),
    Coupling(presence.AUDIENCE, Audience.OCCUPIED, sessions.MACHINE, "start", relations.run_of, source="R285, G359"),
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
    Coupling(
        streaming.MACHINE, Placed.HOSTED, sessions.MACHINE, "initialise", relations.run_of_base, source="P2 L69, G350"
    ),
    # Users go
    Coupling(
        presence.MACHINE,
        Where.AWAY,
        presence.AUDIENCE,
        "leave",
        relations.crowd,
        out_of=(Where.IN, Where.IN_ROOM),
        source="G327",
    ),
    Coupling(
        presence.MACHINE,
        Where.WAITING,
        presence.AUDIENCE,
        "leave",
        relations.crowd,
        out_of=(Where.IN,),
        source="G331, G328",
    ),
    Coupling(
        presence.AUDIENCE, Audience.EMPTY, lobby.DOOR, "become empty", relations.channel, source="P2 States L158, R342"
    ),
    Coupling(
        presence.AUDIENCE,
        Audience.EMPTY,
        sessions.MACHINE,
        "become empty",
        relations.run_of,
        facts=lambda change, crowd, run: sessions.ending(change),
        source="G359",
    ),
    # The lobby
    Coupling(
        lobby.DOOR, Door.OPEN, presence.MACHINE, "admit", relations.waiting, facts=relations.fits, source="R339, G329"
    ),
    Coupling(lobby.DOOR, Door.CLOSED, presence.MACHINE, "send to the lobby", relations.attendees, source="G331"),
    Coupling(lobby.AUTO_CLOSE, AutoClose.ON, lobby.DOOR, "become empty", relations.empty_already, source="G333"),
    # A session ends
    Coupling(
        sessions.MACHINE, Life.ENDED, presence.MACHINE, "disconnect", relations.connected, source="P2 States L164, R353"
    ),
    Coupling(sessions.MACHINE, Life.ENDED, streaming.MACHINE, "release", relations.placement, source="G349"),
    Coupling(
        sessions.MACHINE,
        Life.ENDED,
        recordings.MACHINE,
        "lose session",
        relations.recording_of,
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
        recordings.MACHINE,
        recordings.Phase.PROCESSING,
        assets.MACHINE,
        "create",
        relations.drafts,
        source="P2 L170, R362, G491",
    ),
    Coupling(
        recordings.MACHINE,
        recordings.Phase.READY,
        assets.MACHINE,
        "finish upload",
        relations.assets_of,
        facts=relations.end_of,
        source="P2 L170, R362, G491",
    ),
    Coupling(
        recordings.MACHINE, recordings.Phase.FAILED, assets.MACHINE, "fail", relations.assets_of, source="R364, G489"
    ),
    # Broadcasts
    Coupling(
        sessions.MACHINE,
        Life.ONGOING,
        broadcast.MACHINE,
        "take session in",
        relations.broadcast_of,
        facts=relations.showing,
        source="P2 Broadcast L141",
    ),
    Coupling(
        sessions.MACHINE, Life.ENDED, broadcast.MACHINE, "lose session", relations.broadcast_of, source="P2 L72, G569"
    ),
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
    Coupling(
        presence.MACHINE,
        Where.IN_ROOM,
        breakout_rooms.ROOM,
        "resume",
        breakout_relations.without_session,
        source="P2 Breakout L108, R288, R312",
    ),
    Coupling(presence.MACHINE, Where.IN_ROOM, sessions.MACHINE, "start", relations.run_at, source="R288, G369"),
    Coupling(
        presence.MACHINE,
        Where.IN_ROOM,
        sessions.MACHINE,
        "attend",
        relations.run_at,
        facts=relations.attending,
        source="R287, R288",
    ),
    *(
        Coupling(
            presence.MACHINE, gone, lobby.DOOR, "become empty", relations.left_empty, out_of=(Where.IN,), source="G334"
        )
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
                out_of=(Phase.ACTIVE,),
                source="P2 States L166-167, R356, R357",
            ),
            Coupling(
                breakouts.MACHINE,
                over,
                breakout_rooms.ROOM,
                "close",
                breakout_relations.rooms,
                out_of=(Phase.ACTIVE,),
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
    Coupling(users.MACHINE, Account.REMOVED, presence.MACHINE, "disconnect", relations.wherever, source="R365, G542"),
    Coupling(
        users.MACHINE,
        Account.REMOVED,
        assignments.MACHINE,
        "forget",
        breakout_relations.assigned_to,
        source="R365, G542",
    ),
)
