"""The words, bodies and answers of the operations on running channels (P2 Runtime)."""

from enum import StrEnum
from typing import Annotated

from confsim.api.forms import ChannelId, Secret
from confsim.api.views import UserSummary
from confsim.assumptions.runtime import presence as assumed_presence
from confsim.contract import Chosen, ImageLink, Inside, Int, Link, OwnText, Wire
from confsim.domain.channels.channels import ServiceMode


class Door(StrEnum):
    """The words for the lobby door."""

    OPEN = "open"
    CLOSE = "close"


class Lock(StrEnum):
    """The words for the attendee lock."""

    MUTE = "mute"
    UNMUTE = "unmute"


class TurnCredentials(Wire):
    """TURN credentials; ``ttl`` in seconds (G124)."""

    username: Annotated[OwnText, Inside(("instants", "users", "api_tokens")), "The user name for the TURN servers."]
    password: Annotated[Secret, "The password for the TURN servers."]
    ttl: Annotated[Int, "Their lifetime in seconds."]
    uris: Annotated[list[str], "The TURN servers."]


class StreamingAddress(Wire):
    """A websocket address on a streaming server."""

    url: Annotated[Link, "The websocket address."]
    mode: Annotated[str | None, "The service mode of the channel; a data channel has none."] = None


class Population(Wire):
    """The number of users connected to a channel, where populations are a list of objects (G341)."""

    channelUuid: Annotated[ChannelId, "The uuid of the channel."]
    population: Annotated[Int, "The number of connected users."]


class ChannelParticipants(Wire):
    """The users connected to a channel (G353)."""

    total: Annotated[Int, "The number of connected users."]
    users: Annotated[list[UserSummary], "The connected users."]


class ActiveChannel(Wire, kw_only=True):
    """An active channel (P2 Active channel item)."""

    serviceMode: Annotated[ServiceMode, "Whether it runs as a panel or a conference."]
    description: Annotated[str | None, "The description of the channel."] = None
    channelName: Annotated[str, "The name of the channel."]
    participants: Annotated[
        ChannelParticipants | Int,
        Chosen(assumed_presence.ACTIVE_PARTICIPANTS, {"object": ChannelParticipants, "number": Int}),
        "Who is connected.",
    ]
    isOwner: Annotated[bool, "Whether the caller owns it."]
    channelUuid: Annotated[ChannelId, "The uuid of the channel."]
    imageUrl: Annotated[ImageLink | None, "The URL of its image."] = None
