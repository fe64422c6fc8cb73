"""What presences, the audience, sessions, placements and the lobby do to each other and to others."""

from collections.abc import Iterable, Iterator
from functools import partial

from confsim.assumptions import ask, breakout as assumed_breakout, recordings as assumed_recordings
from confsim.assumptions.runtime import (
    presence as assumed_presence,
    sessions as assumed_sessions,
    streaming as assumed_streaming,
)
from confsim.domain import terms
from confsim.domain.breakout import assignments, breakout_rooms, breakouts
from confsim.domain.breakout.breakout_rooms import ROOMS, Room
from confsim.domain.breakout.breakouts import Breakout
from confsim.domain.broadcast import broadcasts
from confsim.domain.broadcast.broadcasts import Broadcast
from confsim.domain.channels import channels, switches
from confsim.domain.channels.channels import Channel
from confsim.domain.clients.clients import Client
from confsim.domain.members import roles
from confsim.domain.members.roles import Host, Role
from confsim.domain.recordings import recordings
from confsim.domain.recordings.recordings import Recording
from confsim.domain.runtime import lobby, occupancy, presence, sessions, streaming
from confsim.domain.runtime.lobby import Door
from confsim.domain.runtime.occupancy import Occupancy
from confsim.domain.runtime.presence import Presence, Where
from confsim.domain.runtime.sessions import Session, SessionState
from confsim.domain.runtime.streaming import Placed, Placement
from confsim.domain.telephony import calls
from confsim.domain.telephony.calls import CALLS, CallState, PhoneCall
from confsim.domain.users.users import USERS
from confsim.kernel import ABSENT, EXISTS, Call, Change, Coupling, OnOff

from .breakout import session_of_room

# Users join a channel, or move to a breakout room

_joined = partial(Coupling, presence.MACHINE, Where.IN, out_of=(ABSENT, Where.WAITING))
_in_room = partial(Coupling, presence.MACHINE, Where.IN_ROOM, by=presence.route)
_back = partial(Coupling, presence.MACHINE, Where.IN, out_of=(Where.IN_ROOM,))


def _one_more(change: Change, present: Presence) -> Iterator[Call[Occupancy]]:
    """The occupancy of the channel."""
    occupied = occupancy.find(change, present.client, present.channel)
    yield occupancy.enter.on(occupied, present.client, present.channel)


_joined(occupancy.enter, _one_more, source="G327")


def session_at(change: Change, present: Presence) -> Session | None:
    """The open session of the channel in which the user is connected, or None."""
    return sessions.find_open(change, present.client, present.place or present.channel)


def _attended(change: Change, present: Presence) -> Iterator[Call[Session]]:
    """The session in which the user is connected."""
    yield sessions.attend.on(session_at(change, present), USERS.of(change, present.client)[present.user])


_joined(sessions.attend, _attended, source="P2 Session L64, R287")


def _elsewhere(change: Change, present: Presence) -> Iterator[Presence]:
    """The presences of the user in other channels, where one who enters a channel leaves the others."""
    found = presence.PRESENCES.where(change, presence.BY_USER, present.user, present.client)
    if len(found) > 1 and ask(change, assumed_presence.ELSEWHERE) == "leaves":
        yield from (other for other in presence.current(change, found) if other.channel != present.channel)


_joined(presence.DISCONNECT, _elsewhere, source="G327")


def _latecomer(change: Change, present: Presence) -> Iterable[Call[Presence]]:
    """The presence that has just joined, when it has an open room assigned (G437)."""
    return assignments.routed(change, present) if ask(change, assumed_breakout.LATECOMERS) == "route" else ()


_joined(presence.route, _latecomer, source="G437")


def _entered(change: Change, present: Presence) -> Iterator[Call[Session]]:
    """The session of the room in which the user is, to begin when there is none."""
    room = ROOMS.of(change, present.client)[present.room or ""]
    yield session_of_room(change, room, session_at(change, present))


def _of_place(change: Change, present: Presence) -> Iterator[Session | None]:
    """The session in which the user is connected."""
    yield session_at(change, present)


_in_room(sessions.initialise, _entered, source="P2 Breakout L108, R288, R312")
_in_room(sessions.START, _of_place, source="R288, G369")
_in_room(sessions.attend, _attended, source="R287, R288")
_back(sessions.COUNT, _of_place, source="P2 Session L64, R356, R357")

# Users leave

_left = partial(Coupling, presence.MACHINE, ABSENT, out_of=(Where.IN, Where.IN_ROOM))
_sent_to_the_lobby = partial(Coupling, presence.MACHINE, Where.WAITING, out_of=(Where.IN,))


def _one_fewer(change: Change, present: Presence) -> Iterator[Occupancy | None]:
    """The occupancy of the channel."""
    yield occupancy.find(change, present.client, present.channel)


def _without_hosts(change: Change, present: Presence) -> Iterator[Session]:
    """The session of the channel that its last host has left, where it ends then."""
    channel = channels.get(change, present.client, present.channel)
    session = sessions.find_active(change, channel)
    if session is None or roles.find(change, channel, present.user) is None:
        return
    inside = [each for each in presence.list_present(change, channel) if each.state is not Where.WAITING]
    hosted = any(presence.hosts(change, each) for each in inside)
    if inside and not hosted and ask(change, assumed_sessions.LAST_HOST) == "ends":
        yield session


def _same(change: Change, present: Presence) -> Iterable[Presence]:
    """The presence itself, as it is then."""
    return presence.current(change, (present,))


def _left_empty(change: Change, present: Presence) -> Iterator[Channel]:
    """The event room that became empty, where users in its breakout rooms do not count (G334)."""
    if not occupancy.occupants(change, present.client, present.channel):
        return  # it is empty either way
    channel = channels.get(change, present.client, present.channel)
    if not presence.count_inside(change, channel) and ask(change, assumed_presence.CHANNEL_EMPTY) == "channel":
        yield channel


def _deserted(change: Change, present: Presence) -> Iterator[Session]:
    """The sessions of open rooms of the event room in which nobody is left, where they end with their last user."""
    breakout = breakouts.find_active(change, channels.get(change, present.client, present.channel))
    if breakout is None or ask(change, assumed_breakout.ROOM_SESSIONS) != "when-empty":
        return
    for room in breakout_rooms.list_(change, breakout):
        session = None if room.place is None else sessions.find_open(change, room.client, room.place)
        if session is not None and session.grace_ends is None and not presence.count_at(change, session):
            yield session


def _calls_of(change: Change, present: Presence) -> Iterator[PhoneCall]:
    """The calls by which a user who left was in the channel."""
    rows = CALLS.of(change, present.client)
    for found in rows.where(calls.OPEN, present.user):
        call = rows[found.id]
        if call.channel == present.channel and call.state is CallState.ANSWERED:
            yield call


def _parted(change: Change, present: Presence) -> Iterator[Call[Session]]:
    """The session that the user leaves, with the handle of that moment."""
    user = USERS.get(change, present.user, present.client)
    place = present.place or present.channel
    for part in sessions.ATTENDANCES.where(change, sessions.CHANNEL_PARTICIPANT, (place, present.user), present.client):
        if user is not None and part.left_as is None:
            session = sessions.get(change, present.client, part.session)
            yield sessions.keep_handle.on(session, part, user.handle)


Coupling(presence.MACHINE, ABSENT, sessions.keep_handle, _parted, source="G372, G446")
_left(occupancy.LEAVE, _one_fewer, source="G327")
_left(sessions.END, _without_hosts, source="G359")
_sent_to_the_lobby(occupancy.LEAVE, _one_fewer, source="G331, G328")
_sent_to_the_lobby(presence.REVOKE, _same, source="G331, G328")
for gone in (Where.IN_ROOM, ABSENT):
    Coupling(presence.MACHINE, gone, lobby.BECOME_EMPTY, _left_empty, out_of=(Where.IN,), source="G334")
for gone in (Where.IN_ROOM, Where.IN, ABSENT):
    Coupling(
        *(presence.MACHINE, gone, sessions.BECOME_EMPTY, _deserted),
        out_of=(Where.IN_ROOM,),
        by=presence.route if gone is Where.IN_ROOM else None,
        source="G359, G438",
    )
Coupling(presence.MACHINE, ABSENT, calls.hang_up, _calls_of, source="G452, R353")

# A channel is occupied, or becomes empty

_occupied = partial(Coupling, occupancy.OCCUPIED, EXISTS)
_emptied = partial(Coupling, occupancy.OCCUPIED, ABSENT)


def _placed(change: Change, occupied: Occupancy) -> Iterator[Call[Placement]]:
    """The placement of the channel."""
    found = streaming.find(change, occupied.client, occupied.channel)
    yield streaming.hosted.on(found, Placement(occupied.channel, occupied.client))


def _new_session(change: Change, record: Occupancy | Placement) -> Iterator[Call[Session]]:
    """The session of the channel, without a parent, to begin when there is none."""
    session = sessions.find_open(change, record.client, record.channel)
    yield sessions.initialise.on(session, channels.get(change, record.client, record.channel), None)


def _session_of(change: Change, occupied: Occupancy) -> Iterator[Session | None]:
    """The open session of the channel."""
    yield sessions.find_open(change, occupied.client, occupied.channel)


def _channel_of(change: Change, occupied: Occupancy) -> Iterator[Channel]:
    """The channel."""
    yield channels.get(change, occupied.client, occupied.channel)


def _lingering(change: Change, occupied: Occupancy) -> Iterator[Session | None]:
    """The open session of the channel; how long it lasts is asked even when there is none."""
    sessions.grace(change)
    yield from _session_of(change, occupied)


_occupied(streaming.hosted, _placed, source="G349, G359")
_occupied(sessions.initialise, _new_session, source="R285, G350")
_occupied(sessions.START, _session_of, source="R285, G359")
_emptied(lobby.BECOME_EMPTY, _channel_of, source="P2 States L158, R342")
_emptied(sessions.BECOME_EMPTY, _lingering, source="G359")

# A channel is placed on a streaming server


def _session_of_base(change: Change, placement: Placement) -> Iterator[Call[Session]]:
    """The session of a base channel; that of a room is made when the room opens, not when it is placed."""
    channel = channels.get(change, placement.client, placement.channel)
    if channel.parent is None and ask(change, assumed_streaming.PLACED_SESSION):
        yield from _new_session(change, placement)


Coupling(streaming.MACHINE, Placed.HOSTED, sessions.initialise, _session_of_base, source="P2 L69, G350")

# The lobby


def _waiting(change: Change, channel: Channel) -> Iterator[Call[Presence]]:
    """Waiting presences, if the profile admits them when the door opens; else nothing."""
    if ask(change, assumed_presence.LOBBY_ON_OPEN) == "admit":
        for present in presence.current(change, presence.waiting(change, channel)):
            yield presence.let_in.on(present, channel)


def _attendees(change: Change, channel: Channel) -> Iterator[Presence]:
    """The presences inside that are not hosts, if the profile moves them to the lobby when the door closes."""
    if ask(change, assumed_presence.LOBBY_ON_CLOSE) == "lobby":
        inside = presence.current(change, presence.inside(change, channel))
        yield from (present for present in inside if not presence.hosts(change, present))


def _empty_already(change: Change, channel: Channel) -> Iterator[Channel]:
    """The channel, when no user is in it and that counts as becoming empty."""
    if not occupancy.occupants(change, channel.client, channel.id) and ask(change, assumed_presence.AUTO_CLOSE_EMPTY):
        yield channel


def _new_host(change: Change, host: Host) -> Iterator[Call[Presence]]:
    """The presence of a new host in the lobby, if the profile lets hosts enter."""
    channel = channels.get(change, host.client, host.channel)
    present = presence.find(change, channel, host.user)
    waits = present is not None and present.state is Where.WAITING
    if waits and ask(change, assumed_presence.LOBBY_HOSTS) == "enter":
        yield presence.let_in.on(present, channel)


def _refused(change: Change, channel: Channel) -> Iterator[Presence]:
    """Waiting presences that the channel no longer lets in, if the profile says that they leave then."""
    if channel.parent is None and ask(change, assumed_presence.LOBBY_RULES) == "leave":
        yield from presence.refused(change, channel)


def _refused_by_terms(change: Change, client: Client) -> Iterator[Presence]:
    """The same, in every channel of a client with new terms."""
    if ask(change, assumed_presence.LOBBY_RULES) == "leave":
        for channel in channels.CHANNELS.of(change, client.id).all:
            yield from presence.refused(change, channel)


def _too_many(change: Change, channel: Channel) -> Iterator[Presence]:
    """The presenters beyond the limit, the latest to join first, where a limit takes the status from them."""
    found = presence.PRESENCES.where(change, occupancy.PRESENTERS, channel.id, channel.client)
    excess = found[channel.presenters_limit or 0 :]
    if excess and ask(change, assumed_presence.LOWERED_LIMIT) == "revoked":
        yield from presence.current(change, reversed(excess))


Coupling(switches.LIMIT, switches.Limit.LIMITED, presence.REVOKE, _too_many, by=switches.limit_to, source="G339")
Coupling(lobby.DOOR, Door.OPEN, presence.let_in, _waiting, source="R339, G329")
for role in Role:
    Coupling(roles.MACHINE, role, presence.let_in, _new_host, out_of=(ABSENT,), source="G330, G538")
Coupling(switches.GUEST_ACCESS, OnOff.OFF, presence.DISCONNECT, _refused, source="G227")
Coupling(switches.DIAL_IN, OnOff.OFF, presence.DISCONNECT, _refused, source="G467")
Coupling(terms.DOCUMENT, EXISTS, presence.DISCONNECT, _refused_by_terms, by=terms.promulgate, source="G177")
Coupling(lobby.DOOR, Door.CLOSED, presence.SEND_TO_LOBBY, _attendees, source="G331")
Coupling(lobby.AUTO_CLOSE, OnOff.ON, lobby.BECOME_EMPTY, _empty_already, source="G333")

# A session begins

_ongoing = partial(Coupling, sessions.MACHINE, SessionState.ONGOING)


def _met_in(change: Change, session: Session) -> Iterator[Call[Room]]:
    """The room in whose channel the session runs; none for a session of a base channel."""
    room = ROOMS.one(change, breakout_rooms.BY_PLACE, session.channel, session.client)
    if room is not None:
        yield breakout_rooms.meet.on(room, session.id)


def _broadcast_of(change: Change, session: Session) -> Broadcast | None:
    return broadcasts.find_open(change, session.client, session.channel)


def _showing(change: Change, session: Session) -> Iterator[Call[Broadcast]]:
    """The broadcast of the channel."""
    yield broadcasts.take_session_in.on(_broadcast_of(change, session), session.id)


def _without_parent(change: Change, session: Session) -> Iterator[Call[Session]]:
    """The open sessions of its rooms, where their parent is that of the event room."""
    if ask(change, assumed_sessions.PARENT) == "event-session":
        for breakout in _without_main(change, session):
            for room in breakout_rooms.list_(change, breakout):
                if room.place is not None:
                    below = sessions.find_open(change, room.client, room.place)
                    yield sessions.belong.on(below, session.id)


def _without_main(change: Change, session: Session) -> Iterator[Breakout]:
    """The breakout session that was started before any user was in the event room (G432)."""
    running = breakouts.BREAKOUTS.one(change, breakouts.ACTIVE, session.channel, session.client)
    if running is not None and running.main is None:
        yield running


def _meeting_main(change: Change, session: Session) -> Iterator[Call[Breakout]]:
    """The breakout session whose main session it becomes."""
    for breakout in _without_main(change, session):
        yield breakouts.meet_main.on(breakout, session.id)


Coupling(
    *(sessions.MACHINE, SessionState.INITIALISED, breakout_rooms.meet, _met_in),
    out_of=(ABSENT,),
    source="P2 Breakout L108, R288, R312",
)
_ongoing(broadcasts.take_session_in, _showing, source="P2 Broadcast L141")
_ongoing(sessions.belong, _without_parent, source="P2 Session L67, R288, G432")
_ongoing(breakouts.meet_main, _meeting_main, source="R457, G432")

# A session ends

_ended = partial(Coupling, sessions.MACHINE, SessionState.ENDED)


def _connected(change: Change, session: Session) -> Iterator[Presence]:
    """The presences in the channel, its rooms and its lobby, unless these keep waiting; of a room those inside."""
    channel = channels.get(change, session.client, session.channel)
    if channel.parent is not None:
        yield from presence.current(change, presence.inside(change, channel))
        return
    for present in presence.current(change, presence.list_present(change, channel)):
        if present.state is not Where.WAITING or ask(change, assumed_presence.LOBBY_ENDS) == "disconnect":
            yield present


def _placement_of(change: Change, session: Session) -> Iterator[Placement | None]:
    """The placement of the channel."""
    yield streaming.find(change, session.client, session.channel)


def _recording_of(change: Change, session: Session) -> Iterator[Recording | None]:
    """The recording of the channel, where it stops with the session."""
    if ask(change, assumed_recordings.SESSION_ENDS) == "stops":
        yield recordings.find_running(change, session.client, session.channel)


def _breakout_of(change: Change, session: Session) -> Iterator[Breakout]:
    """The breakout session that runs in the session, where it does not outlast it (G440)."""
    running = breakouts.find_active(change, channels.get(change, session.client, session.channel))
    if running is not None and ask(change, assumed_breakout.MAIN_ENDS) == "completes":
        yield running


def _shown_by(change: Change, session: Session) -> Iterator[Broadcast | None]:
    """The broadcast of the channel."""
    yield _broadcast_of(change, session)


_ended(presence.DISCONNECT, _connected, by=sessions.END, source="P2 States L164, R353")
_ended(streaming.RELEASE, _placement_of, source="G349")
_ended(recordings.LOSE_SESSION, _recording_of, source="P2 L7, R557, G487, G365")
_ended(breakouts.LOSE_MAIN, _breakout_of, source="G440, G365")
_ended(broadcasts.LOSE_SESSION, _shown_by, source="P2 L72, G569")
