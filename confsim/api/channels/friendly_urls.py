"""Friendly URLs of channels (P1 Endpoints, Friendly URLs and embedding)."""

from typing import Annotated

from confsim.api.call import API, Call
from confsim.api.forms import ChannelId, FriendlyUrlWord
from confsim.assumptions import Reason, ask
from confsim.assumptions.channels import FRIENDLY_AVAILABLE
from confsim.contract import Present, Switch, Wire, gates
from confsim.domain.channels import friendly_urls
from confsim.domain.channels.channels import Channel
from confsim.domain.clients.clients import Client
from confsim.domain.conventions import fresh_id, turn
from confsim.kernel import Refusal

operation = API.family(line="P1 Friendly URLs and embedding")


class FriendlyUrl(Wire):
    """A word for the link to a channel."""

    url: Annotated[FriendlyUrlWord, "The word that is to lead to the channel."]


class FoundChannel(Wire):
    """The channel that has a friendly URL or a meeting id."""

    uuid: Annotated[ChannelId, "The uuid of the channel."]


_AVAILABLE = Present(FRIENDLY_AVAILABLE, always={"not-found-when-free", "fresh-when-free"})


class MaybeChannel(Wire):
    """The channel that has a friendly URL, if one has."""

    uuid: Annotated[
        ChannelId | None, "The uuid of the channel that has it; absent when the word is free.", _AVAILABLE
    ] = None


@operation("GET /clients/{clientId}/url/available", gate=gates.PUBLIC, rules="R222 R242 R562", gaps="G283 G289")
def check_friendly_url(
    call: Call, client: Client, *, url: Annotated[FriendlyUrlWord, "The word that is looked for."]
) -> MaybeChannel:
    """Check whether a text can be a friendly URL of the client; no token needed.

    ``uuid`` is the channel that has it already; without ``uuid`` it is free. Refused with 400 when it is malformed.
    """
    friendly_urls.check(call.change, url)
    holder = friendly_urls.find(call.change, client, url)
    answer = ask(call.change, FRIENDLY_AVAILABLE)
    if holder is None:
        if answer == "not-found-when-free":
            raise Refusal(Reason.FRIENDLY_URL_UNKNOWN, url=url)
        return MaybeChannel(uuid=fresh_id(call.change)) if answer == "fresh-when-free" else MaybeChannel()
    if answer == "conflict-when-taken":
        raise Refusal(Reason.FRIENDLY_URL_TAKEN, url=url)
    return MaybeChannel(uuid=holder.id)


@operation(
    "GET /clients/{clientId}/find/channel", gate=gates.PUBLIC, rules="R014 R223 R224 R242 R562", gaps="G284 G285"
)
def find_channel_by_friendly_url(
    call: Call, client: Client, *, url: Annotated[str, "The word that is looked for."]
) -> FoundChannel:
    """Find the channel of the client that has the friendly URL; no token needed. Refused with 404 when none has."""
    return FoundChannel(uuid=friendly_urls.get(call.change, client, url).id)


@operation(
    "POST /settings/friendly/urls/{state}", gate=gates.ADMIN.assumed("G287"), rules="R042 R225", gaps="G285 G286 G537"
)
def set_friendly_urls_state(call: Call, state: Switch) -> None:
    """Enable or disable friendly URLs for the client.

    While they are disabled none is found or set; those that channels have stay.
    """
    turn(call.change, friendly_urls.SWITCH.to(state), call.client, state=state)


@operation(
    "POST /channels/{uuid}/friendly/url",
    gate=gates.OWNER_OR_ADMIN.assumed("G288"),
    rules="R013 R226 R227 R551",
    gaps="G285 G289 G290",
)
def set_channel_friendly_url(call: Call, channel: Channel, body: FriendlyUrl) -> None:
    """Set the channel's friendly URL, which is unique in the client; the one it had before is free."""
    friendly_urls.set_url(call.change, call.client, channel, body.url)


@operation("DELETE /channels/{uuid}/friendly/url", gate=gates.OWNER_OR_ADMIN.assumed("G288"), rules="R228", gaps="G536")
def remove_channel_friendly_url(call: Call, channel: Channel) -> None:
    """Remove the channel's friendly URL; no effect when it has none."""
    friendly_urls.remove(call.change, channel)
