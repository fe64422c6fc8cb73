"""Joining and leaving channels, which clients of the API do over its websocket alone (G327)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, ClassVar

from confsim.assumptions.protocol.refusals import Reason, not_found
from confsim.contract.types import Long, Wire
from confsim.control.context import ControlContext, get_user, refusals_as_conflicts
from confsim.control.declare import CommandBody, operation
from confsim.control.problems import misuse_of
from confsim.domain import couplings
from confsim.domain.breakout import assignments
from confsim.domain.channels import channels
from confsim.domain.channels.channels import Channel
from confsim.domain.clients import clients
from confsim.domain.identity import credentials
from confsim.domain.runtime import presence, sessions
from confsim.domain.runtime.presence import Presence, Where
from confsim.domain.users.users import User
from confsim.kernel.refusal import Misuse, Refusal
from confsim.kernel.world import Change

#: joining and leaving moves sessions, lobbies and breakout rooms
FOLLOWED = couplings

_WORDS = {Where.IN_ROOM: "in"}


class JoinChannel(CommandBody):
    """A user, by ``userId`` or by the user's ``token``, and the uuid of a channel."""

    ONE_OF: ClassVar = ("userId", "token")

    channel: Annotated[str, "The uuid of the channel."]
    userId: Annotated[Long | None, "The user who joins."] = None
    token: Annotated[str | None, "A token of the user who joins."] = None


class UserInChannel(CommandBody):
    """A user and the uuid of a channel."""

    channel: Annotated[str, "The uuid of the channel."]
    userId: Annotated[Long, "The number of the user."]


class SetPresenter(CommandBody):
    """A user, the uuid of a channel, and whether the user shall be a presenter."""

    channel: Annotated[str, "The uuid of the channel."]
    userId: Annotated[Long, "The number of the user."]
    presenter: Annotated[bool, "Whether the user shall be a presenter."] = True


class JoinedChannel(Wire):
    """The state of the user, "in" or "waiting" (in the lobby), and the id of the active session."""

    state: Annotated[str, "Whether the user is in the channel or waiting."]
    session: Annotated[str | None, "The id of the active session."] = None


class PresenceState(Wire):
    """The state of the user: "in", "waiting" or "away"."""

    state: Annotated[str, "Whether the user is in, waiting or away."]


class PresenterStatus(Wire):
    """Whether the user is a presenter."""

    presenter: Annotated[bool, "Whether the user is a presenter."]


class InChannel(Wire, kw_only=True):
    """A user in a channel or its lobby; ``room`` is the id of the user's breakout room, null outside of one."""

    userId: Annotated[int, "The number of the user."]
    state: Annotated[str, "Whether the user is in or waiting."]
    room: Annotated[str | None, "The breakout room of the user; null outside of one."] = None
    presenter: Annotated[bool, "Whether the user is a presenter."]
    muted: Annotated[bool, "Whether the user is muted."]


@operation("POST /presence/join")
def join_channel(context: ControlContext, body: JoinChannel) -> JoinedChannel:
    """Join a channel as a user, as a websocket connection would; the user is then in it or waits in its lobby.

    The uuid can be that of an open breakout room: a host can join any, other users their own. A refusal by the rules of
    the channel is a Misuse (409) with its ``reason``.
    """
    with context.change() as change:
        user = _user(change, body)
        channel = channels.get(change, user.client, body.channel)
        client = clients.get(change, user.client)
        with refusals_as_conflicts():
            if channel.parent is None:
                found = presence.join(change, client, channel, user)
            else:
                found = assignments.enter(change, client, channel, user)
        session = sessions.find_active(change, channel)
        return JoinedChannel(state=_state(found), session=session.id if session else None)


@operation("POST /presence/leave")
def leave_channel(context: ControlContext, body: UserInChannel) -> PresenceState:
    """Leave the channel, its breakout room or its lobby as a user. Misuse (409) for a user who is away."""
    with context.change() as change:
        channel = _channel(change, body)
        with refusals_as_conflicts():
            presence.leave(change, channel, body.userId)
        return PresenceState(state="away")


@operation("POST /presence/admit")
def admit_to_channel(context: ControlContext, body: UserInChannel) -> PresenceState:
    """Admit a user who waits in the lobby, as an operator would. Misuse (409) for a user who is away."""
    with context.change() as change:
        channel = _channel(change, body)
        with refusals_as_conflicts():
            return PresenceState(state=_state(presence.admit(change, channel, body.userId)))


@operation("POST /presence/presenter")
def set_presenter(context: ControlContext, body: SetPresenter) -> PresenterStatus:
    """Grant or revoke Presenter status, as the host does. Misuse (409) when the limit on presenters is reached."""
    with context.change() as change:
        channel = _channel(change, body)
        with refusals_as_conflicts():
            found = presence.set_presenter(change, channel, body.userId, body.presenter)
        return PresenterStatus(presenter=found.presenter)


@operation("GET /presence", beside=True)
def list_presence(context: ControlContext, *, channel: Annotated[str, "The uuid of the channel."]) -> list[InChannel]:
    """List the users in a channel, its breakout rooms and its lobby, or in one breakout room, as they joined."""
    change = context.view()
    found = channels.find_anywhere(change, channel.lower())
    if found is None:
        not_found("channel", channel)
    return [_describe(change, found, each) for each in _people(change, found)]


def _people(change: Change, channel: Channel) -> Sequence[Presence]:
    return presence.list_present(change, channel) if channel.parent is None else presence.inside(change, channel)


def _describe(change: Change, channel: Channel, found: Presence) -> InChannel:
    return InChannel(
        userId=found.user,
        state=_state(found),
        room=found.room,
        presenter=found.presenter,
        muted=presence.is_muted(change, channels.base_channel(change, channel), found),
    )


def _user(change: Change, body: JoinChannel) -> User:
    """Return the user who joins. Raises Misuse unless exactly one of userId and token is given."""
    if (body.userId is None) is (body.token is None):
        raise Misuse("give userId or token")
    if body.userId is not None:
        return get_user(change, body.userId)
    token = body.token or ""
    try:
        user = credentials.authenticate(change, token).user
    except Refusal as refusal:
        meant = credentials.suggest_token(change, token) if refusal.reason is Reason.CREDENTIAL_INVALID else ""
        if not meant:
            raise
        misuse = misuse_of(refusal)
        raise Misuse(f"{str(misuse).rstrip('.')}{meant}", misuse.status, **misuse.facts) from None
    if user is None:
        raise Misuse("token: an API token is not a user")
    return user


def _channel(change: Change, body: UserInChannel | SetPresenter) -> Channel:
    """Return the channel of the presence: for a breakout room its event room."""
    user = get_user(change, body.userId)
    return channels.base_channel(change, channels.get(change, user.client, body.channel))


def _state(found: Presence) -> str:
    return _WORDS.get(found.state, found.state.value)
