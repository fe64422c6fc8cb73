"""What a journey over the whole API begins with: one thing of each kind, so that every call has something to work on.

Each is made by calls of the API in the demo world; where they are refused there is nothing of that kind yet.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from hypothesis.stateful import initialize, multiple

from .samples import Arguments

if TYPE_CHECKING:
    from .journeys import Journey
    from .targets import Outcome

OWNER, ADMIN = "demo-owner", "demo-customer-admin"


def rules(base: type[Journey]) -> dict[str, Callable[..., Any]]:
    """The rules that run before all others, by name."""
    made = {
        base.templates: _a_template,
        base.app_sessions: _an_app_session,
        base.breakout_rooms: _a_breakout_room,
        base.breakout_sessions: _a_breakout_session,
        base.media: _media,
        base.destinations: _a_destination,
        base.endpoints: _an_endpoint,
        base.recordings: _a_recording,
        base.sessions: _a_session,
        base.codes: _a_code,
        base.api_tokens: _an_api_token,
        base.reservations: _a_reservation,
        base.sources: _a_source,
        base.users: _a_caller,
    }
    return {f"begin_with{make.__name__}": initialize(target=bundle)(make) for bundle, make in made.items()}


def _of(outcome: Outcome, field: str) -> Any:
    body = outcome.body
    if outcome.status != 200 or body is None:
        return multiple()
    elements = body.get("results", [body]) if isinstance(body, dict) else body
    return multiple(*(each[field] for each in elements if field in each))


def _channel(self: Journey) -> str:
    found = self.call("list_channels", OWNER, Arguments(query={"sort": "name"}))
    return str(found.body["results"][-1]["channelUuid"])


def _switched_on(self: Journey, operation: str, caller: str) -> str:
    channel = _channel(self)
    self.call(operation, caller, Arguments(path={"uuid": channel, "state": "enable"}))
    return channel


def _joined(self: Journey, caller: str = OWNER) -> str:
    """The owner comes into a channel."""
    channel = _channel(self)
    user = self.control("GET", "/info").body["tokens"][caller]["userId"]
    self.control("POST", "/presence/join", {"channel": channel, "userId": user})
    return channel


def _a_template(self: Journey) -> Any:
    """A template of the customer."""
    return _of(self.call("create_template", ADMIN, Arguments(body={"name": "Template"})), "id")


def _an_app_session(self: Journey) -> Any:
    """A run of an application."""
    client = self.call("get_me", OWNER, Arguments()).body["clientId"]
    body = {"started": 1, "url": "https://app.example"}
    return _of(self.call("create_app_session", OWNER, Arguments(path={"clientId": client}, body=body)), "id")


def _prepared(self: Journey) -> tuple[str, Outcome]:
    """An event room, and its breakout sessions: those that are prepared, at least one."""
    channel = _switched_on(self, "set_event_room_state", OWNER)
    self.call("create_breakout_session", OWNER, Arguments(path={"uuid": channel}, body={"duration": 60_000}))
    return channel, self.call("list_breakout_sessions", OWNER, Arguments(path={"uuid": channel}))


def _a_breakout_session(self: Journey) -> Any:
    """The breakout sessions that are prepared."""
    return _of(_prepared(self)[1], "id")


def _a_breakout_room(self: Journey) -> Any:
    """A room of the breakout session that was prepared first."""
    channel, listed = _prepared(self)
    path = {"uuid": channel, "breakoutSession": listed.body[0]["id"]}
    return _of(self.call("create_breakout_room", OWNER, Arguments(path=path, body={})), "id")


def _media(self: Journey) -> Any:
    """A file in a channel's pool and one in the client's."""
    ids = []
    for operation, path in (("upload_channel_media", {"uuid": _channel(self)}), ("upload_client_media", {})):
        arguments = Arguments(path=path, query={"name": "file"}, body=b"bytes")
        ids.append(self.call(operation, OWNER if path else ADMIN, arguments).body["id"])
    return multiple(*ids)


def _a_destination(self: Journey) -> Any:
    """A destination of a channel for which live streaming is enabled."""
    channel = _switched_on(self, "set_broadcast_state", ADMIN)
    body = {"destination": "rtmp://live.example/app", "label": "Live"}
    return _of(self.call("add_broadcast_destination", OWNER, Arguments(path={"channel": channel}, body=body)), "id")


def _an_endpoint(self: Journey) -> Any:
    """An endpoint of a client whose events are on."""
    self.call("set_events_state", ADMIN, Arguments(path={"state": "enable"}))
    return _of(self.call("add_events_endpoint", ADMIN, Arguments(body={"url": "https://hooks.example"})), "id")


def _a_session(self: Journey) -> Any:
    """A session with its first participant."""
    channel = _joined(self)
    return _of(self.call("list_sessions", OWNER, Arguments(query={"channel": channel})), "id")


def _a_recording(self: Journey) -> Any:
    """A recording that has stopped and is processed."""
    channel = _joined(self)
    for operation in ("start_recording", "stop_recording"):
        self.call(operation, OWNER, Arguments(path={"uuid": channel}))
    self.advance("5s")
    return _of(self.call("list_recordings", OWNER, Arguments(path={"channelId": channel})), "id")


def _a_code(self: Journey) -> Any:
    """The code of an invitation."""
    user = self.call("create_predefined_user", ADMIN, Arguments(body={"name": "Stub"})).body["id"]
    return _of(self.call("create_invitation", ADMIN, Arguments(path={"userId": str(user)})), "code")


def _an_api_token(self: Journey) -> Any:
    """A second API token."""
    return _of(self.call("create_api_token", ADMIN, Arguments(body={"label": "second"})), "id")


def _a_reservation(self: Journey) -> Any:
    """A handle that is held."""
    return _of(self.call("reserve_handle", OWNER, Arguments(body={"handle": "Held"})), "reservationToken")


def _a_caller(self: Journey) -> Any:
    """A phone that has dialled in to a channel which may be called, and may call itself."""
    channel = _switched_on(self, "set_dial_in_state", ADMIN)
    _switched_on(self, "set_dial_out_state", ADMIN)
    meeting = self.call("get_channel", OWNER, Arguments(path={"uuid": channel})).body["meetingId"]
    number = self.call("list_inbound_numbers", OWNER, Arguments()).body[0]["number"]
    return _of(self.control("POST", "/calls/dial-in", {"number": number, "meetingId": meeting}), "userId")


def _a_source(self: Journey) -> Any:
    """A gateway endpoint of the owner."""
    return _of(
        self.call("create_gateway_endpoint", OWNER, Arguments(path={"userId": "me"}, body={"kind": "RTMP"})), "uuid"
    )
