"""Recordings of sessions: started and stopped, processed, ready; owners are told by mail."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

from msgspec.structs import replace

from confsim.assumptions import recordings as assumed
from confsim.assumptions.events import Kind
from confsim.assumptions.protocol import durations
from confsim.assumptions.refusals import Reason
from confsim.assumptions.register import ask
from confsim.domain import delays
from confsim.domain.channels import channels
from confsim.domain.channels.channels import Channel, Step, on_delete
from confsim.domain.events.event_log import happened
from confsim.domain.fault_points import RECORDING, Outcome, struck
from confsim.domain.identity.credentials import Caller
from confsim.domain.runtime import presence, sessions
from confsim.domain.runtime.sessions import SESSIONS, Session
from confsim.kernel.old_machine import Facts, Machine, Row
from confsim.kernel.refusal import Refusal
from confsim.kernel.table import Index, Record, Table
from confsim.kernel.timers import on_timer
from confsim.kernel.world import Change

from . import assets, recording_mail
from .assets import Asset, Content


class Phase(Enum):
    """Where a recording is in its life (P2 Recording, States L169-170)."""

    ABSENT = "absent"
    IN_PROGRESS = "in progress"
    PROCESSING = "processing"
    READY = "ready"
    FAILED = "failed"


class Recording(Record, kw_only=True):
    """One recording of a session. Instants in epoch milliseconds.

    ``by`` is the name of the caller who started it, ``starter`` the user, None for an API token. ``inside`` are the
    users who were inside then, ``joins`` the number of the last join of the world until then. ``owners`` are those of
    the stop. ``looks`` is how often it is still looked at in vain, None when time will tell. ``doomed`` tells that
    the processing will fail.
    """

    id: str
    client: str
    channel: str
    session: str
    started: int
    ended: int | None = None
    ready: int | None = None
    failed: bool = False
    by: str
    starter: int | None = None
    inside: tuple[int, ...] = ()
    joins: int = 0
    owners: tuple[int, ...] = ()
    looks: int | None = None
    doomed: bool = False


BY_CHANNEL: Index[Recording] = Index("channel", lambda each: (each.channel,))
BY_SESSION: Index[Recording] = Index("session", lambda each: (each.session,))
#: The recording of a channel that is in progress: there is at most one (R554).
RUNNING: Index[Recording] = Index("running", lambda each: (each.channel,) if each.ended is None else ())
RECORDINGS: Table[str, Recording] = Table("recordings", Recording, "id", BY_CHANNEL, BY_SESSION, RUNNING)


class Take(Record):
    """The recording of a channel, there or not: what the machine moves."""

    client: str
    channel: str
    recording: Recording | None


def _phase(take: Take, facts: Facts) -> Phase:
    recording = take.recording
    if recording is None:
        return Phase.ABSENT
    if recording.ended is None:
        return Phase.IN_PROGRESS
    if recording.failed:
        return Phase.FAILED
    return Phase.PROCESSING if recording.ready is None else Phase.READY


def _put(change: Change, take: Take, recording: Recording) -> Take:
    return Take(take.client, take.channel, RECORDINGS.of(change, take.client).put(recording))


def _of(take: Take) -> Recording:
    assert take.recording is not None
    return take.recording


def _tell(change: Change, recording: Recording, kind: Kind) -> None:
    told = {"channel": recording.channel, "session": recording.session, "recording": recording.id}
    happened(change, recording.client, kind, **told)


def _mark(change: Change, recording: Recording) -> None:
    """The session has had a recording (R286)."""
    rows = SESSIONS.of(change, recording.client)
    rows.put(replace(rows[recording.session], had_recording=True))


def _start(change: Change, take: Take, facts: Facts) -> Take:
    """It runs; the session has had a recording."""
    caller: Caller = facts["caller"]
    channel = channels.get(change, take.client, take.channel)
    recording = Recording(
        id=change.uuid(),
        client=take.client,
        channel=take.channel,
        session=facts["session"].id,
        started=change.now,
        by=caller.name,
        starter=None if caller.user is None else caller.user.id,
        inside=tuple(present.user for present in presence.inside(change, channel)),
        joins=change.sequences.get("join", 0),
    )
    if ask(change, assumed.HAD_RECORDING) == "started":
        _mark(change, recording)
    _tell(change, recording, Kind.RECORDING_STARTED)
    return _put(change, take, recording)


def _stop(change: Change, take: Take, facts: Facts) -> Take:
    """Its end is known, and its processing begins."""
    recording = _of(take)
    channel = channels.get(change, take.client, take.channel)
    stroke = struck(change, RECORDING, client=take.client, channel=take.channel, recording=recording.id)
    outcome = None if stroke is None else stroke.outcome
    looks = None
    if stroke is None or outcome is Outcome.FAILED:
        looks = _process(change, recording)
    elif outcome is Outcome.LATE:
        span = delays.delay_of(change, durations.RECORDING_PROCESSING)
        usual = span.amount * 1000 if span.mode == "time" else 0
        change.schedule(_TIMER, change.now + usual + stroke.by, take.client, recording.id)
    owners = channels.governing(change, channel).owners
    _tell(change, recording, Kind.RECORDING_STOPPED)
    doomed = outcome is Outcome.FAILED
    return _put(change, take, replace(recording, ended=change.now, looks=looks, owners=owners, doomed=doomed))


def _process(change: Change, recording: Recording) -> int | None:
    """Begin the processing; answers how often it is looked at in vain, None when time will tell."""
    client = recording.client
    looks = delays.begin(change, durations.RECORDING_PROCESSING, _TIMER, client, recording.id, since=change.now)
    span = delays.delay_of(change, durations.RECORDING_PROCESSING)
    if looks is None and ask(change, assumed.UPLOADING) == "half-way":
        change.schedule(_UPLOAD, change.now + span.amount * 500, client, recording.id)
    elif looks == 0 and span.mode != "manual":
        change.schedule(_TIMER, change.now, client, recording.id)
    return looks


def _look(change: Change, take: Take, facts: Facts) -> Take:
    """One more look in vain."""
    recording = _of(take)
    return _put(change, take, replace(recording, looks=recording.looks - 1)) if recording.looks else take


def _succeed(change: Change, take: Take, facts: Facts) -> Take:
    """It is ready, and whoever is to be mailed is."""
    recording = replace(_of(take), ready=change.now)
    if ask(change, assumed.HAD_RECORDING) == "ready":
        _mark(change, recording)
    _forget_timers(change, recording)
    _tell(change, recording, Kind.RECORDING_READY)
    recipients = _recipients(change, recording)
    recording_mail.send(change, channels.get(change, take.client, take.channel), recording.id, recipients)
    return _put(change, take, recording)


def _recipients(change: Change, recording: Recording) -> tuple[int, ...]:
    """The owners who are told that the recording is ready (G505)."""
    whom = ask(change, assumed.MAILED)
    if whom == "owners-at-stop":
        return recording.owners
    if whom == "not-for-api-tokens" and recording.starter is None:
        return ()
    return channels.governing(change, channels.get(change, recording.client, recording.channel)).owners


def _fail(change: Change, take: Take, facts: Facts) -> Take:
    """It never will be ready, and nobody is mailed."""
    recording = replace(_of(take), failed=True)
    _forget_timers(change, recording)
    _tell(change, recording, Kind.RECORDING_FAILED)
    return _put(change, take, recording)


_TIMER = "recording processing"
_UPLOAD = "recording upload"

MACHINE: Machine[Phase, Take] = Machine(
    "recording",
    "A recording of a session (R291-R293, R359-R364, R554).",
    Phase,
    (
        Row("start", Phase.ABSENT, Phase.IN_PROGRESS, effect=_start, source="P2 States L169, R286, R359, G483"),
        Row("stop", Phase.IN_PROGRESS, Phase.PROCESSING, effect=_stop, source="P2 States L170, R361, R362"),
        Row("lose session", Phase.IN_PROGRESS, Phase.PROCESSING, effect=_stop, source="P2 L7, R557, G487"),
        Row("look", Phase.PROCESSING, Phase.PROCESSING, effect=_look, source="G488"),
        Row("succeed", Phase.PROCESSING, Phase.READY, effect=_succeed, source="P2 States L170, L374, R293, R363"),
        Row("fail", Phase.PROCESSING, Phase.FAILED, effect=_fail, source="P2 States L170, R364, G489"),
    ),
    read=_phase,
    refusals={"start": Reason.RECORDING_IN_PROGRESS, "stop": Reason.NO_RECORDING, None: Reason.RECORDING_NOT_READY},
    initial=Phase.ABSENT,
)


def run(change: Change, client: str, channel: str) -> Take:
    """The recording of the channel that is in progress, or its absence."""
    return Take(client, channel, RECORDINGS.of(change, client).first(RUNNING, channel))


def _take(recording: Recording) -> Take:
    return Take(recording.client, recording.channel, recording)


# Starting and stopping


def possible(change: Change, channel: Channel, caller: Caller) -> bool:
    """Whether the caller could record: an API token always, else when an owner has a verified address (R499-R501)."""
    if caller.api_token is not None:
        return True
    return any(recording_mail.reached(change, channel, channels.governing(change, channel).owners))


def start(change: Change, channel: Channel, caller: Caller) -> None:
    """Start a recording of the channel's active session.

    Refusals RECORDING_IN_PROGRESS, RECORDING_NEEDS_SESSION, RECORDING_NEEDS_EMAIL.
    """
    standing = run(change, channel.client, channel.id)
    if standing.recording is not None and ask(change, assumed.AGAIN) == "ignore":
        return
    session = None if standing.recording is not None else _recordable(change, channel, caller)
    MACHINE.fire(change, standing, "start", session=session, caller=caller)


def _recordable(change: Change, channel: Channel, caller: Caller) -> Session:
    session = sessions.active(change, channel)
    if session is None and ask(change, assumed.WITHOUT_SESSION) == "refuse":
        raise Refusal(Reason.RECORDING_NEEDS_SESSION)
    if not possible(change, channel, caller) and ask(change, assumed.WITHOUT_EMAIL) == "refuse":
        raise Refusal(Reason.RECORDING_NEEDS_EMAIL)
    if session is None:
        session = sessions.initialise(change, channel)
        sessions.MACHINE.fire(change, sessions.run(change, channel.client, channel.id), "start")
    return session


def stop(change: Change, channel: Channel, caller: Caller) -> None:
    """Stop the recording in progress; its processing begins. Refusals NO_RECORDING, RECORDING_STOPPED_BY_STARTER."""
    standing = run(change, channel.client, channel.id)
    if standing.recording is None and ask(change, assumed.STOP_NOTHING) == "ignore":
        return
    stranger = standing.recording is not None and standing.recording.by != caller.name
    if stranger and ask(change, assumed.STOPPED_BY) == "starter":
        raise Refusal(Reason.RECORDING_STOPPED_BY_STARTER)
    MACHINE.fire(change, standing, "stop")


# Processing


def finish(change: Change, recording: Recording, *, fails: bool) -> Recording:
    """End the processing of the recording at this instant. Refusal RECORDING_NOT_READY when it is not processed."""
    recording = _of(MACHINE.fire(change, _take(recording), "fail" if fails else "succeed", id=recording.id))
    if fails and ask(change, assumed.FAILED) == "removed":
        _remove(change, recording)
    return recording


def _fails(change: Change, recording: Recording) -> bool:
    return recording.doomed or ask(change, assumed.OUTCOME) == "fails"


@on_timer(_TIMER)
def _processed(change: Change, client: str, id: str) -> bool:
    recording = RECORDINGS.of(change, client).get(id)
    if recording is not None:
        finish(change, recording, fails=_fails(change, recording))
    return recording is not None


@on_timer(_UPLOAD)
def _upload(change: Change, client: str, id: str) -> bool:
    for asset in assets.of(change, client, id):
        assets.MACHINE.follow(change, asset, "begin upload")
    return False  # who waits for the next thing to happen waits for the end of the processing


def look(change: Change, recording: Recording) -> Recording | None:
    """The recording as it is when it is looked at, which may be what it waits for; None when that removes it."""
    if _phase(_take(recording), {}) is not Phase.PROCESSING:
        return recording
    if recording.looks == 0:
        finish(change, recording, fails=_fails(change, recording))
        return RECORDINGS.of(change, recording.client).get(recording.id)
    return MACHINE.fire(change, _take(recording), "look").recording


def _forget_timers(change: Change, recording: Recording) -> None:
    for timer in (_TIMER, _UPLOAD):
        change.cancel(timer, recording.client, recording.id)


def drafts(change: Change, recording: Recording) -> Iterator[Asset]:
    """The assets that the processing of a recording makes (G494, G495)."""
    channel = channels.get(change, recording.client, recording.channel)
    receiver = recording.starter if ask(change, assumed.RECEIVER) == "starter" else None

    def made(content: Content, label: str, user: int | None = None) -> Asset:
        return Asset(
            id=change.uuid(),
            client=recording.client,
            channel=recording.channel,
            recording=recording.id,
            content=content,
            label=label,
            started=recording.started,
            user=user,
            group=None if user is None else change.uuid(),
            receiver=receiver,
        )

    contents = [Content.COMBINED]
    if ask(change, assumed.YIELDS) == "all":
        contents += [Content.ARCHIVE, *([Content.CAPTIONS] if channel.speech2text else [])]
    for content in contents:
        yield made(content, assets.label(content))
    if ask(change, assumed.INDIVIDUAL) == "each-participant":
        for attendance in sessions.attendances(change, SESSIONS.of(change, recording.client)[recording.session]):
            if attendance.user in recording.inside or attendance.joins[-1] > recording.joins:
                yield made(Content.INDIVIDUAL, attendance.handle, attendance.user)


# The end of a channel


@on_delete(Step.STOP)
def _stop_for_good(change: Change, channel: Channel) -> None:
    MACHINE.follow(change, run(change, channel.client, channel.id), "stop")


@on_delete(Step.DROP)
def _drop(change: Change, channel: Channel) -> None:
    for recording in RECORDINGS.of(change, channel.client).find(BY_CHANNEL, channel.id):
        _remove(change, recording)


def _remove(change: Change, recording: Recording) -> None:
    """Nothing of the recording is left."""
    _forget_timers(change, recording)
    assets.drop(change, recording.client, recording.id)
    RECORDINGS.of(change, recording.client).remove(recording.id)
