"""Addresses of running channels: data channels, streaming servers, TURN servers."""

from __future__ import annotations

from confsim.assumptions.register import Assumption, assumption, duration, subset_of, text, texts
from confsim.values.urls import encoded, normalised

# data.*
DATA_KINDS = assumption(
    "data.kinds",
    "G347",
    "Kinds of data channels: any word of A-Z a-z 0-9 _ -, or chat, wall, whiteboard and captions alone.",
    "any",
    ("known",),
    "get_data_channel",
)
DATA_PLACED = assumption(
    "data.while-created",
    "G357",
    "A data channel of a channel that is not placed on a streaming server: its address all the same, 409 while it is "
    "being created, or 404 until there is a session.",
    "address",
    ("409", "404"),
    "get_data_channel",
    refuses={"NO_ACTIVE_SESSION": ("404",), "CHANNEL_BEING_CREATED": ("409",)},
)
DATA_MESSAGES = assumption(
    "data.messages",
    "G327 G347",
    "What a client sends to a data channel reaches, as it is, every other client that is connected to the same kind of "
    "it and whose person does not wait in the lobby; or nobody.",
    "relay",
    ("ignore",),
    "get_data_channel",
)


# streaming.*
def _template(value: object) -> str:
    given = text(value)
    if "{channel}" not in given:
        raise ValueError(f"{given!r} has no {{channel}}")
    return normalised(encoded(given, "{}"))


STREAMING_URL = assumption(
    "streaming.url",
    "G348",
    "Address of the streaming server of a channel; {root} is the mount with ws for http, {channel} the uuid. Data "
    "channels stand below it at data/{kind}. Where it begins with {root}, a live server opens websockets there.",
    "{root}/streaming/{channel}",
    ("any template with {channel}",),
    "get_streaming_proxy get_data_channel",
    check=_template,
    samples=("{root}/stream/{channel}",),
)
STREAMING_MODE = assumption(
    "streaming.mode",
    "G348",
    "mode of a streaming proxy: the channel's service mode, or absent as for data channels.",
    "service-mode",
    ("absent",),
    "get_streaming_proxy",
)
CREATING = assumption(
    "streaming.being-created",
    "G349",
    "What begins the creation on a streaming server: the first request for the address while no session is placed, or "
    "the creation of the channel. It shows only where the creation takes time (duration.placement).",
    "first-request",
    ("channel-creation",),
    "get_streaming_proxy",
)
PLACED_SESSION = assumption(
    "streaming.session",
    "G350",
    "Whether placement on a streaming server makes the session record, created and not started; else the first join.",
    True,
    (False,),
    "get_streaming_proxy",
)
TOKEN: Assumption[tuple[str, ...]] = assumption(
    "streaming.token",
    "G327 G348",
    "How the token is presented to a websocket of a channel: as on calls (auth.presentation), as the query parameter "
    "token, or as the subprotocol that is offered after bearer. Each way that is listed will do.",
    ("calls", "query", "subprotocol"),
    ("any list of these",),
    "get_streaming_proxy get_data_channel",
    check=subset_of(("calls", "query", "subprotocol")),
    samples=(("calls",), ("query",), ("subprotocol",)),
)
CLOSE = assumption(
    "streaming.close",
    "G327",
    "Who opens a websocket of a channel joins it, or waits in its lobby; several of one person are one presence. "
    "Closing the last of them leaves, or changes nothing.",
    "leave",
    ("stay",),
    "get_streaming_proxy get_data_channel",
)
MESSAGES = assumption(
    "streaming.messages",
    "G327 G328",
    "What is sent to a websocket of a channel: what happens to its person, as JSON with type, at, channel, userId, "
    "state, session, room, presenter and muted; or nothing.",
    "events",
    ("none",),
    "get_streaming_proxy get_data_channel",
)

PROXY_FOR = assumption(
    "streaming.proxy-for",
    "G340 G348",
    "Who gets the address of the streaming server: every user whom the gate admits, also one whom the channel would "
    "not let in; or only users who would be let in or wait in the lobby, while others get the refusal of joining.",
    "gate",
    ("entrance",),
    "get_streaming_proxy",
    refuses={"GUEST_ACCESS_OFF": ("entrance",)},
)

# turn.*
TURN = assumption(
    "turn.credentials",
    "G358",
    "TURN credentials: made for each call as of its instant, or the same for ever.",
    "fresh",
    ("constant",),
    "get_turn_credentials",
)
TURN_LIFE = assumption(
    "turn.life",
    "G124 G358",
    "Life of TURN credentials in seconds, the unit of ttl.",
    86_400,
    (3_600,),
    "get_turn_credentials",
    check=duration(1000, 2**31 - 1),
)
TURN_URIS: Assumption[tuple[str, ...]] = assumption(
    "turn.uris",
    "G358",
    "Addresses of the TURN server; nothing listens there.",
    ("turn:turn.confsim.invalid:3478?transport=udp", "turns:turn.confsim.invalid:5349?transport=tcp"),
    ("any list of addresses",),
    "get_turn_credentials",
    check=texts("addresses"),
    samples=(["turn:elsewhere.example"],),
)
