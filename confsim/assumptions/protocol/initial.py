"""Initial values of clients and channels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from itertools import compress
from operator import attrgetter, eq
from typing import Any, TypedDict, cast

from confsim.assumptions.identity import AVAILABLE_PROVIDERS
from confsim.assumptions.protocol import sizes
from confsim.assumptions.register import (
    Assumption,
    Context,
    ask,
    assumption,
    context_of,
    in_force,
    integer,
    text,
    texts,
)

_CREATE = "create_channel get_channel"
_CLIENT = "create_client list_clients get_client_settings"
_FEATURE = f"{_CLIENT} create_channel get_channel_settings"

TERMS_URL = assumption(
    "initial.terms-url",
    "G168",
    "URL of the terms of a new client.",
    "https://terms.example/1",
    (),
    "create_client get_client_terms get_user_terms",
    check=text,
    samples=("https://terms.example/other",),
)
TERMS_FROM = assumption(
    "initial.terms-from",
    "G168 G169",
    "The terms of a client that is made by the API: version 1 at the first URL, or a copy of its parent's; what the "
    "parent publishes later leaves it alone.",
    "service",
    ("parent",),
    "create_client",
)
TERMS_REQUIRED = assumption(
    "initial.terms-required",
    "G172",
    "Whether guests of a new client must accept its terms too.",
    False,
    (True,),
)
UNIQUE_HANDLES = assumption(
    "initial.unique-handles",
    "G253",
    "Whether a new client requires unique handles.",
    True,
    (False,),
    f"{_CLIENT} check_handle_unique reserve_handle",
)
FRIENDLY_URLS = assumption(
    "initial.friendly-urls",
    "G286",
    "Whether a new client may use friendly URLs.",
    True,
    (False,),
    f"{_CLIENT} set_channel_friendly_url",
)
SPEECH2TEXT = assumption(
    "initial.speech2text",
    "G296 G297",
    "Whether new channels of a new client have speech to text.",
    False,
    (True,),
    f"{_FEATURE} list_recording_assets list_session_recordings",
)
DIAL_IN = assumption(
    "initial.dial-in", "G296 G297", "Whether new channels of a new client allow dial-in.", False, (True,), _FEATURE
)
DIAL_OUT = assumption(
    "initial.dial-out",
    "G296 G297",
    "Whether new channels of a new client allow dial-out.",
    False,
    (True,),
    f"{_FEATURE} dial_registered_user dial_unregistered_user",
)
MIDI = assumption(
    "initial.midi",
    "G296 G297 G588",
    "Whether new channels of a new client have midi.",
    False,
    (True,),
    f"{_FEATURE} get_channel",
)
EVENTS = assumption(
    "initial.events",
    "G296 G597",
    "Whether a new client has the events interface on.",
    False,
    (True,),
    f"{_CLIENT} get_events_status set_events_state update_events_endpoint list_events_endpoints remove_events_endpoint "
    "get_events_secret regenerate_events_secret",
)
PROVIDERS = assumption(
    "initial.providers",
    "G186",
    "Authentication providers of a new client.",
    AVAILABLE_PROVIDERS.default,
    ("any list of names",),
    "create_client list_client_auth_providers",
    check=texts("names"),
    samples=(["google"],),
)
SERVICE_MODE = assumption(
    "initial.service-mode",
    "G301 G314",
    "Mode of a new channel.",
    "conference",
    ("panel",),
    f"{_CREATE} list_active_channels get_streaming_proxy get_session list_sessions",
)
AUDIO_QUALITY = assumption(
    "initial.audio-quality", "G301 G314", "Audio quality of a new channel.", "toll", ("broadcast",), _CREATE
)
CHANNEL_REPUTATION = assumption(
    "initial.channel-reputation",
    "G301",
    "Reputation of a new channel, 1 to 15.",
    1,
    (),
    _CREATE,
    check=integer(1, 15),
    samples=(7,),
)
MAX_USERS = assumption(
    "initial.max-users",
    "G301 G315",
    "Most users of a new channel.",
    100,
    (),
    _CREATE,
    check=integer(0, 2**31 - 1),
    samples=(1,),
)
LOBBY_OPEN = assumption(
    "initial.lobby-open",
    "G302",
    "Whether the lobby door of a new channel is open. While it is closed, all but hosts wait until a host opens it. "
    "The channels of the demo are open.",
    False,
    (True,),
    f"{_CREATE} list_channels get_channel_settings",
)
GUEST_ACCESS = assumption(
    "initial.guest-access",
    "G226",
    "Whether a new channel admits guests.",
    True,
    (False,),
    f"{_CREATE} list_channels get_guest_access",
)
MAKE_PRIVATE = assumption(
    "initial.make-private", "G301", "Whether a new channel can be switched to private.", True, (False,), _CREATE
)


class ChannelFlags(TypedDict):
    """Flags of a channel, by field of the channel's record."""

    private: bool
    star: bool
    organization: bool
    premium: bool
    off_air: bool
    range_enabled: bool
    wall_disabled: bool
    event_room: bool
    auto_close: bool
    attendees_muted: bool
    public_pin: bool
    broadcast_enabled: bool


_FLAGS = cast(ChannelFlags, dict.fromkeys(ChannelFlags.__annotations__, False))


def _flags(value: object) -> ChannelFlags:
    if not isinstance(value, dict) or not set(value) <= set(_FLAGS):
        raise ValueError(f"{value!r} is no table of {', '.join(_FLAGS)}")
    if not all(isinstance(flag, bool) for flag in value.values()):
        raise ValueError(f"{value!r} holds more than true and false")
    return cast(ChannelFlags, {**_FLAGS, **value})


CHANNEL_FLAGS = assumption(
    "initial.channel-flags",
    "G301 G313 G315 G316 G526",
    "Flags of a new channel; no documented call sets most of them.",
    _FLAGS,
    ("any of them true",),
    f"{_CREATE} get_channel_settings",
    check=_flags,
    samples=(
        {"private": True},
        {"star": True, "organization": True, "premium": True, "off_air": True, "range_enabled": True},
        {"wall_disabled": True, "event_room": True, "auto_close": True, "attendees_muted": True},
        {"public_pin": True, "broadcast_enabled": True},
    ),
)
RESELLER = assumption(
    "initial.reseller",
    "G296 G167",
    "Whether a client that is made by the API has the reseller interface.",
    False,
    (True,),
    "create_client",
)
ORIGINS = assumption(
    "initial.origins",
    "G292",
    "Origins and domains of a new client.",
    cast("tuple[str, ...]", ()),
    (("https://app.example",), "any list of texts"),
    "create_client list_origins list_domains",
    check=texts("texts"),
)

#: The entry that gives a field of a new client, of its terms, of a new channel or of its media pool its value.
OF_FIELD: Mapping[str, Assumption[Any]] = {
    "url": TERMS_URL,
    "required": TERMS_REQUIRED,
    "unique_handles": UNIQUE_HANDLES,
    "friendly_urls": FRIENDLY_URLS,
    "speech2text": SPEECH2TEXT,
    "dial_in": DIAL_IN,
    "dial_out": DIAL_OUT,
    "midi": MIDI,
    "events": EVENTS,
    "providers": PROVIDERS,
    "origins": ORIGINS,
    "domains": ORIGINS,
    "service_mode": SERVICE_MODE,
    "audio_quality": AUDIO_QUALITY,
    "reputation": CHANNEL_REPUTATION,
    "max_users": MAX_USERS,
    "open": LOBBY_OPEN,
    "guest_access": GUEST_ACCESS,
    "make_private": MAKE_PRIVATE,
    "media_pool_size": sizes.MEDIA_POOL,
    "limit": sizes.MEDIA_POOL,
    **dict.fromkeys(_FLAGS, CHANNEL_FLAGS),
}


#: The fields of a client that are its settings.
CLIENT_SETTINGS = ("unique_handles", "speech2text", "dial_out", "friendly_urls", "midi", "dial_in")


def values(context: Context, fields: Iterable[str]) -> dict[str, Any]:
    """Return the values that a new thing has in these fields, and note their entries."""
    entries = [(field, OF_FIELD[field]) for field in fields]
    return {field: _of(entry, ask(context, entry), field) for field, entry in entries}


def note_shown(context: Context, record: object, *fields: str) -> None:
    """Note the entries of the fields that still have the values of a new thing; another value rests on no entry.

    To read and compare all at once saves a tenth of get_channel (``python tests/benchmarks operations``).
    """
    carried = context.carried or context_of(context)
    read, ids, new = _reading(fields)
    if carried.profile:
        new = _new_things(carried.profile, fields)
    carried.used.update(dict.fromkeys(compress(ids, map(eq, read(record), new))))


@cache
def _reading(fields: tuple[str, ...]) -> tuple[attrgetter[Any], tuple[str, ...], list[object]]:
    """Return how to read the fields, as a tuple of at least two, the ids of their entries, and the default values."""
    ids = tuple([OF_FIELD[field].id for field in fields])
    return attrgetter(*fields, fields[0]), ids, _new_things({}, fields)


def _new_things(profile: Mapping[str, Any], fields: tuple[str, ...]) -> list[object]:
    return [_of(OF_FIELD[field], in_force(profile, OF_FIELD[field]), field) for field in fields]


def _of(entry: Assumption[Any], value: Any, field: str) -> Any:
    return value[field] if entry is CHANNEL_FLAGS else value
