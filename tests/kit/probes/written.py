"""Probes that are written, of what no run of calibrate and no journey has shown: ``python -m kit.probes.written``.

All are made in the client of the run. What each tells is found out as for other probes; ``probes.json`` gets those that
tell what none before does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec.structs import replace

from confsim.reference.cast import CAST, JSON
from confsim.reference.probes import Probe, ProbeCall, distinguished, probes
from confsim.testing.calibrating.alternative import Alternative

from . import tellable
from .making import Maker, ordered, store

#: Entries that count requests, so that their effect does not follow from what the calls do.
_NOT_IN_THE_WORLD = frozenset({"http.rate-limit", "http.idempotency-key"})
_OWN, _NEW, _ADMIN = "{tokens own}", "{tokens w2a.0}", "{tokens w5a.0}"
_ROOM, _CLIENT = "{channels w0.0}", "{clients own}"


def _get(operation: str, caller: str = _OWN, query: dict[str, str] | None = None, **path: str) -> ProbeCall:
    return ProbeCall("", operation, caller, path, query or {})


def _send(operation: str, body: Any, caller: str = _OWN, **path: str) -> ProbeCall:
    return ProbeCall("", operation, caller, path, {}, body, content_type=JSON)


_MADE_ROOM = CAST["{tokens w1a.0}"][:1]
_SOMEBODY, _ADMINISTRATOR = CAST[_NEW], CAST[_ADMIN]
_OWNER, _HOST = "{tokens w3a.0}", "{tokens w4a.0}"


def _numbered(number: str, call: ProbeCall) -> ProbeCall:
    """The call under a number, so that others can name what it makes or lists."""
    return replace(call, number=number)


def _phone(number: str, name: str) -> ProbeCall:
    """A call to a phone, which is answered and joins the channel."""
    return _numbered(
        number, _send("dial_unregistered_user", {"number": "{number 0}", "name": f"{{tag}} {name}"}, uuid=_ROOM)
    )


def _called(number: str) -> ProbeCall:
    """A call to the phone of a registered user."""
    body = {"number": "{number 1}", "sipUserId": "{users w2b.0}"}
    return _numbered(number, _send("dial_registered_user", body, uuid=_ROOM))


#: A channel that may call phones.
_DIALS = (
    *_MADE_ROOM,
    _numbered("k6a", _get("set_client_dial_out_state", state="enable")),
    _numbered("k6b", _get("set_dial_out_state", uuid=_ROOM, state="enable")),
)
#: The channel with a session that is active, as a phone has joined it.
_MEETING = (*_DIALS, _phone("k6c", "Ann"))
_SESSIONS = _numbered("k6d", _get("list_sessions", _OWNER, {"channel": _ROOM}))
_SESSION = "{sessions k6d.0}"
_END = _get("end_active_session", uuid=_ROOM)
_CONNECTED = _get("get_populations", channelIds=_ROOM)
#: The same as an event room, with a breakout session of one room that has not started.
_BREAKOUT, _BREAKOUT_ROOM = "{breakout_sessions k7b.0}", "{breakout_rooms k7c.0}"
_EVENT = (
    *CAST[_OWNER],
    _numbered("k7a", _get("set_event_room_state", _OWNER, uuid=_ROOM, state="enable")),
    *_MEETING[1:],
    _numbered("k7b", _send("create_breakout_session", {"name": "{tag} groups", "duration": 3_600_000}, uuid=_ROOM)),
    _numbered("k7c", _send("create_breakout_room", {"name": "{tag} group"}, uuid=_ROOM, breakoutSession=_BREAKOUT)),
)
_START = _numbered("k7e", _get("start_breakout_session", uuid=_ROOM))


def _assigned(number: str, user: str) -> ProbeCall:
    """The call that assigns a user to the breakout room."""
    path = {"uuid": _ROOM, "breakoutSession": _BREAKOUT, "breakoutRoom": _BREAKOUT_ROOM, "userId": user}
    return _numbered(number, _get("add_breakout_participant", **path))


#: Two phones, of which one has gone to the breakout room.
_APART = (*_EVENT, _phone("k7f", "Bob"), _assigned("k7d", "{users k6c.0}"), _START)
#: The calls of each; those without a number get one.
WRITTEN: Sequence[Sequence[ProbeCall]] = (
    (_get("list_client_auth_providers", "", clientId=_CLIENT),),
    (_get("get_client_terms", "", clientId=_CLIENT),),
    (_get("get_client_settings"),),
    (_send("set_auth_providers", [], clientId=_CLIENT), _get("list_client_auth_providers", "", clientId=_CLIENT)),
    (_send("set_auth_providers", ["nobody"], clientId=_CLIENT),),
    (*_ADMINISTRATOR, _get("remove_access_level", _ADMIN, userId="{users w5b.0}", level="10")),
    (*_SOMEBODY, _get("add_access_level", userId="{users w2b.0}", level="77")),
    (_get("get_user_client", userId="9007199254740992"),),
    (ProbeCall("", "create_channel", _OWN, data=b'{"name": "{tag}"}', content_type="text/plain"),),
    (*_SOMEBODY, _send("set_user_languages", {"languages": ["de_CH"]}, userId="{users w2b.0}")),
    (
        *_MADE_ROOM,
        _send("set_channel_friendly_url", {"url": "{tag}town"}, uuid=_ROOM),
        _get("set_friendly_urls_state", state="disable"),
        _get("get_channel", uuid=_ROOM),
    ),
    (*_SOMEBODY, *(_send("create_guest", {"handle": "{tag} w2 new"}, "", clientId=_CLIENT, uuid=_ROOM),)),
    (
        *_SOMEBODY,
        ProbeCall("k2", "reserve_handle", _NEW, body={"handle": "{tag} nova"}, content_type=JSON),
        _get("change_handle_with_reservation", _NEW, nonce="{reservations k2.0}"),
        _get("check_handle_unique", _OWN, {"handle": "{tag} w2 new"}),
    ),
    (
        _send("set_config", {"ui": {"colors": {"a": 1}, "sounds": {"b": 2}}, "console": {"colors": {"c": 3}}}),
        _get("get_config", _OWN, {"context": "ui"}),
    ),
    (
        *_MADE_ROOM,
        _send("set_config", {"ui": {"color": "red", "size": 1}, "client": True}),
        _send("set_channel_config", {"ui": {"color": "blue"}, "channel": True}, uuid=_ROOM),
        _get("get_channel_config", uuid=_ROOM),
    ),
    (
        *_MADE_ROOM,
        _send("set_config", {"list": [1]}),
        _send("set_channel_config", {"list": [2]}, uuid=_ROOM),
        _get("get_channel_config", uuid=_ROOM),
    ),
    (
        *_MADE_ROOM,
        ProbeCall("k3", "create_template", _OWN, body={"name": "{tag} rank"}, content_type=JSON),
        _get("set_template_state", templateId="{templates k3.0}", state="enable"),
        _get("select_channel_template", uuid=_ROOM, templateId="{templates k3.0}"),
        _send("set_config", {"a": "client", "b": "client"}),
        _send("set_template_config", {"b": "template"}, templateId="{templates k3.0}"),
        _get("get_channel_config", uuid=_ROOM),
    ),
    (_get("set_events_state", state="enable"), _send("add_events_endpoint", {"url": "http://127.0.0.1:9/{tag}"})),
    (
        *_MADE_ROOM,
        *CAST[_HOST][1:],
        _send("add_dial_pin", {"pin": "1"}, uuid=_ROOM),
        _get("delete_dial_pin", _HOST, uuid=_ROOM, pin="1"),
    ),
    (*CAST[_HOST], _send("set_channel_config", {"a": 1}, _HOST, uuid=_ROOM)),
    (
        *_SOMEBODY,
        *CAST[_OWNER][1:],
        _get("set_handle_uniqueness", state="disable"),
        _send("reserve_handle", {"handle": "{tag} w3 new"}, _NEW),
    ),
    (
        *_MADE_ROOM,
        ProbeCall("", "set_channel_image", _OWN, {"uuid": _ROOM}, {}, None, b"GIF89ax", "image/gif", 8_200_000),
    ),
    (*_SOMEBODY, _send("create_gateway_endpoint", {"kind": "rtmp"}, _NEW, userId="me")),
    (_send("set_origins", ["old.example"], clientId=_CLIENT),),
    (
        *_SOMEBODY,
        ProbeCall("", "set_user_property", _NEW, {"userId": "me", "key": "k"}, {}, None, b"[" * 25 + b"]" * 25, JSON),
    ),
    (
        *_SOMEBODY,
        *(
            ProbeCall(f"k5{n}", "create_channel", _OWN, body={"name": f"{{tag}} page {n}"}, content_type=JSON)
            for n in range(21)
        ),
        _get("list_channels"),
    ),
    (
        *CAST[_OWNER],
        _get("get_streaming_proxy", _OWNER, uuid=_ROOM),
        _get("list_channel_participants", uuid=_ROOM),
    ),
    (_send("update_terms_url", {"url": "https://example.com/{tag}"}), _get("get_client_terms", "", clientId=_CLIENT)),
    (_get("list_api_tokens"),),
    (*_MADE_ROOM, _get("get_turn_credentials", uuid=_ROOM), _get("get_turn_credentials", uuid=_ROOM)),
    (_get("get_populations", channelIds=",".join(["a"] * 201)),),
    (*_MADE_ROOM, _send("add_dial_pin", {"pin": "1"}, uuid=_ROOM)),
    (*_MEETING, _CONNECTED),
    (
        *CAST[_OWNER],
        *_MEETING[1:],
        _SESSIONS,
        ProbeCall("", "set_channel_image", _OWN, {"uuid": _ROOM}, {}, None, b"GIF89a;", "image/gif"),
        _get("get_session", _OWNER, sessionId=_SESSION),
    ),
    (
        *CAST[_OWNER],
        *_MEETING[1:],
        _send("rename_channel_user", {"handle": "{tag} Eve"}, uuid=_ROOM, userId="{users k6c.0}"),
        _SESSIONS,
        _get("list_session_participants", _OWNER, sessionId=_SESSION),
    ),
    (
        *CAST[_OWNER],
        *_MEETING[1:],
        _END,
        _phone("k6e", "Bob"),
        _get("list_sessions", _OWNER, {"channel": _ROOM, "sort": "ended"}),
    ),
    (
        *CAST[_OWNER],
        *_MEETING[1:],
        _phone("k6f", "Bob"),
        _END,
        _phone("k6e", "Eve"),
        _get("list_sessions", _OWNER, {"channel": _ROOM, "sort": "presence"}),
    ),
    (
        *_SOMEBODY,
        *_DIALS[1:],
        _called("k6i"),
        _END,
        _called("k6j"),
        _get("list_channel_participants", uuid=_ROOM),
    ),
    (*CAST[_OWNER], *_MEETING[1:], _get("start_recording", uuid=_ROOM), _SESSIONS),
    (
        *CAST[_OWNER],
        *_MEETING[1:],
        _get("start_recording", uuid=_ROOM),
        ProbeCall("k6g", "list_recordings", _OWN, {"channelId": _ROOM}),
        _get("get_recording_download", _OWNER, channelId=_ROOM, recordingId="{recordings k6g.0}"),
    ),
    (*CAST[_OWNER], *_MEETING[1:], _get("start_recording", _OWNER, uuid=_ROOM)),
    (*_EVENT, _START, _CONNECTED),
    (*_APART, _CONNECTED),
    (*_APART, _get("list_sessions", _OWNER)),
    (*_APART, _get("list_sessions", _OWNER), _get("list_active_channels")),
    (
        *_SOMEBODY,
        *_EVENT[1:],
        _assigned("k7d", "{users w2b.0}"),
        _START,
        _called("k6i"),
        _CONNECTED,
    ),
    (
        *_APART,
        _send(
            "update_breakout_session",
            {"name": "{tag} groups", "duration": 7_200_000},
            uuid=_ROOM,
            breakoutSession=_BREAKOUT,
        ),
    ),
    (*_APART, _get("delete_breakout_session", uuid=_ROOM, breakoutSession=_BREAKOUT)),
    (*_APART, _END, _get("get_active_breakout_session", _OWNER, uuid=_ROOM)),
    (*_APART, _get("set_event_room_state", _OWNER, uuid=_ROOM, state="disable")),
    (
        *CAST[_OWNER],
        *_MEETING[1:],
        _get("set_broadcast_state", uuid=_ROOM, state="enable"),
        _send("add_broadcast_destination", {"destination": "rtmp://example.com/{tag}"}, _OWNER, channel=_ROOM),
        _get("start_broadcast", uuid=_ROOM),
        _get("set_broadcast_state", uuid=_ROOM, state="disable"),
        _get("get_broadcast_state", uuid=_ROOM),
    ),
    (
        *_EVENT,
        _get("set_lobby_auto_close", uuid=_ROOM, state="enable"),
        _get("set_lobby_door", uuid=_ROOM, state="open"),
        _assigned("k7d", "{users k6c.0}"),
        _START,
        _get("get_channel_settings", uuid=_ROOM),
    ),
    (*_DIALS, _get("get_dial_quote", uuid=_ROOM, number="{number 1},1111111111111111111111111")),
    (
        *_DIALS,
        _send(
            "dial_unregistered_user",
            {"number": "{number 1},1111111111111111111111111", "name": "{tag} Ann"},
            uuid=_ROOM,
        ),
    ),
    (
        *_SOMEBODY,
        ProbeCall("k8a", "reserve_handle", _OWN, body={"handle": "{tag} nova"}, content_type=JSON),
        _get("change_handle_with_reservation", _NEW, nonce="{reservations k8a.0}"),
    ),
    (*_SOMEBODY, _get("change_handle_with_reservation", _NEW, nonce="no-such-reservation")),
    (*_MADE_ROOM, _get("get_data_channel", uuid=_ROOM, kind="RTMP")),
    (*_MADE_ROOM, _get("get_channel", query={"for_client": _CLIENT}, uuid=_ROOM)),
)


def numbered() -> Iterator[tuple[ProbeCall, ...]]:
    """The calls of each written probe, each with a number of its own."""
    for place, calls in enumerate(WRITTEN):
        yield tuple(
            call if call.number else replace(call, number=f"v{place}x{number}") for number, call in enumerate(calls)
        )


def made(maker: Maker, known: set[str]) -> Iterator[Probe]:
    """Yield the written probes that tell what none before does; ``known`` has the keys of what those tell."""
    for calls in numbered():
        wanted: list[Alternative] = [each for key, each in maker.every.items() if key not in known]
        wanted = [each for each in wanted if each.ids[0] not in _NOT_IN_THE_WORLD]
        tells = [each for each in wanted if maker.shows(calls, each) == len(calls)]
        if tells:
            known |= {each.key for each in tells}
            yield maker.probe(list(calls), tells)


def main() -> None:
    """Add what is written to the probes that are there."""
    found = list(made(Maker(), set(distinguished())))
    store([*probes(), *ordered(found)])
    told = {f"{id}={value}" for probe in found for id, values in probe.tells.items() for value in values}
    tellable.store(told | {f"{id}={value}" for id, values in tellable.tellable().items() for value in values})


if __name__ == "__main__":
    main()
