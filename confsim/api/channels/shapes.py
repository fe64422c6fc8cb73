"""The bodies and answers of the operations on channels (P2 Channel details, Channel list item)."""

from enum import StrEnum
from typing import Annotated, ClassVar

from msgspec import Meta

from confsim.api.forms import ChannelId, ChannelText, ClientId, FirstChannelText, MeetingCode, UrlName
from confsim.contract import ImageLink, Int, Long, Name, StatedUnit, Wire
from confsim.domain.channels import channels


class NewChannel(Wire):
    """A channel to create."""

    name: Annotated[Name, "The name of the channel, unique in the client."]
    description: Annotated[FirstChannelText | None, "The description of the channel."] = None


class ChannelUuid(Wire):
    """The id of a new channel."""

    COMPONENT: ClassVar[str] = "NewChannelId"

    channelUuid: Annotated[ChannelId, "The uuid of the channel."]


class ChannelDescription(Wire):
    """A description of up to 200 characters; an empty one clears it."""

    description: Annotated[ChannelText, "The description of the channel; an empty text clears it."]


class GuestAccess(Wire):
    """Whether the channel admits guests."""

    guestAccess: Annotated[bool, "Whether guests are admitted."]


class ChannelSort(StrEnum):
    """The columns of the channel list that can be sorted by."""

    CREATED = "created"
    NAME = "name"


class ChannelDetails(Wire, kw_only=True):
    """A channel (P2 Channel details)."""

    COMPONENT: ClassVar[str] = "Channel"

    channelUuid: Annotated[ChannelId, "The uuid of the channel."]
    name: Annotated[str, "Legacy name, compounded for rooms of another channel."]
    channelName: Annotated[str, "The name of the channel."]
    description: Annotated[str | None, "The description of the channel."] = None
    clientId: Annotated[ClientId, "The client that the channel belongs to."]
    parent: Annotated[ChannelId | None, "The uuid of the channel that it is a room of."] = None
    parentName: Annotated[str | None, "The name of the channel that it is a room of."] = None
    serviceMode: Annotated[channels.ServiceMode, "Whether it runs as a panel or a conference."]
    reputation: Annotated[int, Meta(ge=1, le=15), "Its reputation, from 1 to 15."]
    favorite: Annotated[Int, "The number of users who made it a favourite."]
    isFavorite: Annotated[bool, "Whether the caller made it a favourite."]
    isStar: Annotated[bool, "Whether it is a star channel."]
    isOperator: Annotated[bool, "Whether the caller is an operator of it."]
    isOwner: Annotated[bool, "Whether the caller owns it."]
    maxUsers: Annotated[Int, "The number of users it has room for."]
    urlName: Annotated[UrlName, "The word of its direct link in the UI."]
    meetingId: Annotated[MeetingCode, "The code that callers key in to reach it."]
    isEventRoom: Annotated[bool, "Whether it can have breakout sessions."]
    makePrivate: Annotated[bool, "Whether it can be switched to private."]
    isOrganization: Annotated[bool, "Whether it is an organization channel for conferencing."]
    friendlyURL: Annotated[str | None, "Its friendly URL, unique in the client."] = None
    isMidi: Annotated[bool, "Whether it has a midi token."]
    isPremium: Annotated[bool, "Whether it has a premium token."]
    audioQuality: Annotated[channels.AudioQuality, "The quality of its sound."]
    isPrivate: Annotated[bool, "Whether only those linked to it get in."]
    isOpen: Annotated[bool, "Whether the doors of its lobby are open."]
    offAir: Annotated[bool, "Whether listeners of a panel get no content."]
    isRangeEnabled: Annotated[bool, "Whether filtering by range is allowed."]
    disableWall: Annotated[bool, "Whether wall messages are disabled."]
    guestAccess: Annotated[bool, "Whether guests are admitted."]
    imageUrl: Annotated[ImageLink | None, "The URL of its image."] = None


class ChannelItem(Wire, kw_only=True):
    """A channel as the channel list shows it (P2 Channel list item). ``created`` is in seconds."""

    COMPONENT: ClassVar[str] = "ChannelListItem"

    name: Annotated[str, "The name of the channel, unique in the client."]
    urlName: Annotated[UrlName | None, "The word of its direct link in the UI."] = None
    friendlyURL: Annotated[str | None, "Its friendly URL, unique in the client."] = None
    isOwner: Annotated[bool | None, "Whether the caller owns it; absent for callers who do not host it."] = None
    parentName: Annotated[str | None, "The name of the channel that it is a room of."] = None
    parentId: Annotated[ChannelId | None, "The uuid of the channel that it is a room of."] = None
    channelUuid: Annotated[ChannelId, "The uuid of the channel."]
    isOpen: Annotated[bool, "Whether the doors of its lobby are open."]
    guestAccess: Annotated[bool, "Whether guests are admitted."]
    imageUrl: Annotated[ImageLink | None, "The URL of its image."] = None
    created: Annotated[Long, "The instant at which it was made, in epoch seconds.", StatedUnit("epoch-s")]
