"""Running channels: lobby, switches, populations, streaming addresses (P2 Endpoints, Runtime)."""

import re
from collections.abc import Callable
from typing import Annotated

from msgspec import Meta

from confsim.api.call import API, Call
from confsim.api.forms import ChannelId, ChannelIds
from confsim.api.things import DataKind
from confsim.api.views import image_url, user_summary
from confsim.assumptions import Reason, ask, in_force, not_found, note, note_shown
from confsim.assumptions.breakout import EVENT_ROOM_OFF, ROOM_SETTINGS
from confsim.assumptions.channels import MIDI
from confsim.assumptions.runtime import presence as assumed_presence, streaming as assumed_streaming
from confsim.contract import Chosen, ImageSize, Int, Page, Pattern, Switch, gates, split_list
from confsim.domain import lists
from confsim.domain.breakout import breakouts
from confsim.domain.channels import channels, switches
from confsim.domain.channels.channels import Channel
from confsim.domain.conventions import turn
from confsim.domain.members import channel_access, roles
from confsim.domain.members.roles import Role
from confsim.domain.runtime import entrance, lobby, presence, sessions, streaming
from confsim.domain.runtime.streaming import Placed
from confsim.domain.users.users import USERS
from confsim.kernel import Refusal

from .shapes import ActiveChannel, ChannelParticipants, Door, Lock, Population, StreamingAddress, TurnCredentials

operation = API.family(line="P2 Runtime", runtime=True)

#: P2 Limits L391: channels in one request for populations.
MOST_CHANNELS = 200

_UUID = r"(?a)[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\Z"


def _note_room(call: Call, channel: Channel) -> None:
    """Note that what is set for the channel of a breakout room does not hold in the room (G438)."""
    if channel.parent is not None:
        note(call.change, ROOM_SETTINGS)


#: A limit of 0 is refused, or it has a meaning.
_PRESENTERS = Pattern(
    lambda profile: {"minimum": 1 if in_force(profile, assumed_presence.ZERO_PRESENTERS) == "refuse" else 0}
)


@operation("POST /channels/{uuid}/settings/wall/{state}", gate=gates.OPERATOR.assumed("G335"), rules="R042 R273 R345")
def set_wall_state(call: Call, channel: Channel, state: Switch) -> None:
    """Enable or disable wall messages in the channel."""
    turn(call.change, switches.WALL.to(state), channel)


@operation(
    "POST /channels/{uuid}/settings/presenters/limit/{limit}",
    gate=gates.OPERATOR.assumed("G337"),
    rules="R009 R349 R351",
    gaps="G338 G339",
)
def set_presenters_limit(
    call: Call,
    channel: Channel,
    limit: Annotated[int, Meta(ge=0, le=2**31 - 1), _PRESENTERS, "The number of users who can share video."],
) -> None:
    """Set the limit on users who share video; current presenters are unaffected.

    Refusal INVALID_INPUT for a number that is negative or does not fit 32 bits.
    """
    _note_room(call, channel)
    switches.limit_presenters(call.change, channel, limit)


@operation(
    "DELETE /channels/{uuid}/settings/presenters/limit", gate=gates.OPERATOR.assumed("G337"), rules="R350", gaps="G536"
)
def remove_presenters_limit(call: Call, channel: Channel) -> None:
    """Remove the limit on users who share video; no effect when there is none."""
    _note_room(call, channel)
    switches.limit_presenters(call.change, channel, None)


@operation(
    "GET /channels/{uuid}/turn/credentials", gate=gates.ACCESS.assumed("G340"), rules="R328 R389", gaps="G124 G358"
)
def get_turn_credentials(call: Call, channel: Channel) -> TurnCredentials:
    """Get credentials for the TURN server, for initialising the WebRTC subsystem."""
    made = streaming.issue_turn(call.change, call.require_caller())
    return TurnCredentials(username=made.username, password=made.password, ttl=made.life, uris=list(made.uris))


_POPULATIONS = Chosen(
    assumed_presence.POPULATION_SHAPE,
    {"map": dict[ChannelId, Int], "list": list[Population], "page": Page[Population], "numbers": list[Int]},
)


@operation(
    "GET /channels/populations/{channelIds}",
    gate=gates.SIGNED_IN.assumed("G344"),
    rules="R390 R391 R392 R393",
    gaps="G341 G342 G343 G345 G346",
)
def get_populations(
    call: Call, channelIds: ChannelIds
) -> Annotated[dict[ChannelId, Int] | list[Population] | Page[Population] | list[Int], _POPULATIONS]:
    """Get the number of users connected to each live channel of up to 200.

    What is no uuid is dropped. Refusal TOO_MANY_CHANNELS.
    """
    ids = split_list(call.change, "path channelIds", channelIds)
    if len(ids) > MOST_CHANNELS:
        if ask(call.change, assumed_presence.POPULATION_MOST) == "refuse":
            raise Refusal(Reason.TOO_MANY_CHANNELS, limit=MOST_CHANNELS, given=len(ids))
        ids = ids[:MOST_CHANNELS]
    counted: dict[str, int] = {}
    for id in ids:
        if re.match(_UUID, id) and (number := _population(call, id.lower())) is not None:
            counted[id] = number
    shape = ask(call.change, assumed_presence.POPULATION_SHAPE)
    if shape == "map":
        return counted
    if shape == "numbers":
        return list(counted.values())
    items = [Population(channelUuid=id, population=number) for id, number in counted.items()]
    return items if shape == "list" else Page(total=len(items), results=items)


def _population(call: Call, id: str) -> int | None:
    channel = channels.find(call.change, call.client.id, id)
    if channel is None:
        if ask(call.change, assumed_presence.POPULATION_UNKNOWN) == "refuse":
            not_found("channel", id)
        return None
    if not _reachable(call, channel) and ask(call.change, assumed_presence.POPULATION_ACCESS) == "omit":
        return None
    if sessions.find_active(call.change, channel) is None:
        return 0 if ask(call.change, assumed_presence.POPULATION_IDLE) == "zero" else None
    return presence.population(call.change, channel)


def _reachable(call: Call, channel: Channel) -> bool:
    return channel_access.has_access(call.change, call.require_caller(), channel)


@operation(
    "GET /channels/{uuid}/data/{kind}", gate=gates.ACCESS.assumed("G340"), rules="R394 R556", gaps="G347 G348 G357"
)
def get_data_channel(call: Call, channel: Channel, kind: DataKind) -> StreamingAddress:
    """Get the websocket address of a data channel on a streaming server. Refusal NOT_FOUND for an unknown kind."""
    how = ask(call.change, assumed_streaming.DATA_PLACED)
    placement = streaming.find(call.change, channel.client, channel.id)
    if how == "409" and placement is not None and placement.state is Placed.CREATING:
        raise Refusal(Reason.CHANNEL_BEING_CREATED)
    if how == "404" and sessions.find_active(call.change, channel) is None:
        raise Refusal(Reason.NO_ACTIVE_SESSION)
    return StreamingAddress(url=f"{_address(call, channel)}/data/{kind}")


@operation(
    "GET /channels/{uuid}/proxyfor",
    gate=gates.ACCESS.assumed("G340"),
    rules="R395 R396 R397 R538 R540 R556",
    gaps="G348 G349 G350",
)
def get_streaming_proxy(call: Call, channel: Channel) -> StreamingAddress:
    """Get the websocket proxy address of the streaming server that hosts the channel.

    Refusal CHANNEL_BEING_CREATED while the channel is being created there: wait a second and retry.
    """
    user = call.maybe_user
    if user is not None and ask(call.change, assumed_streaming.PROXY_FOR) == "entrance":
        presence.require_may_join(
            call.change, entrance.entry(call.client, channels.base_channel(call.change, channel), user)
        )
    streaming.place(call.change, channel)
    if (
        ask(call.change, assumed_presence.JOINING) == "proxyfor"
        and call.maybe_user is not None
        and channel.parent is None
    ):
        presence.join(call.change, call.client, channel, call.maybe_user)
    mode = channel.service_mode if ask(call.change, assumed_streaming.STREAMING_MODE) == "service-mode" else None
    if mode is not None:
        note_shown(call.change, channel, "service_mode")
    return StreamingAddress(url=_address(call, channel), mode=mode)


def _address(call: Call, channel: Channel) -> str:
    root = re.sub(r"^http", "ws", call.root())
    return ask(call.change, assumed_streaming.STREAMING_URL).replace("{root}", root).replace("{channel}", channel.id)


@operation(
    "GET /channels/active",
    gate=gates.SIGNED_IN.assumed("G351"),
    rules="R024 R256 R281 R398 R399",
    gaps="G325 G352 G353",
)
def list_active_channels(call: Call, *, imgSize: ImageSize | None = None) -> list[ActiveChannel]:
    """List the active channels, then the others that the caller owns; each once, by name."""
    owned = _owned(call)
    running = {each.id: each for each in _running(call) if each.id in owned or _seen(call, each)}
    idle = [channel for channel in owned.values() if channel.id not in running]
    ordered = [*sorted(running.values(), key=_by_name(call)), *sorted(idle, key=_by_name(call))]
    return [_active_channel_view(call, channel, channel.id in owned, imgSize) for channel in ordered]


def _by_name(call: Call) -> Callable[[Channel], tuple[str, int, str]]:
    """Sort key of channels by name; of equal names the older comes first (G086)."""
    return lambda channel: (lists.text_key(call.change, channel.name), channel.created, channel.id)


def _owned(call: Call) -> dict[str, Channel]:
    user = call.maybe_user
    if user is None:
        return {}
    owned = roles.roles_as(call.change, user, Role.OWNER).descending
    return {each.id: each for each in roles.channels_of(call.change, user.client, owned)}


def _running(call: Call) -> list[Channel]:
    """Active channels of the client (G352), with those of breakout rooms if assumed so (G325)."""
    change, client = call.change, call.client.id
    if ask(call.change, assumed_presence.ACTIVE_WHEN) == "session":
        ids = [each.channel for each in sessions.SESSIONS.where(change, sessions.UNENDED, True, client)]
        found = [
            each for id in ids if sessions.find_active(change, each := channels.get(change, client, id)) is not None
        ]
    else:
        people = presence.PRESENCES.of(change, client).all
        places = dict.fromkeys(each.place for each in people if each.place is not None)
        found = [channels.get(change, client, place) for place in places]
    return (
        found
        if ask(call.change, assumed_presence.ACTIVE_ROOMS)
        else [channel for channel in found if channel.parent is None]
    )


def _seen(call: Call, channel: Channel) -> bool:
    return ask(call.change, assumed_presence.ACTIVE_SEEN) == "all" or _reachable(call, channel)


def _active_channel_view(call: Call, channel: Channel, owned: bool, size: ImageSize | None) -> ActiveChannel:
    note_shown(call.change, channel, "service_mode")
    people = USERS.of(call.change, channel.client)
    inside = [people[present.user] for present in presence.inside(call.change, channel)]
    participants: ChannelParticipants | int = len(inside)
    if ask(call.change, assumed_presence.ACTIVE_PARTICIPANTS) == "object":
        participants = ChannelParticipants(total=len(inside), users=[user_summary(call, user, size) for user in inside])
    return ActiveChannel(
        serviceMode=channel.service_mode,
        description=channel.description,
        channelName=channel.name,
        participants=participants,
        isOwner=owned,
        channelUuid=channel.id,
        imageUrl=image_url(call, channel.client, channel.image, size),
    )


@operation(
    "POST /channels/{uuid}/settings/lobby/door/{state}",
    gate=gates.OPERATOR.assumed("G332"),
    rules="R042 R339 R340 R341 R400",
    gaps="G327 G328 G329 G330 G331",
)
def set_lobby_door(call: Call, channel: Channel, state: Door) -> None:
    """Open the lobby door, so that everyone can join, or close it, so that users wait for an invitation.

    Those who wait come in when it opens; those inside stay when it closes.
    """
    _note_room(call, channel)
    turn(call.change, lobby.DOOR.to(state), channel)


@operation(
    "POST /channels/{uuid}/settings/lobby/door/auto-close/{state}",
    gate=gates.OPERATOR.assumed("G332"),
    rules="R042 R342 R343 R344 R401",
    gaps="G333 G334",
)
def set_lobby_auto_close(call: Call, channel: Channel, state: Switch) -> None:
    """Enable or disable closing of the lobby door whenever the channel becomes empty."""
    _note_room(call, channel)
    turn(call.change, lobby.AUTO_CLOSE.to(state), channel)


@operation(
    "POST /channels/{uuid}/settings/attendees/{state}",
    gate=gates.OPERATOR,
    rules="R042 R206 R346 R347 R348 R402 R537",
    gaps="G336",
)
def set_attendees_state(call: Call, channel: Channel, state: Lock) -> None:
    """Lock the attendees, who are then muted and cannot unmute, or unlock them."""
    _note_room(call, channel)
    turn(call.change, switches.ATTENDEES.to(state), channel)


@operation(
    "POST /channels/{uuid}/settings/speech2text/{state}",
    gate=gates.CUSTOMER_ADMIN,
    rules="R042 R352 R403 R535",
    gaps="G355",
)
def set_speech2text_state(call: Call, channel: Channel, state: Switch) -> None:
    """Enable or disable speech to text in the channel; it may incur metered charges."""
    switches.set_feature(call.change, channel, switches.SPEECH2TEXT.to(state))


@operation(
    "POST /channels/{uuid}/settings/midi/{state}", gate=gates.OWNER, rules="R042 R267 R352 R404 R536", gaps="G318 G355"
)
def set_midi_state(call: Call, channel: Channel, state: Switch) -> None:
    """Enable or disable midi in the channel."""
    note(call.change, MIDI)
    switches.set_feature(call.change, channel, switches.MIDI.to(state))


@operation(
    "POST /channels/{uuid}/settings/event/room/{state}", gate=gates.OWNER, rules="R042 R263 R352 R405 R536", gaps="G354"
)
def set_event_room_state(call: Call, channel: Channel, state: Switch) -> None:
    """Enable or disable the channel as an event room, which can have breakout sessions.

    Refusal BREAKOUT_ACTIVE while a breakout session is active.
    """
    if state is Switch.DISABLE:
        note(call.change, EVENT_ROOM_OFF)
    switches.set_feature(call.change, channel, breakouts.EVENT_ROOM.to(state))
