"""Phone calls: those that a channel makes, and phones that dial in. Only the placing of a call is documented."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum

from msgspec.structs import replace

from confsim.assumptions import telephony as assumed
from confsim.assumptions.events import Kind
from confsim.assumptions.protocol import durations
from confsim.assumptions.refusals import Reason
from confsim.assumptions.register import ask, note
from confsim.domain import delays
from confsim.domain.breakout import assignments
from confsim.domain.channels import channels
from confsim.domain.channels.channels import Channel
from confsim.domain.clients import clients
from confsim.domain.clients.clients import Client
from confsim.domain.events.event_log import happened
from confsim.domain.fault_points import CALL, Outcome, Stroke, struck
from confsim.domain.runtime import lobby, presence, sessions
from confsim.domain.runtime.presence import Presence, Where
from confsim.domain.users import handles, users
from confsim.domain.users.users import Account, User
from confsim.kernel.old_machine import Effect, Facts, Machine, Row
from confsim.kernel.refusal import Refusal
from confsim.kernel.table import Index, Record, Table
from confsim.kernel.timers import on_timer
from confsim.kernel.world import Change

from . import e164, number_assignments, pins
from .e164 import Dialled

#: P2 L307: DTMF begins one second after the call connects, and a comma is a delay of one second.
SECOND = 1000

_TIMER = "call"


class State(Enum):
    """Where a call is (G452)."""

    ABSENT = "absent"
    RINGING = "ringing"
    ANSWERED = "answered"
    BUSY = "busy"
    FAILED = "failed"
    ENDED = "ended"


class Call(Record, kw_only=True):
    """One phone call. Instants in epoch milliseconds.

    ``user`` is whom the phone appears as, ``number`` the phone's; ``place`` is the channel of the breakout room that
    called or was called, None where it was ``channel``. ``joined`` tells that the user came into the channel by this
    call and goes with it, rather than having been there already.
    """

    id: str
    client: str
    channel: str
    place: str | None = None
    user: int
    number: str
    inbound: bool = False
    dtmf: str = ""
    whisper: bool = False
    state: State = State.ABSENT
    placed: int
    connected: int | None = None
    ended: int | None = None
    joined: bool = False


_OPEN = (State.RINGING, State.ANSWERED)

BY_CHANNEL: Index[Call] = Index("channel", lambda call: (call.channel,))
BY_USER: Index[Call] = Index("user", lambda call: (call.user,))
#: The calls of a user that ring or are answered.
OPEN: Index[Call] = Index("open", lambda call: (call.user,) if call.state in _OPEN else ())
CALLS: Table[str, Call] = Table("calls", Call, "id", BY_CHANNEL, BY_USER, OPEN)


def _put(change: Change, call: Call) -> Call:
    return CALLS.of(change, call.client).put(call)


def _told(change: Change, call: Call, kind: Kind) -> None:
    happened(
        change,
        call.client,
        kind,
        call=call.id,
        channel=call.channel,
        user=call.user,
        inbound=call.inbound,
        state=call.state.value,
    )


def _ring(change: Change, call: Call, facts: Facts) -> Call:
    """The phone rings."""
    call = _put(change, replace(call, state=State.RINGING))
    _told(change, call, Kind.CALL_STARTED)
    return call


def _connect(change: Change, call: Call, facts: Facts) -> Call:
    """The user is in the channel, or waits in its lobby; DTMF follows a second later."""
    change.cancel(_TIMER, call.client, call.id)
    user, client = users.get(change, call.client, call.user), clients.get(change, call.client)
    channel = channels.get(change, call.client, call.channel)
    away = presence.of(change, channel, user.id).state is Where.AWAY
    presence.join(change, client, channel, user, host=facts["passes"], phone=True)
    if call.place is not None:
        assignments.lead(change, channel, call.place, user)
    call = _put(change, replace(call, state=State.ANSWERED, connected=change.now, joined=away))
    if call.inbound:
        _told(change, call, Kind.CALL_STARTED)
    return call


def _over(state: State, meaning: str) -> Effect:
    def effect(change: Change, call: Call, facts: Facts) -> Call:
        change.cancel(_TIMER, call.client, call.id)
        call = _put(change, replace(call, state=state, ended=change.now))
        _told(change, call, Kind.CALL_ENDED)
        return call

    effect.__doc__ = meaning
    return effect


MACHINE: Machine[State, Call] = Machine(
    "call",
    "A phone call of a channel (R489-R498, G452, G466).",
    State,
    (
        Row("dial", State.ABSENT, State.RINGING, effect=_ring, source="P2 L304-305, R489, R491, G452"),
        Row("dial in", State.ABSENT, State.ANSWERED, effect=_connect, source="P2 L296-297, R324, R478, R479, G466"),
        Row("answer", State.RINGING, State.ANSWERED, effect=_connect, source="P2 L307, R497, G450, G452"),
        Row(
            "be busy",
            State.RINGING,
            State.BUSY,
            effect=_over(State.BUSY, "The phone is engaged."),
            source="G452",
        ),
        Row(
            "fail",
            State.RINGING,
            State.FAILED,
            effect=_over(State.FAILED, "The phone is not reached."),
            source="G452",
        ),
        Row(
            "hang up",
            _OPEN,
            State.ENDED,
            effect=_over(State.ENDED, "The line is dead; the user goes who came by it."),
            source="G452",
        ),
    ),
    read=lambda call, facts: call.state,
    refusals={None: Reason.CALL_STANDS},
    initial=State.ABSENT,
)


def _require_dial_out(change: Change, channel: Channel) -> None:
    """Refusals DIAL_OUT_OFF (R490, R493, G448), CHANNEL_IDLE (G450)."""
    if not channel.dial_out:
        raise Refusal(Reason.DIAL_OUT_OFF)
    meeting = channels.governing(change, channel)
    if ask(change, assumed.NO_SESSION) == "refuse" and sessions.active(change, meeting) is None:
        raise Refusal(Reason.CHANNEL_IDLE)


def dial_registered(change: Change, channel: Channel, text: str, user: int, *, whisper: bool = False) -> Call:
    """Call a number; the callee appears as that user of the client (R489).

    Refusals DIAL_OUT_OFF, CHANNEL_IDLE, NUMBER_MALFORMED, DTMF_MALFORMED, NOT_FOUND, NOT_REGISTERED (G451); of
    ``presence.join`` when the call is answered at once.
    """
    _require_dial_out(change, channel)
    dialled = e164.dialled(change, text)
    callee = users.get(change, channel.client, user)
    if users.unregistered(callee) and ask(change, assumed.SIP_USER) == "registered":
        raise Refusal(Reason.NOT_REGISTERED, id=user)
    return _dial(change, channel, dialled, callee, whisper)


def dial_unregistered(change: Change, channel: Channel, text: str, name: str, *, whisper: bool = False) -> Call:
    """Call a number, however it is written; the callee appears as a new user of that name (R491, R492, R498).

    Refusals DIAL_OUT_OFF, CHANNEL_IDLE, NUMBER_MALFORMED, DTMF_MALFORMED, HANDLE_TAKEN where unregistered users may
    not bear the handles of registered ones (G232); of ``presence.join`` when the call is answered at once.
    """
    _require_dial_out(change, channel)
    dialled = e164.extracted(change, text)
    handles.require_usable(change, clients.get(change, channel.client), name)
    meeting = channels.governing(change, channel)
    callee = users.create(change, channel.client, name, Account.DIALLED, channel=meeting.id)
    return _dial(change, channel, dialled, callee, whisper)


def _dial(change: Change, channel: Channel, dialled: Dialled, callee: User, whisper: bool) -> Call:
    """The phone rings, for as long as G452 says; a breakout room is reached through its event room."""
    note(change, assumed.WHISPER)
    draft = Call(
        id=change.uuid(),
        client=channel.client,
        channel=channels.governing(change, channel).id,
        place=channel.id if channel.parent is not None else None,
        user=callee.id,
        number=dialled.number,
        dtmf=dialled.dtmf,
        whisper=whisper,
        placed=change.now,
    )
    call = MACHINE.fire(change, draft, "dial")
    facts = {"client": call.client, "channel": call.channel, "user": call.user, "number": call.number}
    stroke = struck(change, CALL, **facts)
    if stroke is not None:
        return _struck(change, call, stroke)
    looks = delays.begin(change, durations.CALL_ANSWERED, _TIMER, call.client, call.id, since=change.now)
    return answer(change, call) if looks == 0 else call


def _struck(change: Change, call: Call, stroke: Stroke) -> Call:
    """The call as a fault has it: over at once, or ringing until somebody else moves it."""
    if stroke.outcome is Outcome.UNANSWERED:
        return call
    return be_busy(change, call) if stroke.outcome is Outcome.BUSY else fail(change, call)


def answer(change: Change, call: Call) -> Call:
    """The phone is taken off the hook (R497, G450). Refusals CALL_STANDS, and those of ``presence.join``."""
    return _fire(change, call, "answer", passes=ask(change, assumed.CALLEES_PASS))


def be_busy(change: Change, call: Call) -> Call:
    """The phone is engaged. Refusal CALL_STANDS."""
    return _fire(change, call, "be busy")


def fail(change: Change, call: Call) -> Call:
    """The phone is not reached. Refusal CALL_STANDS."""
    return _fire(change, call, "fail")


def hang_up(change: Change, call: Call) -> Call:
    """The phone is put down, ringing or answered; who came by it is gone. Refusal CALL_STANDS."""
    return _fire(change, call, "hang up")


def _fire(change: Change, call: Call, event: str, **facts: object) -> Call:
    return MACHINE.fire(change, call, event, id=call.user, standing=call.state.value, **facts)


def dial_in(
    change: Change,
    number: str,
    *,
    code: str | None = None,
    meeting_id: str | None = None,
    pin: str | None = None,
    caller: str | None = None,
) -> tuple[Call, Presence]:
    """A phone rings an inbound number and keys in a routing code or a meeting id, and a PIN (G466).

    Each call makes a new unregistered user. An organizer's PIN passes the door and so starts the meeting (R324).
    Refusals of ``number_assignments.reached``; DIAL_IN_OFF (G467), PIN_WRONG; of ``presence.join``.
    """
    client, reached = number_assignments.reached(change, number, code, meeting_id)
    if not reached.dial_in:
        raise Refusal(Reason.DIAL_IN_OFF)
    organizer = pins.check(change, reached, pin)
    meeting = channels.governing(change, reached)
    shown = caller or ask(change, assumed.ANONYMOUS)
    handle = ask(change, assumed.CALLER_HANDLE).replace("{number}", shown)
    user = users.create(change, client.id, handle, Account.DIALLED, channel=meeting.id, inbound=True)
    draft = Call(
        id=change.uuid(),
        client=client.id,
        channel=meeting.id,
        place=reached.id if reached.parent is not None else None,
        user=user.id,
        number=shown,
        inbound=True,
        placed=change.now,
    )
    call = MACHINE.fire(change, draft, "dial in", passes=organizer)
    if organizer and not meeting.open and ask(change, assumed.ORGANIZER) == "opens-door":
        lobby.set_door(change, channels.get(change, client.id, meeting.id), "open")
    return call, presence.of(change, meeting, user.id)


def of_user(change: Change, client: Client, user: int) -> Call:
    """The latest call of the user that rings or is answered, else the latest of all. Refusal NOT_FOUND."""
    rows = CALLS.of(change, client.id)
    found = rows.find(OPEN, user) or rows.find(BY_USER, user)
    if not found:
        raise Refusal(Reason.NOT_FOUND, what="call of user", id=user)
    return found[-1]


def tones(call: Call, until: int) -> list[tuple[int, str]]:
    """The DTMF that the phone has heard by an instant, each tone with its instant (R497)."""
    if call.connected is None:
        return []
    heard: list[tuple[int, str]] = []
    at = call.connected + SECOND
    end = until if call.ended is None else min(until, call.ended)
    for tone in call.dtmf:
        if tone == ",":
            at += SECOND
        elif at <= end:
            heard.append((at, tone))
    return heard


def phones(change: Change, present: Presence) -> Iterable[Call]:
    """The calls that a user who has gone was in the channel by."""
    for call in CALLS.of(change, present.client).find(OPEN, present.user):
        if call.channel == present.channel and call.state is State.ANSWERED:
            yield call


def arrived(change: Change, call: Call) -> Iterable[Presence]:
    """The user who came into the channel by the call."""
    if call.joined:
        yield presence.of(change, channels.get(change, call.client, call.channel), call.user)


@on_timer(_TIMER)
def _answered(change: Change, client: str, id: str) -> bool:
    """The phone is answered; where the channel has become closed to the callee, the call fails."""
    call = CALLS.of(change, client)[id]
    try:
        answer(change, call)
    except Refusal:
        fail(change, call)
    return True


def stop_in_channel(change: Change, channel: Channel) -> None:
    """The lines of a channel that is about to go are cut."""
    for call in CALLS.of(change, channel.client).find(BY_CHANNEL, channel.id):
        MACHINE.follow(change, call, "hang up")


def remove_of_channel(change: Change, channel: Channel) -> None:
    """Its calls go with it (G309)."""
    rows = CALLS.of(change, channel.client)
    for call in rows.find(BY_CHANNEL, channel.id):
        rows.remove(call.id)
