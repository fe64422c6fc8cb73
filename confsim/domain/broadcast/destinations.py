"""Destinations of a channel's broadcasts: RTMP URLs, each enabled or disabled."""

from confsim.assumptions import Reason, ask, broadcast as assumed, not_found
from confsim.domain.channels.channels import Channel
from confsim.domain.conventions import fresh_id
from confsim.kernel import (
    Change,
    Enabled,
    Index,
    Record,
    Refusal,
    SecretForm,
    Table,
    Toggle,
    View,
)
from confsim.values.urls import uri


class Destination(Record, kw_only=True):
    """One destination of a channel; the URL contains the stream key."""

    id: str
    client: str
    channel: str
    url: str
    label: str | None = None
    enabled: bool


BY_CHANNEL: Index[Destination] = Index("channel", "channel")
DESTINATIONS: Table[str, Destination] = Table(
    "broadcast destinations", Destination, "id", BY_CHANNEL, secrets={"url": SecretForm.KEYED_URL}
)


#: Whether a destination is enabled (P2 Live streaming); a running broadcast is not changed.
MACHINE = Toggle(
    "broadcast destination",
    "A destination of the broadcasts of a channel (R334, R369, R524-R526).",
    DESTINATIONS,
    "enabled",
    Enabled,
    refused=Reason.NOT_FOUND,
    sources=("P2 L345, L354, R369, R526, G537", "P2 L345, L354, R369, R526, G537"),
)
_ADD = MACHINE.added("add", source="P2 L345, L354, R526, G568")
REMOVE = MACHINE.removed("remove", source="P2 L189, G309")


def add(change: Change, channel: Channel, url: str, label: str | None, enabled: bool | None) -> Destination:
    """Add a destination to the channel. Refusal INVALID_INPUT unless ``url`` is an RTMP URL (R526)."""
    schemes = ask(change, assumed.SCHEMES)
    if problem := _problem(url, schemes):
        raise Refusal(Reason.INVALID_INPUT, where="body destination", problem=f"{url[:80]!r} is not {problem}")
    on = ask(change, assumed.ENABLED) if enabled is None else enabled
    draft = Destination(
        id=fresh_id(change), client=channel.client, channel=channel.id, url=url, label=label or None, enabled=on
    )
    return _ADD(change, draft)


def _problem(url: str, schemes: tuple[str, ...]) -> str:
    """Return what the text is not, and why; "" for a URL of one of the schemes."""
    if url.partition("://")[0].lower() not in schemes:
        return f"a URL of {' or '.join(schemes)}"
    if any(each.isspace() for each in url):
        return "a valid URL: it has white space (expected e.g. %20)"
    try:
        uri(url)
    except ValueError as error:
        return f"a valid URL: {error}"
    return ""


def get(change: Change, channel: Channel, id: str) -> Destination:
    """The destination of this id of the channel. Refusal NOT_FOUND."""
    destination = DESTINATIONS.get(change, id, channel.client)
    return destination if destination and destination.channel == channel.id else not_found("destination", id)


def list_destinations(change: Change, channel: Channel) -> View[Destination]:
    """The channel's destinations, in order of creation."""
    return DESTINATIONS.where(change, BY_CHANNEL, channel.id, channel.client)


def enabled(change: Change, channel: Channel) -> tuple[str, ...]:
    """The URLs of the enabled destinations of the channel."""
    return tuple(destination.url for destination in list_destinations(change, channel) if destination.enabled)
