"""Recordings of sessions: started, stopped, processed, ready."""

from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from operator import attrgetter
from typing import assert_never

from confsim.assumptions import Reason, ask, note_shown, recordings as assumed
from confsim.assumptions.protocol import durations
from confsim.domain import delays
from confsim.domain.channels import channels
from confsim.domain.channels.channels import Channel
from confsim.domain.conventions import fresh_id
from confsim.domain.delays import count_poll
from confsim.domain.fault_points import RECORDING, FaultOutcome, fault_for
from confsim.domain.identity.credentials import Caller
from confsim.domain.members import roles
from confsim.domain.members.roles import Role
from confsim.domain.runtime import presence as presences, sessions
from confsim.domain.runtime.presence import Presence
from confsim.domain.runtime.sessions import SESSIONS
from confsim.domain.users.users import USERS, User
from confsim.kernel import (
    ABSENT,
    CREATED,
    Call,
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
    replace,
)

from . import assets
from .assets import AssetContent, RecordingAsset


class RecordingState(Enum):
    """The state of a recording (P2 Recording, States L169-170)."""

    IN_PROGRESS = "in progress"
    PROCESSING = "processing"
    READY = "ready"
    FAILED = "failed"


class Recording(Record, kw_only=True):
    """One recording of a session. Instants in epoch milliseconds.

    ``by`` is the name of the caller who started it, ``starter`` the id of that user, None for an API token. ``inside``
    are the ids of the users inside the channel when it started, ``joins`` the number of the last join in the world at
    that instant. ``owners`` are the ids of the channel's owners when it was stopped. ``polls_left`` is the number of
    further reads that return it as being processed, None when a timer ends the processing, at ``processing_ends``;
    ``will_fail`` is whether the processing then fails. ``upload_begins`` is the start of the upload of its assets, None
    when the upload is never shown as under way.
    """

    id: str
    client: str
    channel: str
    session: str
    started: int
    ended: int | None = None
    ready: int | None = None
    state: RecordingState = RecordingState.IN_PROGRESS
    by: str
    starter: int | None = None
    inside: tuple[int, ...] = ()
    joins: int = 0
    owners: tuple[int, ...] = ()
    polls_left: int | None = None
    processing_ends: int | None = None
    upload_begins: int | None = None
    will_fail: bool = False


STARTED: Order[Recording] = Order("started", "started")
#: Those that have not ended are the latest.
ENDED: Order[Recording] = Order("ended", "ended", key=lambda ended: (ended is None, ended or 0))
_ORDERS = (CREATED, STARTED, ENDED)
BY_CHANNEL: Index[Recording] = Index("channel", "channel", orders=_ORDERS)
#: Under (channel, session).
BY_SESSION: Index[Recording] = Index("session", "channel", "session", orders=_ORDERS)
_IN_PROGRESS = RecordingState.IN_PROGRESS
#: The recording of a channel that is in progress, at most one (R554).
RUNNING: Unique[Recording] = Unique(
    "running", "state", "channel", of=lambda state, channel: (channel,) if state is _IN_PROGRESS else ()
)
RECORDINGS: Table[str, Recording] = Table("recordings", Recording, "id", BY_CHANNEL, BY_SESSION, RUNNING, located="id")


_USER: Callable[[Presence], int] = attrgetter("user")


MACHINE: Machine[RecordingState, Recording] = Machine(
    "recording",
    "A recording of a session (R291-R293, R359-R364, R554).",
    RECORDINGS,
    RecordingState,
    state="state",
    refused={ABSENT: Reason.NOT_FOUND, None: Reason.RECORDING_NOT_READY},
)


def _start(change: Change, recording: Recording | None, channel: Channel, caller: Caller) -> Recording:
    """The session of the channel, which is active by now, is recorded from this instant on."""
    session = sessions.find_active(change, channel)
    assert session is not None
    return Recording(
        id=fresh_id(change),
        client=channel.client,
        channel=channel.id,
        session=session.id,
        started=change.now,
        by=caller.name,
        starter=None if caller.user is None else caller.user.id,
        inside=tuple(map(_USER, presences.inside(change, channel))),
        joins=change.sequences.get("join", 0),
    )


START = MACHINE.effect("start", refused=Reason.RECORDING_IN_PROGRESS)(_start)
START_WITH_SESSION = MACHINE.effect("start with session", refused=Reason.RECORDING_IN_PROGRESS)(_start)
STOP = MACHINE.trigger("stop", refused=Reason.NO_RECORDING)
LOSE_SESSION = MACHINE.trigger("lose session")
LOSE_CHANNEL = MACHINE.trigger("lose channel")
_POLL = MACHINE.trigger("poll")
REMOVE = MACHINE.trigger("remove")


def _stop(change: Change, recording: Recording) -> Recording:
    """The end of the recording is stored, and its processing begins."""
    channel = channels.get(change, recording.client, recording.channel)
    fault = fault_for(change, RECORDING, client=recording.client, channel=recording.channel, recording=recording.id)
    if fault is None:
        recording = _process(change, recording)
    elif fault.outcome is FaultOutcome.FAILED:
        recording = replace(_process(change, recording), will_fail=True)
    elif fault.outcome is FaultOutcome.LATE:
        delay = delays.delay_of(change, durations.RECORDING_PROCESSING)
        usual = delay.amount * 1000 if delay.mode == "time" else 0
        recording = replace(recording, processing_ends=change.now + usual + fault.by)
    elif fault.outcome is not FaultOutcome.STUCK:
        assert_never(fault.outcome)
    return replace(recording, ended=change.now, owners=roles.ids(change, channel, Role.OWNER))


def _process(change: Change, recording: Recording) -> Recording:
    """The recording with the end of its processing: an instant, or a number of polls."""
    delay = delays.delay_of(change, durations.RECORDING_PROCESSING)
    if delay.mode == "manual":
        return replace(recording, polls_left=delay.amount)
    span = delay.amount * 1000
    if not span:
        return replace(recording, polls_left=0, processing_ends=change.now)
    begins = change.now + span // 2 if ask(change, assumed.UPLOADING) == "half-way" else None
    return replace(recording, processing_ends=change.now + span, upload_begins=begins)


@MACHINE.effect("finish", details=lambda change, recording, fails=None: {"id": recording.id})
def finish(change: Change, recording: Recording, fails: bool | None = None) -> Recording:
    """End the processing at this instant.

    ``fails`` is whether it fails, None where faults and the profile decide. Refusal RECORDING_NOT_READY unless it is
    processing.
    """
    return replace(recording, ready=change.now)


def _does_fail(change: Change, recording: Recording, fails: bool | None = None) -> bool:
    if fails is not None:
        return fails
    return recording.will_fail or ask(change, assumed.OUTCOME) == "fails"


_FAILS = Guard("its processing fails", _does_fail)
_ENDS = MACHINE.deadline("recording processing", lambda recording: recording.processing_ends)
_PROCESSING, _READY, _FAILED = RecordingState.PROCESSING, RecordingState.READY, RecordingState.FAILED

MACHINE.declare(
    Row(START, ABSENT, _IN_PROGRESS, source="P2 States L169, R286"),
    Row(START_WITH_SESSION, ABSENT, _IN_PROGRESS, source="R359, G483"),
    Row(STOP, _IN_PROGRESS, _PROCESSING, effect=_stop, source="P2 States L170, R361, R362"),
    Row(LOSE_SESSION, _IN_PROGRESS, _PROCESSING, effect=_stop, source="P2 L7, R557, G487"),
    Row(_POLL, _PROCESSING, _PROCESSING, effect=count_poll, source="G488"),
    Row(finish, _PROCESSING, _READY, only_if=~_FAILS, at=_ENDS, source="P2 States L170, L374, R293, R363"),
    Row(finish, _PROCESSING, _FAILED, only_if=_FAILS, effect=None, at=_ENDS, source="P2 States L170, R364, G489"),
    Row(LOSE_CHANNEL, _PROCESSING, _FAILED, source="G309, G489"),
    Row(REMOVE, tuple(RecordingState), ABSENT, source="P2 L189, R365, G309, G489"),
)


def find_running(change: Change, client: str, channel: str) -> Recording | None:
    """The recording of the channel that is in progress, or None."""
    return RECORDINGS.one(change, RUNNING, channel, client)


# Starting and stopping


def possible(change: Change, channel: Channel, caller: Caller) -> bool:
    """Whether the caller may record: an API token always, a user when an owner has a verified address (R499-R501)."""
    if caller.api_token is not None:
        return True
    return any(reachable(change, channel.client, roles.ids(change, channel, Role.OWNER)))


def reachable(change: Change, client: str, ids: Iterable[int]) -> Iterator[User]:
    """The users among ``ids`` who have a verified address and so can receive mail (R159, R363, R499)."""
    for id in ids:
        user = USERS.get(change, id, client)
        if user is not None and user.email is not None:
            yield user


def start(change: Change, channel: Channel, caller: Caller) -> None:
    """Start a recording of the channel's active session, or of one that starts with it (G483).

    Refusals RECORDING_IN_PROGRESS, RECORDING_NEEDS_SESSION, RECORDING_NEEDS_EMAIL.
    """
    current = find_running(change, channel.client, channel.id)
    if current is not None and ask(change, assumed.AGAIN) == "ignore":
        return
    with_session = current is None and _starts_session(change, channel, caller)
    (START_WITH_SESSION if with_session else START)(change, current, channel, caller)


def _starts_session(change: Change, channel: Channel, caller: Caller) -> bool:
    """Whether a session starts with it. Refusals RECORDING_NEEDS_SESSION, RECORDING_NEEDS_EMAIL, where assumed."""
    active = sessions.find_active(change, channel) is not None
    if not active and ask(change, assumed.WITHOUT_SESSION) == "refuse":
        raise Refusal(Reason.RECORDING_NEEDS_SESSION)
    if not possible(change, channel, caller) and ask(change, assumed.WITHOUT_EMAIL) == "refuse":
        raise Refusal(Reason.RECORDING_NEEDS_EMAIL)
    return not active


def stop(change: Change, channel: Channel, caller: Caller) -> None:
    """Stop the recording in progress; its processing begins. Refusals NO_RECORDING, RECORDING_STOPPED_BY_STARTER."""
    current = find_running(change, channel.client, channel.id)
    if current is None and ask(change, assumed.STOP_NOTHING) == "ignore":
        return
    stranger = current is not None and current.by != caller.name
    if stranger and ask(change, assumed.STOPPED_BY) == "starter":
        raise Refusal(Reason.RECORDING_STOPPED_BY_STARTER)
    STOP(change, current)


# Processing


def poll(change: Change, recording: Recording) -> Recording | None:
    """The recording after a read, which may end its processing; None when that removes the recording."""
    if recording.state is not RecordingState.PROCESSING:
        return recording
    if recording.polls_left == 0:
        finish(change, recording)
        return RECORDINGS.get(change, recording.id, recording.client)
    return _POLL(change, recording)


def drafts(change: Change, recording: Recording) -> Iterator[Call[RecordingAsset]]:
    """The assets to create when the processing of a recording ends (G494, G495)."""
    channel = channels.get(change, recording.client, recording.channel)
    receiver = recording.starter if ask(change, assumed.RECEIVER) == "starter" else None

    def made(content: AssetContent, label: str, user: int | None = None) -> Call[RecordingAsset]:
        draft = RecordingAsset(
            id=fresh_id(change),
            client=recording.client,
            channel=recording.channel,
            recording=recording.id,
            content=content,
            label=label,
            started=recording.started,
            upload_begins=recording.upload_begins,
            user=user,
            group=None if user is None else fresh_id(change),
            receiver=receiver,
        )
        return assets.CREATE.of(draft)

    contents = [AssetContent.COMBINED]
    if ask(change, assumed.YIELDS) == "all":
        note_shown(change, channel, "speech2text")
        contents += [AssetContent.ARCHIVE, *([AssetContent.CAPTIONS] if channel.speech2text else [])]
    for content in contents:
        yield made(content, assets.LABELS[content])
    if ask(change, assumed.INDIVIDUAL) == "each-participant":
        for attendance in sessions.list_attendances(change, SESSIONS.of(change, recording.client)[recording.session]):
            if attendance.user in recording.inside or attendance.joins[-1] > recording.joins:
                yield made(AssetContent.INDIVIDUAL, attendance.handle, attendance.user)
