"""Phones and the presence of people as typed Python objects."""

from __future__ import annotations

from confsim.control.invoke import ControlPlane
from confsim.control.operations.people.accounts import MadeUser
from confsim.control.operations.people.phones import (
    DialedIn,
    PhoneCall,
    answer_call,
    dial_in,
    fail_call,
    hang_up,
    list_calls,
    refuse_call,
)
from confsim.control.operations.people.presence import (
    InChannel,
    JoinedChannel,
    admit_to_channel,
    join_channel,
    leave_channel,
    list_presence,
    set_presenter,
)

from .assertions import counted

#: A user: the id, which a user of ``Simulator.demo`` is, or the user that ``make_user`` has returned.
UserId = int | MadeUser


def number(user: UserId) -> int:
    """The id of a user. Anything else is returned as it is, for the operation that refuses it."""
    return user.id if isinstance(user, MadeUser) else user


class CallsFacade:
    """The phone calls of a world. Raises Misuse (409) with the rule of a channel that forbids a call."""

    __slots__ = ("_control",)

    def __init__(self, control: ControlPlane) -> None:
        self._control = control

    def __repr__(self) -> str:
        return f"<{counted(len(self()), 'phone call')}>"

    def __call__(self) -> list[PhoneCall]:
        """Return all calls, newest first in each client."""
        return self._control.call(list_calls)

    def dial_in(
        self,
        number: str,
        *,
        code: str | None = None,
        meetingId: str | None = None,
        pin: str | None = None,
        caller: str | None = None,
    ) -> DialedIn:
        """Let a phone call an inbound number and key in ``code`` or ``meetingId``, and ``pin``."""
        keyed = {"code": code, "meetingId": meetingId, "pin": pin, "caller": caller}
        given = {name: text for name, text in keyed.items() if text is not None}
        return self._control.call(dial_in, number=number, **given)

    def answer(self, user_id: UserId) -> str:
        """Answer the ringing phone of a user; returns the state of the call."""
        return self._control.call(answer_call, userId=number(user_id)).state

    def busy(self, user_id: UserId) -> str:
        """Let the ringing phone of a user be busy; returns the state of the call."""
        return self._control.call(refuse_call, userId=number(user_id)).state

    def fail(self, user_id: UserId) -> str:
        """Let the ringing call of a user fail; returns the state of the call."""
        return self._control.call(fail_call, userId=number(user_id)).state

    def hang_up(self, user_id: UserId) -> str:
        """Hang up the phone of a user; returns the state of the call."""
        return self._control.call(hang_up, userId=number(user_id)).state


class PresenceFacade:
    """The presence of users in channels. Raises Misuse (409) with the rule of a channel that forbids it."""

    __slots__ = ("_control",)

    def __init__(self, control: ControlPlane) -> None:
        self._control = control

    def __repr__(self) -> str:
        return "<presence in channels>"

    def __call__(self, channel: str) -> list[InChannel]:
        """Return the users in the channel, its breakout rooms and its lobby."""
        return self._control.call(list_presence, channel=channel)

    def join(self, channel: str, user: UserId | str) -> JoinedChannel:
        """Let a user, by id or by token, join the channel; the state is "in", or "waiting" in the lobby."""
        who = {"token": user} if isinstance(user, str) else {"userId": number(user)}
        return self._control.call(join_channel, channel=channel, **who)

    def leave(self, channel: str, user_id: UserId) -> str:
        """Let a user leave the channel; returns the state."""
        return self._control.call(leave_channel, channel=channel, userId=number(user_id)).state

    def admit(self, channel: str, user_id: UserId) -> str:
        """Admit a user who waits in the lobby; returns the state."""
        return self._control.call(admit_to_channel, channel=channel, userId=number(user_id)).state

    def present(self, channel: str, user_id: UserId, presenter: bool = True) -> bool:
        """Grant or revoke Presenter status; returns whether the user is a presenter now."""
        return self._control.call(set_presenter, channel=channel, userId=number(user_id), presenter=presenter).presenter
