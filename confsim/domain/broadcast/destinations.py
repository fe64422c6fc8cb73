"""Destinations of a channel's broadcasts: RTMP URLs, each enabled or disabled."""

from __future__ import annotations

from enum import Enum
from urllib.parse import urlsplit

from msgspec.structs import replace

from confsim.assumptions import broadcast as assumed
from confsim.assumptions.refusals import Reason
from confsim.assumptions.register import ask
from confsim.domain import repeats
from confsim.domain.channels.channels import Channel
from confsim.kernel.old_machine import Facts, Guard, Machine, Row
from confsim.kernel.refusal import Refusal
from confsim.kernel.table import Index, Record, Table
from confsim.kernel.world import Change


class Life(Enum):
    """Whether a destination is there, and whether broadcasts go to it (P2 Live streaming)."""

    ABSENT = "absent"
    ENABLED = "enabled"
    DISABLED = "disabled"


class Destination(Record, kw_only=True):
    """One destination of a channel; the URL holds the stream key."""

    id: str
    channel: str
    url: str
    label: str | None = None
    enabled: bool


BY_CHANNEL: Index[Destination] = Index("channel", lambda destination: (destination.channel,))
DESTINATIONS: Table[str, Destination] = Table("broadcast destinations", Destination, "id", BY_CHANNEL)


class Slot(Record):
    """The place of one destination of a channel, taken or not: what the machine moves."""

    client: str
    channel: str
    destination: Destination | None


def _add(change: Change, slot: Slot, facts: Facts) -> Slot:
    """The destination is among those of the channel."""
    made = Destination(
        id=change.uuid(), channel=slot.channel, url=facts["url"], label=facts["label"], enabled=facts["enabled"]
    )
    return _keep(change, slot, made)


def _turn(change: Change, slot: Slot, facts: Facts) -> Slot:
    """Broadcasts that start from now on go to it or do not; one that runs stays as it is (R369)."""
    assert slot.destination is not None
    return _keep(change, slot, replace(slot.destination, enabled=facts["enabled"]))


def _keep(change: Change, slot: Slot, destination: Destination) -> Slot:
    return replace(slot, destination=DESTINATIONS.of(change, slot.client).put(destination))


def _remove(change: Change, slot: Slot, facts: Facts) -> Slot:
    """The destination is gone with its channel."""
    assert slot.destination is not None
    DESTINATIONS.of(change, slot.client).remove(slot.destination.id)
    return replace(slot, destination=None)


def _life(slot: Slot, facts: Facts) -> Life:
    if slot.destination is None:
        return Life.ABSENT
    return Life.ENABLED if slot.destination.enabled else Life.DISABLED


_ENABLED = Guard("it is to be enabled", lambda slot, facts: facts["enabled"])
_BOTH = (Life.ENABLED, Life.DISABLED)

MACHINE: Machine[Life, Slot] = Machine(
    "broadcast destination",
    "A destination of the broadcasts of a channel (R334, R369, R524-R526).",
    Life,
    (
        Row("add", Life.ABSENT, Life.ENABLED, only_if=_ENABLED, effect=_add, source="P2 L345, L354, R526, G568"),
        Row("add", Life.ABSENT, Life.DISABLED, only_if=~_ENABLED, effect=_add, source="P2 L345, L354, R526, G568"),
        Row("enable", _BOTH, Life.ENABLED, effect=_turn, source="P2 L345, L354, R526, G537"),
        Row("disable", _BOTH, Life.DISABLED, effect=_turn, source="P2 L345, L354, R526, G537"),
        Row("remove", _BOTH, Life.ABSENT, effect=_remove, source="P2 L189, G309"),
    ),
    read=_life,
    refusals={None: Reason.NOT_FOUND},
    initial=Life.ABSENT,
)


def add(change: Change, channel: Channel, url: str, label: str | None, enabled: bool | None) -> Destination:
    """Add a destination to the channel. Refusal INVALID_INPUT for what is no RTMP URL (R526)."""
    schemes = ask(change, assumed.SCHEMES)
    if not _valid(url, schemes):
        problem = f"{url[:80]!r} is no URL of {' or '.join(schemes)}"
        raise Refusal(Reason.INVALID_INPUT, where="body destination", problem=problem)
    on = ask(change, assumed.ENABLED) if enabled is None else enabled
    place = Slot(channel.client, channel.id, None)
    slot = MACHINE.fire(change, place, "add", url=url, label=label or None, enabled=on)
    assert slot.destination is not None
    return slot.destination


def _valid(url: str, schemes: tuple[str, ...]) -> bool:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return False
    return parts.scheme in schemes and bool(parts.hostname) and port != 0 and not any(each.isspace() for each in url)


def turn(change: Change, channel: Channel, id: str, event: str) -> None:
    """Enable or disable the destination. Refusal NOT_FOUND when it is not the channel's."""
    destination = DESTINATIONS.of(change, channel.client).get(id)
    if destination is not None and destination.channel != channel.id:
        destination = None
    on = event == "enable"
    repeats.allow(change, f"{event}d", holds=destination is not None and destination.enabled is on)
    slot = Slot(channel.client, channel.id, destination)
    MACHINE.fire(change, slot, event, enabled=on, what="destination", id=id)


def listed(change: Change, channel: Channel) -> list[Destination]:
    """The channel's destinations, in order of creation."""
    return DESTINATIONS.of(change, channel.client).find(BY_CHANNEL, channel.id)


def enabled(change: Change, channel: Channel) -> tuple[str, ...]:
    """The URLs to which a broadcast of the channel goes that starts now."""
    return tuple(destination.url for destination in listed(change, channel) if destination.enabled)


def remove_of_channel(change: Change, channel: Channel) -> None:
    """The destinations of a channel go with it (G309)."""
    for destination in listed(change, channel):
        MACHINE.fire(change, Slot(channel.client, channel.id, destination), "remove")
