"""Friendly URLs: words that lead to a channel, unique within a client."""

from __future__ import annotations

import re
from enum import Enum
from functools import lru_cache

from msgspec.structs import replace

from confsim.assumptions import channels as assumed
from confsim.assumptions.refusals import Reason
from confsim.assumptions.register import ask
from confsim.domain import repeats
from confsim.domain.clients import clients
from confsim.domain.clients.clients import Client
from confsim.kernel.old_machine import Facts, Guard, Machine, Row
from confsim.kernel.refusal import Refusal
from confsim.kernel.table import Record
from confsim.kernel.world import Change

from . import channels
from .channels import BY_FRIENDLY_URL, CHANNELS, ROOM_FRIENDLY_URL, ROOMS, Channel, friendly


class Switch(Enum):
    """Whether friendly URLs are in use in a client."""

    OFF = "off"
    ON = "on"


def _on(change: Change, client: Client, facts: Facts) -> Client:
    """Those that are there are found again."""
    return clients.update(change, client, friendly_urls=True)


def _off(change: Change, client: Client, facts: Facts) -> Client:
    """None is found or set any more; those there are stay, unless they are to be removed."""
    if ask(change, assumed.FRIENDLY_OFF) == "remove":
        for channel in [*CHANNELS.of(change, client.id), *ROOMS.of(change, client.id)]:
            release_of_channel(change, channel)
    return clients.update(change, client, friendly_urls=False)


SWITCH: Machine[Switch, Client] = Machine(
    "friendly URLs of a client",
    "Whether a client uses friendly URLs (R225).",
    Switch,
    (
        Row("enable", (Switch.OFF, Switch.ON), Switch.ON, effect=_on, source="P1 L282, R225, G537"),
        Row("disable", (Switch.ON, Switch.OFF), Switch.OFF, effect=_off, source="P1 L282, R225, G285, G537"),
    ),
    read=lambda client, facts: Switch.ON if client.friendly_urls else Switch.OFF,
    refusals={None: Reason.STATE_HOLDS},
    initial=Switch.ON,
)


class Binding(Enum):
    """Whether a friendly URL leads to a channel."""

    FREE = "free"
    BOUND = "bound"


class Place(Record):
    """One friendly URL of one client and the channel that has it: what the machine moves."""

    client: str
    url: str
    channel: Channel | None


def _bind(change: Change, place: Place, facts: Facts) -> Place:
    """The channel has the URL, taken from the one that had it; the URL it had before is free."""
    channel: Channel = facts["to"]
    if place.channel is not None and place.channel.id != channel.id:
        channels.update(change, place.channel, friendly_url=None)
    return replace(place, channel=channels.update(change, channel, friendly_url=place.url))


def _free(change: Change, place: Place, facts: Facts) -> Place:
    """The URL leads nowhere and may be set again."""
    assert place.channel is not None
    channels.update(change, place.channel, friendly_url=None)
    return replace(place, channel=None)


_MOVES = Guard(
    "the channel has it itself, or taken URLs move",
    lambda place, facts: place.channel.id == facts["to"].id or facts["moves"],
)

MACHINE: Machine[Binding, Place] = Machine(
    "friendly URL",
    "One friendly URL of a client (R226-R228, R551).",
    Binding,
    (
        Row("set", Binding.FREE, Binding.BOUND, effect=_bind, source="P1 L283, R226"),
        Row("set", Binding.BOUND, Binding.BOUND, only_if=_MOVES, effect=_bind, source="G290"),
        Row("remove", Binding.BOUND, Binding.FREE, effect=_free, source="P1 L284, R228, R551"),
    ),
    read=lambda place, facts: Binding.FREE if place.channel is None else Binding.BOUND,
    refusals={"set": Reason.FRIENDLY_URL_TAKEN, None: Reason.NOT_FOUND},
    initial=Binding.FREE,
)


@lru_cache(maxsize=64)
def _form(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def check(change: Change, url: str) -> None:
    """Refusal FRIENDLY_URL_MALFORMED when the text cannot be a friendly URL (R222, G289)."""
    if not _form(ask(change, assumed.FRIENDLY_FORM)).fullmatch(url):
        raise Refusal(Reason.FRIENDLY_URL_MALFORMED, url=url[:80])


def holder(change: Change, client: Client, url: str) -> Channel | None:
    """The channel of the client that has the friendly URL, or None; letters match without case (G289)."""
    key = friendly(url)
    found = CHANNELS.of(change, client.id).first(BY_FRIENDLY_URL, key)
    return found or ROOMS.of(change, client.id).first(ROOM_FRIENDLY_URL, key)


def find(change: Change, client: Client, url: str) -> Channel:
    """The channel of the friendly URL (R223, R224). Refusal FRIENDLY_URL_UNKNOWN, also while switched off (G285)."""
    found = holder(change, client, url) if in_use(change, client) else None
    if found is None:
        raise Refusal(Reason.FRIENDLY_URL_UNKNOWN, url=url[:80])
    return found


def in_use(change: Change, client: Client) -> bool:
    """Whether friendly URLs are found and set in the client (R225, G285)."""
    return client.friendly_urls or ask(change, assumed.FRIENDLY_OFF) == "nothing"


def switch(change: Change, client: Client, event: str) -> Client:
    """Enable or disable friendly URLs for the client (R225). Refusal STATE_HOLDS where repeating is refused (G537)."""
    repeats.allow(change, event, holds=client.friendly_urls is (event == "enable"))
    return SWITCH.fire(change, client, event)


def give(change: Change, client: Client, channel: Channel, url: str) -> Channel:
    """Set the channel's friendly URL (R226, R227).

    Refusals: FRIENDLY_URLS_OFF, FRIENDLY_URL_MALFORMED, FRIENDLY_URL_TAKEN.
    """
    if not in_use(change, client):
        raise Refusal(Reason.FRIENDLY_URLS_OFF)
    check(change, url)
    place = Place(client.id, url, holder(change, client, url))
    moves = ask(change, assumed.FRIENDLY_TAKEN) == "move"
    moved = MACHINE.fire(change, place, "set", url=url, to=channel, moves=moves).channel
    assert moved is not None
    return moved


def take(change: Change, channel: Channel) -> None:
    """Remove the channel's friendly URL (R228); nothing happens when it has none (G536)."""
    repeats.allow_empty(change, "friendly URL of channel", channel.id, empty=channel.friendly_url is None)
    release_of_channel(change, channel)


def release_of_channel(change: Change, channel: Channel) -> None:
    """The friendly URL of the channel, if it has one, is free (R228), also when the channel is deleted (R551)."""
    if channel.friendly_url is not None:
        MACHINE.fire(change, Place(channel.client, channel.friendly_url, channel), "remove")
