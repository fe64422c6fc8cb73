"""Related subjects and facts of channel roles and their users, for the couplings."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from confsim.assumptions import channels as assumed
from confsim.assumptions.register import ask
from confsim.domain.channels.channels import Channel
from confsim.domain.members import roles
from confsim.domain.members.roles import Host
from confsim.domain.users.users import BY_LEVEL, USERS, Level, User
from confsim.kernel.world import Change


def first_owners(change: Change, channel: Channel) -> Iterable[dict[str, Any]]:
    """The users who own a new channel: its creator, and the Customer Admins where that is assumed (G298)."""
    owners = [] if channel.creator is None else [channel.creator]
    if ask(change, assumed.FIRST_OWNERS) != "creator":
        admins = USERS.where(change, BY_LEVEL, Level.CUSTOMER_ADMIN, channel.client)
        owners += [admin.id for admin in admins if admin.id != channel.creator]
    return [{"channel": channel, "user": owner} for owner in owners]


def hosts_of(change: Change, channel: Channel) -> Iterable[Host]:
    """The hosts of the channel."""
    return roles.hosts_of(change, channel)


def renamed(change: Change, channel: Channel, host: Host) -> dict[str, Any]:
    """The new name of the channel."""
    return {"name": channel.name}


def host(change: Change, host: Host) -> Iterable[User]:
    """The user of a role, where the highest role has changed; none when removed."""
    user = USERS.get(change, host.user, host.client)
    return () if user is None or user.hosting is roles.highest(change, user) else (user,)


def highest(change: Change, host: Host, user: User) -> dict[str, Any]:
    """The highest role of the user in any channel."""
    return {"highest": roles.highest(change, user)}
