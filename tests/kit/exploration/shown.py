"""What each field of an answer shows of the records, said apart from the code that makes answers.

``FIELDS`` has for each type of answer the reading of each field: the name of a field of the record, or a function. The
first field tells the things of a list apart. ``LEFT_OUT`` has the fields that are not compared, each with the reason.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any
from unicodedata import combining, normalize
from unittest.mock import ANY

from msgspec import Struct

from kit import CUSTOMER

from .view import View, matching, word


class At(Struct, frozen=True):
    """A call that reads: the world in which it is made, its caller by token and as a user, and its arguments.

    ``user`` is None for an API token.
    """

    view: View
    caller: str
    user: Any
    arguments: Mapping[str, Any]

    def role(self, channel: Any, user: Any) -> str:
        """Return the role of a user in a channel, or in the event room of a breakout room; empty for none."""
        place, number = channel.parent or channel.id, None if user is None else user.id
        held = [host for host in self.view["hosts"] if (host.channel, host.user) == (place, number)]
        return str(word(held[0].role)) if held else ""

    def channel(self, id: str) -> Any:
        """Return a channel by its id."""
        return self.view.channels[id]

    def shown(self, type: str, record: Any) -> dict[str, Any]:
        """Return the fields that a thing of a type shows of a record; those that are not set are left out."""
        said = {name: _said(reading, self, record) for name, reading in FIELDS[type].items()}
        return {name: value for name, value in said.items() if value is not None}


#: What a field shows: a field of the record by name, or what a function reads.
Reading = str | Callable[[At, Any], Any]


def _said(reading: Reading, at: At, record: Any) -> Any:
    value = getattr(record, reading) if isinstance(reading, str) else reading(at, record)
    return word(value)


def _image(_at: At, record: Any) -> Any:
    """Any URL, where there is an image."""
    return None if record.image is None else ANY


def _url_handle(_at: At, user: Any) -> str | None:
    plain = "".join(letter for letter in normalize("NFKD", user.handle) if not combining(letter)).lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-") or None


_KINDS = {"registered": "User", "predefined": "Predefined", "guest": "Guest", "linked": "Guest"}


def _kind(_at: At, user: Any) -> str:
    return _KINDS.get(user.account) or ("DialIn" if user.inbound else "DialOut")


def _languages(_at: At, user: Any) -> Any:
    return {"languages": list(user.languages), "acceptLanguage": ANY} if user.languages else None


def _iso(field: str) -> Reading:
    def read(_at: At, record: Any) -> str | None:
        at = getattr(record, field)
        if at is None:
            return None
        return datetime.fromtimestamp(at / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")

    return read


def _by_content(words: Mapping[str, str]) -> Reading:
    return lambda _at, asset: words[word(asset.content)]


def _path(_at: At, asset: Any) -> str:
    names = {"combined": "combined.mp4", "archive": "archive.zip", "captions": "captions.vtt"}
    return names.get(word(asset.content)) or f"streams/{asset.group}.m4a"


def _parent_name(at: At, channel: Any) -> str | None:
    return None if channel.parent is None else str(at.channel(channel.parent).name)


def _legacy_name(at: At, channel: Any) -> str:
    return str(channel.name) if channel.parent is None else f"{_parent_name(at, channel)}/{channel.name}"


def _favourites(at: At, channel: Any) -> list[int]:
    return [each.user for each in matching(at.view, "favourites", {"channel": channel.id})]


def _inside(at: At, channel: Any) -> dict[str, Any]:
    return at.shown("ChannelParticipants", [each for each in at.view["presences"] if each.place == channel.id])


def _number(at: At, presence: Any) -> dict[str, Any]:
    return at.shown("UserSummary", at.view.users[presence.user])


def _is_binding(at: At) -> bool:
    """Whether the terms must be accepted: they do not have to be before the first ones are published."""
    return bool(at.view.clients[CUSTOMER].terms.required)


def _is_current(at: At, user: Any) -> bool:
    version = at.view.clients[CUSTOMER].terms.version
    return bool(user.accepted == version or (user.accepted is None and not _is_binding(at)))


def _offered(at: At, template: Any) -> bool:
    return bool(
        matching(at.view, "template choices", {"template": template.id, "client": CUSTOMER, "offer": "enabled"})
    )


def _expiry(at: At, user: Any) -> Any:
    pending = matching(at.view, "invitations", {"user": user.id, "state": "pending"})
    return pending[0].expires if pending and user.account == "predefined" else None


def _own_room(at: At, breakout: Any) -> Any:
    """The room in which the caller is, else the one that the caller is assigned to (R313)."""
    if at.user is None:
        return None
    own, rooms = {"breakout": breakout.id, "user": at.user.id}, at.view.keyed("breakout rooms")
    present = matching(at.view, "presences", {"channel": breakout.channel, "user": at.user.id})
    named = [each.room for each in (*present, *matching(at.view, "assignments", own)) if each.room in rooms]
    found = [rooms[name] for name in named if rooms[name].breakout == breakout.id]
    return at.shown("BreakoutRoom", found[0]) if found else None


def _can_record(at: At, channel: Any) -> bool:
    """Whether an owner has a verified address; an API token may always record."""
    owners = [at.view.users[host.user] for host in at.view["hosts"] if at.role(channel, at.view.users[host.user])]
    owners = [user for user in owners if at.role(channel, user) == "owner"]
    return at.user is None or any(user.email is not None for user in owners)


def _destination(at: At, destination: Any) -> str:
    """The URL with its key for those who own the channel, and without it for others."""
    known = at.user is None or at.role(at.channel(destination.channel), at.user) == "owner"
    return str(destination.url) if known else f"{destination.url.rpartition('/')[0]}/***"


_SUMMARY: Mapping[str, Reading] = {"id": "id", "handle": "handle", "imageUrl": _image}
_TEMPLATE: Mapping[str, Reading] = {
    "id": "id",
    "name": "name",
    "enabled": _offered,
    "inheritable": "inheritable",
    "inherited": lambda _, template: template.client != CUSTOMER,
}

FIELDS: Mapping[str, Mapping[str, Reading]] = {
    "User": {
        **_SUMMARY,
        "urlHandle": _url_handle,
        "fullName": "full_name",
        "description": "description",
        "clientId": "client",
        "reputation": "reputation",
        "following": lambda at, user: at.user is not None and user.id in at.user.follows,
        "followedBy": lambda at, user: at.user is not None and at.user.id in user.follows,
        "languages": _languages,
        "unregistered": lambda _, user: user.account in {"guest", "linked", "dialled"},
        "authKind": "auth_kind",
        "kind": _kind,
    },
    "UserItem": {
        **_SUMMARY,
        "levels": lambda at, user: [at.shown("AccessLevel", level) for level in user.levels],
        "authKind": "auth_kind",
        "kind": _kind,
        "invitationExpiry": _expiry,
    },
    "UserSummary": _SUMMARY,
    "AppSessionUser": {"id": "id", "handle": "handle"},
    "Host": {
        **_SUMMARY,
        "isOwner": lambda at, user: at.role(at.channel(at.arguments["uuid"]), user) == "owner",
    },
    "AccessLevel": {
        "id": lambda _, level: level.value,
        "name": lambda _, level: {10: "Customer Admin", 20: "Partner Admin"}[level.value],
    },
    "UserTerms": {
        "isCurrent": _is_current,
        "currentVersion": lambda at, _: at.view.clients[CUSTOMER].terms.version,
        "termsUrl": lambda at, _: at.view.clients[CUSTOMER].terms.url,
        "firstAccept": lambda at, user: user.accepted is None and _is_binding(at),
    },
    "ClientTerms": {
        "version": lambda _, client: client.terms.version,
        "url": lambda _, client: client.terms.url,
        "promulgated": lambda _, client: client.terms.promulgated,
        "required": lambda _, client: client.terms.required,
    },
    "ClientView": {
        "clientId": "id",
        "name": "name",
        "disabled": lambda at, client: not at.view.is_served(client.id),
        "parentId": "parent",
    },
    "ClientSettings": {
        "uniqueUsersHandle": "unique_handles",
        "speech2text": "speech2text",
        "dialOut": "dial_out",
        "friendlyURLs": "friendly_urls",
        "midi": "midi",
        "dialIn": "dial_in",
    },
    "EventsStatus": {"enabled": "events"},
    "EventsEndpoint": {"id": "id", "url": "url", "active": "active"},
    "Validator": {"id": "id", "name": "name", "active": lambda _, validator: word(validator.state) == "active"},
    "ApiToken": {
        "id": "id",
        "token": lambda _, token: f"****{token.value[-4:]}",
        "expiresAt": "expires",
        "label": "label",
    },
    "Invitation": {"userId": "user", "code": "code", "expires": "expires", "kind": "kind"},
    "ChannelItem": {
        "channelUuid": "id",
        "name": "name",
        "urlName": "url_name",
        "friendlyURL": "friendly_url",
        "isOwner": lambda at, channel: at.role(channel, at.user) == "owner" if at.role(channel, at.user) else None,
        "parentName": _parent_name,
        "parentId": "parent",
        "isOpen": "open",
        "guestAccess": "guest_access",
        "imageUrl": _image,
        "created": lambda _, channel: channel.created // 1000,
    },
    "ChannelDetails": {
        "channelUuid": "id",
        "name": _legacy_name,
        "channelName": "name",
        "description": "description",
        "clientId": "client",
        "parent": "parent",
        "parentName": _parent_name,
        "serviceMode": "service_mode",
        "reputation": "reputation",
        "favorite": lambda at, channel: len(_favourites(at, channel)),
        "isFavorite": lambda at, channel: at.user is not None and at.user.id in _favourites(at, channel),
        "isStar": "star",
        "isOperator": lambda at, channel: bool(at.role(channel, at.user)),
        "isOwner": lambda at, channel: at.role(channel, at.user) == "owner",
        "maxUsers": "max_users",
        "urlName": "url_name",
        "meetingId": "meeting_id",
        "isEventRoom": "event_room",
        "makePrivate": "make_private",
        "isOrganization": "organization",
        "friendlyURL": "friendly_url",
        "isMidi": "midi",
        "isPremium": "premium",
        "audioQuality": "audio_quality",
        "isPrivate": "private",
        "isOpen": "open",
        "offAir": "off_air",
        "isRangeEnabled": "range_enabled",
        "disableWall": "wall_disabled",
        "guestAccess": "guest_access",
        "imageUrl": _image,
    },
    "ChannelSettings": {
        "speech2text": "speech2text",
        "muteAttendees": "attendees_muted",
        "broadcastEnabled": "broadcast_enabled",
        "autoClose": "auto_close",
        "eventRoom": "event_room",
        "open": "open",
        "publicPIN": "public_pin",
        "dialOut": "dial_out",
        "dialIn": "dial_in",
        "presentersLimit": "presenters_limit",
        "populationLimit": "population_limit",
        "mediaPoolSize": "media_pool_size",
        "midi": "midi",
        "offAir": "off_air",
        "disableWall": "wall_disabled",
    },
    "GuestAccess": {"guestAccess": "guest_access"},
    "ActiveChannel": {
        "channelUuid": "id",
        "serviceMode": "service_mode",
        "description": "description",
        "channelName": "name",
        "participants": _inside,
        "isOwner": lambda at, channel: at.role(channel, at.user) == "owner",
        "imageUrl": _image,
    },
    "ChannelParticipants": {
        "total": lambda _, inside: len(inside),
        "users": lambda at, inside: [_number(at, presence) for presence in inside],
    },
    "Session": {
        "id": "id",
        "name": "name",
        "channel": "channel",
        "clientId": "client",
        "serviceMode": "service_mode",
        "participantsCount": lambda at, session: len(matching(at.view, "attendances", {"session": session.id})),
        "hadRecording": "had_recording",
        "groupId": "group_id",
        "parentId": "parent_id",
        "imageUrl": _image,
        "created": "created",
        "started": "started",
        "ended": "ended",
    },
    "BreakoutSession": {
        "id": "id",
        "name": "name",
        "channel": "channel",
        "duration": "duration",
        "started": "started",
        "isActive": lambda _, breakout: word(breakout.phase) == "active",
        "isCompleted": lambda _, breakout: word(breakout.phase) == "completed",
        "breakoutRoom": _own_room,
    },
    "BreakoutRoom": {
        "id": "id",
        "name": "name",
        "breakoutSession": "breakout",
        "sessionId": "session",
        "channelUuid": "place",
    },
    "Recording": {
        "id": "id",
        "channel": "channel",
        "session": "session",
        "startTime": "started",
        "endTime": "ended",
        "readyTime": "ready",
    },
    "RecordingAsset": {
        "id": "id",
        "recordingId": "recording",
        "format": _by_content({"archive": "CMS", "combined": "MP4", "captions": "VTT", "individual": "M4A"}),
        "kind": _by_content({"archive": "other", "combined": "video", "captions": "other", "individual": "audio"}),
        "state": lambda _, asset: str(word(asset.state)).capitalize(),
        "label": "label",
        "startTime": "started",
        "endTime": "ended",
        "size": "size",
        "relativePath": _path,
        "isIndividual": lambda _, asset: asset.user is not None,
        "streamUserId": "user",
        "userId": "receiver",
        "group": "group",
    },
    "Possible": {"possible": _can_record},
    "Template": _TEMPLATE,
    "ChannelTemplate": {name: _TEMPLATE[name] for name in ("id", "name", "inherited")},
    "AvailableNumber": {
        "number": "number",
        "code": "country",
        "isDefault": lambda _, number: True if word(number.listing) == "default" else None,
    },
    "Pin": {"pin": "pin", "organizer": "organizer"},
    "MediaAsset": {
        "id": "id",
        "name": "name",
        "description": "description",
        "tags": lambda at, asset: [at.shown("Tag", tag) for tag in asset.tags],
        "contentType": "content_type",
        "publicRead": "public",
        "created": "created",
        "size": lambda _, asset: len(asset.data),
    },
    "Tag": {"name": lambda _, tag: tag},
    "AppSession": {
        "id": "id",
        "clientId": "client",
        "url": "url",
        "started": "started",
        "channels": lambda _, session: list(session.channels),
        "channelsSessions": lambda _, session: list(session.sessions),
        "users": lambda at, session: [
            at.shown("AppSessionUser", at.view.users[user]) for user in session.users if user in at.view.users
        ],
    },
    "BroadcastDestination": {
        "id": "id",
        "label": "label",
        "destination": _destination,
        "channelId": "channel",
        "enabled": "enabled",
    },
    "BroadcastRecord": {
        "id": "id",
        "clientId": "client",
        "channelId": "channel",
        "created": _iso("created"),
        "started": _iso("started"),
        "ended": _iso("ended"),
        "sessions": lambda _, broadcast: list(broadcast.sessions),
    },
    "BroadcastState": {"state": lambda _, broadcasts: word(broadcasts[0].state) if broadcasts else "off"},
}

_ALTERNATIVE = "the answer of another alternative of the profile, which no start chooses"
#: Fields that are not compared, by type and name, with the reason.
LEFT_OUT: Mapping[tuple[str, str], str] = {
    ("ClientView", "details"): "the documents name none of the details (G295)",
    ("EventsEndpoint", "created"): _ALTERNATIVE,
    ("RecordingAsset", "url"): "the address depends on the server that is asked; tests of recordings open it",
    ("Languages", "languages"): "compared as the languages of a user",
    ("Languages", "acceptLanguage"): "the form of the header is tested with the languages of users (G205)",
    ("BroadcastHistory", "total"): "compared with the number of things, as of every page",
    ("BroadcastHistory", "rows"): "compared as the broadcasts that they are",
    ("RecordingDownload", "url"): "the address is drawn by each call",
    ("AvailableProvider", "name"): "providers are those of the service; no record holds them",
    ("AvailableProvider", "icon"): "providers are those of the service; no record holds them",
    ("Population", "channelUuid"): _ALTERNATIVE,
    ("Population", "population"): _ALTERNATIVE,
}
#: Operations whose answers are not compared, with the reason.
NOT_COMPARED: Mapping[str, str] = {
    "get_config": "several levels make the document together; tests of the configuration hold it against them",
    "get_channel_config": "as get_config",
    "get_template_config": "as get_config",
    "get_recording_download": LEFT_OUT["RecordingDownload", "url"],
    "list_auth_providers": LEFT_OUT["AvailableProvider", "name"],
}
