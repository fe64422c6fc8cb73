"""The list of channels visible to a caller."""

from __future__ import annotations

from collections.abc import Sequence

from confsim.assumptions import channels as assumed
from confsim.assumptions.register import ask
from confsim.domain import lists
from confsim.domain.clients.clients import Client
from confsim.domain.identity.credentials import Caller
from confsim.kernel.world import Change

from . import channels
from .channels import CHANNELS, ROOMS, Channel

#: Channels in order, from which a page is taken: the table itself when no sorting is needed.
Found = Sequence[Channel]


def visible(change: Change, client: Client, caller: Caller) -> Found:
    """The channels where the caller is at least operator, all of them for administrators; newest first (R385, R386).

    An administrator gets the table itself, which is in this order; rooms are in a table of their own (G325).
    """
    user = caller.user
    everything = caller.customer_admin if user is not None else ask(change, assumed.API_TOKEN_LISTS_ALL)
    found: Found = ()
    if everything:
        found = CHANNELS.of(change, client.id).all.descending
    elif user is not None:
        found = channels.hosted_by(change, user)
    if ask(change, assumed.LIST_ROOMS):
        return _with_rooms(change, client, found, everything)
    return found


def _with_rooms(change: Change, client: Client, found: Found, everything: bool) -> Found:
    hosted = {channel.id for channel in found}
    rooms = [room for room in ROOMS.of(change, client.id).all.descending if everything or room.parent in hosted]
    return sorted([*found, *rooms], key=lambda channel: channel.created, reverse=True)


def searched(change: Change, found: Found, search: str | None) -> Found:
    """The channels whose name matches the search; all when it is empty (R388, G092)."""
    if not search:
        return found
    return [channel for channel in found if lists.matches(change, search, channel.name)]


def by_creation(change: Change, found: Found, *, descending: bool) -> Found:
    """The channels sorted by creation, which is the order of the table (R280, R387)."""
    return found if descending else found[::-1]


def by_name(change: Change, found: Found, *, descending: bool) -> Found:
    """The channels sorted by name (R387, G087), those of equal names by creation (G086)."""
    return lists.ordered(
        change, found[::-1], lambda channel: lists.text_key(change, channel.name), descending=descending
    )
