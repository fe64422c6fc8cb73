"""Channels: meeting rooms of a client, their names, their access, their life."""

from __future__ import annotations

from enum import StrEnum

from msgspec.structs import replace

from confsim.assumptions import initial
from confsim.assumptions.refusals import Reason
from confsim.assumptions.register import ask
from confsim.kernel.refusal import Refusal
from confsim.kernel.table import Index, Record, Table
from confsim.kernel.world import Change

from . import credentials, users
from .clients import Client
from .users import BY_CHANNEL, USERS, Account, User


class ServiceMode(StrEnum):
    """The two modes a channel runs in (P2 Channel details)."""

    CONFERENCE = "conference"
    PANEL = "panel"


class Channel(Record, kw_only=True):
    """One channel. ``owners`` and ``operators`` are user ids in the order of their appointment; an owner is in the
    first alone, although every owner counts as operator (R544). ``created`` in epoch milliseconds.
    """

    id: str
    client: str
    name: str
    meeting_id: str
    url_name: str
    created: int
    owners: tuple[int, ...] = ()
    operators: tuple[int, ...] = ()
    description: str | None = None
    image: str | None = None
    friendly_url: str | None = None
    parent: str | None = None
    service_mode: ServiceMode
    audio_quality: str
    reputation: int
    max_users: int
    open: bool
    guest_access: bool
    make_private: bool
    private: bool = False
    star: bool = False
    organization: bool = False
    premium: bool = False
    off_air: bool = False
    range_enabled: bool = False
    wall_disabled: bool = False
    event_room: bool = False
    midi: bool = False
    speech2text: bool = False
    dial_in: bool = False
    dial_out: bool = False
    favourites: tuple[int, ...] = ()


def friendly(url: str) -> str:
    """What two equal friendly URLs have in common (G289)."""
    return url.casefold()


BY_NAME: Index[Channel] = Index("name", lambda channel: (channel.name,) if channel.parent is None else ())
BY_HOST: Index[Channel] = Index("host", lambda channel: channel.owners + channel.operators)
BY_FRIENDLY_URL: Index[Channel] = Index(
    "friendly url", lambda channel: (friendly(channel.friendly_url),) if channel.friendly_url is not None else ()
)
BY_MEETING_ID: Index[Channel] = Index("meeting id", lambda channel: (channel.meeting_id,))
BY_PARENT: Index[Channel] = Index("parent", lambda channel: (channel.parent,) if channel.parent is not None else ())
CHANNELS: Table[str, Channel] = Table(
    "channels", Channel, "id", BY_NAME, BY_HOST, BY_FRIENDLY_URL, BY_MEETING_ID, BY_PARENT
)


def create(change: Change, client: Client, name: str, description: str | None, owner: User | None) -> Channel:
    """A new channel; its feature flags are the client's defaults (R316), its creator is the owner (R545, G298).

    Refusal CHANNEL_NAME_TAKEN when the client has a channel of this name (G300).
    """
    channels = CHANNELS.of(change, client.id)
    if channels.find(BY_NAME, name):
        raise Refusal(Reason.CHANNEL_NAME_TAKEN, name=name)
    return channels.put(
        Channel(
            id=change.uuid(),
            client=client.id,
            name=name,
            meeting_id=meeting_id(change),
            url_name=change.token()[:12],
            created=change.now,
            owners=(owner.id,) if owner is not None else (),
            description=description or None,
            service_mode=ServiceMode(ask(change, initial.SERVICE_MODE)),
            audio_quality=ask(change, initial.AUDIO_QUALITY),
            reputation=ask(change, initial.CHANNEL_REPUTATION),
            max_users=ask(change, initial.MAX_USERS),
            open=ask(change, initial.LOBBY_OPEN),
            guest_access=ask(change, initial.GUEST_ACCESS),
            make_private=ask(change, initial.MAKE_PRIVATE),
            midi=client.midi,
            speech2text=client.speech2text,
            dial_in=client.dial_in,
            dial_out=client.dial_out,
        )
    )


def meeting_id(change: Change) -> str:
    """A fresh meeting id of nine digits, unique over the whole service by its sequence (G133)."""
    return str(100_000_000 + (change.count("meeting id") * 387_420_489) % 899_999_963)


def get(change: Change, client: str, id: str) -> Channel:
    """The channel of this id in the client; upper case is taken as equal (G061). Refusal NOT_FOUND."""
    channels = CHANNELS.of(change, client)
    channel = channels.get(id) or channels.get(id.lower())
    if channel is None:
        raise Refusal(Reason.NOT_FOUND, what="channel", id=id)
    return channel


def update(change: Change, channel: Channel, **fields: object) -> Channel:
    """The channel with these fields changed."""
    return CHANNELS.of(change, channel.client).put(replace(channel, **fields))


def is_owner(channel: Channel, user: User | None) -> bool:
    """Whether the user owns the channel."""
    return user is not None and user.id in channel.owners


def is_operator(channel: Channel, user: User | None) -> bool:
    """Whether the user is at least operator of the channel: an owner ranks above (R544, G148)."""
    return user is not None and (user.id in channel.operators or user.id in channel.owners)


def hosted_by(change: Change, user: User) -> list[Channel]:
    """The channels where the user is at least operator, newest first; breakout rooms are not listed (G325)."""
    found = CHANNELS.of(change, user.client).find(BY_HOST, user.id)
    return [channel for channel in reversed(found) if channel.parent is None]


def delete(change: Change, channel: Channel) -> None:
    """Remove the channel with what hangs on it: its linked users go, its name and its URLs are free (R365, R551)."""
    for user in USERS.of(change, channel.client).find(BY_CHANNEL, channel.id):
        if user.account is Account.LINKED:
            users.MACHINE.fire(change, user, "unlink")
            credentials.revoke(change, user)
            USERS.of(change, channel.client).remove(user.id)
    CHANNELS.of(change, channel.client).remove(channel.id)
