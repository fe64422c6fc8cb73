"""Initial values of clients and channels."""

from __future__ import annotations

from typing import TypedDict, cast

from confsim.assumptions.identity import AVAILABLE_PROVIDERS
from confsim.assumptions.register import assumption, integer, text, texts

_CREATE = "create_channel get_channel"

TERMS_URL = assumption(
    "initial.terms-url", "G168", "URL of the terms of a new client.", "https://terms.example/1", check=text
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
    "initial.unique-handles", "G253", "Whether a new client requires unique handles.", True, (False,)
)
FRIENDLY_URLS = assumption(
    "initial.friendly-urls", "G286", "Whether a new client may use friendly URLs.", True, (False,)
)
SPEECH2TEXT = assumption(
    "initial.speech2text", "G296 G297", "Whether new channels of a new client have speech to text.", False, (True,)
)
DIAL_IN = assumption(
    "initial.dial-in", "G296 G297", "Whether new channels of a new client allow dial-in.", False, (True,)
)
DIAL_OUT = assumption(
    "initial.dial-out", "G296 G297", "Whether new channels of a new client allow dial-out.", False, (True,)
)
MIDI = assumption("initial.midi", "G296 G297 G588", "Whether new channels of a new client have midi.", False, (True,))
EVENTS = assumption("initial.events", "G296 G597", "Whether a new client has the events interface on.", False, (True,))
PROVIDERS = assumption(
    "initial.providers",
    "G186",
    "Authentication providers of a new client.",
    AVAILABLE_PROVIDERS.default,
    ("any list of names",),
    check=texts("names"),
)
SERVICE_MODE = assumption(
    "initial.service-mode", "G301 G314", "Mode of a new channel.", "conference", ("panel",), _CREATE
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
)
MAX_USERS = assumption(
    "initial.max-users",
    "G301 G315",
    "Most users of a new channel.",
    100,
    (),
    _CREATE,
    check=integer(0, 2**31 - 1),
)
LOBBY_OPEN = assumption(
    "initial.lobby-open", "G302", "Whether the lobby door of a new channel is open.", False, (True,), _CREATE
)
GUEST_ACCESS = assumption(
    "initial.guest-access", "G226", "Whether a new channel admits guests.", True, (False,), _CREATE
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
    _CREATE,
    check=_flags,
)
RESELLER = assumption(
    "initial.reseller",
    "G296 G167",
    "Whether a client that is made by the API has the reseller interface.",
    False,
    (True,),
    "create_client",
)
