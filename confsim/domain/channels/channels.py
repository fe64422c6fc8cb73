"""Channels: the meeting rooms of a client, with names, access and lifecycle."""

from collections.abc import Mapping
from enum import Enum, StrEnum
from itertools import count
from typing import Any

from confsim.assumptions import Reason, ask, breakout, channels as assumed, not_found, note
from confsim.assumptions.protocol import initial, sizes
from confsim.domain.clients.clients import CLIENTS, Client
from confsim.domain.conventions import fresh_id
from confsim.domain.users.users import User
from confsim.kernel import (
    ABSENT,
    CREATED,
    EXISTS,
    Change,
    Collection,
    Guard,
    Index,
    Order,
    Record,
    Refusal,
    Refused,
    Row,
    Table,
    Unique,
    View,
    as_uuid,
    replace,
)

#: P2 Limits L390: most characters of a description.
DESCRIPTION = 200


class ServiceMode(StrEnum):
    """The two modes a channel runs in (P2 Channel details)."""

    CONFERENCE = "conference"
    PANEL = "panel"


class AudioQuality(StrEnum):
    """How good the sound of a channel is (P2 Channel details)."""

    TOLL = "toll"
    BROADCAST = "broadcast"


class Channel(Record, kw_only=True):
    """One channel. ``created`` is in epoch milliseconds; ``number`` counts the base channels of the service in order of
    creation. ``creator`` is the id of the user who created it, None for an API token.
    """

    id: str
    client: str
    name: str
    meeting_id: str
    url_name: str
    created: int
    number: int = 0
    creator: int | None = None
    description: str | None = None
    image: str | None = None
    friendly_url: str | None = None
    parent: str | None = None
    service_mode: ServiceMode
    audio_quality: AudioQuality
    reputation: int
    max_users: int
    open: bool
    guest_access: bool
    make_private: bool
    private: bool
    star: bool
    organization: bool
    premium: bool
    off_air: bool
    range_enabled: bool
    wall_disabled: bool
    event_room: bool
    midi: bool
    speech2text: bool
    dial_in: bool
    dial_out: bool
    auto_close: bool = False
    attendees_muted: bool = False
    presenters_limit: int | None = None
    population_limit: int | None = None
    public_pin: bool = False
    broadcast_enabled: bool = False
    media_pool_size: int = 0


def friendly(url: str) -> str:
    """The friendly URL casefolded, for comparison: equal URLs give equal results (G289)."""
    return url.casefold()


def _friendly(url: str | None) -> tuple[str, ...]:
    return () if url is None else (friendly(url),)


BY_NAME: Index[Channel] = Index("name", "name")
BY_FRIENDLY_URL: Unique[Channel] = Unique("friendly url", "friendly_url", of=_friendly)
BY_MEETING_ID: Unique[Channel] = Unique("meeting id", "meeting_id")
NAME: Order[Channel] = Order("name", "name", key=str.casefold)
#: Base channels: what the channel list shows.
CHANNELS: Table[str, Channel] = Table(
    *("channels", Channel, "id", BY_NAME, BY_FRIENDLY_URL, BY_MEETING_ID),
    orders=(CREATED, NAME),
    located="id",
    names={"parent": "channels"},
)

ROOMS_OF: Index[Channel] = Index("parent", "parent", of=lambda parent: (parent or "",))
ROOM_FRIENDLY_URL: Unique[Channel] = Unique("friendly url", "friendly_url", of=_friendly)
ROOM_MEETING_ID: Unique[Channel] = Unique("meeting id", "meeting_id")
#: Channels with a parent (breakout rooms), in a table that the channel list does not read (G325). They have no hosts of
#: their own.
ROOMS: Table[str, Channel] = Table(
    *("room channels", Channel, "id", ROOMS_OF, ROOM_FRIENDLY_URL, ROOM_MEETING_ID),
    located="id",
    names={"parent": "channels"},
)


if unknown := initial.ChannelFlags.__annotations__.keys() - set(Channel.__struct_fields__):
    raise TypeError(f"initial.channel-flags: a channel has no field {', '.join(sorted(unknown))}")


#: The fields whose values in a new channel are assumptions; the other feature flags are the client's.
_ASSUMED = (
    *("service_mode", "audio_quality", "reputation", "max_users", "open", "guest_access", "make_private"),
    *("media_pool_size", *initial.ChannelFlags.__annotations__),
)


def _channel(change: Change, client: Client, id: str, name: str, **fields: Any) -> Channel:
    """A channel with these fields, and in the others with what a new channel has."""
    values = fields | initial.values(change, [field for field in _ASSUMED if field not in fields])
    values["service_mode"] = ServiceMode(values["service_mode"])
    values["audio_quality"] = AudioQuality(values["audio_quality"])
    for flag in ("midi", "speech2text", "dial_in", "dial_out"):
        values.setdefault(flag, getattr(client, flag))
    return Channel(
        id=id,
        client=client.id,
        name=name,
        meeting_id=meeting_id(change),
        url_name=change.token()[:12],
        created=change.now,
        **values,
    )


def table_of(channel: Channel) -> Table[str, Channel]:
    """The table that holds the channel."""
    return CHANNELS if channel.parent is None else ROOMS


EXISTING: Collection[Channel] = Collection(
    "channel", "The life of a channel (R276, R371-R374, R381, R545, R551).", table_of, refused=Reason.NOT_FOUND
)
_NAME_TAKEN: Refused = {ABSENT: Reason.CHANNEL_NAME_TAKEN}
_LOAD = EXISTING.draft("load", refused=_NAME_TAKEN, details=lambda change, _, draft: {"name": draft.name})
STOP = EXISTING.trigger("stop")
#: Delete the channel with what ``couplings.channels`` lists; its name, ids and URLs are free (R365, R551).
delete = EXISTING.trigger("delete")


def _about(change: Change, _: None, client: Client, name: str, fields: dict[str, Any]) -> dict[str, str]:
    description = fields["description"]
    return {"name": name} if description is None else {"description": description, "name": name}


@EXISTING.creation("create", refused=_NAME_TAKEN, details=_about)
def create_channel(change: Change, client: Client, name: str, fields: dict[str, Any]) -> Channel:
    """A fresh id, meeting id and link; the feature flags are the client's defaults."""
    number = change.count("channel")
    return _channel(change, client, fresh_id(change), name, number=number, **fields)


@EXISTING.creation("create room")
def create_room(change: Change, id: str, event_room: Channel, name: str) -> Channel:
    """A channel below the event room, with its settings and an open door, and without hosts of its own (G312)."""
    note(change, breakout.ROOM_LIFE)
    followed = ["service_mode", "audio_quality", "guest_access", "private", "max_users"]
    if ask(change, breakout.ROOM_SETTINGS) != "client":
        followed += ["wall_disabled", "midi", "speech2text", "dial_in", "dial_out"]
    settings = {field: getattr(event_room, field) for field in followed}
    client, parent = CLIENTS.of(change)[event_room.client], event_room.parent or event_room.id
    return _channel(change, client, id, name, parent=parent, open=True, **settings)


@EXISTING.effect(
    "rename", refused={EXISTS: Reason.CHANNEL_NAME_TAKEN}, details=lambda change, channel, name: {"name": name}
)
def set_name(change: Change, channel: Channel, name: str) -> Channel:
    """Only the name changes: links and ids in circulation stay (G307)."""
    return replace(channel, name=name)


def _stop(change: Change, channel: Channel) -> Channel:
    """Everything that runs in it ends. What that makes of the channel, such as a closed door, is stored already."""
    EXISTING.take_along(change, channel, DeletionStep.STOP)
    return channel


_FREE = "the name is free in the client"
_NEW_FREE = Guard(_FREE, lambda change, _, client, name, fields: not _is_taken(change, client.id, name))
_LOADED_FREE = Guard(_FREE, lambda change, _, draft: not _is_taken(change, draft.client, draft.name))
_OTHER_FREE = Guard(_FREE, lambda change, channel, name: not _is_taken(change, channel.client, name, channel))

EXISTING.declare(
    Row(create_channel, ABSENT, EXISTS, only_if=_NEW_FREE, source="P2 L188, R371, G300"),
    Row(_LOAD, ABSENT, EXISTS, only_if=_LOADED_FREE, source="P2 L188, R371, G300"),
    Row(create_room, ABSENT, EXISTS, source="P2 Breakout L108, R312, G312, G438"),
    Row(set_name, EXISTS, EXISTS, only_if=_OTHER_FREE, source="P2 L194, R381, G307"),
    Row(STOP, EXISTS, EXISTS, effect=_stop, source="P1 States L178, R109, G365"),
    Row(delete, EXISTS, ABSENT, source="P2 L189, R365, R374, R551, G309"),
)


class DeletionStep(Enum):
    """The steps of the deletion of a channel, in order (machines M14); ``couplings.deletion`` lists what they do."""

    STOP = "what runs in it ends"
    ROOMS = "its rooms are deleted, each by the same steps"
    RELEASE = "what is bound to it is free again"
    REMOVE = "what is stored below it goes"


def _has(change: Change, client: str, name: str, own: Channel | None) -> bool:
    """Whether a channel but ``own`` has the name, in the client or where that is assumed in any (G300)."""
    everywhere = ask(change, assumed.UNIQUE_NAMES) == "refuse-everywhere"
    where = [each.id for each in CLIENTS.of(change).all] if everywhere else [client]
    for each in where:
        for other in CHANNELS.where(change, BY_NAME, name, each):
            if own is None or other.id != own.id:
                return True
    return False


def _is_taken(change: Change, client: str, name: str, own: Channel | None = None) -> bool:
    """Whether the name may not be given to a new channel, or to ``own``; names of rooms need not be unique (G300)."""
    if (own is not None and own.parent is not None) or not _has(change, client, name, own):
        return False
    return ask(change, assumed.UNIQUE_NAMES) not in {"allow", "number"}


def _numbered(change: Change, client: str, name: str, own: Channel | None = None) -> str:
    """The name to use for a wanted one: with a number where names that are taken are numbered (G300)."""
    if (own is not None and own.parent is not None) or ask(change, assumed.UNIQUE_NAMES) != "number":
        return name
    if not _has(change, client, name, own):
        return name
    most = ask(change, sizes.NAME)
    tails = (f" ({number})" for number in count(2))
    return next(found for tail in tails if not _has(change, client, found := name[: most - len(tail)] + tail, own))


def create(
    change: Change, client: Client, name: str, description: str | None, owner: User | None, **fields: Any
) -> Channel:
    """A new channel; its feature flags are the client's defaults (R316), its creator is the owner (R545, G298).

    ``fields`` are further fields of the record, stored as they are given. Refusals CHANNEL_NAME_TAKEN when the client
    has a channel of this name (G300), DESCRIPTION_TOO_LONG.
    """
    text = _described_at_creation(change, description)
    note(change, assumed.FIRST_OWNERS)
    fields |= {"description": text, "creator": None if owner is None else owner.id}
    return create_channel(change, client, _numbered(change, client.id, name), fields)


def load(
    change: Change, client: Client, id: str, name: str, description: str | None, settings: Mapping[str, Any]
) -> Channel:
    """A channel with this id, these fields and no owners, as a world file has it. Refusals of ``create``.

    It has a fresh meeting id and link; the other feature flags are the client's defaults.
    """
    text = _described_at_creation(change, description)
    name = _numbered(change, client.id, name)
    change.draw()  # in place of the id of a created channel, so that what is drawn later is the same
    number = change.count("channel")
    return _LOAD(change, _channel(change, client, id, name, description=text, number=number, **settings))


def _described_at_creation(change: Change, description: str | None) -> str | None:
    limited = ask(change, assumed.DESCRIPTION_AT_CREATION) == "limit"
    return described(change, description) if limited and description else description or None


def described(change: Change, text: str) -> str:
    """The description as it may be stored: up to 200 characters (R373, R376). Refusal DESCRIPTION_TOO_LONG."""
    if ask(change, assumed.DESCRIPTION_COUNT) == "code-points":
        short = text[:DESCRIPTION]
    else:
        short = text.encode("utf-16-le")[: 2 * DESCRIPTION].decode("utf-16-le", "ignore")
    if short != text and ask(change, assumed.DESCRIPTION_TOO_LONG) == "refuse":
        raise Refusal(Reason.DESCRIPTION_TOO_LONG, limit=DESCRIPTION)
    return short


def describe(change: Change, channel: Channel, text: str) -> Channel:
    """Set the description; an empty text clears it (R377, G305). Refusal DESCRIPTION_TOO_LONG."""
    if not text:
        return update(change, channel, description=None if ask(change, assumed.DESCRIPTION_CLEARED) == "absent" else "")
    return update(change, channel, description=described(change, text))


def rename(change: Change, channel: Channel, name: str) -> Channel:
    """Rename the channel. Refusal CHANNEL_NAME_TAKEN (G300)."""
    return set_name(change, channel, _numbered(change, channel.client, name, channel))


def meeting_id(change: Change) -> str:
    """A fresh meeting id, of nine digits and unique over the whole service by its sequence (R262, G133)."""
    number = change.count("meeting id")
    if ask(change, assumed.MEETING_ID) == "uuid":
        return as_uuid(change.key(f"meeting id {number}")[:16])
    return str(100_000_000 + (number * 387_420_489) % 899_999_963)


def get(change: Change, client: str, id: str) -> Channel:
    """The channel of this id in the client; an id in upper case is found too (G061). Refusal NOT_FOUND."""
    channel = CHANNELS.get(change, id, client) or find(change, client, id) or find(change, client, id.lower())
    return channel or not_found("channel", id)


def find(change: Change, client: str, id: str) -> Channel | None:
    """The channel of exactly this id in the client, a base channel or a room, or None."""
    return CHANNELS.get(change, id, client) or ROOMS.get(change, id, client)


def find_anywhere(change: Change, id: str) -> Channel | None:
    """The channel of exactly this id in any client, a base channel or a room, or None."""
    client = CHANNELS.find_client(change, id) or ROOMS.find_client(change, id)
    return None if client is None else find(change, client, id)


def list_rooms(change: Change, channel: Channel) -> View[Channel]:
    """The channels whose parent is this one, in order of creation."""
    return ROOMS.where(change, ROOMS_OF, channel.id, channel.client)


def get_by_meeting_id(change: Change, client: Client, meeting_id: str) -> Channel:
    """The channel of the client that has the meeting id. Refusal MEETING_ID_UNKNOWN (G320, G321)."""
    found = CHANNELS.one(change, BY_MEETING_ID, meeting_id, client.id)
    found = found or ROOMS.one(change, ROOM_MEETING_ID, meeting_id, client.id)
    note(change, assumed.MEETING_ID)
    if found is None:
        raise Refusal(Reason.MEETING_ID_UNKNOWN, id=meeting_id)
    return found


def update(change: Change, channel: Channel, **fields: object) -> Channel:
    """The channel with these fields changed."""
    return table_of(channel).of(change, channel.client).update(channel, **fields)


def base_channel(change: Change, channel: Channel) -> Channel:
    """The channel whose owners and operators count: the event room for its breakout rooms (G439)."""
    return channel if channel.parent is None else CHANNELS.of(change, channel.client)[channel.parent]


def governing(change: Change, channel: Channel) -> Channel:
    """The channel whose PINs, template and configuration hold: for breakout rooms the event room, if it does (G438)."""
    if channel.parent is None or ask(change, breakout.ROOM_SETTINGS) == "client":
        return channel
    return base_channel(change, channel)
