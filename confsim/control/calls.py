"""Phones: they ring inbound numbers, and answer or do not answer the calls of channels (G452, G466)."""

from __future__ import annotations

from collections.abc import Callable

from confsim.contract.types import FullName, Long, Wire
from confsim.domain.clients.clients import CLIENTS
from confsim.domain.couplings.machines import COUPLINGS
from confsim.domain.runtime.presence import Where
from confsim.domain.telephony import calls
from confsim.domain.telephony.calls import CALLS, Call
from confsim.kernel.world import Change

from .control import Control, Order, by_the_rules, client_of, operation, user_of

#: Whoever hangs up leaves the channel.
FOLLOWED = COUPLINGS


class DialIn(Order):
    """A phone that rings an inbound number. What is keyed in: ``code`` (of the number) or ``meetingId``, and ``pin``.

    ``caller`` is the number that the phone sends, none for an anonymous one.
    """

    number: str
    code: str | None = None
    meetingId: str | None = None
    pin: str | None = None
    caller: FullName | None = None


class Phone(Order):
    """The phone that a user has called or been called with."""

    userId: Long


class Connected(Wire):
    """The user that the caller appears as, and where: "in" the channel, or "waiting" in its lobby."""

    userId: int
    state: str


class Line(Wire):
    """How the call stands: "answered", "busy", "failed" or "ended"."""

    state: str


class Tone(Wire):
    """A tone that the phone has heard, and when."""

    at: int
    tone: str


class PhoneCall(Wire, kw_only=True):
    """A call, in whichever client. ``number`` is the phone's; ``tones`` is what was sent of the DTMF part so far."""

    userId: int
    channel: str
    clientId: str
    number: str
    inbound: bool
    state: str
    whisper: bool
    dtmf: str
    tones: list[Tone]
    placed: int
    connected: int | None = None
    ended: int | None = None


@operation("POST /calls/dial-in")
def dial_in(control: Control, body: DialIn) -> Connected:
    """Let a phone ring an inbound number: a new user comes into the channel, or waits in its lobby.

    An exclusive number needs neither code nor meetingId. A PIN is needed once the channel has any; an organizer's
    passes a closed door. 404 when the number or the code leads nowhere; a refusal by the channel's rules is a Misuse
    (409) with its ``reason``.
    """
    with control.change() as change:
        with by_the_rules():
            call, present = calls.dial_in(
                change, body.number, code=body.code, meeting_id=body.meetingId, pin=body.pin, caller=body.caller
            )
        return Connected(userId=call.user, state="waiting" if present.state is Where.WAITING else "in")


@operation("POST /calls/answer")
def answer_call(control: Control, body: Phone) -> Line:
    """Take a ringing phone off the hook: its user comes into the channel. Misuse (409) when it does not ring."""
    return _moved(control, body.userId, calls.answer)


@operation("POST /calls/busy")
def refuse_call(control: Control, body: Phone) -> Line:
    """Let a ringing phone be engaged. Misuse (409) when it does not ring."""
    return _moved(control, body.userId, calls.be_busy)


@operation("POST /calls/fail")
def fail_call(control: Control, body: Phone) -> Line:
    """Let a call fail that rings. Misuse (409) when it does not ring."""
    return _moved(control, body.userId, calls.fail)


@operation("POST /calls/hangup")
def hang_up(control: Control, body: Phone) -> Line:
    """Put a phone down, ringing or answered: its user leaves the channel. Misuse (409) when the call is over."""
    return _moved(control, body.userId, calls.hang_up)


@operation("GET /calls")
def list_calls(control: Control) -> list[PhoneCall]:
    """List all calls, newest first in each client."""
    change = control.see()
    return [_shown(change, call) for client in CLIENTS.of(change) for call in CALLS.of(change, client.id)]


def _moved(control: Control, user: int, move: Callable[[Change, Call], Call]) -> Line:
    with control.change() as change:
        client = client_of(change, user_of(change, user).client)
        call = calls.of_user(change, client, user)
        with by_the_rules():
            return Line(state=move(change, call).state.value)


def _shown(change: Change, call: Call) -> PhoneCall:
    return PhoneCall(
        userId=call.user,
        channel=call.channel,
        clientId=call.client,
        number=call.number,
        inbound=call.inbound,
        state=call.state.value,
        whisper=call.whisper,
        dtmf=call.dtmf,
        tones=[Tone(at=at, tone=tone) for at, tone in calls.tones(call, change.now)],
        placed=call.placed,
        connected=call.connected,
        ended=call.ended,
    )
