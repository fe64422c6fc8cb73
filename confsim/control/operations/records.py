"""Fields of records that no documented call sets, but tools of a deployment do."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from functools import cache
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Struct, UnsetType, field

from confsim.assumptions.broadcast import OFF_WHILE_RUNNING
from confsim.assumptions.register import note
from confsim.contract.annotations import description_of, options_of
from confsim.contract.types import Int, Json, ReadAs, Wire
from confsim.control.context import ControlContext, get_client, get_user
from confsim.control.declare import operation
from confsim.control.fields import Object, one_of
from confsim.control.operations import bounds
from confsim.domain import terms
from confsim.domain.channels import channels, favourites, switches
from confsim.domain.channels.channels import CHANNELS, ROOMS, AudioQuality, Channel, ServiceMode
from confsim.domain.clients import clients
from confsim.domain.clients.clients import CLIENTS, Client
from confsim.domain.media import media
from confsim.domain.media.media import CHANNEL_MEDIA, CLIENT_MEDIA, MediaAsset
from confsim.domain.members import roles
from confsim.domain.members.roles import Role
from confsim.domain.recordings import recordings
from confsim.domain.recordings.recordings import RECORDINGS, Recording
from confsim.domain.runtime import sessions
from confsim.domain.runtime.sessions import SESSIONS, Session
from confsim.domain.users import users
from confsim.domain.users.users import USERS, AuthKind, User
from confsim.kernel.refusal import Misuse, suggest_near
from confsim.kernel.tables.table import Record, Table
from confsim.kernel.world import Change
from confsim.values.plain import whole_number


class Fields(Struct, forbid_unknown_fields=True, kw_only=True):
    """The settable fields of a kind of record. An omitted field stays unchanged."""

    def given(self) -> dict[str, Any]:
        """Return the given fields, by their names in the record."""
        return {name: value for name in self.__struct_fields__ if (value := getattr(self, name)) is not UNSET}


class RecordEditor:
    """A kind of record: its settable fields, and functions that find, change and show a record."""

    #: Every kind by name.
    declared: dict[str, RecordEditor] = {}

    def __init__(
        self,
        name: str,
        tables: tuple[Table[Any, Any], ...],
        fields: type[Fields],
        find: Callable[[Change, str], Any],
        apply: Callable[[Change, Any, dict[str, Any]], Record],
        show: Callable[[Change, Any], dict[str, Any]] | None = None,
    ) -> None:
        RecordEditor.declared[name] = self
        self.name = name
        self.tables = tuple(table.name for table in tables)
        self.fields = fields
        self.find = find
        self.apply = apply
        self.show = show or _values

    @classmethod
    def of(cls, kind: str) -> RecordEditor | None:
        """Return the editor of a kind, by its name or that of one of its tables; None without one."""
        return cls.declared.get(kind) or next((each for each in cls.declared.values() if kind in each.tables), None)


class EditableField(Wire):
    """A field of a record that ``change_record`` sets."""

    name: Annotated[str, "The name of the field, as change_record takes it."]
    text: Annotated[str, "What it is."]
    schema: Annotated[dict[str, Any], "The JSON Schema of its values."]


def editable_fields(kind: str) -> list[EditableField]:
    """Return the fields of a kind of record that can be set; none for a kind that cannot be edited."""
    editor = RecordEditor.of(kind)
    if editor is None:
        return []
    found = []
    for each in msgspec.structs.fields(editor.fields):
        (given,) = (option for option in options_of(each.type) if option is not UnsetType)
        schema = msgspec.json.schema(given)
        found.append(EditableField(name=each.encode_name, text=description_of(given), schema=_resolved(schema)))
    return found


def _resolved(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema with its one component in the place of the reference to it; null is one more of its values."""
    components = schema.pop("$defs", {})
    options = [each for each in schema.get("anyOf", (schema,)) if each != {"type": "null"}]
    component = components.get(options[0].get("$ref", "").rpartition("/")[2])
    if component is None:
        return schema
    return component | {"enum": [*component["enum"], None]} if "anyOf" in schema else dict(component)


def _values(change: Change, record: Record) -> dict[str, Any]:
    """Return the fields of a record."""
    fields: dict[str, Any] = msgspec.to_builtins(record, str_keys=True)
    return fields


def _user_values(change: Change, user: User) -> dict[str, Any]:
    """Return the fields of a user, without those derived from other records."""
    fields = _values(change, user)
    del fields["hosting"]
    return fields


def _channel_values(change: Change, channel: Channel) -> dict[str, Any]:
    """Return the fields of a channel, with the ids of its owners and operators instead of its index fields."""
    shown: dict[str, Any] = {}
    for name, value in _values(change, channel).items():
        if name == "number":
            shown["owners"] = [] if channel.parent else roles.ids(change, channel, Role.OWNER)
        elif name == "creator":
            shown["operators"] = [] if channel.parent else roles.ids(change, channel, Role.OPERATOR)
        else:
            shown[name] = value
    return shown | {"favourites": favourites.ids(change, channel)}


class UserFields(Fields):
    """``follow`` are the ids of the users whom this one follows, in the same client."""

    reputation: Annotated[Int, "The reputation."] | UnsetType = UNSET
    follows: Annotated[list[int], "The ids of the users whom this one follows."] | UnsetType = field(
        default=UNSET, name="follow"
    )
    auth_kind: Annotated[AuthKind | None, "How the user signs in; null for not at all."] | UnsetType = field(
        default=UNSET, name="authKind"
    )


class ChannelFields(Fields):
    """``favourite`` are the ids of the users whose favourite it is; ``populationLimit`` null is no limit."""

    reputation: Annotated[Int, "The reputation."] | UnsetType = UNSET
    star: Annotated[bool, "Whether it has a star."] | UnsetType = UNSET
    premium: Annotated[bool, "Whether it is a premium channel."] | UnsetType = UNSET
    organization: Annotated[bool, "Whether it is one of an organization."] | UnsetType = UNSET
    max_users: Annotated[Int, "The number of users who fit in."] | UnsetType = field(default=UNSET, name="maxUsers")
    make_private: Annotated[bool, "Whether it can be made private."] | UnsetType = field(
        default=UNSET, name="makePrivate"
    )
    private: Annotated[bool, "Whether it is private."] | UnsetType = UNSET
    off_air: Annotated[bool, "Whether it is off air."] | UnsetType = field(default=UNSET, name="offAir")
    range_enabled: Annotated[bool, "Whether its range is enabled."] | UnsetType = field(
        default=UNSET, name="rangeEnabled"
    )
    service_mode: Annotated[ServiceMode, "The service mode."] | UnsetType = field(default=UNSET, name="serviceMode")
    audio_quality: Annotated[AudioQuality, "The quality of its audio."] | UnsetType = field(
        default=UNSET, name="audioQuality"
    )
    public_pin: Annotated[bool, "Whether its PIN is public."] | UnsetType = field(default=UNSET, name="publicPIN")
    population_limit: (
        Annotated[Int | None, "The number of users at which it is full; null is no limit."] | UnsetType
    ) = field(default=UNSET, name="populationLimit")
    broadcast_enabled: Annotated[bool, "Whether it can be broadcast."] | UnsetType = field(
        default=UNSET, name="broadcastEnabled"
    )
    media_pool_size: Annotated[int, "The bytes that fit in its media pool."] | UnsetType = field(
        default=UNSET, name="mediaPoolSize"
    )
    favourites: Annotated[list[int], "The ids of the users whose favourite it is."] | UnsetType = field(
        default=UNSET, name="favourite"
    )


class SessionFields(Fields):
    """``groupId`` is an arbitrary key that groups sessions; null is none."""

    group_id: Annotated[str | None, "A key that groups sessions; null is none."] | UnsetType = field(
        default=UNSET, name="groupId"
    )


class ClientFields(Fields):
    """``reseller`` enables the reseller interface; ``termsRequired`` requires guests to accept the terms."""

    reseller: Annotated[bool, "Whether the reseller interface is enabled."] | UnsetType = UNSET
    terms_required: Annotated[bool, "Whether guests have to accept the terms."] | UnsetType = field(
        default=UNSET, name="termsRequired"
    )


class ProcessingOutcome(StrEnum):
    """How the processing of a recording ends."""

    READY = "ready"
    FAILED = "failed"


class RecordingFields(Fields):
    """``outcome`` ends the processing of a recording now: it becomes ready, or it has failed."""

    outcome: Annotated[ProcessingOutcome, "How its processing ends, which it does now."] | UnsetType = UNSET


class MediaFields(Fields):
    """``tags`` are the names of tags; they replace those of the asset."""

    tags: Annotated[list[str], "The names of the tags, in place of those that it has."] | UnsetType = UNSET


def _getter(what: str, *tables: Table[str, Any]) -> Callable[[Change, str], Any]:
    """Return a function that finds a record by its id in any client, and raises Misuse (404) for an unknown id."""

    def get(change: Change, id: str) -> Any:
        for table in tables:
            client = table.find_client(change, id)
            if client is not None:
                return table.of(change, client)[id]
        raise Misuse(f"there is no {what} {id!r}", status=404)

    return get


_channel = _getter("channel", CHANNELS, ROOMS)


def _user(change: Change, id: str) -> User:
    number = whole_number(id)
    return get_user(change, -1 if number is None else number)


def _change_user(change: Change, user: User, given: dict[str, Any]) -> Record:
    if "follows" in given:
        given["follows"] = _people(change, user.client, "follow", given["follows"])
    return users.update(change, user, **given)


def _change_channel(change: Change, channel: Channel, given: dict[str, Any]) -> Record:
    if "favourites" in given:
        favourites.replace(change, channel, _people(change, channel.client, "favourite", given.pop("favourites")))
    limits = {"max_users": "maxUsers", "population_limit": "populationLimit", "media_pool_size": "mediaPoolSize"}
    negative = [on_wire for name, on_wire in limits.items() if (given.get(name) or 0) < 0]
    if negative:
        raise Misuse(f"channel: {', '.join(negative)} below 0")
    if not 1 <= given.get("reputation", 1) <= 15:
        raise Misuse("channel: reputation is a scale of 1 to 15")
    enabled = given.pop("broadcast_enabled", channel.broadcast_enabled)
    if enabled is not channel.broadcast_enabled:
        channel = switches.set_feature(change, channel, switches.BROADCAST.to("enable" if enabled else "disable"))
        if not enabled:
            note(change, OFF_WHILE_RUNNING)
    return channels.update(change, channel, **given)


def _change_session(change: Change, session: Session, given: dict[str, Any]) -> Record:
    if "group_id" in given:
        session = sessions.set_group(change, session, given["group_id"])
    return session


def _change_client(change: Change, client: Client, given: dict[str, Any]) -> Record:
    if "reseller" in given:
        client = clients.update(change, client, reseller=given["reseller"])
    if "terms_required" in given:
        client = terms.require(change, client, given["terms_required"])
    return client


def _end_processing(change: Change, recording: Recording, given: dict[str, Any]) -> Record:
    if "outcome" in given:
        recording = recordings.finish(change, recording, fails=given["outcome"] is ProcessingOutcome.FAILED)
    return recording


def _change_media(change: Change, asset: MediaAsset, given: dict[str, Any]) -> Record:
    if "tags" in given:
        asset = media.set_tags(change, asset, given["tags"])
    return asset


def _people(change: Change, client: str, name: str, ids: list[int]) -> tuple[int, ...]:
    for id in ids:
        if id not in USERS.of(change, client):
            raise Misuse(f"{name}: the client has no user {id}", status=404)
    return tuple(dict.fromkeys(ids))


RecordEditor("user", (USERS,), UserFields, _user, _change_user, _user_values)
RecordEditor("channel", (CHANNELS, ROOMS), ChannelFields, _channel, _change_channel, _channel_values)
RecordEditor("session", (SESSIONS,), SessionFields, _getter("session", SESSIONS), _change_session)
RecordEditor("client", (CLIENTS,), ClientFields, get_client, _change_client)
RecordEditor("recording", (RECORDINGS,), RecordingFields, _getter("recording", RECORDINGS), _end_processing)
RecordEditor(
    "media",
    (CLIENT_MEDIA, CHANNEL_MEDIA),
    MediaFields,
    _getter("media asset", CLIENT_MEDIA, CHANNEL_MEDIA),
    _change_media,
)


@cache
def _any_fields() -> type[Struct]:
    """Return the type of the fields of any kind of record, each with the kinds that have it."""
    kinds: dict[str, list[str]] = {}
    declared: dict[str, tuple[str, Any, None]] = {}
    for editor in RecordEditor.declared.values():
        for each in msgspec.structs.fields(editor.fields):
            kinds.setdefault(each.encode_name, []).append(editor.name)
            (given,) = (option for option in options_of(each.type) if option is not UnsetType)
            text = f"{description_of(given)} Of: {', '.join(kinds[each.encode_name])}."
            declared[each.encode_name] = (each.encode_name, Annotated[given, text], None)
    text = "Fields of a record of one kind. A field that is left out stays unchanged."
    return msgspec.defstruct(
        "RecordFields", [*declared.values()], namespace={"__doc__": text}, forbid_unknown_fields=True
    )


#: The kinds of records that can be edited, and the names of their tables.
_KINDS = (*RecordEditor.declared, *(table for editor in RecordEditor.declared.values() for table in editor.tables))


@operation("POST /records/{kind}/{id}", most_bytes=bounds.RECORD)
def change_record(
    context: ControlContext,
    kind: Annotated[str, one_of(*_KINDS), "The kind of the record, or the name of its table."],
    id: Annotated[str, "The id of the record."],
    body: Annotated[Json, ReadAs(_any_fields())],
) -> Object:
    """Set fields of a record that no documented call sets, and return the record.

    Misuse for an unknown kind, record (404) or field, and for a value of the wrong type.
    """
    known = RecordEditor.of(kind)
    if known is None:
        known_kinds = suggest_near(kind, RecordEditor.declared) or f"; there are {', '.join(RecordEditor.declared)}"
        raise Misuse(f"there is no kind of record {kind!r}{known_kinds}", status=404)
    try:
        given = msgspec.convert(body, known.fields).given()
    except msgspec.ValidationError as error:
        unknown = sorted(body.keys() - set(known.fields.__struct_encode_fields__)) if isinstance(body, dict) else ()
        meant = suggest_near(unknown[0], known.fields.__struct_encode_fields__) if unknown else ""
        allowed = ", ".join(known.fields.__struct_encode_fields__)
        raise Misuse(f"{kind}: {error}{meant}; the fields are {allowed}") from None
    with context.change() as change:
        record = known.show(change, known.apply(change, known.find(change, id), given))
        record.pop("data", None)  # the content of a file is served by its links
        return record
