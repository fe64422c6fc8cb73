"""Channels: the basics of meeting rooms (P2 Endpoints, Channel basics)."""

import re
from typing import Annotated

from confsim.api.call import API, Call
from confsim.api.forms import MeetingId
from confsim.api.paths import AnyChannel
from confsim.api.values import image as uploaded_image
from confsim.api.views import Id, image_url, page, url_form
from confsim.assumptions import ask, note, note_shown
from confsim.assumptions.channels import (
    API_TOKEN_IS_OPERATOR,
    CHANNEL_ID_NAMES,
    COMPOUND_NAME,
    LIST_CONTAINER,
    LIST_IS_OWNER,
    MEETING_ID,
    MEETING_ID_EMPTY,
    PARENT,
    URL_NAME,
)
from confsim.assumptions.members import OWNER_IS_OPERATOR
from confsim.assumptions.protocol import images
from confsim.contract import (
    ImageSize,
    Limit,
    Name,
    Offset,
    Page,
    Search,
    SortOrder,
    Source,
    Switch,
    Url,
    gates,
    invalid_input,
)
from confsim.domain.channels import channel_images, channels, favourites, switches
from confsim.domain.channels.channels import Channel
from confsim.domain.conventions import turn
from confsim.domain.members import channel_list, roles
from confsim.domain.runtime import sessions

from .friendly_urls import FoundChannel
from .shapes import ChannelDescription, ChannelDetails, ChannelItem, ChannelSort, ChannelUuid, GuestAccess, NewChannel

operation = API.family(line="P2 Channel basics")
named = API.family(line="P1 L247", source=Source.NAME_ONLY)

#: Placeholders in the form of a compounded name.
_PLACES = r"(\{parent\}|\{name\})"


@operation(
    "POST /channels/create",
    gate=gates.REGISTERED.assumed("G299"),
    rules="R005 R012 R015 R016 R088 R111 R245 R251 R276 R371 R372 R373 R545",
    gaps="G298 G300 G301 G302 G303 G304",
    identifies={"channelUuid": "channels"},
)
def create_channel(call: Call, body: NewChannel) -> ChannelUuid:
    """Create a channel in the caller's client; the calling user owns it.

    The name is unique in the client (409). A description has up to 200 characters (400).
    """
    made = channels.create(call.change, call.client, body.name, body.description, call.maybe_user)
    return ChannelUuid(channelUuid=made.id)


@operation(
    "DELETE /channels/{uuid}",
    gate=gates.OWNER_OR_ADMIN.assumed("G308"),
    rules="R365 R374 R551",
    gaps="G309",
    removes="channels",
)
def delete_channel(call: Call, channel: Channel) -> None:
    """Delete the channel with everything that belongs to it.

    What runs in it ends, its linked users are removed, its name, meeting id and friendly URL are free. Refusal
    CHANNEL_IN_USE where a running session prevents it.
    """
    sessions.require_deletable(call.change, channel)
    channels.delete(call.change, channel)


_ASSUMED = (
    *("service_mode", "reputation", "star", "max_users", "event_room", "make_private", "organization", "midi"),
    *("premium", "audio_quality", "private", "open", "off_air", "range_enabled", "wall_disabled", "guest_access"),
)


@operation(
    "GET /channels/{uuid}",
    gate=gates.ACCESS.assumed("G310"),
    rules="R250 R251 R252 R253 R254 R255 R256 R257 R258 R259 R260 R261 R262 R263 R264 R265 R266 R267 R268 R269 R270 "
    "R271 R272 R273 R274 R278 R375",
    gaps="G228 G281 G310 G311 G312 G313",
    line="P2 Channel details",
    identifies={"meetingId": "meeting_ids"},
)
def get_channel(call: Call, channel: Channel, *, imgSize: ImageSize | None = None) -> ChannelDetails:
    """Get a channel as the caller sees it; an API token is neither operator nor owner."""
    user = call.maybe_user
    note(call.change, PARENT)
    note(call.change, CHANNEL_ID_NAMES)
    note(call.change, MEETING_ID)
    note_shown(call.change, channel, *_ASSUMED)
    parent = channels.base_channel(call.change, channel) if channel.parent is not None else None
    return ChannelDetails(
        channelUuid=channel.id,
        name=_compound(call, channel, parent),
        channelName=channel.name,
        description=channel.description,
        clientId=channel.client,
        parent=channel.parent,
        parentName=parent.name if parent is not None else None,
        serviceMode=channel.service_mode,
        reputation=channel.reputation,
        favorite=favourites.count(call.change, channel),
        isFavorite=favourites.is_favourite(call.change, channel, user),
        isStar=channel.star,
        isOperator=_is_operator(call, channel),
        isOwner=roles.is_owner(call.change, channel, user),
        maxUsers=channel.max_users,
        urlName=url_name(call, channel),
        meetingId=channel.meeting_id,
        isEventRoom=channel.event_room,
        makePrivate=channel.make_private,
        isOrganization=channel.organization,
        friendlyURL=channel.friendly_url,
        isMidi=channel.midi,
        isPremium=channel.premium,
        audioQuality=channel.audio_quality,
        isPrivate=channel.private,
        isOpen=channel.open,
        offAir=channel.off_air,
        isRangeEnabled=channel.range_enabled,
        disableWall=channel.wall_disabled,
        guestAccess=channel.guest_access,
        imageUrl=image_url(call, channel.client, channel.image, imgSize),
    )


def _compound(call: Call, channel: Channel, parent: Channel | None) -> str:
    if parent is None:
        return channel.name
    form = ask(call.change, COMPOUND_NAME)
    words = {"{parent}": parent.name, "{name}": channel.name}
    return "".join(words.get(part, part) for part in re.split(_PLACES, form))


def _is_operator(call: Call, channel: Channel) -> bool:
    user = call.maybe_user
    if user is None:
        return ask(call.change, API_TOKEN_IS_OPERATOR)
    if roles.is_owner(call.change, channel, user):
        return ask(call.change, OWNER_IS_OPERATOR)
    return roles.is_operator(call.change, channel, user)


@operation(
    "POST /channels/{uuid}/description",
    gate=gates.OPERATOR_OR_ADMIN.assumed("G306"),
    rules="R013 R373 R376 R377",
    gaps="G304 G305",
)
def set_channel_description(call: Call, channel: Channel, body: ChannelDescription) -> None:
    """Set the description, of up to 200 characters (400); an empty one clears it."""
    channels.describe(call.change, channel, body.description)


@operation(
    "POST /channels/{uuid}/image",
    upload=images.FORM,
    gate=gates.OPERATOR_OR_ADMIN.assumed("G306"),
    rules="R011 R248 R378 R379",
    gaps="G104 G105 G106 G107 G108 G109 G110",
)
def set_channel_image(
    call: Call,
    channel: Channel,
    body: bytes,
    *,
    url: Annotated[Url | None, "The URL of the image; it wins over the body."] = None,
) -> None:
    """Set the image from ``url``, which wins, or from the bytes of the body; of 8 Mbytes at most."""
    channel_images.put(call.change, channel, uploaded_image(call, body, url), url)


@operation("DELETE /channels/{uuid}/image", gate=gates.OPERATOR_OR_ADMIN.assumed("G306"), rules="R380", gaps="G536")
def remove_channel_image(call: Call, channel: Channel) -> None:
    """Remove the image; no effect when there is none."""
    channel_images.remove(call.change, channel)


@operation(
    "POST /channels/{uuid}/rename",
    gate=gates.OPERATOR_OR_ADMIN.assumed("G306"),
    rules="R006 R014 R276 R381",
    gaps="G052 G300 G307",
)
def rename_channel(call: Call, channel: Channel, *, name: Annotated[Name, "The new name."]) -> None:
    """Rename the channel; names are unique in the client (409), and links stay."""
    channels.rename(call.change, channel, name)


@operation(
    "GET /channels/{channelUuid}/client",
    gate=gates.SIGNED_IN.assumed("G322"),
    rules="R254 R383",
    gaps="G322",
    identifies={"id": "clients"},
)
def get_channel_client(call: Call, channel: AnyChannel) -> Id:
    """Get the client of a channel."""
    return Id(id=channel.client)


@operation(
    "GET /channels",
    gate=gates.SIGNED_IN.assumed("G323 G324"),
    rules="R019 R020 R022 R023 R027 R028 R029 R031 R265 R274 R275 R276 R277 R278 R279 R280 R384 R385 R386 R387 R388",
    gaps="G092 G093 G319 G323 G324 G325 G326",
    line="P2 Channel list item",
    container=LIST_CONTAINER,
)
def list_channels(
    call: Call,
    *,
    limit: Limit | None = None,
    offset: Offset | None = None,
    search: Search | None = None,
    imgSize: ImageSize | None = None,
    sort: ChannelSort = ChannelSort.CREATED,
    order: SortOrder = SortOrder.DESC,
) -> Page[ChannelItem]:
    """List the channels where the caller is at least operator; Customer Admins and API tokens see all of the client.

    ``search`` is matched against the name. Breakout rooms are not listed.
    """
    by_name, descending = sort is ChannelSort.NAME, order is SortOrder.DESC
    caller = call.require_caller()
    found = channel_list.list_channels(call.change, call.client, caller, search, by_name=by_name, descending=descending)
    return page(call, found, limit, offset, lambda shown: [_item_view(call, channel, imgSize) for channel in shown])


def url_name(call: Call, channel: Channel) -> str:
    """The urlName of a channel (G134)."""
    how = ask(call.change, URL_NAME)
    if how == "name":
        return url_form(channel.name) or channel.url_name
    return channel.friendly_url or channel.url_name if how == "friendly-url" else channel.url_name


def _item_view(call: Call, channel: Channel, size: ImageSize | None) -> ChannelItem:
    note_shown(call.change, channel, "open", "guest_access")
    parent = channels.base_channel(call.change, channel) if channel.parent is not None else None
    return ChannelItem(
        name=channel.name,
        urlName=url_name(call, channel),
        friendlyURL=channel.friendly_url,
        isOwner=_is_owner_view(call, channel),
        parentName=parent.name if parent is not None else None,
        parentId=channel.parent,
        channelUuid=channel.id,
        isOpen=channel.open,
        guestAccess=channel.guest_access,
        imageUrl=image_url(call, channel.client, channel.image, size),
        created=channel.created // 1000,
    )


def _is_owner_view(call: Call, channel: Channel) -> bool | None:
    """Return whether the caller owns the channel; None for callers who are not at least operator (R277, G326)."""
    user = call.maybe_user
    if not roles.is_operator(call.change, channel, user):
        return None
    owner = roles.is_owner(call.change, channel, user)
    return owner if owner or ask(call.change, LIST_IS_OWNER) == "operators" else None


@operation(
    "GET /channels",
    gate=gates.SIGNED_IN.assumed("G321"),
    rules="R262 R382",
    gaps="G319 G320 G321",
    variant_of="list_channels",
)
def find_channel_by_meeting_id(
    call: Call, *, meetingId: Annotated[MeetingId, "The code that callers key in to reach the channel."]
) -> FoundChannel:
    """Find the channel of the caller's client that has the meeting id. Refused with 404 when none has."""
    if not meetingId and ask(call.change, MEETING_ID_EMPTY) == "refuse":
        raise invalid_input("query meetingId", "it is empty")
    return FoundChannel(uuid=channels.get_by_meeting_id(call.change, call.client, meetingId).id)


@named("GET /channels/{uuid}/settings/guest/access", gate=gates.ACCESS.assumed("G564"), rules="R274", gaps="G564")
def get_guest_access(call: Call, channel: Channel) -> GuestAccess:
    """Get whether the channel admits guests."""
    note_shown(call.change, channel, "guest_access")
    return GuestAccess(guestAccess=channel.guest_access)


@named(
    "POST /channels/{uuid}/settings/guest/access/{state}",
    gate=gates.OPERATOR_OR_ADMIN.assumed("G565"),
    rules="R274",
    gaps="G565 G537",
)
def set_guest_access(call: Call, channel: Channel, state: Switch) -> None:
    """Enable or disable guest access to the channel; guests who are inside stay."""
    turn(call.change, switches.GUEST_ACCESS.to(state), channel, state=state)
