"""What is delivered to endpoints of the events interface and how, where the documents do not say: everything."""

from __future__ import annotations

from .register import assumption

_ENDPOINTS = "add_events_endpoint update_events_endpoint remove_events_endpoint set_events_state"
_SECRET = "get_events_secret regenerate_events_secret"

_MINUTE = 60_000
_HOUR = 60 * _MINUTE
_SCHEDULE: tuple[int, ...] = (5_000, 5 * _MINUTE, 30 * _MINUTE, 2 * _HOUR, 5 * _HOUR, 10 * _HOUR)


def _delays(value: object) -> tuple[int, ...]:
    if not isinstance(value, list | tuple) or not all(type(each) is int and each >= 0 for each in value):
        raise ValueError(f"{value!r} is no list of milliseconds")
    return tuple(value)


ENVELOPE = assumption(
    "webhooks.envelope",
    "G533",
    "The JSON object that is delivered: id, kind, time (epoch milliseconds), clientId, channel (or null) and data; or "
    "type, timestamp (ISO 8601) and data, as Standard Webhooks proposes; or the data alone.",
    "own",
    ("standard-webhooks", "data-alone"),
    _ENDPOINTS,
)
SIGNATURE = assumption(
    "webhooks.signature",
    "G534",
    "Deliveries bear webhook-id, webhook-timestamp and webhook-signature, an HMAC-SHA256 over both and the body, as "
    "Standard Webhooks says; or nothing signs them.",
    "standard-webhooks",
    ("none",),
    _SECRET,
)
TIMESTAMP = assumption(
    "webhooks.timestamp",
    "G534",
    "The instant in webhook-timestamp, by which a receiver tells whether a message is too old: what the clock of the "
    "world shows, or the true time, for receivers that know no other.",
    "world",
    ("true",),
    _SECRET,
)
SECRET_FORM = assumption(
    "webhooks.secret-form",
    "G534 G592",
    "The secret is written as Standard Webhooks does, whsec_ before 32 bytes in base64, or as a text whose own bytes "
    "are the key.",
    "whsec",
    ("text",),
    _SECRET,
)
DELAYS = assumption(
    "webhooks.retries",
    "G534",
    "Milliseconds from a failed attempt to the next; after as many retries as there are delays it is given up.",
    _SCHEDULE,
    ((), "any list of milliseconds"),
    _ENDPOINTS,
    check=_delays,
)
TAKEN = assumption(
    "webhooks.taken",
    "G534",
    "Answers by which an endpoint takes a delivery: those with any status from 200 to 299, 200 alone, or all.",
    "2xx",
    ("200", "any"),
    _ENDPOINTS,
)
TIMEOUT = assumption(
    "webhooks.timeout",
    "G534",
    "Milliseconds for which an endpoint may keep a live server waiting for an answer; then the attempt has failed.",
    5_000,
    (15_000,),
    _ENDPOINTS,
)
ORDER = assumption(
    "webhooks.order",
    "G534",
    "What happens first is delivered first to each endpoint, and the next waits until it is delivered or given up; or "
    "each goes out at once, whatever becomes of those before it.",
    "kept",
    ("free",),
    _ENDPOINTS,
)
DEAF = assumption(
    "webhooks.while-inactive",
    "G534 G591",
    "What has not been delivered to an endpoint that is made inactive, or whose client's events are switched off: "
    "waits until it is told again, or is lost.",
    "waits",
    ("lost",),
    _ENDPOINTS,
)
KEPT = assumption(
    "webhooks.kept",
    "G534",
    "How many of the latest deliveries of a client are kept; older ones go, delivered or not.",
    1000,
    (100,),
    _ENDPOINTS,
)
