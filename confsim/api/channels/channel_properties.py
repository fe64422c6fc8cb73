"""Properties of channels: any JSON value under a key, managed by hosts, visible to all with access (P2 L218)."""

from confsim.api.call import API, Call
from confsim.api.things import ChannelProperty, ChannelValue
from confsim.api.values import packed, shown, unpacked
from confsim.assumptions import ask
from confsim.assumptions.properties import KEYS_CONTAINER
from confsim.contract import Json, Key, gates
from confsim.domain import properties
from confsim.domain.channels.channels import Channel
from confsim.domain.config import json_documents

operation = API.family(line="P2 Channel properties")


@operation(
    "GET /channels/{uuid}/properties", gate=gates.ACCESS, rules="R408 R409 R413", gaps="G097", container=KEYS_CONTAINER
)
def list_channel_properties(call: Call, channel: Channel) -> list[str]:
    """List the keys that have a value, sorted."""
    found = properties.keys(call.change, properties.of_channel(channel))
    if ask(call.change, KEYS_CONTAINER) == "values":
        return _values(call, channel, found)  # type: ignore[return-value]  # the container of this choice
    return found


def _values(call: Call, channel: Channel, keys: list[str]) -> dict[str, Json]:
    """The values by key."""
    bearer = properties.of_channel(channel)
    return {key: unpacked(properties.text(call.change, bearer, key)) for key in keys}


@operation("GET /channels/{uuid}/properties/{key}", gate=gates.ACCESS, rules="R408 R410", gaps="G099 G356")
def get_channel_property(call: Call, channel: Channel, value: ChannelValue) -> Json:
    """Get the JSON value under a key. 404 when there is none."""
    return shown(call, value)


@operation("POST /channels/{uuid}/properties/{key}", gate=gates.OPERATOR, rules="R337 R407 R411", gaps="G149 G248 G249")
def set_channel_property(call: Call, channel: Channel, key: Key, body: Json) -> None:
    """Set the JSON value under a key."""
    properties.put(call.change, properties.of_channel(channel), key, packed(json_documents.bounded(call.change, body)))


@operation("DELETE /channels/{uuid}/properties/{key}", gate=gates.OPERATOR, rules="R407 R412", gaps="G149 G536")
def delete_channel_property(call: Call, channel: Channel, stored: ChannelProperty) -> None:
    """Delete the value under a key. 404 when there is none."""
    properties.remove(call.change, stored)
