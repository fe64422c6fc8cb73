"""What breakout sessions, their rooms and event rooms do to each other and to others."""

from collections.abc import Iterator

from confsim.assumptions import ask, breakout as assumed
from confsim.assumptions.runtime import sessions as assumed_sessions
from confsim.domain.breakout import assignments, breakout_rooms, breakouts
from confsim.domain.breakout.breakout_rooms import Room, RoomAssignment, RoomState
from confsim.domain.breakout.breakouts import Breakout, BreakoutState
from confsim.domain.channels import channels, switches
from confsim.domain.channels.channels import Channel
from confsim.domain.runtime import presence, sessions
from confsim.domain.runtime.entrance import Entrant
from confsim.domain.runtime.presence import Presence
from confsim.domain.runtime.sessions import Session
from confsim.kernel import ABSENT, Call, Change, Coupling, OnOff

# An event room is switched off


def active_in(change: Change, channel: Channel) -> Iterator[Breakout]:
    """The active breakout session of the channel."""
    running = breakouts.find_active(change, channel)
    if running is not None:
        yield running


def _deleted_with(change: Change, channel: Channel) -> Iterator[Breakout]:
    """The breakout sessions of a channel that is no longer an event room, where they are deleted then (G354)."""
    if ask(change, assumed.EVENT_ROOM_OFF) == "delete":
        yield from breakouts.list_of_channel(change, channel)


Coupling(breakouts.EVENT_ROOM, OnOff.OFF, breakouts.STOP_FOR_GOOD, active_in, source="G354")
Coupling(breakouts.EVENT_ROOM, OnOff.OFF, breakouts.DELETE, _deleted_with, source="G354")

# The features of an event room are switched


def _following(change: Change, channel: Channel) -> Iterator[Channel]:
    """The channels of the rooms of an event room, where their features follow it (G438)."""
    rooms = channels.list_rooms(change, channel)
    if rooms and ask(change, assumed.ROOM_SETTINGS) == "event-room":
        yield from rooms


for feature in (
    *(switches.SPEECH2TEXT, switches.MIDI, switches.DIAL_IN, switches.DIAL_OUT),
    *(switches.GUEST_ACCESS, switches.WALL),
):
    for reached, trigger in zip(feature.states, (feature.on, feature.off), strict=True):
        Coupling(feature, reached, trigger, _following, source="G438")

# A breakout session starts, and ends


def _spread(change: Change, breakout: Breakout) -> Iterator[Call[RoomAssignment]]:
    """The room for each user in the event room without an assignment (G436)."""
    for present in assignments.list_unassigned(change, breakout):
        room = assignments.emptiest_room(change, breakout)
        yield assignments.SPREAD.of(assignments.to_room(room, present.user))


def _in_event_room(change: Change, breakout: Breakout) -> Iterator[Call[Presence]]:
    """The presences in the event room with an open room assigned."""
    event_room = channels.get(change, breakout.client, breakout.channel)
    for present in presence.current(change, presence.inside(change, event_room)):
        yield from assignments.routed(change, present)


_STARTED, _OUT_OF = BreakoutState.ACTIVE, (BreakoutState.ACTIVE,)

Coupling(breakouts.MACHINE, _STARTED, breakout_rooms.OPEN, breakout_rooms.list_, source="P2 Breakout L108, G438")
Coupling(breakouts.MACHINE, _STARTED, assignments.SPREAD, _spread, source="G436")
Coupling(breakouts.MACHINE, _STARTED, presence.route, _in_event_room, source="P2 States L166, R355")
for over in (BreakoutState.COMPLETED, BreakoutState.PREPARED):
    Coupling(
        breakouts.MACHINE, over, breakout_rooms.CLOSE, breakout_rooms.list_, out_of=_OUT_OF, source="R356, R357, G435"
    )
Coupling(breakouts.MACHINE, ABSENT, breakout_rooms.DROP, breakout_rooms.list_, source="P2 L275, R456")

# A room opens


def _new_channel(change: Change, room: Room) -> Iterator[Call[Channel]]:
    """The channel of the room, below the event room, when it does not exist yet."""
    if room.place is not None and channels.find(change, room.client, room.place) is None:
        yield channels.create_room.of(room.place, channels.get(change, room.client, room.channel), room.name)


def session_of_room(change: Change, room: Room, session: Session | None) -> Call[Session]:
    """The session in the channel of the room, to begin when there is none, with its parent (R288, G369)."""
    assert room.place is not None
    main = sessions.find_active(change, channels.get(change, room.client, room.channel))
    parents = {"event-session": main.id if main else None, "breakout-session": room.breakout, "absent": None}
    place = channels.get(change, room.client, room.place)
    return sessions.initialise.on(session, place, parents[ask(change, assumed_sessions.PARENT)])


def _session_in(change: Change, room: Room) -> Iterator[Session | None]:
    """The open session of the room."""
    if room.place is not None:
        yield sessions.find_open(change, room.client, room.place)


def _new_session(change: Change, room: Room) -> Iterator[Call[Session]]:
    """The session of the room, to begin when there is none."""
    for session in _session_in(change, room):
        yield session_of_room(change, room, session)


_OPENS = "P2 Breakout L108, R312, G438"

for state, by in ((RoomState.LIVE, breakout_rooms.OPEN), (RoomState.PLANNED, breakout_rooms.MAKE_CHANNEL)):
    Coupling(breakout_rooms.MACHINE, state, channels.create_room, _new_channel, by=by, source=_OPENS)
Coupling(breakout_rooms.MACHINE, RoomState.LIVE, sessions.initialise, _new_session, source=_OPENS)

# A room is renamed


def _renamed(change: Change, room: Room) -> Iterator[Call[Channel]]:
    """The channel of the room, if it has one; names of rooms need not be unique."""
    if room.place is not None:
        yield channels.set_name.on(channels.get(change, room.client, room.place), room.name)


for state in RoomState:
    Coupling(
        *(breakout_rooms.MACHINE, state, channels.set_name, _renamed),
        by=breakout_rooms.rename,
        source="P2 L279, R461",
    )

# A room closes, or is removed


def _returning(change: Change, room: Room) -> Iterator[Presence]:
    """The presences in the room, who return to the event room."""
    if room.place is not None:
        inside = presence.inside(change, channels.get(change, room.client, room.place))
        for present in presence.current(change, inside):
            if assignments.moves(change, present, Entrant.RETURNING):
                yield present


_CLOSED = RoomState.CLOSED

Coupling(breakout_rooms.MACHINE, _CLOSED, presence.RETURN, _returning, source="P2 States L166-167, R356, R357")
Coupling(breakout_rooms.MACHINE, _CLOSED, sessions.END, _session_in, source="R356, R357")
Coupling(breakout_rooms.MACHINE, ABSENT, presence.RETURN, _returning, source="G426")
Coupling(breakout_rooms.MACHINE, ABSENT, sessions.END, _session_in, source="G426")
Coupling(breakout_rooms.MACHINE, ABSENT, assignments.FORGET, breakout_rooms.list_assigned, source="R462, G427")
