"""Phones: they dial in to inbound numbers, and answer the calls of channels or do not (G452, G466)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from confsim.contract.types import FullName, Long, Wire
from confsim.control.context import ControlContext, get_client, get_user, refusals_as_conflicts
from confsim.control.declare import CommandBody, operation
from confsim.domain import couplings
from confsim.domain.clients.clients import CLIENTS
from confsim.domain.runtime.presence import Where
from confsim.domain.telephony import calls
from confsim.domain.telephony.calls import CALLS
from confsim.kernel.world import Change

#: hanging up leaves the channel
FOLLOWED = couplings


class DialIn(CommandBody):
    """A call to an inbound ``number``. The caller keys in ``code`` (of the number) or ``meetingId``, and ``pin``.

    ``caller`` is the number of the calling phone, null for an anonymous call.
    """

    number: Annotated[str, "The inbound number that is called."]
    code: Annotated[str | None, "The routing code that is keyed in."] = None
    meetingId: Annotated[str | None, "The meeting id that is keyed in."] = None
    pin: Annotated[str | None, "The PIN that is keyed in."] = None
    caller: Annotated[FullName | None, "The number of the calling phone; null for an anonymous call."] = None


class UserOnPhone(CommandBody):
    """The user whose phone is meant: the one that dialled in or was called."""

    userId: Annotated[Long, "The user whose phone is meant."]


class DialedIn(Wire):
    """The user whom the caller appears as, and the state: "in" the channel, or "waiting" in its lobby."""

    userId: Annotated[int, "The user of the caller."]
    state: Annotated[str, "Whether the caller is in the channel or waiting."]


class CallState(Wire):
    """The state of the call: "answered", "busy", "failed" or "ended"."""

    state: Annotated[str, "The state of the call."]


class Tone(Wire):
    """A tone that was sent to the phone, and when."""

    at: Annotated[int, "The instant at which it was sent, in epoch milliseconds."]
    tone: Annotated[str, "The tone."]


class PhoneCall(Wire, kw_only=True):
    """A call of any client. ``number`` is that of the phone; ``tones`` is the part of ``dtmf`` that was sent so far."""

    userId: Annotated[int, "The user of the phone."]
    channel: Annotated[str, "The channel of the call."]
    clientId: Annotated[str, "The client of the channel."]
    number: Annotated[str, "The number of the phone."]
    inbound: Annotated[bool, "Whether the phone called the channel."]
    state: Annotated[str, "The state of the call."]
    whisper: Annotated[bool, "Whether the call is whispered."]
    dtmf: Annotated[str, "The tones to send."]
    tones: Annotated[list[Tone], "The tones that were sent so far."]
    placed: Annotated[int, "The instant at which it was placed, in epoch milliseconds."]
    connected: Annotated[int | None, "The instant at which it was answered, in epoch milliseconds."] = None
    ended: Annotated[int | None, "The instant of its end, in epoch milliseconds."] = None


@operation("POST /calls/dial-in")
def dial_in(context: ControlContext, body: DialIn) -> DialedIn:
    """Dial an inbound number as a phone: a new user joins the channel, or waits in its lobby.

    An exclusive number needs neither code nor meetingId. A PIN is needed once the channel has any; an organizer's
    passes a closed door. 404 when the number or the code leads nowhere; a refusal by the channel's rules is a Misuse
    (409) with its ``reason``.
    """
    with context.change() as change:
        with refusals_as_conflicts():
            call, present = calls.dial_in(
                change, body.number, code=body.code, meeting_id=body.meetingId, pin=body.pin, caller=body.caller
            )
        return DialedIn(userId=call.user, state="waiting" if present.state is Where.WAITING else "in")


@operation("POST /calls/answer")
def answer_call(context: ControlContext, body: UserOnPhone) -> CallState:
    """Answer a ringing phone: its user joins the channel. Misuse (409) when it does not ring."""
    return _move(context, body.userId, calls.answer)


@operation("POST /calls/busy")
def refuse_call(context: ControlContext, body: UserOnPhone) -> CallState:
    """Refuse the call of a ringing phone, which is then busy. Misuse (409) when it does not ring."""
    return _move(context, body.userId, calls.be_busy)


@operation("POST /calls/fail")
def fail_call(context: ControlContext, body: UserOnPhone) -> CallState:
    """Fail a ringing call. Misuse (409) when it does not ring."""
    return _move(context, body.userId, calls.fail)


@operation("POST /calls/hangup")
def hang_up(context: ControlContext, body: UserOnPhone) -> CallState:
    """Hang up a phone, ringing or answered: its user leaves the channel. Misuse (409) when the call has ended."""
    return _move(context, body.userId, calls.hang_up)


@operation("GET /calls", beside=True)
def list_calls(context: ControlContext) -> list[PhoneCall]:
    """List all calls, newest first in each client."""
    change = context.view()
    of_clients = (CALLS.of(change, client.id).all.descending for client in CLIENTS.of(change).all.descending)
    return [_describe(change, call) for calls in of_clients for call in calls]


def _move(context: ControlContext, user: int, move: Callable[[Change, calls.PhoneCall], calls.PhoneCall]) -> CallState:
    with context.change() as change:
        client = get_client(change, get_user(change, user).client)
        call = calls.get_of_user(change, client, user)
        with refusals_as_conflicts():
            return CallState(state=move(change, call).state.value)


def _describe(change: Change, call: calls.PhoneCall) -> PhoneCall:
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
