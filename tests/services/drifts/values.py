"""Drifts of single values: fields, types, units, instants, ids, texts and secrets."""

from __future__ import annotations

import json

from services.drifts.exchange import Exchange, objects
from services.drifts.registry import drift


@drift("field-missing", "field")
def field_missing(exchange: Exchange) -> None:
    """meetingId is missing in the details of a channel."""
    for channel in exchange.told("GET", "/channels/{}", "meetingId"):
        del channel["meetingId"]


@drift("null-for-absent", "field")
def null_for_absent(exchange: Exchange) -> None:
    """The limit of presenters, where there is none, is null in the settings of a channel."""
    for settings in exchange.told("GET", "/channels/{}/settings", "mediaPoolSize"):
        settings.setdefault("presentersLimit", None)


@drift("field-renamed", "field")
def field_renamed(exchange: Exchange) -> None:
    """handle is called displayName where callers read themselves."""
    for user in exchange.told("GET", "/users/me", "handle"):
        user["displayName"] = user.pop("handle")


@drift("number-as-text", "type")
def number_as_text(exchange: Exchange) -> None:
    """The ids of operators are texts."""
    for user in exchange.told("GET", "/channels/{}/operators", "id"):
        user["id"] = str(user["id"])


@drift("boolean-as-number", "type")
def boolean_as_number(exchange: Exchange) -> None:
    """isOpen is 0 or 1 in the list of channels."""
    for channel in exchange.told("GET", "/channels", "isOpen"):
        channel["isOpen"] = int(channel["isOpen"])


@drift("boolean-inverted", "type")
def boolean_inverted(exchange: Exchange) -> None:
    """muteAttendees says the opposite in the settings of a channel."""
    for settings in exchange.told("GET", "/channels/{}/settings", "muteAttendees"):
        settings["muteAttendees"] = not settings["muteAttendees"]


@drift("text-for-object", "type")
def text_for_object(exchange: Exchange) -> None:
    """A property of a channel that is an object is the text of its JSON."""
    if exchange.ok and exchange.asks("GET", "/channels/{}/properties/{}") and isinstance(exchange.body, dict):
        exchange.body = json.dumps(exchange.body)


@drift("list-in-milliseconds", "unit")
def list_in_milliseconds(exchange: Exchange) -> None:
    """created in the list of channels is in milliseconds."""
    for channel in exchange.told("GET", "/channels", "created"):
        channel["created"] *= 1000


@drift("duration-in-seconds", "unit")
def duration_in_seconds(exchange: Exchange) -> None:
    """The duration of a breakout session is in seconds."""
    for breakout in exchange.told("GET", "/channels/{}/breakout/sessions", "duration"):
        breakout["duration"] //= 1000


@drift("life-in-minutes", "unit")
def life_in_minutes(exchange: Exchange) -> None:
    """ttl of TURN credentials is in minutes."""
    for credentials in exchange.told("GET", "/channels/{}/turn/credentials", "ttl"):
        credentials["ttl"] //= 60


@drift("expiry-an-hour-early", "instant")
def expiry_an_hour_early(exchange: Exchange) -> None:
    """The token of a guest is said to expire an hour earlier than it does, by milliseconds or seconds."""
    for token in exchange.told("POST", "/clients/{}/users/guest/{}", "expires"):
        token["expires"] -= 3_600_000 if token["expires"] > 10**11 else 3600


@drift("id-of-another", "id")
def id_of_another(exchange: Exchange) -> None:
    """The details of a channel have the id of the channel that was read before."""
    for channel in exchange.told("GET", "/channels/{}", "channelUuid"):
        own = channel["channelUuid"]
        channel["channelUuid"] = exchange.memory.stored.get("channel", own)
        exchange.memory.stored["channel"] = own


@drift("case-folded", "text")
def case_folded(exchange: Exchange) -> None:
    """The names of channels are in small letters in their list."""
    for channel in exchange.told("GET", "/channels", "name"):
        channel["name"] = channel["name"].lower()


@drift("blanks-trimmed", "text")
def blanks_trimmed(exchange: Exchange) -> None:
    """Blanks around a description are lost in the details of a channel."""
    for channel in exchange.told("GET", "/channels/{}", "description"):
        channel["description"] = channel["description"].strip()


@drift("text-cut", "text")
def text_cut(exchange: Exchange) -> None:
    """A description of more than 40 characters is cut in the details of a channel."""
    for channel in exchange.told("GET", "/channels/{}", "description"):
        channel["description"] = channel["description"][:40]


@drift("letters-lost", "text")
def letters_lost(exchange: Exchange) -> None:
    """Letters beyond ASCII are question marks in the name of a media asset."""
    for asset in exchange.told("GET", "/media/{}", "name"):
        asset["name"] = asset["name"].encode("ascii", "replace").decode()


@drift("token-unmasked", "secret")
def token_unmasked(exchange: Exchange) -> None:
    """The list of API tokens shows those that were made through the proxy."""
    for path in ("/api_tokens", "/api_tokens/{}/regenerate"):
        for made in exchange.told("POST", path, "token"):
            exchange.memory.stored["token", made["id"]] = made["token"]
    for token in exchange.told("GET", "/api_tokens", "token"):
        token["token"] = exchange.memory.stored.get(("token", token["id"]), token["token"])


@drift("address-shown", "secret")
def address_shown(exchange: Exchange) -> None:
    """Several users that are read at once have a field with their email addresses."""
    if exchange.ok and exchange.asks("GET", "/users/multiple/{}"):
        people = exchange.body
        if isinstance(people, dict) and "results" not in people:
            people = list(people.values())
        for user in objects(people):
            user["email"] = f"{user['id']}@example.com"
