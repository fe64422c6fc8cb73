"""Access of callers to channels."""

from __future__ import annotations

from confsim.assumptions import channels
from confsim.assumptions.protocol import initial
from confsim.assumptions.protocol.refusals import Reason
from confsim.assumptions.register import ask, note
from confsim.domain.channels.channels import Channel, base_channel
from confsim.domain.identity.credentials import Caller
from confsim.domain.users.users import User
from confsim.kernel.refusal import Refusal
from confsim.kernel.world import Change

from . import linked_users, roles


def require_home_channel(change: Change, user: User, channel: Channel) -> None:
    """Raise Refusal GUEST_ELSEWHERE when a user made for one channel may not use this one (G228)."""
    if not is_home_channel(change, user, channel):
        raise Refusal(Reason.GUEST_ELSEWHERE)


def is_home_channel(change: Change, user: User, channel: Channel) -> bool:
    """Whether a user made for one channel may use this one: it is that channel, a room of it, or hosted by the user."""
    if user.channel in (channel.id, channel.parent) or roles.is_operator(change, channel, user):
        return True
    return channel.guest_access and not ask(change, channels.GUESTS_CONFINED)


def has_access(change: Change, caller: Caller, channel: Channel) -> bool:
    """Whether the caller may access the channel: a user of the client or a guest of the channel; for a private channel
    and its breakout rooms a host, administrator or linked user (G310). API tokens are not restricted here.
    """
    user, base = caller.user, base_channel(change, channel)
    if user is None or caller.customer_admin or roles.is_operator(change, base, user):
        return True
    if ask(change, channels.ACCESS) == "anyone":
        return True
    if user.channel is not None:
        return is_home_channel(change, user, channel)
    note(change, initial.CHANNEL_FLAGS)
    return not (channel.private or base.private) or linked_users.is_linked(change, base, user.id)
