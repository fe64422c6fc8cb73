"""Invariants about calls that succeed: each does what the documents say it does, and touches nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from confsim.kernel.tables.table import Table as Declared
from kit.exploration.step import Step
from kit.exploration.view import View, matching, word

from .invariant import Statements

STATED = Statements()

#: Whether what a call is to do has been done.
Done: TypeAlias = Callable[[Step], bool]

#: How long a reservation of a handle lasts, in milliseconds (R095).
RESERVED = 15 * 60 * 1000


def _value(step: Step, name: str) -> Any:
    """Return an argument of the call: of the path, the query, or the body."""
    body = step.call.values.get("body")
    return step.call.values.get(name, body.get(name) if isinstance(body, dict) else None)


def _own(step: Step) -> tuple[str, int | None]:
    """Return the client of the token of a call and its user, None of an API token."""
    token = next((each for each in step.before["credentials"] if each.value == step.call.caller), None)
    return ("", None) if token is None else (token.client, token.user)


def _channel(step: Step, view: View) -> Any:
    return view.channels.get(_value(step, "uuid") or _value(step, "channel"))


def _switch(field: str, on: str = "enable") -> Done:
    """Return whether a flag of the channel, or of the caller's client, is what the call says."""

    def done(step: Step) -> bool:
        record = _channel(step, step.after) if "uuid" in step.call.values else step.after.clients.get(_own(step)[0])
        return record is not None and getattr(record, field) is (_value(step, "state") == on)

    return done


def _user(field: str, make: Callable[[Step], Any]) -> Done:
    """Return whether a field of the caller has a value."""

    def done(step: Step) -> bool:
        user = step.after.users.get(_own(step)[1] or 0)
        return user is not None and getattr(user, field) == make(step)

    return done


def _is(table: str, **equal: str | None) -> Done:
    """Return whether there is a record whose fields are arguments of the call, each given by its name, or None, or a
    word that is written after an equals sign.
    """

    def value(step: Step, given: str | None) -> Any:
        return given[1:] if given is not None and given[0] == "=" else given and _value(step, given)

    def done(step: Step) -> bool:
        return bool(matching(step.after, table, {field: value(step, given) for field, given in equal.items()}))

    return done


def _is_not(table: str, **equal: str | None) -> Done:
    there = _is(table, **equal)
    return lambda step: not there(step)


def _all(*checks: Done) -> Done:
    return lambda step: all(check(step) for check in checks)


def _terms(step: Step) -> tuple[Any, Any]:
    """Return the terms of the caller's client before and after the call."""
    found = (view.clients.get(_own(step)[0]) for view in (step.before, step.after))
    was, now = (None if client is None else client.terms for client in found)
    return was, now


def _promulgated(step: Step) -> bool:
    was, now = _terms(step)
    if was is None or now is None:
        return False
    users = [user for user in step.after["users"] if user.client == _own(step)[0]]
    renewed = now.version > was.version and (now.url, now.promulgated) == (_value(step, "url"), step.after.now)
    return renewed and not any(user.accepted == now.version for user in users)


def _moved(step: Step) -> bool:
    was, now = _terms(step)
    if was is None or now is None:
        return False
    return bool((now.version, now.promulgated, now.url) == (was.version, was.promulgated, _value(step, "url")))


def _validator(active: bool) -> Done:
    def done(step: Step) -> bool:
        client, id = _own(step)[0], _value(step, "validatorId")
        for validator in step.after["validators"]:
            was = step.before.keyed("validators").get(validator.id)
            if validator.id == id and (word(validator.state) == "active") is not active:
                return False
            if validator.id != id and validator != was and (not active or validator.client != client):
                return False
        return True

    return done


def _level(held: bool) -> Done:
    def done(step: Step) -> bool:
        user = step.after.users.get(_value(step, "userId"))
        return user is not None and (_value(step, "level") in {word(level) for level in user.levels}) is held

    return done


def _regenerated(step: Step) -> bool:
    id = _value(step, "tokenId")
    was, now = step.before.keyed("api tokens").get(id), step.after.keyed("api tokens").get(id)
    return was is not None and now is not None and was.value != now.value and was.label == now.label


def _reserved(step: Step) -> bool:
    return any(
        each.handle == _value(step, "handle") and each.expires == step.after.now + RESERVED
        for each in step.after["reservations"]
    )


def _handle(step: Step) -> Any:
    held = (each.handle for each in step.before["reservations"] if each.token == _value(step, "nonce"))
    return next(held, None)


def _made_channel(step: Step) -> bool:
    (client_id, user), old = _own(step), step.before.channels
    made = [channel for channel in step.after["channels"] if channel.id not in old]
    client = step.before.clients.get(client_id)
    if len(made) != 1 or client is None:
        return False
    flags = [getattr(made[0], flag) is getattr(client, flag) for flag in ("speech2text", "dial_in", "dial_out", "midi")]
    owners = {host.user for host in step.after["hosts"] if host.channel == made[0].id and word(host.role) == "owner"}
    return all(flags) and made[0].client == client_id and (user is None or owners == {user})


def _service(step: Step) -> bool:
    client = step.after.clients.get(_value(step, "clientId"))
    return client is not None and word(client.service) == f"{_value(step, 'state')}d"


def _present(inside: bool) -> Done:
    """Return whether the user is there after the call, inside unless waiting will do."""

    def done(step: Step) -> bool:
        channel = _channel(step, step.after)
        base = None if channel is None else channel.parent or channel.id
        who = base, _value(step, "userId")
        return who in step.after.inside or (not inside and who in step.after.waiting)

    return done


def _left(step: Step) -> bool:
    return not _present(inside=False)(step)


def _verified(step: Step) -> bool:
    user_id = _own(step)[1] or 0
    was, now = step.before.users.get(user_id), step.after.users.get(user_id)
    addresses = {code: address for address, code in was.pending} if was is not None else {}
    return now is not None and now.email == addresses.get(_value(step, "code"), "") and not now.pending


_ROOM_OF_USER: dict[str, str | None] = {"channel": "uuid", "user": "userId"}
_OF_BREAKOUT: dict[str, str | None] = {"breakout": "breakoutSession", "user": "userId"}
_NUMBER: dict[str, str | None] = {"channel": "uuid", "number": "number"}

#: What is so after a call that succeeds.
EFFECTS: dict[str, Done] = {
    # Terms, P1 L206-209: R101, R104, R107
    "accept_terms": _user("accepted", lambda step: _value(step, "version")),
    "promulgate_terms": _promulgated,
    "update_terms_url": _moved,
    # Identity, P1 L213-240, L262-274: R067, R094-R098, R113-R122, R209, R211
    "enable_validator": _validator(active=True),
    "disable_validator": _validator(active=False),
    "add_access_level": _level(held=True),
    "remove_access_level": _level(held=False),
    "regenerate_api_token": _regenerated,
    "delete_api_token": _is_not("api tokens", id="tokenId"),
    "reserve_handle": _reserved,
    "change_handle_with_reservation": _user("handle", _handle),
    "create_invitation": _is("invitations", user="userId", state="=pending"),
    "redeem_invitation": _is_not("invitations", code="code", kind="=Nonce", state="=pending"),
    "verify_user_email": _verified,
    # Roles, P1 L253-254: R201, R205, G270
    "add_operator": _is("hosts", **_ROOM_OF_USER),
    "remove_operator": _is_not("hosts", **_ROOM_OF_USER),
    "add_owner": _is("hosts", role="=owner", **_ROOM_OF_USER),
    "demote_owner": _is("hosts", role="=operator", **_ROOM_OF_USER),
    "remove_owner": _is_not("hosts", **_ROOM_OF_USER),
    "rename_channel_user": _is("users", id="userId", handle="handle"),
    "link_user": _is("linked users", **_ROOM_OF_USER),
    "unlink_user": _is_not("linked users", **_ROOM_OF_USER),
    # Clients and channels, P1 L282-297, P2 L188-216: R085, R109, R112, R226, R228, R315, R339-R347, R372, R374, R545
    "set_client_service_state": _service,
    "set_friendly_urls_state": _switch("friendly_urls"),
    "set_client_dial_in_state": _switch("dial_in"),
    "set_handle_uniqueness": _switch("unique_handles"),
    "set_events_state": _switch("events"),
    "create_channel": _made_channel,
    "delete_channel": _is_not("channels", id="uuid"),
    "set_channel_friendly_url": _is("channels", id="uuid", friendly_url="url"),
    "remove_channel_friendly_url": _is("channels", id="uuid", friendly_url=None),
    "rename_channel": _is("channels", id="uuid", name="name"),
    "set_lobby_door": _switch("open", "open"),
    "set_lobby_auto_close": _switch("auto_close"),
    "set_guest_access": _switch("guest_access"),
    "set_attendees_state": _switch("attendees_muted", "mute"),
    "set_wall_state": _switch("wall_disabled", "disable"),
    "set_event_room_state": _switch("event_room"),
    "set_dial_in_state": _switch("dial_in"),
    "set_dial_out_state": _switch("dial_out"),
    "set_broadcast_state": _switch("broadcast_enabled"),
    "set_presenters_limit": _is("channels", id="uuid", presenters_limit="limit"),
    "remove_presenters_limit": _is("channels", id="uuid", presenters_limit=None),
    # Presence: M18
    "join_channel": _present(inside=False),
    "admit_to_channel": _present(inside=True),
    "leave_channel": _left,
    # Breakout, P2 L273-287: R354-R358, R456, R460, R462, R464, R465
    "start_breakout_session": _is("breakout sessions", channel="uuid", phase="=active"),
    "stop_breakout_session": _is_not("breakout sessions", channel="uuid", phase="=active"),
    "delete_breakout_session": _is_not("breakout sessions", id="breakoutSession"),
    "delete_breakout_room": _is_not("breakout rooms", id="breakoutRoom"),
    "add_breakout_participant": _is("assignments", room="breakoutRoom", **_OF_BREAKOUT),
    "remove_breakout_participant": _is_not("assignments", **_OF_BREAKOUT),
    # Telephony, P2 L296-301: R366, R479, R482, R484
    "assign_dial_number": _is("number assignments", **_NUMBER),
    "assign_exclusive_dial_number": _is("number assignments", code=None, **_NUMBER),
    "cancel_dial_number_assignment": _is_not("number assignments", **_NUMBER),
    "add_dial_pin": _is("pins", channel="uuid", pin="pin"),
    "delete_dial_pin": _is_not("pins", channel="uuid", pin="pin"),
    # Recordings and broadcasts, P2 L314-315: R359, R361
    "start_recording": _is("recordings", channel="uuid", state="=in progress"),
    "stop_recording": _is_not("recordings", channel="uuid", state="=in progress"),
    "stop_broadcast": _all(
        _is_not("broadcasts", channel="uuid", state="=running"),
        _is_not("broadcasts", channel="uuid", state="=starting"),
    ),
    # Templates, media, properties, events, P2 L254-266, L330-366: R412, R519
    "select_channel_template": _is("template selections", channel="uuid", template="templateId"),
    "remove_channel_template": _is_not("template selections", channel="uuid"),
    "remove_template": _is_not("templates", id="templateId"),
    "delete_channel_media": _is_not("channel media", id="mediaId"),
    "delete_client_media": _is_not("client media", id="mediaId"),
    "remove_events_endpoint": _is_not("events endpoints", id="id"),
}  # fmt: skip


@STATED.step(
    "does-what-it-says",
    "After a call that succeeds, what it is to do has been done.",
    "P1 States L170-186, P2 States L156-172, R067, R094, R095, R098, R101, R104, R113, R115, R118, R119, R122, R201, "
    "R205, R209, R211, R315, R339, R340, R354, R355, R357, R359, R361, R366, R372, R374, R464, R465, R482, R484, R545",
)
def _does(step: Step) -> Iterator[str]:
    done = EFFECTS.get(step.act.operation)
    if done is not None and not step.answer.refused and not done(step):
        yield f"{step.act.operation} succeeds without its effect"


#: The operations that may change only these tables; what is told and delivered may always be added.
_ONLY: dict[tuple[str, ...], tuple[str, ...]] = {
    # P1 L178, R111, R549, G163: what runs ends, and no data is lost
    (
        *("clients", "sessions", "presences", "occupancies", "placements", "breakout sessions", "breakout rooms"),
        *("recordings", "recording assets", "broadcasts", "calls", "channels", "attendances"),
    ): ("set_client_service_state",),
    # R103, R104, G177: users must accept again, and nobody is put out
    ("clients", "users"): ("promulgate_terms",),
    # R107, R108, R316, G177: nobody is put out, existing channels and what users have accepted stay
    ("clients",): (
        *("update_terms_url", "set_client_dial_in_state"),
        *("set_friendly_urls_state", "set_events_state", "set_origins"),
    ),
    # R174, G557: a handle that must be unique is reserved once
    ("clients", "reservations"): ("set_handle_uniqueness",),
    # R101, R209, R211
    ("users",): ("accept_terms", "add_access_level", "remove_access_level"),
    # R341, R352, G331, G355: a switch concerns what comes, and ends nothing
    ("channels",): (
        *("set_lobby_auto_close", "set_attendees_state", "set_event_room_state", "set_broadcast_state"),
        *("set_channel_friendly_url", "remove_channel_friendly_url"),
    ),
    # R352, G355, G438: breakout rooms follow their event room
    ("channels", "room channels"): ("set_guest_access", "set_wall_state", "set_dial_in_state", "set_dial_out_state"),
    # R113, R115
    ("validators",): ("enable_validator", "disable_validator"),
    # R117, R118, R119
    ("api tokens", "credentials"): ("create_api_token", "regenerate_api_token", "delete_api_token"),
    # R369: destinations do not affect the running broadcast
    ("broadcast destinations",): ("add_broadcast_destination", "set_broadcast_destination_state"),
    # R366, R367: the state of a number concerns its assignments
    ("inbound numbers", "number assignments"): ("set_inbound_number_state",),
    # R482, R484
    ("number assignments",): (
        "assign_dial_number", "assign_exclusive_dial_number", "cancel_dial_number_assignment",
    ),
    # R464, R465, R479
    ("pins",): ("add_dial_pin", "delete_dial_pin"),
    ("assignments",): ("add_breakout_participant", "remove_breakout_participant"),
    # R094, P2 L354
    ("reservations",): ("reserve_handle",),
    ("template selections",): ("select_channel_template", "remove_channel_template"),
}  # fmt: skip
ONLY = {operation: {*tables} for tables, operations in _ONLY.items() for operation in operations}
_TOLD = {"event log", "webhook deliveries"}


@STATED.step(
    "touches-nothing-else",
    "A call changes only what it is about: switches end nothing, new terms put nobody out, service that is disabled "
    "ends what runs and loses no data.",
    "P1 States L178, R103, R107, R108, R116, R316, R341, R352, R369, R549, G163, G177, G331, G355",
)
def _touches(step: Step) -> Iterator[str]:
    allowed = ONLY.get(step.act.operation)
    if allowed is not None and step.changed:
        for name in Declared.declared:
            if name not in allowed and name not in _TOLD and name in step.tables:
                yield f"{step.act.operation} changes {name}"


INVARIANTS = tuple(STATED.invariants)
