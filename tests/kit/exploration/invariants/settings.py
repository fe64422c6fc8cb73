"""Invariants about what is set and chosen: by which calls it changes, of which record, and which templates."""

from __future__ import annotations

from collections.abc import Iterator

from kit.exploration.step import Step
from kit.exploration.view import View, word

from .invariant import Statements

STATED = Statements()

#: The operations that change a field of a channel or client, by the field; the record is the one that they address.
CHANNELS: dict[str, set[str]] = {
    "client": set(),
    "meeting_id": set(),
    "created": set(),
    "parent": set(),
    "name": {"rename_channel"},
    "description": {"set_channel_description"},
    "friendly_url": {"set_channel_friendly_url", "remove_channel_friendly_url"},
    "auto_close": {"set_lobby_auto_close"},
    "guest_access": {"set_guest_access"},
    "attendees_muted": {"set_attendees_state"},
    "wall_disabled": {"set_wall_state"},
    "presenters_limit": {"set_presenters_limit", "remove_presenters_limit"},
    "speech2text": {"set_speech2text_state"},
    "midi": {"set_midi_state"},
    "event_room": {"set_event_room_state"},
    "dial_in": {"set_dial_in_state"},
    "dial_out": {"set_dial_out_state"},
    "broadcast_enabled": {"set_broadcast_state"},
}
CLIENTS: dict[str, set[str]] = {
    "parent": set(),
    "service": {"set_client_service_state"},
    "terms": {"promulgate_terms", "update_terms_url", "change_record"},
    "reseller": {"change_record"},
    "unique_handles": {"set_handle_uniqueness"},
    "friendly_urls": {"set_friendly_urls_state"},
    "dial_in": {"set_client_dial_in_state"},
    "dial_out": {"set_client_dial_out_state"},
    "speech2text": {"set_client_speech2text_state"},
    "events": {"set_events_state"},
    "origins": {"set_origins"},
}
USERS: dict[str, set[str]] = {
    "client": set(),
    "levels": {"add_access_level", "remove_access_level"},
    "accepted": {"accept_terms"},
    "email": {"set_user_email", "verify_user_email", "exchange_identity_token", "redeem_invitation", "create_user"},
    "handle": {"set_user_handle", "change_handle_with_reservation", "create_user", "rename_channel_user",
               "exchange_identity_token", "redeem_invitation"},
    "account": {"create_user", "exchange_identity_token", "redeem_invitation"},
}  # fmt: skip
#: The same of other things; what no operation is named for never changes.
OTHERS: dict[str, dict[str, set[str]]] = {
    "hosts": {"role": {"add_owner", "demote_owner"}},
    "api tokens": {"client": set(), "label": set(), "value": {"regenerate_api_token"}},
    "validators": {"client": set(), "key": set(), "state": {"enable_validator", "disable_validator"}},
    "inbound numbers": {"client": set(), "standing": {"set_inbound_number_state"}},
    "number assignments": {"code": {"assign_dial_number", "assign_exclusive_dial_number"}},
    "pins": {"organizer": {"add_dial_pin"}},
    "templates": {
        "client": set(),
        "name": {"update_template"},
        "inheritable": {"set_template_inheritance"},
    },
    "breakout sessions": {
        "channel": set(),
        "name": {"update_breakout_session"},
        "duration": {"update_breakout_session"},
    },
    "breakout rooms": {"breakout": set(), "name": {"rename_breakout_room"}},
    "broadcast destinations": {"channel": set(), "enabled": {"set_broadcast_destination_state"}},
    "events endpoints": {"client": set(), "url": {"update_events_endpoint"}, "active": {"update_events_endpoint"}},
    "sessions": {"channel": set(), "created": set()},
    "recordings": {"channel": set(), "session": set(), "started": set()},
    "calls": {"channel": set(), "user": set(), "number": set(), "inbound": set(), "organizer": set()},
    "linked users": {"made_for": set()},
}
#: All of them, by table.
FIELDS: dict[str, dict[str, set[str]]] = {"channels": CHANNELS, "clients": CLIENTS, "users": USERS, **OTHERS}
#: What of several records is changed by one call: a validator that is enabled takes the place of another.
_SEVERAL = {"validators"}


@STATED.step(
    "set-by-its-call",
    "A setting of a channel or client, or a property of a user or of another thing, changes only by the call that sets "
    "it, and only of one record; what no call sets stays as it was made.",
    "P1 L230-244, L262, L282-297, P2 States L156-176, R101, R109, R118, R225, R316, R352, R455, R461, R474, R476, "
    "R532, R557, G270, G473, G537",
    *FIELDS,
)
def _by_its_call(step: Step) -> Iterator[str]:
    for table, fields in FIELDS.items():
        if table not in step.tables:
            continue
        before = step.before.keyed(table)
        kept = [
            (key, was, record)
            for key, record in step.after.keyed(table).items()
            if (was := before.get(key)) is not None and was is not record
        ]
        named = step.call.values.get({"channels": "uuid", "clients": "clientId"}.get(table, ""))
        for field, operations in fields.items():
            changed = [key for key, was, record in kept if word(getattr(was, field)) != word(getattr(record, field))]
            if changed and step.act.operation not in operations:
                yield f"{table}.{field}: by another call"
            if len(changed) > 1 and table not in _SEVERAL:
                yield f"{table}.{field}: of {len(changed)} records"
            if changed and named is not None and changed != [named]:
                yield f"{table}.{field}: of another record"


@STATED.step(
    "the-door-moves-by-call",
    "The door opens and closes by call, and closes by itself only with auto-close, when the channel becomes empty.",
    "R339, R340, R342, R343, R344",
    "channels",
)
def _door(step: Step) -> Iterator[str]:
    for channel in step.after["channels"]:
        was = step.before.channels.get(channel.id)
        if was is None or was.open is channel.open:
            continue
        called = step.act.operation == "set_lobby_door" and step.call.values.get("uuid") == channel.id
        occupied = [any(each == channel.id for each, _ in view.inside) for view in (step.before, step.after)]
        by_itself = was.auto_close and was.open and occupied == [True, False]
        if not called and not by_itself:
            yield "opened" if channel.open else "closed"


@STATED.step(
    "registered-users-keep-their-handles",
    "Where handles are unique, a registered user's handle changes only by a reservation: setting it succeeds and "
    "changes nothing.",
    "P1 L231, P1 Errors L322, R100",
    "users",
)
def _handles(step: Step) -> Iterator[str]:
    if step.act.operation != "set_user_handle":
        return
    for key, user in step.after.keyed("users").items():
        was, client = step.before.users.get(key), step.before.clients.get(user.client)
        changed = was is not None and was.handle != user.handle and word(was.account) == "registered"
        if changed and client is not None and client.unique_handles:
            yield "another handle"


@STATED.world(
    "templates-that-are-there",
    "The template of a channel, and one that a client offers, exists, and its own client or one above made it.",
    "P2 L120, L354, R322, R440, G411, G413",
    "template selections", "template choices", "templates", "clients",
)  # fmt: skip
def _there(view: View) -> Iterator[str]:
    owners = {template.id: template.client for template in view["templates"]}
    for table in ("template selections", "template choices"):
        for each in view[table]:
            if each.template not in owners:
                yield f"{table}: a template that is gone"
            elif owners[each.template] not in view.above(each.client):
                yield f"{table}: a template of another client"


@STATED.step(
    "templates-that-are-offered",
    "A channel gets a template only if its client offers it; templates from above only if they are inheritable.",
    "P2 L120, R440, G407, G411",
    "template selections", "template choices",
)  # fmt: skip
def _offered(step: Step) -> Iterator[str]:
    templates = step.before.keyed("templates")
    offers = {(each.client, each.template): word(each.offer) for each in step.before["template choices"]}
    for table in ("template selections", "template choices"):
        old = step.before.keyed(table)
        for key, each in step.after.keyed(table).items():
            template = templates.get(each.template)
            if (key in old and old[key] == each) or template is None:
                continue
            if table == "template selections" and offers.get((each.client, each.template)) != "enabled":
                yield "a template that is not offered"
            enabled = table == "template selections" or word(each.offer) == "enabled"
            if enabled and template.client != each.client and not template.inheritable:
                yield f"{table}: a template from above that is not inheritable"


INVARIANTS = tuple(STATED.invariants)
