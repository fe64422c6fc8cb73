"""Who has access to a channel."""

from __future__ import annotations

from confsim.assumptions.refusals import Reason
from confsim.kernel.refusal import Refusal
from confsim.kernel.world import Change

from .channels import Channel, is_operator
from .credentials import Caller
from .users import User


def confine(change: Change, user: User, channel: Channel) -> None:
    """A user made for one channel stays in it and its breakout rooms. Refusal GUEST_ELSEWHERE (G228)."""
    if user.channel not in (channel.id, channel.parent):
        raise Refusal(Reason.GUEST_ELSEWHERE)


def has_access(change: Change, caller: Caller, channel: Channel) -> bool:
    """Users of the client and the channel's own guests; a private channel admits hosts and administrators (G310)."""
    user = caller.user
    if user is None or caller.customer_admin or is_operator(channel, user):
        return True
    if user.channel is not None:
        return user.channel in (channel.id, channel.parent)
    return not channel.private
