"""Sessions, the runs of a channel, and who took part in them."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

from msgspec.structs import replace

from confsim.assumptions import channels as assumed_channels
from confsim.assumptions import sessions as assumed_sessions
from confsim.assumptions.protocol import durations
from confsim.assumptions.refusals import Reason
from confsim.assumptions.register import ask, note
from confsim.domain.channels import channels
from confsim.domain.channels.channels import Channel, ServiceMode
from confsim.kernel.old_machine import Facts, Guard, Machine, Row
from confsim.kernel.refusal import Refusal
from confsim.kernel.table import Index, Record, Table
from confsim.kernel.timers import on_timer
from confsim.kernel.world import Change


class Life(Enum):
    """Where a session is in its life (P2 Session)."""

    ABSENT = "absent"
    INITIALISED = "initialised"
    ONGOING = "ongoing"
    ENDED = "ended"


class Session(Record, kw_only=True):
    """One run of a channel. Instants in epoch milliseconds.

    ``participants`` counts the users who took part, ``peak`` is the most there were at one time. ``image`` is the
    channel's image of the time.
    """

    id: str
    client: str
    channel: str
    name: str
    service_mode: ServiceMode
    created: int
    started: int | None = None
    ended: int | None = None
    had_recording: bool = False
    group_id: str | None = None
    parent_id: str | None = None
    image: str | None = None
    participants: int = 0
    peak: int = 0


BY_CHANNEL: Index[Session] = Index("channel", lambda session: (session.channel,))
#: The session of a channel that has not ended: there is at most one (R552).
OPEN: Index[Session] = Index("open", lambda session: (session.channel,) if session.ended is None else ())
#: Sessions to which nobody has come, found under True.
UNSTARTED: Index[Session] = Index("unstarted", lambda session: (True,) if session.started is None else ())
#: In the order of their start, those that have not started in that of their creation.
SESSIONS: Table[str, Session] = Table("sessions", Session, "id", BY_CHANNEL, OPEN, UNSTARTED)


class Run(Record):
    """The session of a channel, there or not: what the machine moves."""

    client: str
    channel: str
    session: Session | None


class Attendance(Record, kw_only=True):
    """A user's part in a session. ``joins`` are numbers that grow with every join in the world; the handle is that of
    the last join and outlives the user.
    """

    session: str
    channel: str
    user: int
    handle: str
    joins: tuple[int, ...]

    @property
    def key(self) -> str:
        """The key of the record."""
        return f"{self.session}/{self.user}"


BY_SESSION: Index[Attendance] = Index("session", lambda attendance: (attendance.session,))
AT_CHANNEL: Index[Attendance] = Index("channel", lambda attendance: (attendance.channel,))
ATTENDANCES: Table[str, Attendance] = Table("attendances", Attendance, "key", BY_SESSION, AT_CHANNEL)


def _life(run: Run, facts: Facts) -> Life:
    session = run.session
    if session is None:
        return Life.ABSENT
    if session.ended is not None:
        return Life.ENDED
    return Life.INITIALISED if session.started is None else Life.ONGOING


def _put(change: Change, run: Run, session: Session) -> Run:
    return Run(run.client, run.channel, SESSIONS.of(change, run.client).put(session))


def _session(run: Run) -> Session:
    assert run.session is not None
    return run.session


def _initialise(change: Change, run: Run, facts: Facts) -> Run:
    """The session exists on the streaming server; nobody has come yet."""
    channel = channels.get(change, run.client, run.channel)
    id = change.uuid()
    note(change, assumed_sessions.GROUP)
    session = Session(
        id=id,
        client=run.client,
        channel=channel.id,
        name=channel.name if ask(change, assumed_sessions.NAME) == "channel" else f"Session {id[:8]}",
        service_mode=channel.service_mode,
        created=change.now,
        parent_id=facts.get("parent"),
        image=channel.image,
    )
    return _put(change, run, session)


def _belong(change: Change, run: Run, facts: Facts) -> Run:
    """The session of the event room has begun since."""
    return _put(change, run, replace(_session(run), parent_id=facts["parent"]))


def _start(change: Change, run: Run, facts: Facts) -> Run:
    """The first user has come in; from now on the session stands in the order of its start."""
    SESSIONS.of(change, run.client).remove(_session(run).id)
    return _put(change, run, replace(_session(run), started=change.now))


def _attend(change: Change, run: Run, facts: Facts) -> Run:
    """The user takes part, for the first time or again."""
    change.cancel("session grace", run.client, run.channel)
    user, session = facts["user"], _session(run)
    attendances = ATTENDANCES.of(change, run.client)
    number = change.count("join")
    before = attendances.get(f"{session.id}/{user.id}")
    joins = (number,) if before is None else (*before.joins, number)
    attendances.put(Attendance(session=session.id, channel=run.channel, user=user.id, handle=user.handle, joins=joins))
    distinct = session.participants + (before is None)
    return _put(change, run, replace(session, participants=distinct, peak=max(session.peak, facts["inside"])))


def _linger(change: Change, run: Run, facts: Facts) -> Run:
    """The session waits for somebody to come back."""
    change.schedule("session grace", change.now + facts["grace"], run.client, run.channel)
    return run


def _end(change: Change, run: Run, facts: Facts) -> Run:
    """The session is over for good."""
    change.cancel("session grace", run.client, run.channel)
    return _put(change, run, replace(_session(run), ended=change.now))


_AT_ONCE = Guard("it does not outlive its users", lambda run, facts: facts["grace"] == 0)
_WAITS = Guard("it waits for users to come back", lambda run, facts: bool(facts["grace"]))

MACHINE: Machine[Life, Run] = Machine(
    "session",
    "One run of a channel (R285, R353, R417, R418, R552).",
    Life,
    (
        Row("initialise", Life.ABSENT, Life.INITIALISED, effect=_initialise, source="P2 Session L69, R285, G350"),
        Row("belong", Life.INITIALISED, Life.INITIALISED, effect=_belong, source="P2 Session L67, R288, G369"),
        Row("start", Life.INITIALISED, Life.ONGOING, effect=_start, source="P2 Session L70, R285, G359"),
        Row("attend", Life.ONGOING, Life.ONGOING, effect=_attend, source="P2 Session L64, R287"),
        Row("become empty", Life.ONGOING, Life.ENDED, only_if=_AT_ONCE, effect=_end, source="G359"),
        Row("become empty", Life.ONGOING, Life.ONGOING, only_if=_WAITS, effect=_linger, source="G359"),
        Row("stay empty", Life.ONGOING, Life.ENDED, effect=_end, source="G359"),
        Row(
            "end", (Life.INITIALISED, Life.ONGOING), Life.ENDED, effect=_end, source="P2 States L164, R353, R417, R418"
        ),
    ),
    read=_life,
    refusals={("end", Life.ENDED): Reason.SESSION_ENDED, None: Reason.NO_ACTIVE_SESSION},
    initial=Life.ABSENT,
)


def run(change: Change, client: str, channel: str) -> Run:
    """The session of the channel that has not ended, or its absence."""
    return Run(client, channel, SESSIONS.of(change, client).first(OPEN, channel))


def active(change: Change, channel: Channel) -> Session | None:
    """The channel's active session: started and not ended."""
    session = SESSIONS.of(change, channel.client).first(OPEN, channel.id)
    return session if session is not None and session.started is not None else None


def initialise(change: Change, channel: Channel, parent: str | None = None) -> Session:
    """The session of the channel that has not ended, made when there is none."""
    current = run(change, channel.client, channel.id)
    if current.session is None:
        current = MACHINE.fire(change, current, "initialise", parent=parent)
    return _session(current)


def get(change: Change, client: str, id: str) -> Session:
    """The session of this id in the client. Refusal NOT_FOUND."""
    session = SESSIONS.of(change, client).get(id)
    if session is None:
        raise Refusal(Reason.NOT_FOUND, what="session", id=id)
    return session


def end_active(change: Change, channel: Channel) -> None:
    """End the channel's active session; everybody in it is disconnected. Refusal NO_ACTIVE_SESSION (G362)."""
    note(change, assumed_sessions.ONE_ACTIVE)
    MACHINE.fire(change, Run(channel.client, channel.id, active(change, channel)), "end")


def end(change: Change, channel: Channel, id: str) -> None:
    """End this session of the channel and no other; one that has ended stays as it is (R417, G363).

    Refusal NOT_FOUND for an id that is none of the channel's (G362).
    """
    session = SESSIONS.of(change, channel.client).get(id)
    if session is None or session.channel != channel.id:
        raise Refusal(Reason.NOT_FOUND, what="session", id=id)
    if session.ended is not None and ask(change, assumed_sessions.ENDED_AGAIN) == "ignore":
        return
    MACHINE.fire(change, Run(channel.client, channel.id, session), "end", id=id)


def ending(change: Change) -> dict[str, int | None]:
    """The facts of a channel becoming empty: how long its session goes on, None when for as long as nobody ends it."""
    if ask(change, assumed_sessions.ENDS) == "by-call":
        return {"grace": None}
    return {"grace": ask(change, durations.SESSION_GRACE)}


class Started:
    """The sessions of a client that have started, the latest first: the table itself, so that a page of many costs no
    more than one of few.
    """

    def __init__(self, change: Change, client: str) -> None:
        self._rows = SESSIONS.of(change, client)

    def __len__(self) -> int:
        return len(self._rows) - self._rows.count(UNSTARTED, True)

    def __iter__(self) -> Iterator[Session]:
        return (session for session in self._rows if session.started is not None)


def attended(change: Change, session: Session, user: int) -> bool:
    """Whether the user was inside in this session."""
    return f"{session.id}/{user}" in ATTENDANCES.of(change, session.client)


def attendances(change: Change, session: Session) -> list[Attendance]:
    """Who took part in the session, by first join."""
    return ATTENDANCES.of(change, session.client).find(BY_SESSION, session.id)


def mark_recorded(change: Change, client: str, id: str) -> None:
    """Note that the session has had a recording (R286)."""
    rows = SESSIONS.of(change, client)
    rows.put(replace(rows[id], had_recording=True))


def visitors(change: Change, channel: Channel) -> list[Attendance]:
    """Who took part in any session of the channel, the latest join first, as G373 chooses: one entry for each user,
    for each join, or for each user of ended sessions.
    """
    choice = ask(change, assumed_channels.PARTICIPANTS)
    found = ATTENDANCES.of(change, channel.client).find(AT_CHANNEL, channel.id)
    if choice == "attendances":
        found = [replace(each, joins=(join,)) for each in found for join in each.joins]
    found.sort(key=lambda attendance: attendance.joins[-1], reverse=True)
    if choice == "attendances":
        return found
    if choice == "ended":
        sessions = SESSIONS.of(change, channel.client)
        found = [each for each in found if sessions[each.session].ended is not None]
    latest: dict[int, Attendance] = {}
    for each in found:
        latest.setdefault(each.user, each)
    return list(latest.values())


def require_deletable(change: Change, channel: Channel) -> None:
    """Refusal CHANNEL_IN_USE when the active session of the channel keeps it from being deleted (G309)."""
    if ask(change, assumed_channels.DELETION) == "refuse" and active(change, channel) is not None:
        raise Refusal(Reason.CHANNEL_IN_USE)


def stop_in_channel(change: Change, channel: Channel) -> None:
    """The session of a channel that is about to go ends before it (G309)."""
    MACHINE.follow(change, run(change, channel.client, channel.id), "end")


def remove_of_channel(change: Change, channel: Channel) -> None:
    """The history of a channel goes with it (G309)."""
    sessions, parts = SESSIONS.of(change, channel.client), ATTENDANCES.of(change, channel.client)
    for attendance in parts.find(AT_CHANNEL, channel.id):
        parts.remove(attendance.key)
    for session in sessions.find(BY_CHANNEL, channel.id):
        sessions.remove(session.id)


@on_timer("session grace")
def _grace_over(change: Change, client: str, channel: str) -> bool:
    MACHINE.follow(change, run(change, client, channel), "stay empty")
    return True
