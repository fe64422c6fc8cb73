"""The events interface: kinds of events, endpoints, and deliveries to webhooks."""

from __future__ import annotations

from enum import StrEnum

from .register import assumption, duration, subset_of

_ALL = (
    "update_events_endpoint add_events_endpoint list_events_endpoints remove_events_endpoint get_events_status "
    "set_events_state get_events_secret regenerate_events_secret"
)
_OPEN: tuple[str, ...] = (
    *("get_events_status", "set_events_state"),
    *("add_events_endpoint", "list_events_endpoints", "update_events_endpoint", "remove_events_endpoint"),
)
_ENDPOINT_CALLS = "add_events_endpoint update_events_endpoint remove_events_endpoint set_events_state"
_SECRET = "get_events_secret regenerate_events_secret"
_MINUTE = 60_000
_HOUR = 60 * _MINUTE
_SCHEDULE: tuple[int, ...] = (5_000, 5 * _MINUTE, 30 * _MINUTE, 2 * _HOUR, 5 * _HOUR, 10 * _HOUR)


# events.*
class EventKind(StrEnum):
    """A kind of event, as an integrator receives it. The documents name none."""

    SESSION_STARTED = "session.started"
    SESSION_ENDED = "session.ended"
    PARTICIPANT_WAITING = "participant.waiting"
    PARTICIPANT_JOINED = "participant.joined"
    PARTICIPANT_LEFT = "participant.left"
    LOBBY_OPENED = "lobby.opened"
    LOBBY_CLOSED = "lobby.closed"
    RECORDING_STARTED = "recording.started"
    RECORDING_STOPPED = "recording.stopped"
    RECORDING_READY = "recording.ready"
    RECORDING_FAILED = "recording.failed"
    BREAKOUT_STARTED = "breakout.started"
    BREAKOUT_ENDED = "breakout.ended"
    CALL_STARTED = "call.started"
    CALL_ENDED = "call.ended"
    BROADCAST_STARTED = "broadcast.started"
    BROADCAST_STOPPED = "broadcast.stopped"
    CHANNEL_CREATED = "channel.created"
    CHANNEL_DELETED = "channel.deleted"
    USER_CREATED = "user.created"
    USER_REMOVED = "user.removed"
    MEDIA_ADDED = "media.added"
    MEDIA_REMOVED = "media.removed"
    TERMS_PROMULGATED = "terms.promulgated"
    SERVICE_DISABLED = "service.disabled"
    SERVICE_ENABLED = "service.enabled"
    PARTICIPANT_WAITED = "participant.waited"
    ROOM_CREATED = "room.created"
    ROOM_DELETED = "room.deleted"
    ROOM_ENTERED = "room.entered"
    ROOM_LEFT = "room.left"
    CALL_ANSWERED = "call.answered"
    PRESENTER_CHANGED = "presenter.changed"
    ASSIGNMENT_CHANGED = "assignment.changed"
    ROLE_CHANGED = "role.changed"
    CHANNEL_CHANGED = "channel.changed"
    USER_CHANGED = "user.changed"
    USER_REGISTERED = "user.registered"
    USER_CONNECTED = "user.connected"
    TERMS_ACCEPTED = "terms.accepted"


def _event_kinds(value: object) -> tuple[EventKind, ...]:
    if not isinstance(value, list | tuple) or not set(value) <= set(EventKind):
        raise ValueError(f"{value!r} is no list of {', '.join(EventKind)}")
    return tuple(EventKind(each) for each in value)


KINDS = assumption(
    "events.kinds",
    "G533",
    "Kinds of events that are emitted. None is documented: names and payloads are confsim's own.",
    tuple(EventKind),
    ("any list of them",),
    check=_event_kinds,
    samples=(["channel.created"],),
)
ORDER = assumption(
    "events.order",
    "G533",
    "The order of the events of one instant: what contains something begins before it and ends after it (nested), or "
    "each event when it comes about, a cause before its effects (as-caused).",
    "nested",
    ("as-caused",),
)
RECORDED = assumption(
    "events.recorded",
    "G533",
    "Events are stored while the client's events are on and an endpoint is active, or always.",
    "while-heard",
    ("always",),
)
EVENTS_STORED = assumption("events.kept", "G533", "How many of the latest events of a client are stored.", 1000, (100,))
OPEN_WHILE_OFF = assumption(
    "events.open-while-off",
    "G532 G547 G590 G591",
    "Calls of the events interface that work while the client's events are off; the others are refused.",
    _OPEN,
    ("any list of them", tuple(_ALL.split())),
    _ALL,
    check=subset_of(tuple(_ALL.split())),
    refuses={"EVENTS_OFF": lambda value, operation, profile: operation not in value},
    samples=([],),
)
RECORD = assumption(
    "events.endpoint",
    "G528 G593",
    "Fields of an endpoint: id, url, active; or its creation (epoch milliseconds) too.",
    "plain",
    ("with-created",),
    "list_events_endpoints",
)
ACTIVE = assumption(
    "events.new-endpoint-active",
    "G527 G589",
    "Whether an endpoint that is added is active.",
    True,
    (False,),
    "add_events_endpoint",
)
UNKNOWN = assumption(
    "events.unknown-endpoint",
    "G529",
    "Updating an endpoint that is not there, or another client's: refused as not found, or nothing happens.",
    "refuse",
    ("ignore",),
    "update_events_endpoint",
    refuses={"NOT_FOUND": ("refuse",)},
)
EMPTY_UPDATE = assumption(
    "events.empty-update",
    "G530",
    "An update that gives neither url nor active: changes nothing, or is refused.",
    "ignore",
    ("refuse",),
    "update_events_endpoint",
)
SCHEMES = assumption(
    "events.schemes",
    "G530",
    "Schemes of the URLs of endpoints.",
    "http-and-https",
    ("https",),
    "update_events_endpoint add_events_endpoint",
)
SECRET = assumption(
    "events.secret",
    "G535 G592",
    "A client has one secret for all its endpoints; when it is made anew the old one is invalid at once.",
    "one-per-client",
    (),
    "get_events_secret regenerate_events_secret",
)

# webhooks.*
ENVELOPE = assumption(
    "webhooks.envelope",
    "G533",
    "The JSON object that is delivered: id, kind, time (epoch milliseconds), clientId, channel (or null) and data; or "
    "type, timestamp (ISO 8601) and data, as Standard Webhooks proposes; or the data alone.",
    "own",
    ("standard-webhooks", "data-alone"),
    _ENDPOINT_CALLS,
)
SIGNATURE = assumption(
    "webhooks.signature",
    "G534",
    "Deliveries have webhook-id, webhook-timestamp and webhook-signature, an HMAC-SHA256 over both and the body, as "
    "Standard Webhooks says; or nothing signs them.",
    "standard-webhooks",
    ("none",),
    _SECRET,
)
TIMESTAMP = assumption(
    "webhooks.timestamp",
    "G534",
    "The instant in webhook-timestamp, by which a receiver decides whether a message is too old: the true time while "
    "the clock of the world runs, moved or not, and what it shows while it is frozen; always what it shows; or always "
    "the true time.",
    "true-unless-frozen",
    ("world", "true"),
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


def _delays(value: object) -> tuple[int, ...]:
    if not isinstance(value, list | tuple):
        raise ValueError(f"{value!r} is no list of milliseconds, or of durations such as '15m'")
    return tuple(map(duration(), value))


DELAYS = assumption(
    "webhooks.retries",
    "G534",
    "Milliseconds from a failed attempt to the next; after as many retries as there are delays it is given up.",
    _SCHEDULE,
    ((), "any list of milliseconds"),
    _ENDPOINT_CALLS,
    check=_delays,
    samples=([1000],),
)
DELIVERED = assumption(
    "webhooks.taken",
    "G534",
    "Answers by which an endpoint takes a delivery: those with any status from 200 to 299, 200 alone, or all.",
    "2xx",
    ("200", "any"),
    _ENDPOINT_CALLS,
)
TIMEOUT = assumption(
    "webhooks.timeout",
    "G534",
    "Milliseconds for which an endpoint may keep a live server waiting for an answer; then the attempt has failed.",
    5_000,
    (15_000,),
    _ENDPOINT_CALLS,
    check=duration(),
)
DELIVERY_ORDER = assumption(
    "webhooks.order",
    "G534",
    "What happens first is delivered first to each endpoint, and the next waits until it is delivered or given up; or "
    "each goes out at once, regardless of the outcome of those before it.",
    "kept",
    ("free",),
    _ENDPOINT_CALLS,
)
WHILE_INACTIVE = assumption(
    "webhooks.while-inactive",
    "G534 G591",
    "What has not been delivered to an endpoint that is made inactive, or whose client's events are switched off: "
    "waits until the endpoint is delivered to again, or is lost.",
    "waits",
    ("lost",),
    _ENDPOINT_CALLS,
)
DELIVERIES_STORED = assumption(
    "webhooks.kept",
    "G534",
    "How many of the latest deliveries of a client are stored; older ones are removed, delivered or not.",
    1000,
    (100,),
    _ENDPOINT_CALLS,
)
