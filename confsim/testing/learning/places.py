"""The places of ids, tokens, links and instants in the declared types of answers.

An answer has a shape: objects with a shape for each field, lists, and values. A value that the service chooses itself,
such as an id, has a kind (a word of ``contract.types.Names``, or one of a few more); an instant has a unit. All other
values must be equal on both sides.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import NoneType
from typing import Any, get_args, get_origin

from msgspec import Struct

from confsim.assumptions.protocol import wire
from confsim.assumptions.register import in_force
from confsim.contract.annotations import chosen, fields_of, mark_of, options_of, peeled
from confsim.contract.encode import NoContent, Raw
from confsim.contract.operation import Operation
from confsim.contract.types import InUnit

#: Kinds of which only the presence of a value is compared: addresses, texts for people, masked secrets.
LINKS, FREE = "links", "free"
#: Values that are not compared at all.
IGNORED = "ignored"
#: Names of fields that do not identify a thing.
NOT_NAMES = frozenset({"", LINKS, FREE, IGNORED})

#: Fields whose values the service chooses itself, by the name of their type.
CHOSEN_BY_SERVICE: Mapping[str, Mapping[str, str]] = {
    "AppSession": {
        "id": "app_sessions",
        "clientId": "clients",
        "channels": "channels",
        "channelsSessions": "sessions",
    },
    "AppSessionUser": {"id": "users"},
    "BreakoutRoom": {
        "id": "breakout_rooms",
        "breakoutSession": "breakout_sessions",
        "channelUuid": "channels",
        "sessionId": "sessions",
    },
    "BreakoutSession": {"id": "breakout_sessions", "channel": "channels"},
    "BroadcastDestination": {"id": "destinations", "channelId": "channels"},
    "BroadcastRecord": {"id": "broadcasts", "channelId": "channels", "clientId": "clients", "sessions": "sessions"},
    "FoundChannel": {"uuid": "channels"},
    "MaybeChannel": {"uuid": "channels"},
    "ChannelDetails": {
        "channelUuid": "channels",
        "clientId": "clients",
        "parent": "channels",
        "meetingId": "meeting_ids",
        "urlName": "url_names",
        "imageUrl": LINKS,
    },
    "ChannelItem": {"channelUuid": "channels", "parentId": "channels", "urlName": "url_names", "imageUrl": LINKS},
    "ChannelUuid": {"channelUuid": "channels"},
    "ClientItem": {"id": "clients", "parent": "clients"},
    "ClientView": {"clientId": "clients", "parentId": "clients", "details": FREE},
    "Template": {"id": "templates"},
    "ChannelTemplate": {"id": "templates"},
    "EventsEndpoint": {"id": "endpoints"},
    "EventsSecret": {"secret": "secrets"},
    "ApiToken": {"id": "api_tokens", "token": "tokens"},
    "AuthProfile": {"email": FREE, "imageUrl": FREE, "name": FREE},
    "AvailableProvider": {"icon": LINKS},
    "Provider": {"icon": LINKS},
    "TokenResult": {"token": "tokens"},
    "GatewayCredentials": {"username": FREE, "password": "secrets"},
    "GatewayEndpoint": {"uuid": "sources"},
    "MediaAsset": {"id": "media"},
    "MediaLink": {"url": LINKS},
    "Host": {"id": "users", "imageUrl": LINKS},
    "DownloadableAsset": {"id": "assets"},
    "Recording": {"id": "recordings", "channel": "channels", "session": "sessions"},
    "RecordingAsset": {
        "id": "assets",
        "recordingId": "recordings",
        "group": FREE,
        "relativePath": FREE,
        "url": LINKS,
        "userId": "users",
        "streamUserId": "users",
    },
    "RecordingCredentials": {"jwt": "asset_tokens"},
    "RecordingDownload": {"url": LINKS},
    "Session": {
        "id": "sessions",
        "channel": "channels",
        "clientId": "clients",
        "groupId": "session_groups",
        "parentId": "sessions",
        "imageUrl": LINKS,
    },
    "ActiveChannel": {"channelUuid": "channels", "imageUrl": LINKS},
    "Population": {"channelUuid": "channels"},
    "StreamingAddress": {"url": LINKS},
    "TurnCredentials": {"username": FREE, "password": "secrets"},
    "Assignment": {"code": "dial_codes"},
    "ReservationToken": {"reservationToken": "reservations"},
    "Invitation": {"code": "codes", "userId": "users"},
    "UserItem": {"id": "users", "imageUrl": LINKS},
    "User": {"id": "users", "clientId": "clients", "imageUrl": LINKS},
    "UserSummary": {"id": "users", "imageUrl": LINKS},
    "NumberId": {"id": "users"},
}
#: Instants whose unit is documented, so that no assumption names it.
_STATED_UNITS: Mapping[tuple[str, str], str] = {
    ("ChannelItem", "created"): "epoch-s",
    ("EventsEndpoint", "created"): "epoch-ms",
    ("BreakoutSession", "started"): "epoch-ms",
}
#: The kind of ``Id.id`` in answers whose operation does not declare one.
_IDS: Mapping[str, str] = {"get_user_client": "clients", "get_channel_client": "clients"}
#: Operations whose answers have masked tokens, in any form.
_MASKED = frozenset({"list_api_tokens"})


class Value(Struct, frozen=True):
    """A value: of a kind that the service chooses, an instant of a unit, or equal on both sides."""

    kind: str = ""
    unit: str = ""


PLAIN = Value()


class Fields(Struct, frozen=True):
    """An object with the shapes of its known fields."""

    fields: Mapping[str, Any]


class Elements(Struct, frozen=True):
    """A list of elements of one shape."""

    element: Any


class Entries(Struct, frozen=True):
    """An object with keys, which may be ids of a kind, and values of one shape."""

    key: str
    value: Any


class Either(Struct, frozen=True):
    """A value of one of several shapes: the first that fits."""

    shapes: tuple[Any, ...]


class Shapes:
    """The shapes of answers under a profile; each is made once."""

    def __init__(self, profile: Mapping[str, Any]) -> None:
        self._profile = profile
        self._answers: dict[str, Any] = {}
        template = in_force(profile, wire.ERROR_BODY)
        #: The shape of a refusal's body.
        self.refusal = _template_shape(wire.ERROR_BODIES[template] if isinstance(template, str) else template)

    def answer(self, operation: Operation) -> Any:
        """Return the shape of the body of a successful answer."""
        if operation.name not in self._answers:
            reader = _Reader(operation, self._profile)
            self._answers[operation.name] = reader.of(operation.answer(self._profile), "", "")
        return self._answers[operation.name]


class _Reader:
    """Derives the shape of an answer from its type."""

    def __init__(self, operation: Operation, profile: Mapping[str, Any]) -> None:
        self.operation = operation
        self.profile = profile

    def of(self, annotation: Any, owner: str, field: str) -> Any:
        """Return the shape of a type: of a field of ``owner``, or of the whole answer."""
        mark = mark_of(annotation, InUnit)
        unit = in_force(self.profile, mark.entry) if mark is not None else _STATED_UNITS.get((owner, field), "")
        if unit:
            return Value(unit=unit)
        annotation = chosen(annotation, self.profile)
        base, _ = peeled(annotation)
        options = [each for each in options_of(base) if each not in (NoneType, NoContent)]
        if len(options) != 1:
            return Either(tuple(self.of(each, owner, field) for each in options)) if options else PLAIN
        if options[0] is not base or base is not annotation:
            return self.of(options[0], owner, field)
        return self._of_one(base, owner, field)

    def _of_one(self, base: Any, owner: str, field: str) -> Any:
        origin = get_origin(base) or base
        if origin in (list, tuple):
            return Elements(self.of(get_args(base)[0], owner, field))
        if origin is dict:
            return self._entries(base)
        if isinstance(origin, type) and issubclass(origin, Struct) and origin is not Raw:
            return self._fields(base, origin)
        return Value(kind=self._kind(owner, field)) if owner else PLAIN

    def _fields(self, base: Any, struct: type[Struct]) -> Fields:
        name = struct.__name__
        parameters = dict(zip(getattr(struct, "__parameters__", ()), get_args(base), strict=False))
        return Fields(
            {
                each.encode_name: self.of(_filled(each.type, parameters), name, each.encode_name)
                for each in fields_of(struct)
            }
        )

    def _entries(self, base: Any) -> Any:
        if not get_args(base):
            return PLAIN
        element = self.of(get_args(base)[1], "", "")
        if self.operation.name == "get_populations":
            return Entries("channels", element)
        key = element.fields["id"].kind if isinstance(element, Fields) and "id" in element.fields else ""
        return Entries(key, element)

    def _kind(self, owner: str, field: str) -> str:
        if owner == "Id":
            return self.operation.identifies.get(field, "") or _IDS.get(self.operation.name, "")
        if owner == "ApiToken" and field == "token" and self.operation.name in _MASKED:
            return FREE
        return CHOSEN_BY_SERVICE.get(owner, {}).get(field, "")


def _filled(annotation: Any, parameters: Mapping[Any, Any]) -> Any:
    """Return a type with the parameters of its generic origin replaced."""
    if annotation in parameters:
        return parameters[annotation]
    if not parameters:
        return annotation
    base, marks = peeled(annotation)
    if marks or base is not annotation:
        return _filled(base, parameters)
    if get_origin(annotation) is list:
        return list[_filled(get_args(annotation)[0], parameters)]  # type: ignore[misc]
    return annotation


def _template_shape(template: Any) -> Any:
    if isinstance(template, dict):
        return Fields({name: _template_shape(part) for name, part in template.items()})
    if template in ("$message", "$details"):  # a text for people, with facts that only the service knows
        return Value(kind=FREE if template == "$message" else IGNORED)
    return PLAIN
