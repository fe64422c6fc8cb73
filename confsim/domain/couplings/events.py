"""Events and mail: which transitions emit which event, with which payload, and which fields of records are told of.

A line says what is told when a machine reaches a state. What was told to begin is told to end by another line.
"""

from collections.abc import Callable, Mapping
from enum import Enum
from functools import partial
from operator import attrgetter
from typing import Any

from confsim.assumptions.events import EventKind as Kind
from confsim.domain import terms
from confsim.domain.breakout import assignments, breakout_rooms, breakouts
from confsim.domain.breakout.breakout_rooms import RoomAssignment
from confsim.domain.breakout.breakouts import BREAKOUTS, BreakoutState
from confsim.domain.broadcast import broadcasts
from confsim.domain.broadcast.broadcasts import BroadcastState
from confsim.domain.channels import channels
from confsim.domain.channels.channels import CHANNELS, ROOMS, Channel
from confsim.domain.clients import clients
from confsim.domain.clients.clients import Client, ServiceState
from confsim.domain.events import event_log
from confsim.domain.events.event_log import Payload, emit
from confsim.domain.media import media
from confsim.domain.media.media import MediaAsset, Visibility
from confsim.domain.members import roles
from confsim.domain.members.roles import Host, Role
from confsim.domain.recordings import downloads, recordings
from confsim.domain.recordings.recordings import Recording, RecordingState
from confsim.domain.runtime import lobby, presence, sessions
from confsim.domain.runtime.lobby import Door
from confsim.domain.runtime.presence import Presence, Status, Where
from confsim.domain.runtime.sessions import SESSIONS, Session, SessionState
from confsim.domain.telephony import calls
from confsim.domain.telephony.calls import CallState
from confsim.domain.users import emails, users
from confsim.domain.users.emails import EmailState
from confsim.domain.users.users import USERS, Account
from confsim.kernel import ABSENT, AT_END, EXISTS, Change, Coupling, Machine, Record, Table, Trigger


def _emits(
    kind: Kind,
    when: Machine[Any, Any],
    reaches: Enum,
    payload: Callable[[Change, Any], Payload | None],
    *,
    of: Callable[[Any], bool] | None = None,
    out_of: tuple[Enum, ...] | None = None,
    by: Trigger[Any, ...] | None = None,
    as_it_was: bool = False,
    late: bool = False,
) -> None:
    """Emit an event about the record, only about those for which ``of`` is true.

    It describes the record, or what this was before (``as_it_was``); now, or ``late`` at the end of the change, when
    what the record is in has begun or is gone. Without a payload nothing is told.
    """
    client_of = attrgetter("id" if when.record is Client else "client")

    def notify(change: Change, record: Any, before: Any) -> None:
        told = before if as_it_was else record
        if of is None or of(told):
            emit(change, client_of(told), kind, partial(payload, change, told), late=late)

    Coupling(when, reaches, None, notify, out_of=out_of, by=by)


def _fields(**names: str) -> Callable[[Change, Any], Payload]:
    """The payload of fields of the record, by their names in the payload; states are told by their words."""

    def payload(change: Change, record: Any) -> Payload:
        values = {shown: getattr(record, field) for shown, field in names.items()}
        return {shown: value.value if isinstance(value, Enum) else value for shown, value in values.items()}

    return payload


def _of_event_room(change: Change, client: str, id: str) -> Payload:
    """The event room of a channel that is a breakout room."""
    channel = channels.find(change, client, id)
    return {} if channel is None or channel.parent is None else {"eventRoom": channel.parent}


def _session(change: Change, session: Session) -> Payload:
    return {
        "channel": session.channel,
        "session": session.id,
        **_of_event_room(change, session.client, session.channel),
    }


_emits(Kind.SESSION_STARTED, sessions.MACHINE, SessionState.ONGOING, _session)
_emits(Kind.SESSION_ENDED, sessions.MACHINE, SessionState.ENDED, _session, out_of=(SessionState.ONGOING,))


def _who(change: Change, client: str, user: int) -> Payload:
    """A user, who may have been removed in this change."""
    found = USERS.get(change, user, client) or USERS.seen(change.world, client).get(user)
    return {"user": user, "handle": "" if found is None else found.handle}


def _session_of(change: Change, present: Presence) -> Session | None:
    """The session in which the user is, or was until it ended in this change; that of the channel for one who waits."""
    place = present.place or present.channel
    session = sessions.find_open(change, present.client, place)
    if session is None and present.place is not None:
        ended = SESSIONS.where(change, sessions.BY_CHANNEL, place, present.client)
        session = ended[-1] if ended else None
    return None if session is None or session.started is None else session


def _participant(change: Change, present: Presence) -> Payload:
    session = _session_of(change, present)
    return {
        "channel": present.channel,
        **_who(change, present.client, present.user),
        "byPhone": present.by_phone,
        **({} if session is None else {"session": session.id}),
        **({} if present.room is None else {"room": present.room}),
    }


def _presenter(change: Change, present: Presence) -> Payload:
    return {**_participant(change, present), "presenter": present.presenter}


def _is_inside(present: Presence) -> bool:
    return present.state is not Where.WAITING


_WAITING, _IN, _IN_ROOM = Where
_INSIDE = (_IN, _IN_ROOM)
_came = partial(_emits, when=presence.MACHINE, payload=_participant, late=True)
_went = partial(_emits, when=presence.MACHINE, payload=_participant, as_it_was=True)

for reached in (_IN, ABSENT):
    _went(Kind.PARTICIPANT_WAITED, reaches=reached, out_of=(_WAITING,))
_went(Kind.ROOM_LEFT, reaches=_IN_ROOM, out_of=(_IN_ROOM,), by=presence.route)
for reached in (_IN, ABSENT):
    _went(Kind.ROOM_LEFT, reaches=reached, out_of=(_IN_ROOM,))
for reached in (ABSENT, _WAITING):
    _went(Kind.PARTICIPANT_LEFT, reaches=reached, out_of=_INSIDE)
_came(Kind.PARTICIPANT_JOINED, reaches=_IN, out_of=(ABSENT, _WAITING))
_came(Kind.ROOM_ENTERED, reaches=_IN_ROOM, by=presence.route)
_came(Kind.PARTICIPANT_WAITING, reaches=_WAITING)
for status in Status:
    _emits(Kind.PRESENTER_CHANGED, presence.PRESENTER, status, _presenter, of=_is_inside)


def _is_no_room(channel: Channel) -> bool:
    """Whether it is no room of an event room: such a room follows its breakout session, and no call opens its door."""
    return channel.parent is None


_lobby = _fields(channel="id")

_emits(Kind.LOBBY_OPENED, lobby.DOOR, Door.OPEN, _lobby, of=_is_no_room)
_emits(Kind.LOBBY_CLOSED, lobby.DOOR, Door.CLOSED, _lobby, of=_is_no_room)


_breakout = _fields(channel="channel", breakoutSession="id")
_STARTED = (BreakoutState.ACTIVE,)

_emits(Kind.BREAKOUT_STARTED, breakouts.MACHINE, BreakoutState.ACTIVE, _breakout)
_emits(Kind.BREAKOUT_ENDED, breakouts.MACHINE, BreakoutState.COMPLETED, _breakout)
_emits(Kind.BREAKOUT_ENDED, breakouts.MACHINE, BreakoutState.PREPARED, _breakout, out_of=_STARTED)


def _assignment(change: Change, assignment: RoomAssignment, *, ended: bool = False) -> Payload | None:
    """The room of a user; None for an assignment that goes with its breakout session."""
    breakout = BREAKOUTS.get(change, assignment.breakout, assignment.client)
    if breakout is None:
        return None
    return {
        **_breakout(change, breakout),
        **_who(change, assignment.client, assignment.user),
        **({} if ended else {"room": assignment.room}),
    }


_reassigned = partial(_emits, Kind.ASSIGNMENT_CHANGED, assignments.ASSIGNED, late=True)

_reassigned(EXISTS, _assignment, out_of=(ABSENT,))
_reassigned(EXISTS, _assignment, by=assignments.assign_another)
_reassigned(ABSENT, partial(_assignment, ended=True))


_broadcast = _fields(channel="channel", broadcast="id")
_RUNNING = BroadcastState.RUNNING

_emits(Kind.BROADCAST_STARTED, broadcasts.MACHINE, _RUNNING, _broadcast)
_emits(Kind.BROADCAST_STOPPED, broadcasts.MACHINE, BroadcastState.ENDED, _broadcast, out_of=(_RUNNING,))


def _recording(change: Change, recording: Recording) -> Payload:
    ended, ready = recording.ended, recording.ready
    return {
        "channel": recording.channel,
        "session": recording.session,
        "recording": recording.id,
        "started": recording.started,
        **({} if ended is None else {"ended": ended}),
        **({} if ready is None else {"ready": ready}),
    }


def _ready(change: Change, recording: Recording) -> Payload:
    return {
        **_recording(change, recording),
        "link": f"/channels/{recording.channel}/recordings/{recording.id}/download",
    }


_emits(Kind.RECORDING_STARTED, recordings.MACHINE, RecordingState.IN_PROGRESS, _recording)
_emits(Kind.RECORDING_STOPPED, recordings.MACHINE, RecordingState.PROCESSING, _recording)
_emits(Kind.RECORDING_READY, recordings.MACHINE, RecordingState.READY, _ready)
_emits(Kind.RECORDING_FAILED, recordings.MACHINE, RecordingState.FAILED, _recording)
Coupling(recordings.MACHINE, RecordingState.READY, None, downloads.mail_link)


_call = _fields(call="id", channel="channel", user="user", inbound="inbound", state="state")

_emits(Kind.CALL_STARTED, calls.MACHINE, CallState.RINGING, _call)
_emits(Kind.CALL_STARTED, calls.MACHINE, CallState.ANSWERED, _call, out_of=(ABSENT,))
_emits(Kind.CALL_ANSWERED, calls.MACHINE, CallState.ANSWERED, _call)
for over in (CallState.BUSY, CallState.FAILED, CallState.ENDED):
    _emits(Kind.CALL_ENDED, calls.MACHINE, over, _call)


_channel = _fields(channel="id", name="name")


def _room(change: Change, channel: Channel) -> Payload:
    room = breakout_rooms.ROOMS.one(change, breakout_rooms.BY_PLACE, channel.id, channel.client)
    return {
        **_channel(change, channel),
        "eventRoom": channel.parent,
        **({} if room is None else {"room": room.id, "breakoutSession": room.breakout}),
    }


def _new_channel(change: Change, channel: Channel) -> Payload:
    return {**_channel(change, channel), "owners": [*roles.ids(change, channel, Role.OWNER)]}


_emits(Kind.CHANNEL_CREATED, channels.EXISTING, EXISTS, _new_channel, of=_is_no_room, late=True)
_emits(Kind.CHANNEL_DELETED, channels.EXISTING, ABSENT, _channel, of=_is_no_room)
_emits(Kind.ROOM_CREATED, channels.EXISTING, EXISTS, _room, of=attrgetter("parent"))
_emits(Kind.ROOM_DELETED, channels.EXISTING, ABSENT, _room, of=attrgetter("parent"))


def _host(change: Change, host: Host, *, former: bool = False) -> Payload | None:
    """The role of a user in a channel; None for roles with which a channel is created, or which go with it."""
    if host.channel not in CHANNELS.seen(change.world, host.client) or host.channel not in CHANNELS.of(
        change, host.client
    ):
        return None
    role = {} if former else {"role": host.role.value}
    return {"channel": host.channel, **_who(change, host.client, host.user), **role}


for role in Role:
    _emits(Kind.ROLE_CHANGED, roles.MACHINE, role, _host, late=True)
_emits(Kind.ROLE_CHANGED, roles.MACHINE, ABSENT, partial(_host, former=True), late=True)


_user = _fields(user="id", handle="handle", account="account")
_REGISTERED = Account.REGISTERED

for born in Account:
    _emits(Kind.USER_CREATED, users.MACHINE, born, _user, out_of=(ABSENT,))
_emits(Kind.USER_REMOVED, users.MACHINE, ABSENT, _user)
_emits(Kind.USER_REGISTERED, users.MACHINE, _REGISTERED, _user, out_of=(Account.GUEST,))
_emits(Kind.USER_CONNECTED, users.MACHINE, _REGISTERED, _user, out_of=(Account.PREDEFINED,))
for pending in (EmailState.PENDING, EmailState.RENEWING):
    Coupling(emails.MACHINE, pending, None, emails.mail_code, by=emails.SET)
    Coupling(emails.MACHINE, pending, None, emails.mail_codes, by=emails.RESEND)


def _media(change: Change, asset: MediaAsset) -> Payload:
    pool = {} if asset.channel is None else {"channel": asset.channel}
    return {**pool, "media": asset.id, "name": asset.name}


for visibility in Visibility:
    _emits(Kind.MEDIA_ADDED, media.MACHINE, visibility, _media)
_emits(Kind.MEDIA_REMOVED, media.MACHINE, ABSENT, _media)


_client = _fields(client="id")

_emits(Kind.SERVICE_DISABLED, clients.MACHINE, ServiceState.DISABLED, _client)
_emits(Kind.SERVICE_ENABLED, clients.MACHINE, ServiceState.ENABLED, _client)


def _terms(change: Change, client: Client) -> Payload:
    return {"version": client.terms.version, "url": client.terms.url}


_acceptance = _fields(user="id", handle="handle", version="accepted")

_emits(Kind.TERMS_PROMULGATED, terms.DOCUMENT, EXISTS, _terms, by=terms.promulgate)
_emits(Kind.TERMS_ACCEPTED, terms.ACCEPTANCE, terms.Acceptance.ACCEPTED, _acceptance, by=terms.accept_terms)

# What is told of fields, once for each record that a change leaves with other values

#: The fields of a channel that are told of, and their names in its details.
CHANNEL_FIELDS: Mapping[str, str] = {
    "name": "name",
    "description": "description",
    "image": "imageUrl",
    "friendly_url": "friendlyURL",
    "service_mode": "serviceMode",
    "audio_quality": "audioQuality",
    "reputation": "reputation",
    "max_users": "maxUsers",
    "guest_access": "guestAccess",
    "make_private": "makePrivate",
    "private": "isPrivate",
    "star": "isStar",
    "organization": "isOrganization",
    "premium": "isPremium",
    "off_air": "offAir",
    "range_enabled": "isRangeEnabled",
    "wall_disabled": "disableWall",
    "event_room": "isEventRoom",
    "midi": "midi",
    "speech2text": "speech2text",
    "dial_in": "dialIn",
    "dial_out": "dialOut",
    "auto_close": "autoClose",
    "attendees_muted": "attendeesMuted",
    "presenters_limit": "presentersLimit",
    "population_limit": "populationLimit",
    "public_pin": "publicPIN",
    "broadcast_enabled": "broadcastEnabled",
    "media_pool_size": "mediaPoolSize",
}
#: The fields of a user that are told of, and their names in its details.
USER_FIELDS: Mapping[str, str] = {
    "handle": "handle",
    "full_name": "fullName",
    "description": "description",
    "image": "imageUrl",
    "languages": "languages",
    "email": "email",
    "levels": "accessLevels",
    "reputation": "reputation",
}
_Fields = tuple[Table[Any, Any], Kind, Callable[[Change, Any], Payload], Mapping[str, str]]
_TOLD: Mapping[str, _Fields] = {
    CHANNELS.name: (CHANNELS, Kind.CHANNEL_CHANGED, _channel, CHANNEL_FIELDS),
    ROOMS.name: (ROOMS, Kind.CHANNEL_CHANGED, _room, CHANNEL_FIELDS),
    USERS.name: (USERS, Kind.USER_CHANGED, _user, USER_FIELDS),
}


def _changed(change: Change, payload: Callable[[Change, Any], Payload], record: Record, names: list[str]) -> Payload:
    return {**payload(change, record), "changed": names}


def _tell(change: Change) -> None:
    """Tell of everything that happened in a change. One that carries nothing follows another, which was told of."""
    if change.carried is None:
        return
    for client, name, key in dict.fromkeys(each for each in change.touched if each[1] in _TOLD):
        table, kind, payload, fields = _TOLD[name]
        was, now = table.seen(change.world, client).get(key), table.get(change, key, client)
        if was is None or now is None or was is now:
            continue
        names = [shown for field, shown in fields.items() if getattr(was, field) != getattr(now, field)]
        if names:
            emit(change, client, kind, partial(_changed, change, payload, now, names))
    event_log.tell(change)


AT_END.append(_tell)
