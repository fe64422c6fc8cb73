"""Invariants about reads: four callers read a world, and what is answered has its shape and agrees with the records.

Reading costs as much as a hundred steps: these invariants look at one world in a hundred.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from msgspec import Struct

from confsim.canonical.form import FormLevel, Forms
from confsim.kernel.refusal import Misuse
from confsim.service.files import state
from kit import ADMIN, API_TOKEN, CUSTOMER, OWNER, USER
from kit.exploration.step import Stage, without_log
from kit.exploration.view import View, matching, word

from .invariant import Statements

STATED = Statements()
CALLERS = (OWNER, ADMIN, USER, API_TOKEN)
#: The arguments of each call that reads one kind of thing.
Arguments = Callable[[View], list[dict[str, Any]]]
#: The records that a list shows.
Shown = Callable[[View, dict[str, Any]], list[Any]]
#: Fields by which the things of a list and their records have one id.
_IDS = ("id", "validatorId", "uuid")


class Read(Struct, frozen=True):
    """An operation that reads, the arguments with which it is called, and the records that its list shows."""

    operation: str
    arguments: Arguments
    shown: Shown | None = None


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


def _own(table: str, **equal: str) -> Shown:
    return lambda view, _arguments: matching(view, table, {"client": CUSTOMER, **equal})


def _of(table: str, field: str, argument: str, but: tuple[str, str] = ("", "")) -> Shown:
    def shown(view: View, arguments: dict[str, Any]) -> list[Any]:
        found = matching(view, table, {field: arguments[argument]})
        return [record for record in found if not but[0] or word(getattr(record, but[0])) != but[1]]

    return shown


_CHANNEL, _CLIENT = _each("channels", uuid="id"), (lambda view: [{"clientId": CUSTOMER}])
_SESSION, _TEMPLATE = _each("sessions", sessionId="id"), _each("templates", templateId="id")
_BREAKOUT = _each("breakout sessions", uuid="channel", breakoutSession="id")
_RECORDING = _each("recordings", channelId="channel", recordingId="id")


def _place(view: View) -> list[dict[str, Any]]:
    return [*_CHANNEL(view), *_each("room channels", uuid="id")(view)]


def _rooms(view: View) -> list[dict[str, Any]]:
    return [
        {"uuid": room.channel, "breakoutSession": room.breakout, "breakoutRoom": room.id}
        for room in view["breakout rooms"]
    ]


READS: tuple[Read, ...] = (
    *(Read(name, _once) for name in ("get_me", "list_channels", "list_active_channels", "get_user_terms")),
    *(Read(name, _once) for name in ("list_sessions", "list_auth_providers", "list_own_access_levels", "get_config")),
    *(Read(name, _once) for name in ("get_client_settings", "get_events_status", "list_templates", "list_users")),
    *(Read(name, _once) for name in ("list_app_sessions", "list_available_dial_numbers", "list_client_media")),
    *(Read(name, _CLIENT) for name in ("get_client", "get_client_terms", "list_origins", "list_domains")),
    *(Read(name, _each("users", userId="id")) for name in ("get_user", "get_invitation", "list_user_access_levels")),
    *(Read(name, _place) for name in ("get_channel", "get_channel_settings", "get_guest_access", "get_channel_config")),
    *(Read(name, _CHANNEL) for name in ("get_active_breakout_session", "get_channel_template", "get_broadcast_state")),
    *(Read(name, _CHANNEL) for name in ("list_channel_templates", "list_channel_properties", "list_channel_media")),
    *(Read(name, _CHANNEL) for name in ("list_broadcast_history", "get_broadcast_metrics", "check_record_possible")),
    *(Read(name, _CHANNEL) for name in ("list_channel_participants", "list_owners", "list_linked_users")),
    Read("get_session", _SESSION),
    Read("list_session_recordings", _SESSION),
    Read("get_template", _TEMPLATE),
    Read("get_template_config", _TEMPLATE),
    Read("get_recording", _RECORDING),
    Read("list_recording_assets", _RECORDING),
    Read("get_recording_download", _RECORDING),
    Read("list_validators", _once, _own("validators")),
    Read("list_api_tokens", _once, _own("api tokens")),
    Read("list_events_endpoints", _once, _own("events endpoints")),
    Read("list_inbound_numbers", _once, _own("inbound numbers", standing="enabled")),
    Read("list_operators", _CHANNEL, _of("hosts", "channel", "uuid")),
    Read(
        "list_breakout_sessions",
        _CHANNEL,
        _of("breakout sessions", "channel", "uuid", but=("phase", "completed")),
    ),
    Read("list_breakout_rooms", _BREAKOUT, _of("breakout rooms", "breakout", "breakoutSession")),
    Read("list_breakout_participants", _rooms, _of("assignments", "room", "breakoutRoom")),
    Read("list_dial_pins", _CHANNEL, _of("pins", "channel", "uuid")),
    Read(
        "list_recordings",
        _each("channels", channelId="id"),
        _of("recordings", "channel", "channelId"),
    ),
    Read(
        "list_broadcast_destinations",
        _each("channels", channel="id"),
        _of("broadcast destinations", "channel", "channel"),
    ),
    Read("list_session_participants", _SESSION, _of("attendances", "session", "sessionId")),
    Read("get_populations", lambda view: [{"channelIds": ",".join(str(channel.id) for channel in view["channels"])}]),
)


@STATED.stage(
    "reads",
    "What is read has its declared shape, agrees with the records, and changes nothing.",
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
    polls = {"get_broadcast_state", "get_broadcast_metrics", "get_recording", "list_recordings"}
    same = stage.live.world is view.world or stage.live.world.digest() == view.world.digest()
    if not same and read.operation not in polls:
        yield f"{read.operation}: it changes the world"
    hidden = caller == USER and read.operation == "list_dial_pins"
    if answer.status == 200 and read.shown is not None and not hidden:
        body = answer.body
        things = body if isinstance(body, list) else body["results"]
        there = read.shown(view, arguments)
        if len(things) != len(there):
            yield f"{read.operation}: {len(things)} shown to {caller}, {len(there)} in the records"
        ids, known = _ids(things), {str(record.id) for record in there if hasattr(record, "id")}
        if ids and known and ids != known:
            yield f"{read.operation}: others shown to {caller} than in the records"


def _ids(things: list[Any]) -> set[str]:
    """Return the ids of the things of a list; empty where they have none."""
    return {str(thing[name]) for thing in things if isinstance(thing, dict) for name in _IDS if name in thing}


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
