"""The list of channels visible to a caller."""

from collections.abc import Sequence

from confsim.assumptions import ask, channels as assumed
from confsim.domain import lists
from confsim.domain.channels.channels import CHANNELS, NAME, ROOMS, Channel
from confsim.domain.clients.clients import Client
from confsim.domain.identity.credentials import Caller
from confsim.kernel import Change

from . import roles


def list_channels(
    change: Change, client: Client, caller: Caller, search: str | None, *, by_name: bool, descending: bool
) -> Sequence[Channel]:
    """The channels where the caller is at least operator, all of them for administrators (R385, R386).

    They are in order of creation (R280), or by name (R387, G087), those of equal names by creation (G086); with a
    ``search`` those whose name matches it (R388, G092). Rooms are in a table of their own (G325).
    """
    user = caller.user
    everything = caller.customer_admin if user is not None else ask(change, assumed.API_TOKEN_LISTS_ALL)
    with_rooms = len(ROOMS.of(change, client.id)) > 0 and ask(change, assumed.LIST_ROOMS)
    if search or with_rooms:
        found: Sequence[Channel] = CHANNELS.of(change, client.id).all if everything else ()
        if user is not None and not everything:
            found = roles.channels_of(change, client.id, roles.roles_of(change, user))
        if with_rooms:
            found = _with_rooms(change, client, found, everything)
        return _sorted(change, _matching(change, found, search), by_name=by_name, descending=descending)
    if everything:
        every = CHANNELS.of(change, client.id).all
        if by_name:
            return lists.in_order(change, every, NAME, text=lambda channel: channel.name, descending=descending)
        return every.descending if descending else every
    if user is None:
        return ()
    hosts = roles.roles_of(change, user)
    if by_name:
        named = lists.in_order(change, hosts, roles.BY_NAME, text=lambda host: host.name, descending=descending)
        return roles.channels_of(change, client.id, named)
    return roles.channels_of(change, client.id, hosts.descending if descending else hosts)


def _with_rooms(change: Change, client: Client, found: Sequence[Channel], everything: bool) -> list[Channel]:
    """The channels with their rooms, or with all of the client, the oldest first."""
    hosted = {channel.id for channel in found}
    rooms = [room for room in ROOMS.of(change, client.id).all.descending if everything or room.parent in hosted]
    return sorted([*reversed(found), *rooms], key=lambda channel: channel.created, reverse=True)[::-1]


def _matching(change: Change, found: Sequence[Channel], search: str | None) -> Sequence[Channel]:
    if not search:
        return found

    def matches(channel: Channel) -> bool:
        return lists.matches(change, search, channel.name, lists.described(change, channel.description))

    return [channel for channel in found[::-1] if matches(channel)][::-1]


def _sorted(change: Change, found: Sequence[Channel], *, by_name: bool, descending: bool) -> Sequence[Channel]:
    """The channels, given the oldest first, sorted."""
    if by_name:
        return lists.ordered(change, found, lambda channel: lists.text_key(change, channel.name), descending=descending)
    return found[::-1] if descending else found
