"""Seed data of the journey over the whole API: one record of each kind, made by calls in the demo world.

A kind whose calls are refused gets none.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis.stateful import initialize, multiple

from confsim.api.catalogue import API
from confsim.transport.in_process import in_effect

from .bundles import ApiJourney, ids_in
from .samples import Arguments, uploaded
from .targets import Outcome

OWNER, ADMIN = "demo-owner", "demo-customer-admin"


def rules(base: type[ApiJourney]) -> dict[str, Callable[..., Any]]:
    """Return the rules that make the seed data, by name; they run before all others."""
    made = {
        base.templates: seed_template,
        base.app_sessions: seed_app_session,
        base.breakout_rooms: seed_breakout_room,
        base.breakout_sessions: seed_breakout_session,
        base.media: seed_media,
        base.destinations: seed_destination,
        base.endpoints: seed_endpoint,
        base.recordings: seed_recording,
        base.sessions: seed_session,
        base.codes: seed_code,
        base.api_tokens: seed_api_token,
        base.reservations: seed_reservation,
        base.sources: seed_source,
        base.users: seed_caller,
    }
    return {make.__name__: initialize(target=bundle)(make) for bundle, make in made.items()}


def _channel(self: ApiJourney) -> str:
    found = self.call("list_channels", OWNER, sort="name")
    return str(found.elements[-1]["channelUuid"])


def _switched_on(self: ApiJourney, operation: str, caller: str) -> str:
    channel = _channel(self)
    self.call(operation, caller, uuid=channel, state="enable")
    return channel


def _joined(self: ApiJourney, caller: str = OWNER) -> str:
    """Let the owner join a channel."""
    channel = _channel(self)
    user = self.control("get_info").body["tokens"][caller]["userId"]
    self.control("join_channel", channel=channel, userId=user)
    return channel


def seed_template(self: ApiJourney) -> Any:
    """Rule: create a template of the customer."""
    return ids_in(self.call("create_template", ADMIN, body={"name": "Template"}), "id")


def seed_app_session(self: ApiJourney) -> Any:
    """Rule: start an app session."""
    client = self.call("get_me", OWNER).body["clientId"]
    body = {"started": 1, "url": "https://app.example"}
    return ids_in(self.call("create_app_session", OWNER, body=body, clientId=client), "id")


def _prepared(self: ApiJourney) -> tuple[str, Outcome]:
    """Create an event room; return it and its prepared breakout sessions, at least one."""
    channel = _switched_on(self, "set_event_room_state", OWNER)
    self.call("create_breakout_session", OWNER, body={"duration": 60_000}, uuid=channel)
    return channel, self.call("list_breakout_sessions", OWNER, uuid=channel)


def seed_breakout_session(self: ApiJourney) -> Any:
    """Rule: prepare breakout sessions."""
    return ids_in(_prepared(self)[1], "id")


def seed_breakout_room(self: ApiJourney) -> Any:
    """Rule: create a room in the first prepared breakout session."""
    channel, listed = _prepared(self)
    if not listed.elements:
        return multiple()
    first = listed.elements[0]["id"]
    return ids_in(self.call("create_breakout_room", OWNER, body={}, uuid=channel, breakoutSession=first), "id")


def _uploaded(self: ApiJourney, operation: str, caller: str, **place: str) -> list[Any]:
    given = uploaded(API[operation], Arguments(place, {"name": "file"}, b"bytes"), in_effect(self.profile))
    return list(ids_in(self.call(operation, caller, **given.keywords), "id").values)


def seed_media(self: ApiJourney) -> Any:
    """Rule: upload a file to a channel's pool and one to the client's."""
    own = _uploaded(self, "upload_channel_media", OWNER, uuid=_channel(self))
    return multiple(*own, *_uploaded(self, "upload_client_media", ADMIN))


def seed_destination(self: ApiJourney) -> Any:
    """Rule: create a destination of a channel with live streaming enabled."""
    channel = _switched_on(self, "set_broadcast_state", ADMIN)
    body = {"destination": "rtmp://live.example/app", "label": "Live"}
    return ids_in(self.call("add_broadcast_destination", OWNER, body=body, channel=channel), "id")


def seed_endpoint(self: ApiJourney) -> Any:
    """Rule: create an endpoint of a client whose events are on."""
    self.call("set_events_state", ADMIN, state="enable")
    return ids_in(self.call("add_events_endpoint", ADMIN, body={"url": "https://hooks.example"}), "id")


def seed_session(self: ApiJourney) -> Any:
    """Rule: start a session with its first participant."""
    channel = _joined(self)
    return ids_in(self.call("list_sessions", OWNER, channel=channel), "id")


def seed_recording(self: ApiJourney) -> Any:
    """Rule: make a recording, stopped and processed."""
    channel = _joined(self)
    for operation in ("start_recording", "stop_recording"):
        self.call(operation, OWNER, uuid=channel)
    self.advance("5s")
    return ids_in(self.call("list_recordings", OWNER, channelId=channel), "id")


def seed_code(self: ApiJourney) -> Any:
    """Rule: create an invitation code."""
    made = self.call("create_predefined_user", ADMIN, body={"name": "Stub"})
    if not made.ok:
        return multiple()
    return ids_in(self.call("create_invitation", ADMIN, userId=str(made.body["id"])), "code")


def seed_api_token(self: ApiJourney) -> Any:
    """Rule: create a second API token."""
    return ids_in(self.call("create_api_token", ADMIN, body={"label": "second"}), "id")


def seed_reservation(self: ApiJourney) -> Any:
    """Rule: reserve a handle."""
    return ids_in(self.call("reserve_handle", OWNER, body={"handle": "Held"}), "reservationToken")


def seed_caller(self: ApiJourney) -> Any:
    """Rule: a phone dials in to a channel that allows inbound and outbound calls."""
    channel = _switched_on(self, "set_dial_in_state", ADMIN)
    _switched_on(self, "set_dial_out_state", ADMIN)
    meeting = self.call("get_channel", OWNER, uuid=channel).body["meetingId"]
    number = self.call("list_inbound_numbers", OWNER).elements[0]["number"]
    return ids_in(self.control("dial_in", number=number, meetingId=meeting), "userId")


def seed_source(self: ApiJourney) -> Any:
    """Rule: create a gateway endpoint of the owner."""
    return ids_in(self.call("create_gateway_endpoint", OWNER, body={"kind": "RTMP"}, userId="me"), "uuid")
