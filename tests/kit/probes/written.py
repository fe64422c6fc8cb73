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


if __name__ == "__main__":
    main()
