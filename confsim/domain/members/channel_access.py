"""Access of callers to channels, and guests: temporary users of one channel."""

from confsim.assumptions import Reason, ask, channels, members as assumed, note_shown
from confsim.domain.channels.channels import Channel, base_channel
from confsim.domain.clients.clients import Client
from confsim.domain.identity import credentials
from confsim.domain.identity.credentials import Caller, Credential
from confsim.domain.users import handles, users
from confsim.domain.users.users import Account, User
from confsim.kernel import Change, Refusal

from . import linked_users, roles


def require_home_channel(change: Change, user: User, channel: Channel) -> None:
    """Raise Refusal GUEST_ELSEWHERE when a user made for one channel may not use this one (G228)."""
    if not is_home_channel(change, user, channel):
        raise Refusal(Reason.GUEST_ELSEWHERE)


def is_home_channel(change: Change, user: User, channel: Channel) -> bool:
    """Whether a user made for one channel may use this one: it is that channel, a room of it, or hosted by the user."""
    if user.channel in (channel.id, channel.parent) or roles.is_operator(change, channel, user):
        return True
    note_shown(change, channel, "guest_access")
    return channel.guest_access and not ask(change, channels.GUESTS_CONFINED)


def has_access(change: Change, caller: Caller, channel: Channel) -> bool:
    """Whether the caller may access the channel: a user of the client or a guest of the channel; for a private channel
    and its breakout rooms a host, administrator or linked user (G310). API tokens are not restricted here.
    """
    user, base = caller.user, base_channel(change, channel)
    if user is None or caller.customer_admin or roles.is_operator(change, base, user):
        return True
    if user.channel is not None:
        allowed = is_home_channel(change, user, channel)
    else:
        note_shown(change, channel, "private")
        note_shown(change, base, "private")
        allowed = not (channel.private or base.private) or linked_users.is_linked(change, base, user.id)
    return allowed or ask(change, channels.ACCESS) == "anyone"


def create_guest(change: Change, client: Client, channel: Channel, handle: str) -> Credential:
    """A new temporary user of the channel, with the first token (R175).

    Refusals GUEST_ACCESS_OFF, and HANDLE_TAKEN when guests may not have the handles of registered users (G232).
    """
    note_shown(change, channel, "guest_access")
    if not channel.guest_access and ask(change, assumed.GUEST_ACCESS_OFF) == "creation":
        raise Refusal(Reason.GUEST_ACCESS_OFF)
    if ask(change, assumed.GUEST_CREATION) == "open-channel":
        note_shown(change, channel, "open", "private")
        if not channel.open or channel.private:
            raise Refusal(Reason.GUEST_ACCESS_OFF)
    handles.require_usable(change, client, handle, channel=channel.id)
    user = users.create(change, client.id, handle, Account.GUEST, channel=channel.id)
    credential = credentials.issue(change, user)
    if ask(change, assumed.GUEST_END) == "removed" and credential.expires is not None:
        users.limit(change, user, credential.expires)
    return credential
