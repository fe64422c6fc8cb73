"""Who comes into a channel and goes, which the API reaches by its websocket alone (G327)."""

from __future__ import annotations

from confsim.assumptions.refusals import Reason
from confsim.contract.types import Long, Wire
from confsim.domain.breakout import assignments
from confsim.domain.channels import channels
from confsim.domain.channels.channels import Channel
from confsim.domain.clients import clients
from confsim.domain.clients.clients import CLIENTS
from confsim.domain.couplings.machines import COUPLINGS
from confsim.domain.identity import credentials
from confsim.domain.runtime import presence, sessions
from confsim.domain.runtime.presence import Presence, Where
from confsim.domain.users.users import User
from confsim.kernel.refusal import Misuse, Refusal
from confsim.kernel.world import Change

from .control import Control, Order, by_the_rules, operation, user_of

#: Whoever comes or goes moves sessions, doors and breakout rooms.
FOLLOWED = COUPLINGS

_TOLD = {Where.IN_ROOM: "in"}


class Join(Order):
    """A user, by ``userId`` or by the user's ``token``, and the uuid of a channel."""

    channel: str
    userId: Long | None = None
    token: str | None = None


class Someone(Order):
    """A user and the uuid of a channel."""

    channel: str
    userId: Long


class Present(Order):
    """A user, the uuid of a channel, and whether the user is to be a presenter."""

    channel: str
    userId: Long
    presenter: bool = True


class Joined(Wire):
    """Where the user is now, "in" or "waiting" in the lobby, and the session that runs."""

    state: str
    session: str | None = None


class Standing(Wire):
    """Where the user is now: "in", "waiting" or "away"."""

    state: str


class PresenterStatus(Wire):
    """Whether the user is a presenter."""

    presenter: bool


class InChannel(Wire, kw_only=True):
    """A user in a channel or its lobby; ``room`` is the id of the breakout room where the user is."""

    userId: int
    state: str
    room: str | None = None
    presenter: bool
    muted: bool


@operation("POST /presence/join")
def join_channel(control: Control, body: Join) -> Joined:
    """Let a user join a channel, as a websocket connection would: the user is in, or waits in the lobby.

    The uuid may be that of an open breakout room: a host goes to any, others to their own. A refusal by the channel's
    rules is a Misuse (409) with its ``reason``.
    """
    with control.change() as change:
        user = _user(change, body)
        channel = channels.get(change, user.client, body.channel)
        client = clients.get(change, user.client)
        with by_the_rules():
            if channel.parent is None:
                found = presence.join(change, client, channel, user)
            else:
                found = assignments.enter(change, client, channel, user)
        session = sessions.active(change, channel)
        return Joined(state=_state(found), session=session.id if session else None)


@operation("POST /presence/leave")
def leave_channel(control: Control, body: Someone) -> Standing:
    """Let a user leave the channel, its breakout room or its lobby. Misuse (409) for a user who is away."""
    with control.change() as change:
        channel = _channel(change, body)
        with by_the_rules():
            return Standing(state=_state(presence.leave(change, channel, body.userId)))


@operation("POST /presence/admit")
def admit_to_channel(control: Control, body: Someone) -> Standing:
    """Let a user in who waits in the lobby, as an operator would. Misuse (409) for a user who is away."""
    with control.change() as change:
        channel = _channel(change, body)
        with by_the_rules():
            return Standing(state=_state(presence.admit(change, channel, body.userId)))


@operation("POST /presence/presenter")
def set_presenter(control: Control, body: Present) -> PresenterStatus:
    """Grant or revoke Presenter status, as the host does in the room. Misuse (409) when the presenters limit is met."""
    with control.change() as change:
        channel = _channel(change, body)
        with by_the_rules():
            found = presence.present(change, channel, body.userId, body.presenter)
        return PresenterStatus(presenter=found.presenter)


@operation("GET /presence")
def list_presence(control: Control, *, channel: str) -> list[InChannel]:
    """List who is in a channel, its breakout rooms and its lobby, as they came; of a breakout room who is inside."""
    change = control.see()
    for client in CLIENTS.of(change):
        found = channels.find(change, client.id, channel.lower())
        if found is not None:
            return [_in_channel(change, found, each) for each in _people(change, found)]
    raise Refusal(Reason.NOT_FOUND, what="channel", id=channel)


def _people(change: Change, channel: Channel) -> list[Presence]:
    return presence.everybody(change, channel) if channel.parent is None else presence.inside(change, channel)


def _in_channel(change: Change, channel: Channel, found: Presence) -> InChannel:
    return InChannel(
        userId=found.user,
        state=_state(found),
        room=found.room,
        presenter=found.presenter,
        muted=presence.muted(change, channels.governing(change, channel), found),
    )


def _user(change: Change, body: Join) -> User:
    """The user who joins. Misuse unless one of userId and token tells."""
    if (body.userId is None) is (body.token is None):
        raise Misuse("give userId or token")
    if body.userId is not None:
        return user_of(change, body.userId)
    user = credentials.authenticate(change, body.token or "").user
    if user is None:
        raise Misuse("token: an API token is not a user")
    return user


def _channel(change: Change, body: Someone | Present) -> Channel:
    """The channel in which the user is looked for: the event room for that of a breakout room."""
    user = user_of(change, body.userId)
    return channels.governing(change, channels.get(change, user.client, body.channel))


def _state(found: Presence) -> str:
    return _TOLD.get(found.state, found.state.value)
