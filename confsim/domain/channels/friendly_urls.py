"""Friendly URLs: readable names of channels, unique within a client."""

import re
from collections.abc import Iterator
from enum import Enum
from functools import lru_cache

from confsim.assumptions import Reason, ask, channels as assumed, note_shown
from confsim.domain.clients.clients import CLIENTS, Client
from confsim.domain.conventions import require_filled
from confsim.kernel import Change, Filled, Guard, Machine, OnOff, Refusal, Row, Toggle, replace

from .channels import BY_FRIENDLY_URL, CHANNELS, ROOM_FRIENDLY_URL, ROOMS, Channel, friendly, table_of

SWITCH = Toggle(
    "friendly URLs of a client",
    "Whether a client uses friendly URLs: while it does not, none is found or set (R225).",
    CLIENTS,
    "friendly_urls",
    OnOff,
    initial=OnOff.ON,
    refused=Reason.STATE_HOLDS,
    sources=("P1 L282, R225, G537", "P1 L282, R225, G285, G537"),
)


class Binding(Enum):
    """Whether a channel has a friendly URL."""

    FREE = "free"
    BOUND = "bound"


_FREE, _BOUND = Binding

MACHINE: Machine[Binding, Channel] = Machine(
    "friendly URL",
    "The friendly URL of a channel (R226-R228, R551).",
    table_of,
    Binding,
    state=Filled("friendly_url", _BOUND, _FREE),
    refused=Reason.NOT_FOUND,
    initial=_FREE,
)
_LOSE = MACHINE.trigger("lose")
REMOVE = MACHINE.trigger("remove")


@MACHINE.effect("set", refused=Reason.FRIENDLY_URL_TAKEN, details=lambda change, channel, url: {"url": url})
def _set(change: Change, channel: Channel, url: str) -> Channel:
    """The channel has the URL; the one it had before is free."""
    return replace(channel, friendly_url=url)


def _holder(change: Change, channel: Channel, url: str) -> Channel | None:
    """Another channel that has the friendly URL, or None."""
    holder = find(change, CLIENTS.of(change)[channel.client], url)
    return None if holder is None or holder.id == channel.id else holder


_AVAILABLE = Guard(
    "the URL is free, its own, or taken ones move",
    lambda change, channel, url: ask(change, assumed.FRIENDLY_TAKEN) == "move" or _holder(change, channel, url) is None,
)

MACHINE.declare(
    Row(_set, (_FREE, _BOUND), _BOUND, only_if=_AVAILABLE, source="P1 L283, R226, G290"),
    Row(_LOSE, _BOUND, _FREE, source="G290"),
    Row(REMOVE, (_FREE, _BOUND), _FREE, source="P1 L284, R228, R551, G536"),
)


_form = lru_cache(maxsize=64)(re.compile)


def check(change: Change, url: str) -> None:
    """Raise Refusal FRIENDLY_URL_MALFORMED when the text cannot be a friendly URL (R222, G289)."""
    if not _form(ask(change, assumed.FRIENDLY_FORM)).fullmatch(url):
        raise Refusal(Reason.FRIENDLY_URL_MALFORMED, url=url[:80])


def find(change: Change, client: Client, url: str) -> Channel | None:
    """The channel of the client that has the friendly URL, or None; case is ignored (G289)."""
    key = friendly(url)
    found = CHANNELS.one(change, BY_FRIENDLY_URL, key, client.id)
    return found or ROOMS.one(change, ROOM_FRIENDLY_URL, key, client.id)


def get(change: Change, client: Client, url: str) -> Channel:
    """The channel of the friendly URL (R223, R224). Refusal FRIENDLY_URL_UNKNOWN, also while switched off (G285)."""
    channel = find(change, client, url) if in_use(change, client) else None
    if channel is None:
        raise Refusal(Reason.FRIENDLY_URL_UNKNOWN, url=url[:80])
    return channel


def in_use(change: Change, client: Client) -> bool:
    """Whether friendly URLs are found and set in the client (R225, G285)."""
    note_shown(change, client, "friendly_urls")
    return client.friendly_urls or ask(change, assumed.FRIENDLY_OFF) == "nothing"


def channels_to_clear(change: Change, client: Client) -> Iterator[Channel]:
    """The channels of a client that no longer uses friendly URLs, where that removes them (G285)."""
    if ask(change, assumed.FRIENDLY_OFF) == "remove":
        for table in (CHANNELS, ROOMS):
            found = table.of(change, client.id).all.descending
            yield from (channel for channel in found if channel.friendly_url is not None)


def set_url(change: Change, client: Client, channel: Channel, url: str) -> Channel:
    """Set the channel's friendly URL (R226, R227).

    Refusals: FRIENDLY_URLS_OFF, FRIENDLY_URL_MALFORMED, FRIENDLY_URL_TAKEN.
    """
    if not in_use(change, client):
        raise Refusal(Reason.FRIENDLY_URLS_OFF)
    check(change, url)
    holder = _holder(change, channel, url)
    if ask(change, assumed.FRIENDLY_TAKEN) == "move" and holder is not None:
        _LOSE(change, holder)
    others = (other.url_name for other in CHANNELS.of(change, client.id).all if other.id != channel.id)
    if ask(change, assumed.FRIENDLY_LINKS) == "refused" and friendly(url) in map(friendly, others):
        raise Refusal(Reason.FRIENDLY_URL_TAKEN, url=url)
    return _set(change, channel, url)


def remove(change: Change, channel: Channel) -> None:
    """Remove the channel's friendly URL (R228). Refusal NOT_FOUND when it has none and that is refused (G536)."""
    require_filled(change, "friendly URL of channel", channel.id, empty=channel.friendly_url is None)
    REMOVE(change, channel)
