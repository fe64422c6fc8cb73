"""Related subjects and facts of channel roles and their users, for the couplings."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from confsim.assumptions import channels as assumed
from confsim.assumptions.register import ask
from confsim.domain.channels.channels import Channel
from confsim.domain.members import roles
from confsim.domain.members.roles import HOSTS, OF_CHANNEL, Host
from confsim.domain.users.users import LISTED, USERS, Level, User
from confsim.kernel.world import Change


def first_owners(change: Change, channel: Channel) -> Iterable[int]:
    """The ids of the users who own a new channel: its creator, and the Customer Admins where that is assumed (G298)."""
    owners = () if channel.creator is None else (channel.creator,)
    if ask(change, assumed.FIRST_OWNERS) == "creator":
        return owners
    listed = USERS.of(change, channel.client).where(LISTED, True)
    admins = (user.id for user in listed if Level.CUSTOMER_ADMIN in user.levels)
    return (*owners, *(admin for admin in admins if admin not in owners))


def appointment(change: Change, channel: Channel, user: int) -> dict[str, Any]:
    """The new channel and the id of its owner."""
    return {"channel": channel, "user": user}


def hosts_of(change: Change, channel: Channel) -> Iterable[Host]:
    """The hosts of the channel."""
    return HOSTS.of(change, channel.client).where(OF_CHANNEL, channel.id)


def renamed(change: Change, channel: Channel, host: Host) -> dict[str, Any]:
    """The new name of the channel."""
    return {"name": channel.name}


def host(change: Change, host: Host) -> Iterable[User]:
    """The user of a role, unless removed."""
    user = USERS.of(change, host.client).get(host.user)
    return () if user is None else (user,)


def highest(change: Change, host: Host, user: User) -> dict[str, Any]:
    """The highest role of the user in any channel."""
    return {"highest": roles.highest(change, user)}
