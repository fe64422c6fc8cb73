"""The rows of the service. The first field of each is its key; all instants are epoch milliseconds."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass
class Client:
    """A tenant."""

    id: str
    name: str
    parent_id: str | None = None
    disabled: bool = False
    unique_handles: bool = True
    friendly_urls: bool = True
    speech2text: bool = False
    dial_out: bool = False
    dial_in: bool = False
    midi: bool = False
    events: bool = True
    providers: list[str] = field(default_factory=list)
    origins: list[str] = field(default_factory=list)
    domains: list[str] = field(default_factory=list)
    terms_version: int = 1
    terms_url: str = ""
    terms_promulgated: int = 0
    terms_required: bool = False
    created: int = 0


@dataclass
class User:
    """A person, registered, predefined or temporary."""

    id: int
    client_id: str
    handle: str
    kind: str  # registered, predefined, guest or linked
    full_name: str | None = None
    description: str | None = None
    image_url: str | None = None
    email: str | None = None
    email_verified: bool = False
    auth_kind: str | None = None
    origin_id: str | None = None
    channel_id: str | None = None  # the channel of a guest or of a channel-linked user
    languages: list[str] = field(default_factory=list)
    accepted_terms: int = 0
    reputation: int = 1
    created: int = 0


@dataclass
class Credential:
    """A user's token."""

    token: str
    user_id: int
    expires: int | None


@dataclass
class ApiToken:
    """A token of a client's servers."""

    id: str
    client_id: str
    token: str
    label: str | None
    expires_at: int | None
    created: int


@dataclass
class LevelHeld:
    """An access level that a user holds."""

    id: str
    user_id: int
    level: str  # partner-admin, customer-admin, or another of the style's


@dataclass
class Reservation:
    """A handle put aside for a while."""

    token: str
    client_id: str
    handle: str
    caller: str
    expires: int


@dataclass
class Invitation:
    """The one invitation of a predefined or linked user."""

    user_id: int
    code: str
    kind: str
    expires: int | None


@dataclass
class Validator:
    """A custom authentication validator, set up outside the interface."""

    id: str
    client_id: str
    name: str
    secret: str
    active: bool
    created: int


@dataclass
class Channel:
    """A meeting room."""

    id: str
    client_id: str
    name: str
    description: str | None
    url_name: str
    meeting_id: str
    created: int
    parent_id: str | None = None
    service_mode: str = "conference"
    reputation: int = 1
    max_users: int = 100
    is_event_room: bool = False
    friendly_url: str | None = None
    midi: bool = False
    speech2text: bool = False
    dial_in: bool = False
    dial_out: bool = False
    audio_quality: str = "toll"
    is_open: bool = True
    disable_wall: bool = False
    guest_access: bool = True
    auto_close: bool = False
    mute_attendees: bool = False
    presenters_limit: int | None = None
    media_pool_size: int = 0
    template_id: str | None = None
    image_url: str | None = None
    placed_at: int | None = None  # when its place on a streaming server is ready


@dataclass
class ChannelRole:
    """An owner or operator of a channel."""

    id: str
    channel_id: str
    user_id: int
    owner: bool
    since: int


@dataclass
class Session:
    """One run of a channel."""

    id: str
    channel_id: str
    client_id: str
    name: str
    service_mode: str
    created: int
    started: int | None = None
    ended: int | None = None
    had_recording: bool = False
    group_id: str | None = None
    parent_id: str | None = None


@dataclass
class Presence:
    """A user's stay in a session."""

    id: int
    session_id: str
    channel_id: str
    user_id: int
    entered: int
    left_at: int | None = None


@dataclass
class Property:
    """A JSON value under a key, of a channel or a user."""

    id: str
    scope: str
    key: str
    value: Any


@dataclass
class ConfigDocument:
    """A configuration document of a client, channel or template in one language and theme."""

    id: str
    scope: str
    language: str
    theme: str
    document: dict[str, Any]


@dataclass
class Template:
    """A settings template."""

    id: str
    client_id: str
    name: str
    enabled: bool
    inheritable: bool
    created: int


@dataclass
class Media:
    """An item of a media pool; without a channel it is in the client's pool."""

    id: str
    client_id: str
    channel_id: str | None
    name: str
    size: int
    description: str | None
    tags: list[str]
    content_type: str
    public_read: bool
    created: int


@dataclass
class Breakout:
    """A breakout session of an event room."""

    id: str
    channel_id: str
    name: str
    duration: int
    created: int
    started: int | None = None
    ended: int | None = None
    session_id: str | None = None  # the event room's session in which it ran

    @property
    def active(self) -> bool:
        """Running now."""
        return self.started is not None and self.ended is None


@dataclass
class Room:
    """A breakout room."""

    id: str
    breakout_id: str
    name: str
    channel_id: str
    session_id: str | None = None


@dataclass
class Assignment:
    """A user's place in a breakout room."""

    id: str
    breakout_id: str
    room_id: str
    user_id: int


@dataclass
class EventsEndpoint:
    """Where events of a client are sent."""

    id: str
    client_id: str
    url: str
    active: bool


@dataclass
class RecordingAsset:
    """A file made from a recording of a session."""

    id: str
    session_id: str
    recording_id: str
    format: str
    kind: str
    state: str
    label: str
    start_time: int
    end_time: int | None
    size: int | None
    url: str | None
