"""Candidate values of assumptions: their alternatives, and examples of those that they describe in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from . import Assumption

#: Examples of values that entries describe in words, by id; a prefix with its dot stands for every entry below it.
SAMPLES: Mapping[str, tuple[object, ...]] = {
    "code.": ("another_code",),
    "status.": (418,),
    "size.": (2,),
    "breakout.session-name": ("Group work {number}",),
    "breakout.room-name": ("Corner {number}",),
    "broadcast.schemes": (["srt"],),
    "broadcast.states": (["idle", "soon", "on"],),
    "channels.compound-name": ("{name} of {parent}",),
    "clients.reseller-calls": ([],),
    "config.default-language": ("de",),
    "config.service-default": ({"theme": "dark"},),
    "config.themes": (["dark"],),
    "dial-in.anonymous": ("nobody",),
    "encode.absent": (["description", "imageUrl"],),
    "errors.body": ({"fault": {"is": "$code", "says": "$message"}},),
    "events.kinds": (["channel.created"],),
    "events.open-while-off": ([],),
    "friendly-urls.form": ("[a-z]{3,64}",),
    "gateway.credentials": (["SRT"],),
    "gateway.host": ("gateway.example",),
    "gateway.kinds": ({"RTMP": 1936},),
    "http.idempotency-key": ("Idempotency-Key",),
    "identity.claims": ({"originId": "id"},),
    "images.unreachable": ([],),
    "initial.channel-flags": (
        {"private": True},
        {"star": True, "organization": True, "premium": True, "off_air": True, "range_enabled": True},
        {"wall_disabled": True, "event_room": True, "auto_close": True, "attendees_muted": True},
        {"public_pin": True, "broadcast_enabled": True},
    ),
    "initial.channel-reputation": (7,),
    "initial.max-users": (1,),
    "initial.providers": (["google"],),
    "initial.terms-url": ("https://terms.example/other",),
    "languages.supported": (["en"],),
    "levels.table": ({"customer-admin": {"id": 7, "name": "Boss"}, "partner-admin": {"id": 8, "name": "Partner"}},),
    "parse.booleans": ({"yes": True, "no": False},),
    "parse.ttl-units": ({"y": 31_536_000_000},),
    "providers.available": (["google"],),
    "providers.icon": ("https://icons.example/png/{name}.png",),
    "quote.prices": ({"*": 1.5},),
    "recordings.asset-kinds": ({"archive": "video", "combined": "audio", "captions": "audio", "individual": "other"},),
    "recordings.download-kinds": (
        {"archive": "other", "combined": "other", "captions": "other", "individual": "captions"},
    ),
    "recordings.formats": ({"archive": "A", "combined": "B", "captions": "C", "individual": "D"},),
    "recordings.captions-language": ("de",),
    "recordings.mail-link": ("https://mail.example/{token}",),
    "roles.api-token-passes": ([],),
    "roles.customer-admin-passes": (["owner", "operator", "access"],),
    "roles.partner-admin-includes": (["own"], ["children"]),
    "route.prefix": ("/api/v1_0",),
    "service.open-while-disabled": ([], ["get_me", "list_channels"]),
    "streaming.token": (("calls",), ("query",), ("subprotocol",)),
    "streaming.url": ("{root}/stream/{channel}",),
    "terms.open-calls": ([], ["get_me", "list_channels"]),
    "turn.uris": (["turn:elsewhere.example"],),
    "users.auth-kinds": ({"OAuth": "oauth", "Custom": "own"},),
    "users.first-id": (2**53 + 1,),
    "users.kinds": (
        {"registered": "R", "predefined": "P", "guest": "G", "linked": "L", "dialled-in": "I", "dialled-out": "O"},
    ),
    "validators.algorithms": (["HS256"],),
    "webhooks.retries": ([1000],),
}


def candidates(entry: Assumption[Any]) -> tuple[Any, ...]:
    """Return values of an entry other than its default, in the form that code expects; none when there is no choice."""
    found: list[object] = []
    for value in entry.alternatives:
        if not isinstance(value, str) or _is_value(entry, value):
            found.append(value)
    examples = SAMPLES.get(entry.id) or (() if found else SAMPLES.get(entry.id.partition(".")[0] + ".", ()))
    if entry.id.startswith("route.") and " " in str(entry.default):
        method, path = str(entry.default).split(" ", 1)
        found, examples = [], (f"{method} /moved{path}",)
    checked = [entry.check(value) for value in (*found, *examples)]
    other = {repr(value): value for value in checked if value != entry.default}
    return tuple(other.values())


def _is_value(entry: Assumption[Any], value: str) -> bool:
    """Return whether an alternative is a value of the entry, and not a phrase that describes values."""
    if " " in value and entry.id.partition(".")[0] in {"code", "status", "route"}:
        return False
    try:
        entry.check(value)
    except (ValueError, TypeError):
        return False
    return not value.startswith("any ")
