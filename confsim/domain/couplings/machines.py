"""The couplings between machines, in order of execution.

One row for each: when a machine reaches a state, a trigger is fired on the related subjects of another machine, in the
same change, until no trigger is left. A subject that does not admit the trigger is unchanged.
"""

from __future__ import annotations

from functools import partial

from confsim.domain.breakout import assignments, breakout_rooms, breakouts
from confsim.domain.breakout.breakout_rooms import RoomState
from confsim.domain.breakout.breakouts import BreakoutState
from confsim.domain.broadcast import broadcasts
from confsim.domain.channels import channels, switches
from confsim.domain.channels.switches import SwitchState
from confsim.domain.recordings import assets, recordings
from confsim.domain.runtime import lobby, presence, sessions
from confsim.domain.runtime.presence import Where
from confsim.domain.runtime.sessions import SessionState
from confsim.domain.telephony import calls, number_assignments, numbers
from confsim.kernel.influence import Coupling
from confsim.kernel.rows import ABSENT

from . import machines_clients, machines_runtime, related, related_breakout, related_telephony

_recording = partial(Coupling, recordings.MACHINE)
_session = partial(Coupling, sessions.MACHINE)
_event_room_off = partial(Coupling, switches.EVENT_ROOM, SwitchState.OFF)
_breakout = partial(Coupling, breakouts.MACHINE)
_room = partial(Coupling, breakout_rooms.MACHINE)
_in_room = partial(Coupling, presence.MACHINE, Where.IN_ROOM)

_ROOM_OPENS = "P2 Breakout L108, R312, G438"

COUPLINGS: tuple[Coupling, ...] = (
    *machines_clients.COUPLINGS,
    *machines_runtime.COUPLINGS,
    # Recordings
    _recording(
        recordings.RecordingState.PROCESSING,
        assets.MACHINE,
        "create",
        recordings.drafts,
        creates=True,
        source="P2 L170, R362, G491",
    ),
    _recording(
        recordings.RecordingState.READY,
        assets.MACHINE,
        "finish upload",
        related.assets_of,
        facts=related.end_of,
        source="P2 L170, R362, G491",
    ),
    _recording(recordings.RecordingState.FAILED, assets.MACHINE, "fail", related.assets_of, source="R364, G489"),
    _recording(recordings.RecordingState.FAILED, recordings.MACHINE, "remove", related.failed_to_remove, source="G489"),
    # Broadcasts
    _session(
        SessionState.ONGOING,
        broadcasts.MACHINE,
        "take session in",
        related.broadcast_of,
        facts=related.showing,
        source="P2 Broadcast L141",
    ),
    _session(SessionState.ENDED, broadcasts.MACHINE, "lose session", related.broadcast_of, source="P2 L72, G569"),
    Coupling(
        switches.BROADCAST, SwitchState.OFF, broadcasts.MACHINE, "stop", related.disabled_broadcast, source="G526"
    ),
    # Breakout sessions
    *(
        _room(
            state,
            channels.MACHINE,
            "create room",
            related_breakout.new_channel,
            by=by,
            creates=True,
            source=_ROOM_OPENS,
        )
        for state, by in ((RoomState.LIVE, "open"), (RoomState.PLANNED, "make channel"))
    ),
    _room(
        RoomState.LIVE,
        sessions.MACHINE,
        "initialise",
        related_breakout.session_in,
        facts=related_breakout.session_of_room,
        source=_ROOM_OPENS,
    ),
    _session(
        SessionState.INITIALISED,
        breakout_rooms.MACHINE,
        "meet",
        related_breakout.room_at,
        facts=related_breakout.meeting,
        out_of=(ABSENT,),
        source="P2 Breakout L108, R288, R312",
    ),
    *(
        _room(
            state,
            channels.MACHINE,
            "rename",
            related_breakout.channels_of,
            facts=related_breakout.renamed,
            by="rename",
            source="P2 L279, R461",
        )
        for state in RoomState
    ),
    _event_room_off(
        breakouts.MACHINE, "stop", related_breakout.active_in, facts=related_breakout.for_good, source="G354"
    ),
    _event_room_off(breakouts.MACHINE, "delete", related_breakout.deleted_with, source="G354"),
    _breakout(
        BreakoutState.ACTIVE, breakout_rooms.MACHINE, "open", related_breakout.rooms, source="P2 Breakout L108, G438"
    ),
    _breakout(
        BreakoutState.ACTIVE,
        assignments.MACHINE,
        "spread",
        related_breakout.given_rooms,
        creates=True,
        source="G436",
    ),
    _breakout(
        BreakoutState.ACTIVE,
        presence.MACHINE,
        "route",
        related_breakout.in_event_room,
        facts=related_breakout.route_facts,
        source="P2 States L166, R355",
    ),
    _session(
        SessionState.ONGOING,
        sessions.MACHINE,
        "belong",
        related_breakout.without_parent,
        facts=related_breakout.parent,
        source="P2 Session L67, R288, G432",
    ),
    _session(
        SessionState.ONGOING,
        breakouts.MACHINE,
        "meet the main session",
        related_breakout.without_main,
        facts=related_breakout.main,
        source="R457, G432",
    ),
    _in_room(
        sessions.MACHINE,
        "initialise",
        related.session_at,
        facts=related_breakout.session_entered,
        source="P2 Breakout L108, R288, R312",
    ),
    _in_room(sessions.MACHINE, "start", related.session_at, source="R288, G369"),
    _in_room(sessions.MACHINE, "attend", related.session_at, facts=related.attending, source="R287, R288"),
    *(
        Coupling(
            presence.MACHINE, gone, lobby.DOOR, "become empty", related.left_empty, out_of=(Where.IN,), source="G334"
        )
        for gone in (Where.IN_ROOM, ABSENT)
    ),
    *(
        _breakout(
            over,
            breakout_rooms.MACHINE,
            "close",
            related_breakout.rooms,
            out_of=(BreakoutState.ACTIVE,),
            source="R356, R357, G435",
        )
        for over in (BreakoutState.COMPLETED, BreakoutState.PREPARED)
    ),
    _breakout(ABSENT, breakout_rooms.MACHINE, "drop", related_breakout.rooms, source="P2 L275, R456"),
    _room(
        RoomState.CLOSED, presence.MACHINE, "return", related_breakout.in_room, source="P2 States L166-167, R356, R357"
    ),
    _room(RoomState.CLOSED, sessions.MACHINE, "end", related_breakout.session_in, source="R356, R357"),
    _room(ABSENT, presence.MACHINE, "return", related_breakout.in_room, source="G426"),
    _room(ABSENT, sessions.MACHINE, "end", related_breakout.session_in, source="G426"),
    _room(ABSENT, assignments.MACHINE, "forget", related_breakout.assigned, source="R462, G427"),
    # Phones
    Coupling(presence.MACHINE, ABSENT, calls.MACHINE, "hang up", related_telephony.calls_of, source="G452, R353"),
    Coupling(
        calls.MACHINE, calls.CallState.ENDED, presence.MACHINE, "disconnect", related_telephony.caller, source="G452"
    ),
    Coupling(
        numbers.STANDING,
        numbers.NumberState.DISABLED,
        number_assignments.MACHINE,
        "release",
        related_telephony.assignments_of,
        source="P2 States L172, R366",
    ),
    Coupling(
        number_assignments.MACHINE,
        number_assignments.NumberUse.EXCLUSIVE,
        number_assignments.MACHINE,
        "release",
        related_telephony.other_assignments,
        source="P2 L301, R484, R485, G474",
    ),
    Coupling(
        channels.MACHINE,
        channels.ChannelState.EXISTS,
        number_assignments.MACHINE,
        "assign",
        related_telephony.first_assignments,
        creates=True,
        out_of=(ABSENT,),
        source="G479",
    ),
)
