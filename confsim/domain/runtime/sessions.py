"""Sessions, the runs of a channel, and the attendances of users in them."""

from collections.abc import Sequence
from enum import Enum

from confsim.assumptions import Reason, ask, channels as assumed_channels, not_found, note, note_shown
from confsim.assumptions.protocol import durations
from confsim.assumptions.runtime import sessions as assumed_sessions
from confsim.domain.channels.channels import Channel, ServiceMode
from confsim.domain.conventions import fresh_id
from confsim.domain.users.users import User
from confsim.kernel import (
    ABSENT,
    CREATED,
    Change,
    Guard,
    Index,
    Machine,
    Order,
    Record,
    Refusal,
    Row,
    Table,
    Unique,
    View,
    replace,
)

from .occupancy import BY_PLACE, PRESENCES


class SessionState(Enum):
    """The state of a session (P2 Session)."""

    INITIALISED = "initialised"
    ONGOING = "ongoing"
    ENDED = "ended"


class Session(Record, kw_only=True):
    """One run of a channel. Instants in epoch milliseconds.

    ``participants`` counts the users who took part, ``peak`` is the most at one time. ``image`` is the channel's
    image at that time. ``grace_ends`` is the instant at which the session ends if its channel is empty until then.
    """

    id: str
    client: str
    channel: str
    name: str
    service_mode: ServiceMode
    created: int
    state: SessionState = SessionState.INITIALISED
    started: int | None = None
    ended: int | None = None
    grace_ends: int | None = None
    had_recording: bool = False
    group_id: str | None = None
    parent_id: str | None = None
    image: str | None = None
    participants: int = 0
    peak: int = 0


BY_CHANNEL: Index[Session] = Index("channel", "channel")
_ONGOING, _ENDED = SessionState.ONGOING, SessionState.ENDED
#: The session of a channel that has not ended, at most one (R552).
OPEN: Unique[Session] = Unique(
    "open", "channel", "state", of=lambda channel, state: () if state is _ENDED else (channel,)
)
#: The sessions of a client that have not ended, under True.
UNENDED: Index[Session] = Index("unended", "state", of=lambda state: (True,) if state is not _ENDED else ())


def _lists(started: int | None, channel: str, recorded: bool) -> tuple[tuple[str, bool | None], ...]:
    """The channel with None, and with whether the session had a recording."""
    return () if started is None else ((channel, None), (channel, recorded))


STARTED: Order[Session] = Order("started", "started")
#: Those that have not ended are the latest.
ENDED: Order[Session] = Order("ended", "ended", key=lambda ended: (ended is None, ended or 0))
NAME: Order[Session] = Order("name", "name", key=str.casefold)
PARTICIPANTS: Order[Session] = Order("participants", "participants")
#: The sessions of a channel that have started, under (channel, None) and (channel, whether recorded).
LISTED: Index[Session] = Index(
    "listed", "started", "channel", "had_recording", of=_lists, orders=(STARTED, ENDED, NAME, PARTICIPANTS)
)
#: In the order of their start; those that have not started, in the order of their creation.
SESSIONS: Table[str, Session] = Table("sessions", Session, "id", BY_CHANNEL, OPEN, UNENDED, LISTED, located="id")


class Attendance(Record, kw_only=True):
    """A user's part in a session. ``joins`` are numbers that increase with every join in the world. ``handle`` is that
    of the last join and ``left_as`` that of leaving since then, None before; both outlive the user. ``latest`` is
    whether it is the user's latest in the channel.
    """

    session: str
    channel: str
    user: int
    handle: str
    joins: tuple[int, ...]
    latest: bool = True
    left_as: str | None = None

    @property
    def key(self) -> str:
        """The key of the record."""
        return f"{self.session}/{self.user}"


BY_SESSION: Index[Attendance] = Index("session", "session")
AT_CHANNEL: Index[Attendance] = Index("channel", "channel")
LAST_JOIN: Order[Attendance] = Order("last join", "joins", key=lambda joins: joins[-1])
_LAST = (CREATED, LAST_JOIN)
#: The latest attendance of each user in a channel, and of one user.
CHANNEL_PARTICIPANTS: Index[Attendance] = Index(
    "participants", "channel", "latest", of=lambda channel, latest: (channel,) if latest else (), orders=_LAST
)
CHANNEL_PARTICIPANT: Index[Attendance] = Index(
    "participant", "latest", "channel", "user", of=lambda latest, channel, user: ((channel, user),) if latest else ()
)
ATTENDANCES: Table[str, Attendance] = Table(
    "attendances", Attendance, "key", BY_SESSION, AT_CHANNEL, CHANNEL_PARTICIPANTS, CHANNEL_PARTICIPANT
)


MACHINE: Machine[SessionState, Session] = Machine(
    "session",
    "One run of a channel (R285, R353, R417, R418, R552).",
    SESSIONS,
    SessionState,
    state="state",
    refused=Reason.NO_ACTIVE_SESSION,
)
START = MACHINE.trigger("start")
COUNT = MACHINE.trigger("count")
BECOME_EMPTY = MACHINE.trigger("become empty")
_STAY_EMPTY = MACHINE.trigger("stay empty")
END = MACHINE.trigger("end")
_END_AGAIN = MACHINE.trigger(
    "end again", refused={_ENDED: Reason.SESSION_ENDED}, details=lambda change, session: {"id": session.id}
)
BE_RECORDED = MACHINE.trigger("be recorded")
REMOVE = MACHINE.trigger("remove")


@MACHINE.effect("initialise")
def initialise(change: Change, session: Session | None, channel: Channel, parent: str | None) -> Session:
    """The session exists on the streaming server; no user has joined yet."""
    id = fresh_id(change)
    note(change, assumed_sessions.GROUP)
    note_shown(change, channel, "service_mode")
    return Session(
        id=id,
        client=channel.client,
        channel=channel.id,
        name=channel.name if ask(change, assumed_sessions.NAME) == "channel" else f"Session {id[:8]}",
        service_mode=channel.service_mode,
        created=change.now,
        parent_id=parent,
        image=channel.image,
    )


@MACHINE.effect("belong")
def belong(change: Change, session: Session, parent: str) -> Session:
    """The session of the event room, which began later, becomes the parent."""
    return replace(session, parent_id=parent)


def _start(change: Change, session: Session) -> Session:
    """The first user has joined; from now on the session is listed in the order of its start."""
    return replace(session, started=change.now)


@MACHINE.effect("attend")
def attend(change: Change, session: Session, user: User) -> Session:
    """The user takes part, for the first time or again."""
    attendances = ATTENDANCES.of(change, session.client)
    number = change.count("join")
    before = attendances.get(f"{session.id}/{user.id}")
    joins = (number,) if before is None else (*before.joins, number)
    for earlier in attendances.where(CHANNEL_PARTICIPANT, (session.channel, user.id)):
        attendances.update(earlier, latest=False)
    attendances.put(
        Attendance(session=session.id, channel=session.channel, user=user.id, handle=user.handle, joins=joins)
    )
    return _count(change, replace(session, participants=session.participants + (before is None)))


@MACHINE.effect("keep handle")
def keep_handle(change: Change, session: Session, attendance: Attendance, handle: str) -> Session:
    """The user has left under this handle, under which the session keeps the user."""
    ATTENDANCES.of(change, session.client).update(attendance, left_as=handle)
    return session


def _count(change: Change, session: Session) -> Session:
    """The peak is at least the number of users inside, and the session lingers no longer."""
    inside = len(PRESENCES.where(change, BY_PLACE, session.channel, session.client))
    return replace(session, peak=max(session.peak, inside), grace_ends=None)


def _be_recorded(change: Change, session: Session) -> Session:
    """The session has had a recording (R286)."""
    return replace(session, had_recording=True)


def grace(change: Change) -> int | None:
    """The milliseconds until the session of a channel that becomes empty ends; None without end."""
    return None if ask(change, assumed_sessions.ENDS) == "by-call" else ask(change, durations.SESSION_GRACE)


def _linger(change: Change, session: Session) -> Session:
    """The session continues without users for the grace period."""
    lasts = grace(change)
    return replace(session, grace_ends=None if lasts is None else change.now + lasts)


def _end(change: Change, session: Session) -> Session:
    """The session has ended."""
    return replace(session, ended=change.now, grace_ends=None)


def _remove_attendances(change: Change, session: Session) -> None:
    """Nobody has attended it any more."""
    rows = ATTENDANCES.of(change, session.client)
    for attendance in rows.where(BY_SESSION, session.id):
        rows.remove(attendance.key)


_AT_ONCE = Guard("it does not outlive its users", lambda change, session: grace(change) == 0)
_WAITS = Guard("it waits for users to come back", lambda change, session: bool(grace(change)))
_IGNORED = Guard("that is ignored", lambda change, session: ask(change, assumed_sessions.ENDED_AGAIN) == "ignore")
_GRACE = MACHINE.deadline("session grace", lambda session: session.grace_ends, subject="channel")
_INITIALISED = SessionState.INITIALISED
_ANY = tuple(SessionState)

MACHINE.declare(
    Row(initialise, ABSENT, _INITIALISED, source="P2 Session L69, R285, G350"),
    Row(belong, _INITIALISED, _INITIALISED, source="P2 Session L67, R288, G369"),
    Row(START, _INITIALISED, _ONGOING, effect=_start, move_to_end=True, source="P2 Session L70, R285, G359"),
    Row(attend, _ONGOING, _ONGOING, source="P2 Session L64, R287"),
    Row(COUNT, _ONGOING, _ONGOING, effect=_count, source="P2 Session L64"),
    *(Row(keep_handle, state, state, source="G372, G446") for state in (_ONGOING, _ENDED)),
    Row(BECOME_EMPTY, _ONGOING, _ENDED, only_if=_AT_ONCE, effect=_end, source="G359"),
    Row(BECOME_EMPTY, _ONGOING, _ONGOING, only_if=_WAITS, effect=_linger, source="G359"),
    Row(_STAY_EMPTY, _ONGOING, _ENDED, effect=_end, at=_GRACE, source="G359"),
    Row(END, (_INITIALISED, _ONGOING), _ENDED, effect=_end, source="P2 States L164, R353, R417, R418"),
    Row(_END_AGAIN, _ENDED, _ENDED, only_if=_IGNORED, source="P2 L234, R417, G363"),
    *(Row(BE_RECORDED, life, life, effect=_be_recorded, source="P2 Session L65, R286") for life in SessionState),
    Row(REMOVE, _ANY, ABSENT, effect=_remove_attendances, source="G309"),
)


def find_open(change: Change, client: str, channel: str) -> Session | None:
    """The session of the channel that has not ended, or None."""
    return SESSIONS.one(change, OPEN, channel, client)


def find_active(change: Change, channel: Channel) -> Session | None:
    """The channel's active session, started and not ended, or None."""
    session = SESSIONS.one(change, OPEN, channel.id, channel.client)
    return session if session is not None and session.state is _ONGOING else None


def get(change: Change, client: str, id: str) -> Session:
    """The session of this id in the client. Refusal NOT_FOUND."""
    return SESSIONS.get(change, id, client) or not_found("session", id)


def end_active(change: Change, channel: Channel) -> None:
    """End the channel's active session; all users in it are disconnected. Refusal NO_ACTIVE_SESSION (G362)."""
    note(change, assumed_sessions.ONE_ACTIVE)
    END(change, find_active(change, channel))


def get_of_channel(change: Change, channel: Channel, id: str) -> Session:
    """The session of this id of the channel. Refusal NOT_FOUND (G362)."""
    session = SESSIONS.get(change, id, channel.client)
    return session if session and session.channel == channel.id else not_found("session", id)


def end(change: Change, session: Session) -> None:
    """End the session; no effect when it has ended (R417). Refusal SESSION_ENDED when that is refused (G363)."""
    (_END_AGAIN if session.state is _ENDED else END)(change, session)


def set_group(change: Change, session: Session, group: str | None) -> Session:
    """Set the key that groups the session with others, None for none."""
    return SESSIONS.of(change, session.client).update(session, group_id=group)


def attended(change: Change, session: Session, user: int) -> bool:
    """Whether the user took part in the session."""
    return f"{session.id}/{user}" in ATTENDANCES.of(change, session.client)


def list_attendances(change: Change, session: Session) -> View[Attendance]:
    """The attendances of the session, in the order of the first join."""
    return ATTENDANCES.where(change, BY_SESSION, session.id, session.client)


def participants_of_channel(change: Change, channel: Channel) -> Sequence[Attendance]:
    """The attendances in all sessions of the channel, the latest join first, as G373 chooses: one for each user, one
    for each join, or one for each user of ended sessions.
    """
    choice = ask(change, assumed_channels.PARTICIPANTS)
    rows = ATTENDANCES.of(change, channel.client)
    if choice not in {"attendances", "ended"}:
        return rows.where(CHANNEL_PARTICIPANTS, channel.id).by(LAST_JOIN, descending=True)
    found = list(rows.where(AT_CHANNEL, channel.id))
    if choice == "attendances":
        found = [replace(attendance, joins=(join,)) for attendance in found for join in attendance.joins]
    found.sort(key=lambda attendance: attendance.joins[-1], reverse=True)
    if choice == "attendances":
        return found
    sessions = SESSIONS.of(change, channel.client)
    latest: dict[int, Attendance] = {}
    for attendance in found:
        if sessions[attendance.session].state is SessionState.ENDED:
            latest.setdefault(attendance.user, attendance)
    return list(latest.values())


def require_deletable(change: Change, channel: Channel) -> None:
    """Refusal CHANNEL_IN_USE when the active session of the channel prevents its deletion (G309)."""
    if ask(change, assumed_channels.DELETION) == "refuse" and find_active(change, channel) is not None:
        raise Refusal(Reason.CHANNEL_IN_USE)
