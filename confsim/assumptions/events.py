"""The events interface where the documents do not say: endpoints, their secret, what happens and is told."""

from __future__ import annotations

from enum import StrEnum

from .register import assumption, some_of

_ALL = (
    "update_events_endpoint add_events_endpoint list_events_endpoints remove_events_endpoint get_events_status "
    "set_events_state get_events_secret regenerate_events_secret"
)


class Kind(StrEnum):
    """What happens and an integrator would want to hear of. No kind is documented."""

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


def _kinds(value: object) -> tuple[Kind, ...]:
    if not isinstance(value, list | tuple) or not set(value) <= set(Kind):
        raise ValueError(f"{value!r} is no list of {', '.join(Kind)}")
    return tuple(Kind(each) for each in value)


KINDS = assumption(
    "events.kinds",
    "G533",
    "Kinds of events that are told of. None is documented: names and payloads are the double's own.",
    tuple(Kind),
    ("any list of them",),
    check=_kinds,
)
RECORDED = assumption(
    "events.recorded",
    "G533",
    "What happens is kept while the client's events are on and an endpoint is active, or always.",
    "while-heard",
    ("always",),
)
KEPT = assumption("events.kept", "G533", "How many of the latest events of a client are kept.", 1000, (100,))


_OPEN: tuple[str, ...] = ("get_events_status", "set_events_state", "add_events_endpoint")

OPEN_WHILE_OFF = assumption(
    "events.open-while-off",
    "G532 G547 G590 G591",
    "Calls of the events interface that work while the client's events are off; the others are refused.",
    _OPEN,
    ("any list of them", tuple(_ALL.split())),
    _ALL,
    check=some_of(tuple(_ALL.split())),
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
    "A client has one secret for all its endpoints; when it is made anew the old one is dead at once.",
    "one-per-client",
    (),
    "get_events_secret regenerate_events_secret",
)
