"""Invariants about reads: four callers read a world, and what is answered has its shape and agrees with the records.

Reading costs as much as a hundred steps: these invariants look at one world in a hundred.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

from msgspec import Struct

from confsim.canonical.form import FormLevel, Forms
from confsim.kernel.refusal import Misuse
from confsim.service.files import state
from kit import ADMIN, API_TOKEN, CUSTOMER, OWNER, USER
from kit.exploration.shown import FIELDS, LEFT_OUT, At
from kit.exploration.step import Stage, without_log
from kit.exploration.view import View, matching, word

from .invariant import Statements

STATED = Statements()
CALLERS = (OWNER, ADMIN, USER, API_TOKEN)
#: The arguments of each call that reads one kind of thing.
Arguments = Callable[[View], list[dict[str, Any]]]
#: The records that an answer may show, or the plain value that it is.
Records = Callable[[At], Any]
#: The number of the access level of Customer Admins.
_CUSTOMER_ADMIN = 10
#: Reads that look how far something has come, by which it goes on.
_POLLS = {"get_broadcast_state", "get_broadcast_metrics", "get_recording", "list_recordings"}


class Read(Struct, frozen=True):
    """An operation that reads, the arguments with which it is called, and the records that its answer shows.

    ``type`` is the type of the things in the answer; empty for plain values. ``all`` says whether a list shows all of
    the records, in whatever order.
    """

    operation: str
    arguments: Arguments
    type: str = ""
    records: Records | None = None
    all: bool = False


def _once(_view: View) -> list[dict[str, Any]]:
    return [{}]


def _each(table: str, **fields: str) -> Arguments:
    def arguments(view: View) -> list[dict[str, Any]]:
        return [
            {name: getattr(record, field) for name, field in fields.items()}
            for record in view[table]
            if record.client == CUSTOMER
        ]

    return arguments


def _table(table: str, *, but: tuple[str, str] = ("", ""), **equal: str) -> Records:
    """Return the records of the client, or those with arguments of the call as values; one state is left out."""

    def records(at: At) -> list[Any]:
        values = {field: at.arguments[name] for field, name in equal.items()}
        found = matching(at.view, table, values or {"client": CUSTOMER})
        return [record for record in found if not but[0] or word(getattr(record, but[0])) != but[1]]

    return records


def _people(table: str, *, but: tuple[str, str] = ("", ""), **equal: str) -> Records:
    """Return the users whom records name, each once; of one who is gone, the handle in the last record is left."""
    records = _table(table, but=but, **equal)

    def people(at: At) -> list[Any]:
        named = {each.user: getattr(each, "handle", "") for each in records(at)}
        gone = {id: SimpleNamespace(id=id, handle=handle, image=None) for id, handle in named.items()}
        return [at.view.users.get(id, user) for id, user in gone.items()]

    return people


def _caller(at: At) -> list[Any]:
    return [at.user]


def _client(at: At) -> list[Any]:
    return [at.view.clients[CUSTOMER]]


def _user(at: At) -> list[Any]:
    return [at.view.users[at.arguments["userId"]]]


def _channels(at: At) -> list[Any]:
    return [channel for channel in at.view.channels.values() if channel.client == CUSTOMER]


def _sees_all(at: At) -> bool:
    """Whether the caller is a Customer Admin or an API token (P1 Access levels)."""
    return at.user is None or any(level.value == _CUSTOMER_ADMIN for level in at.user.levels)


def _is_host(at: At, channel: Any) -> bool:
    return bool(at.role(channel, at.user))


def _may_enter(at: At, channel: Any) -> bool:
    """Whether a channel is not private, or the caller is linked to it."""
    linked = at.user is not None and matching(at.view, "linked users", {"channel": channel.id, "user": at.user.id})
    return not channel.private or _sees_all(at) or _is_host(at, channel) or bool(linked)


def _listed_channels(at: At) -> list[Any]:
    """The channels where the caller is at least operator; all for Customer Admins and API tokens."""
    own = matching(at.view, "channels", {"client": CUSTOMER})
    return [channel for channel in own if _sees_all(at) or _is_host(at, channel)]


def _active(at: At) -> list[Any]:
    return matching(at.view, "breakout sessions", {"channel": at.arguments["uuid"], "phase": "active"})


def _selected(at: At) -> list[Any]:
    chosen = matching(at.view, "template selections", {"channel": at.arguments["uuid"]})
    return [template for template in at.view["templates"] if template.id in {each.template for each in chosen}]


def _broadcasts(at: At) -> list[Any]:
    """The broadcast that has not ended, as the one thing that is shown."""
    return [_table("broadcasts", channel="uuid", but=("state", "ended"))(at)]


def _pins(at: At) -> list[Any]:
    """The PINs; callers who are not hosts see only those of participants."""
    all_shown = _sees_all(at) or _is_host(at, at.channel(at.arguments["uuid"]))
    return [pin for pin in _table("pins", channel="uuid")(at) if all_shown or not pin.organizer]


def _properties(at: At) -> list[str]:
    return [each.key for each in matching(at.view, "properties", {"owner": at.arguments["uuid"]})]


def _populations(at: At) -> dict[str, int]:
    """The number of those in each channel itself: of the client's with an open session, which the caller may enter."""
    live = [at.channel(id) for id in at.arguments["channelIds"].split(",") if id in at.view.sessions]
    shown = [channel for channel in live if channel.client == CUSTOMER and _may_enter(at, channel)]
    return {channel.id: len(matching(at.view, "presences", {"place": channel.id})) for channel in shown}


_CHANNEL, _CLIENT = _each("channels", uuid="id"), (lambda view: [{"clientId": CUSTOMER}])
_SESSION, _TEMPLATE = _each("sessions", sessionId="id"), _each("templates", templateId="id")
_BREAKOUT = _each("breakout sessions", uuid="channel", breakoutSession="id")
_RECORDING = _each("recordings", channelId="channel", recordingId="id")
_USER = _each("users", userId="id")


def _place(view: View) -> list[dict[str, Any]]:
    return [*_CHANNEL(view), *_each("room channels", uuid="id")(view)]


def _this_place(at: At) -> list[Any]:
    return [at.channel(at.arguments["uuid"])]


def _rooms(view: View) -> list[dict[str, Any]]:
    return [
        {"uuid": room.channel, "breakoutSession": room.breakout, "breakoutRoom": room.id}
        for room in view["breakout rooms"]
    ]


def _ids(view: View) -> list[dict[str, Any]]:
    return [{"channelIds": ",".join(str(channel.id) for channel in view["channels"])}]


READS: tuple[Read, ...] = (
    Read("get_me", _once, "User", _caller),
    Read("get_user", _USER, "User", _user),
    Read("list_users", _once, "UserItem", _table("users")),
    Read("get_user_terms", _once, "UserTerms", _caller),
    Read("list_own_access_levels", _once, "AccessLevel", lambda at: at.user.levels, all=True),
    Read("list_user_access_levels", _USER, "AccessLevel", lambda at: _user(at)[0].levels, all=True),
    Read("get_invitation", _USER, "Invitation", _table("invitations", user="userId")),
    Read("get_client", _CLIENT, "ClientView", _client),
    Read("get_client_terms", _CLIENT, "ClientTerms", _client),
    Read("get_client_settings", _once, "ClientSettings", _client),
    Read("get_events_status", _once, "EventsStatus", _client),
    Read("list_origins", _CLIENT, "", lambda at: list(_client(at)[0].origins)),
    Read("list_domains", _CLIENT, "", lambda at: list(_client(at)[0].domains)),
    Read("list_validators", _once, "Validator", _table("validators"), all=True),
    Read("list_api_tokens", _once, "ApiToken", _table("api tokens"), all=True),
    Read("list_events_endpoints", _once, "EventsEndpoint", _table("events endpoints"), all=True),
    Read("list_auth_providers", _once),
    Read("list_channels", _once, "ChannelItem", _listed_channels, all=True),
    Read("list_active_channels", _once, "ActiveChannel", _channels),
    Read("get_channel", _place, "ChannelDetails", _this_place),
    Read("get_channel_settings", _place, "ChannelSettings", _this_place),
    Read("get_guest_access", _place, "GuestAccess", _this_place),
    Read("get_populations", _ids, "", _populations),
    Read("list_channel_participants", _CHANNEL, "UserSummary", _people("attendances", channel="uuid"), all=True),
    Read("list_operators", _CHANNEL, "Host", _people("hosts", channel="uuid"), all=True),
    Read("list_owners", _CHANNEL, "Host", _people("hosts", channel="uuid", but=("role", "operator")), all=True),
    Read("list_linked_users", _CHANNEL, "User", _people("linked users", channel="uuid")),
    Read("list_channel_properties", _CHANNEL, "", _properties),
    Read("list_channel_media", _CHANNEL, "MediaAsset", _table("channel media", channel="uuid"), all=True),
    Read("list_client_media", _once, "MediaAsset", _table("client media"), all=True),
    Read("list_app_sessions", _once, "AppSession", _table("app sessions"), all=True),
    Read("list_sessions", _once, "Session", _table("sessions")),
    Read("get_session", _SESSION, "Session", _table("sessions", id="sessionId")),
    Read(
        "list_session_participants",
        _SESSION,
        "UserSummary",
        _people("attendances", session="sessionId"),
        all=True,
    ),
    Read("get_active_breakout_session", _CHANNEL, "BreakoutSession", _active),
    Read(
        "list_breakout_sessions",
        _CHANNEL,
        "BreakoutSession",
        _table("breakout sessions", channel="uuid", but=("phase", "completed")),
        all=True,
    ),
    Read(
        "list_breakout_rooms",
        _BREAKOUT,
        "BreakoutRoom",
        _table("breakout rooms", breakout="breakoutSession"),
        all=True,
    ),
    Read("list_breakout_participants", _rooms, "User", _people("assignments", room="breakoutRoom"), all=True),
    Read(
        "list_recordings",
        _each("channels", channelId="id"),
        "Recording",
        _table("recordings", channel="channelId"),
        all=True,
    ),
    Read("get_recording", _RECORDING, "Recording", _table("recordings", id="recordingId")),
    Read("list_recording_assets", _RECORDING, "RecordingAsset", _table("recording assets", recording="recordingId")),
    Read("list_session_recordings", _SESSION, "RecordingAsset", _table("recording assets")),
    Read("check_record_possible", _CHANNEL, "Possible", _this_place),
    Read("get_recording_download", _RECORDING),
    Read(
        "list_broadcast_destinations",
        _each("channels", channel="id"),
        "BroadcastDestination",
        _table("broadcast destinations", channel="channel"),
        all=True,
    ),
    Read("get_broadcast_state", _CHANNEL, "BroadcastState", _broadcasts),
    Read(
        "get_broadcast_metrics",
        _CHANNEL,
        "BroadcastRecord",
        _table("broadcasts", channel="uuid", but=("state", "ended")),
    ),
    Read("list_broadcast_history", _CHANNEL, "BroadcastRecord", _table("broadcasts", channel="uuid")),
    Read("list_dial_pins", _CHANNEL, "Pin", _pins, all=True),
    Read(
        "list_inbound_numbers",
        _once,
        "AvailableNumber",
        _table("inbound numbers", but=("standing", "disabled")),
        all=True,
    ),
    Read("list_available_dial_numbers", _once, "AvailableNumber", _table("inbound numbers")),
    Read("list_templates", _once, "Template", lambda at: at.view["templates"]),
    Read("list_channel_templates", _CHANNEL, "Template", lambda at: at.view["templates"]),
    Read("get_template", _TEMPLATE, "Template", _table("templates", id="templateId")),
    Read("get_channel_template", _CHANNEL, "ChannelTemplate", _selected),
    Read("get_config", _once),
    Read("get_channel_config", _place),
    Read("get_template_config", _TEMPLATE),
)


@STATED.stage(
    "reads",
    "What is read has its declared shape, agrees with the records field by field, and changes nothing.",
    "R550, the API document",
)
def _reads(stage: Stage, view: View) -> Iterator[str]:
    live, pipeline = stage.live, stage.sim.service.pipeline
    pipeline.hold_against(stage.conformance)
    try:
        for read in READS:
            for arguments in read.arguments(view):
                for caller in CALLERS:
                    yield from _read(stage, view, read, arguments, caller)
    finally:
        pipeline.hold_against(None)
        live.suppose(view.world)


def _read(stage: Stage, view: View, read: Read, arguments: dict[str, Any], caller: str) -> Iterator[str]:
    operation: Any = read.operation
    stage.set(view.world, view.now)
    answer = stage.sim.call(operation, caller, **arguments)
    for bug in stage.live.take_bugs():
        yield f"{read.operation}: {type(bug).__name__}: {bug}"
    if answer.status >= 500:
        yield f"{read.operation}: status {answer.status}"
    same = stage.live.world is view.world or stage.live.world.digest() == view.world.digest()
    if not same and read.operation not in _POLLS:
        yield f"{read.operation}: it changes the world"
    if answer.status == 200 and read.records is not None:
        seen = view if stage.live.world is view.world else View(stage.live.world, view.now)
        at = At(seen, caller, seen.users.get(seen.holders.get(caller)), arguments)
        yield from (f"{read.operation} by {caller}: {said}" for said in disagreements(read, at, answer.body))


def disagreements(read: Read, at: At, body: Any) -> Iterator[str]:
    """Yield in what an answer does not agree with the records: other things, or other fields."""
    assert read.records is not None
    if not read.type:
        shown, there = (sorted(each) if isinstance(each, list) else each for each in (body, read.records(at)))
        if shown != there:
            yield "another value than in the records"
        return
    records = [at.shown(read.type, record) for record in read.records(at)]
    things = body if isinstance(body, list) else body.get("results", body.get("rows"))
    if things is None:
        things, by_key = [body], [(body, records[:1])]
    else:
        key = next(iter(FIELDS[read.type]))
        by_key = [(thing, [record for record in records if record[key] == thing.get(key)]) for thing in things]
    if isinstance(body, dict) and "total" in body and body["total"] != len(things):
        yield "total is not the number of things"
    if read.all and len(things) != len(records):
        yield f"{len(things)} shown, {len(records)} in the records"
    for thing, found in by_key:
        if not found:
            yield "others shown than in the records"
        else:
            yield from _fields(read.type, thing, found[0])


def _fields(type: str, thing: dict[str, Any], record: dict[str, Any]) -> Iterator[str]:
    """Yield the fields of a thing that do not show what the record says."""
    for name in sorted(thing.keys() | record.keys()):
        if (type, name) in LEFT_OUT:
            continue
        if name not in FIELDS[type]:
            yield f"{name} is a field that nothing is said of"
        elif thing.get(name) != record.get(name):
            yield f"{name} is not as in the records"


@STATED.stage(
    "exported",
    "A world that is exported and read again is the same world.",
    "not in the documents: an export is complete",
)
def _exported(stage: Stage, view: View) -> Iterator[str]:
    try:
        again = state.world_from(state.document(view.world))
    except Misuse as misuse:
        yield f"it cannot be read: {misuse}"
        return
    if again.digest() != view.world.digest():
        yield "another world, to the byte"
    forms = Forms(FormLevel.MOVED)
    if forms.digest(without_log(again), view.now) != forms.digest(without_log(view.world), view.now):
        yield "another world, in words"


INVARIANTS = tuple(STATED.invariants)
