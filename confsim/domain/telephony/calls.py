"""Phone calls: outbound calls of a channel, and inbound calls. Only the placing of a call is documented."""

from enum import Enum
from typing import assert_never

from confsim.assumptions import Reason, ask, not_found, note, note_shown, telephony as assumed
from confsim.assumptions.protocol import durations
from confsim.domain import delays
from confsim.domain.channels import channels
from confsim.domain.channels.channels import Channel
from confsim.domain.clients import clients
from confsim.domain.clients.clients import Client
from confsim.domain.conventions import fresh_id
from confsim.domain.fault_points import CALL, FaultOutcome, fault_for
from confsim.domain.runtime import entrance, presence, sessions
from confsim.domain.runtime.entrance import Entrant, Entry
from confsim.domain.runtime.presence import Presence, Where
from confsim.domain.users import handles, users
from confsim.domain.users.users import Account, User
from confsim.kernel import ABSENT, Change, Guard, Index, Machine, Record, Refusal, Row, Table, replace

from . import e164, number_assignments, pins
from .e164 import Dialled

#: P2 L307: DTMF begins one second after the call connects, and a comma is a delay of one second.
SECOND = 1000


class CallState(Enum):
    """The state of a call (G452)."""

    RINGING = "ringing"
    ANSWERED = "answered"
    BUSY = "busy"
    FAILED = "failed"
    ENDED = "ended"


class PhoneCall(Record, kw_only=True):
    """One phone call. Instants in epoch milliseconds.

    ``user`` is the id of the user as which the phone appears, ``number`` that of the phone. ``place`` is the id of the
    channel of the breakout room that called or was called, None where it was ``channel``. ``answers`` is the
    instant at which the phone is answered by itself, None for never. ``joined`` is whether the user joined the channel
    by this call, and leaves with it, rather than having been present before. ``organizer`` is whether the caller gave
    the PIN of organizers.
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
    state: CallState = CallState.RINGING
    placed: int
    answers: int | None = None
    connected: int | None = None
    ended: int | None = None
    joined: bool = False
    organizer: bool = False


_OPEN = (CallState.RINGING, CallState.ANSWERED)

BY_CHANNEL: Index[PhoneCall] = Index("channel", "channel")
BY_USER: Index[PhoneCall] = Index("user", "user")
#: The calls of a user that ring or are answered.
OPEN: Index[PhoneCall] = Index("open", "state", "user", of=lambda state, user: (user,) if state in _OPEN else ())
CALLS: Table[str, PhoneCall] = Table("calls", PhoneCall, "id", BY_CHANNEL, BY_USER, OPEN)


MACHINE: Machine[CallState, PhoneCall] = Machine(
    "call",
    "A phone call of a channel (R489-R498, G452, G466).",
    CALLS,
    CallState,
    state="state",
    refused={ABSENT: Reason.NOT_FOUND, None: Reason.CALL_STANDS},
)


def _about(change: Change, call: PhoneCall) -> dict[str, object]:
    return {"id": call.user, "standing": call.state.value}


_DIAL = MACHINE.draft("dial")
#: Answer the call (R497, G450). Refusals CALL_STANDS, and those of ``entrance.refusal``.
answer = MACHINE.trigger("answer", details=_about)
BE_PICKED_UP = MACHINE.trigger("be picked up")
#: End the call as busy. Refusal CALL_STANDS.
be_busy = MACHINE.trigger("be busy", details=_about)
#: End the call as failed. Refusal CALL_STANDS.
fail = MACHINE.trigger("fail", details=_about)
#: End the call, ringing or answered; a user who joined by it leaves. Refusal CALL_STANDS.
hang_up = MACHINE.trigger("hang up", details=_about)
REMOVE = MACHINE.trigger("remove")


@MACHINE.effect("wait for an answer")
def _expect(change: Change, call: PhoneCall, answers: int | None) -> PhoneCall:
    """The instant at which the phone is answered is stored."""
    return replace(call, answers=answers)


@MACHINE.creation("dial in")
def connect_inbound(change: Change, draft: PhoneCall) -> PhoneCall:
    """The user is in the channel or its lobby."""
    return replace(draft, connected=change.now, joined=True)


def _connect(change: Change, call: PhoneCall) -> PhoneCall:
    """The user stays in the channel or its lobby; DTMF follows one second later."""
    return replace(call, connected=change.now)


def _join(change: Change, call: PhoneCall) -> PhoneCall:
    """The user has come to the channel or its lobby by the call; DTMF follows one second later."""
    return replace(call, connected=change.now, joined=True)


def _end(change: Change, call: PhoneCall) -> PhoneCall:
    """The call has ended."""
    return replace(call, ended=change.now)


def entry(change: Change, call: PhoneCall, *, assigned: bool = True) -> Entry:
    """The entry of the user of the call into its channel. Refusal NOT_FOUND if the user is removed."""
    client, channel = clients.get(change, call.client), channels.get(change, call.client, call.channel)
    user = users.get(change, call.client, call.user)
    return entrance.entry(client, channel, user, by=Entrant.PHONE, assigned=assigned)


def _is_admitted(change: Change, call: PhoneCall) -> bool:
    """Whether the channel admits the callee of a phone answered by itself."""
    try:
        return presence.may_join(change, entry(change, call), bypasses_lobby(change, call))
    except Refusal:  # the user has been removed
        return False


def bypasses_lobby(change: Change, call: PhoneCall) -> bool:
    """Whether the user of the call passes the closed door: a callee where that is assumed (G450), an organizer."""
    return call.organizer if call.inbound else ask(change, assumed.CALLEES_PASS)


def _is_away(change: Change, call: PhoneCall) -> bool:
    """Whether the user of the call is not yet in the channel or its lobby."""
    return presence.find(change, channels.get(change, call.client, call.channel), call.user) is None


_AWAY = Guard("the user is not in the channel yet", _is_away)
_COMES = Guard(
    "the channel admits the callee, who is not in it yet",
    lambda change, call: _is_admitted(change, call) and _is_away(change, call),
)
_STAYS = Guard(
    "the channel admits the callee, who is in it",
    lambda change, call: _is_admitted(change, call) and not _is_away(change, call),
)
_REFUSED = Guard("the channel does not admit the callee", lambda change, call: not _is_admitted(change, call))
_PICKED_UP = MACHINE.deadline("call", lambda call: call.answers)
_RINGING, _ANSWERED, _BUSY, _FAILED, _ENDED = CallState
_ANSWER, _DIALLED_IN = "P2 L307, R497, G450, G452", "P2 L296-297, R324, R478, R479, G466"

MACHINE.declare(
    Row(_DIAL, ABSENT, _RINGING, source="P2 L304-305, R489, R491, G452"),
    Row(_expect, _RINGING, _RINGING, source="G452"),
    Row(connect_inbound, ABSENT, _ANSWERED, source=_DIALLED_IN),
    Row(answer, _RINGING, _ANSWERED, only_if=_AWAY, effect=_join, source=_ANSWER),
    Row(answer, _RINGING, _ANSWERED, only_if=~_AWAY, effect=_connect, source=_ANSWER),
    Row(BE_PICKED_UP, _RINGING, _ANSWERED, only_if=_COMES, effect=_join, at=_PICKED_UP, source=_ANSWER),
    Row(BE_PICKED_UP, _RINGING, _ANSWERED, only_if=_STAYS, effect=_connect, at=_PICKED_UP, source=_ANSWER),
    Row(BE_PICKED_UP, _RINGING, _FAILED, only_if=_REFUSED, effect=_end, at=_PICKED_UP, source="G452"),
    Row(be_busy, _RINGING, _BUSY, effect=_end, source="G452"),
    Row(fail, _RINGING, _FAILED, effect=_end, source="G452"),
    Row(hang_up, _OPEN, _ENDED, effect=_end, source="G452"),
    Row(REMOVE, tuple(CallState), ABSENT, source="G309"),
)


def _require_dial_out(change: Change, channel: Channel) -> None:
    """Refusals DIAL_OUT_OFF (R490, R493, G448), CHANNEL_IDLE (G450)."""
    note_shown(change, channel, "dial_out")
    if not channel.dial_out:
        raise Refusal(Reason.DIAL_OUT_OFF)
    meeting = channels.base_channel(change, channel)
    if ask(change, assumed.NO_SESSION) == "refuse" and sessions.find_active(change, meeting) is None:
        raise Refusal(Reason.CHANNEL_IDLE)


def dial_registered(change: Change, channel: Channel, text: str, user: int, *, whisper: bool = False) -> PhoneCall:
    """Call a number; the callee appears as that user of the client (R489).

    Refusals DIAL_OUT_OFF, CHANNEL_IDLE, NUMBER_MALFORMED, DTMF_MALFORMED, NOT_FOUND, NOT_REGISTERED, ALREADY_INSIDE
    (G451); of
    ``entrance.refusal`` when the call is answered at once.
    """
    _require_dial_out(change, channel)
    dialled = e164.dialled(change, text)
    callee = users.get(change, channel.client, user)
    if users.unregistered(callee) and ask(change, assumed.SIP_USER) == "registered":
        raise Refusal(Reason.NOT_REGISTERED, id=user)
    if _is_reached(change, channel, user) and ask(change, assumed.INSIDE) == "refuse":
        raise Refusal(Reason.ALREADY_INSIDE, id=user)
    return _dial(change, channel, dialled, callee, whisper)


def _is_reached(change: Change, channel: Channel, user: int) -> bool:
    """Whether the user is in the channel or one of its rooms, or is called already; in the lobby, neither."""
    present = presence.find(change, channels.base_channel(change, channel), user)
    inside = present is not None and present.state is not Where.WAITING
    return inside or bool(CALLS.where(change, OPEN, user, channel.client))


def dial_unregistered(change: Change, channel: Channel, text: str, name: str, *, whisper: bool = False) -> PhoneCall:
    """Call a number in any notation; the callee appears as a new user of that name (R491, R492, R498).

    Refusals DIAL_OUT_OFF, CHANNEL_IDLE, NUMBER_MALFORMED, DTMF_MALFORMED, HANDLE_TAKEN where unregistered users may
    not have the handles of registered ones (G232); of ``entrance.refusal`` when the call is answered at once.
    """
    _require_dial_out(change, channel)
    dialled = e164.extracted(change, text)
    handles.require_usable(change, clients.get(change, channel.client), name, channel=channel.id)
    meeting = channels.base_channel(change, channel)
    callee = users.create(change, channel.client, name, Account.DIALLED, channel=meeting.id)
    return _dial(change, channel, dialled, callee, whisper)


def _dial(change: Change, channel: Channel, dialled: Dialled, callee: User, whisper: bool) -> PhoneCall:
    """Place the call, which rings for the time of G452; a breakout room is reached through its event room."""
    note(change, assumed.WHISPER)
    draft = PhoneCall(
        id=fresh_id(change),
        client=channel.client,
        channel=channels.base_channel(change, channel).id,
        place=channel.id if channel.parent is not None else None,
        user=callee.id,
        number=dialled.number,
        dtmf=dialled.dtmf,
        whisper=whisper,
        placed=change.now,
    )
    call = _DIAL(change, draft)
    fault = fault_for(change, CALL, client=call.client, channel=call.channel, user=call.user, number=call.number)
    if fault is not None:
        if fault.outcome is FaultOutcome.UNANSWERED:
            return call
        if fault.outcome is FaultOutcome.BUSY:
            return be_busy(change, call)
        if fault.outcome is FaultOutcome.FAILED:
            return fail(change, call)
        assert_never(fault.outcome)
    wait = delays.wait(change, durations.CALL_ANSWERED, since=change.now)
    return answer(change, call) if wait.over else _expect(change, call, wait.ends)


def dial_in(
    change: Change,
    number: str,
    *,
    code: str | None = None,
    meeting_id: str | None = None,
    pin: str | None = None,
    caller: str | None = None,
) -> tuple[PhoneCall, Presence]:
    """Dial in to an inbound number with a routing code or a meeting id, and a PIN (G466).

    Each call creates an unregistered user. An organizer's PIN passes the door and so starts the meeting (R324).
    Refusals of ``number_assignments.resolve_inbound_call``; DIAL_IN_OFF (G467), PIN_WRONG; of ``entrance.refusal``.
    """
    client, reached = number_assignments.resolve_inbound_call(change, number, code, meeting_id)
    meeting = channels.base_channel(change, reached)
    note_shown(change, meeting, "dial_in")
    note_shown(change, reached, "dial_in")
    if not meeting.dial_in or not reached.dial_in:
        raise Refusal(Reason.DIAL_IN_OFF)
    organizer = pins.check(change, reached, pin)
    shown = caller or ask(change, assumed.ANONYMOUS)
    handle = ask(change, assumed.CALLER_HANDLE).replace("{number}", shown)
    user = users.create(change, client.id, handle, Account.DIALLED, channel=meeting.id, inbound=True)
    draft = PhoneCall(
        id=fresh_id(change),
        client=client.id,
        channel=meeting.id,
        place=reached.id if reached.parent is not None else None,
        user=user.id,
        number=shown,
        inbound=True,
        placed=change.now,
        organizer=organizer,
    )
    call = connect_inbound(change, draft)
    return call, presence.PRESENCES.of(change, client.id)[f"{meeting.id}/{user.id}"]


def get_of_user(change: Change, client: Client, user: int) -> PhoneCall:
    """The latest call of the user that rings or is answered, else the latest of all. Refusal NOT_FOUND."""
    rows = CALLS.of(change, client.id)
    found = rows.where(OPEN, user) or rows.where(BY_USER, user)
    return found[-1] if found else not_found("call of user", user)


def tones(call: PhoneCall, until: int) -> list[tuple[int, str]]:
    """The DTMF tones sent to the phone until an instant, each with its instant (epoch milliseconds, R497)."""
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
