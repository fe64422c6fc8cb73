"""A world with something of every kind, made from the demo world by calls of the API and the control plane.

It has two channels: in one everything is prepared, in the other everything is running.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import Struct

from .targets import Target

PARTNER, ADMIN, OWNER, OPERATOR, USER, API_TOKEN = (
    "demo-partner-admin",
    "demo-customer-admin",
    "demo-owner",
    "demo-operator",
    "demo-user",
    "demo-api-token",
)
#: The token for each grant; the first grant of a gate that is listed here decides.
TOKENS = {
    "owner": OWNER,
    "operator": OPERATOR,
    "access": OWNER,
    "customer-admin": ADMIN,
    "partner-admin": PARTNER,
    "api-token": API_TOKEN,
    "registered": OWNER,
    "user": OWNER,
    "signed-in": OWNER,
}

#: The first bytes of a PNG image; nothing more is checked.
IMAGE = b"\x89PNG\r\n\x1a\n"
#: Operations that are called with the channel in which everything is running.
RUNNING = (
    "get_active_breakout_session",
    "get_broadcast_metrics",
    "stop_breakout_session",
    "stop_broadcast",
    "stop_recording",
)


class Populated(Struct):
    """The existing things, by kind (a word of ``types.Names``), and the exceptions for single operations.

    ``own`` maps an operation to values of its parameters and fields, by their name or the kind of thing that they name;
    "" is the whole body.
    """

    things: dict[str, object]
    own: dict[str, dict[str, object]]
    #: Tokens of operations that need another caller than their gate says.
    tokens: dict[str, str]

    def token(self, operation: str, gate: Sequence[str]) -> str | None:
        """Return the token that passes the gate (a list of grants) of an operation; None for a public one."""
        fitting = (TOKENS[grant] for grant in gate if grant in TOKENS)
        return None if "public" in gate else self.tokens.get(operation) or next(fitting, ADMIN)

    def value(self, operation: str, name: str, kind: str | None) -> object | None:
        """Return the value for a parameter or field of an operation; None when any value of its schema will do."""
        own: Mapping[str, object] = self.own.get(operation, {})
        found = own.get(name)
        if found is None and kind is not None:
            found = own.get(kind, self.things.get(kind))
        return found


def populate(target: Target) -> Populated:
    """Populate the demo world behind a target, and return what is there.

    Raises AssertionError when a call fails: the world is another, or its profile forbids the call.
    """
    return _Populating(target).all()


class _Populating:
    """The calls that populate the world, and the things made so far."""

    def __init__(self, target: Target) -> None:
        self.target = target
        self.things: dict[str, object] = {}
        self.own: dict[str, dict[str, object]] = {}
        self.tokens = {"get_user": API_TOKEN}  # only a Partner Admin reads users of child clients

    def call(self, operation: str, caller: str | None, *, body: object = None, **arguments: Any) -> Any:
        """Call an operation of the API, and return the body of the answer."""
        outcome = self.target.call(operation, caller, body=body, **arguments)
        assert outcome.ok, f"{operation} with {arguments} by {caller}: {outcome}"
        return outcome.body

    def first(self, operation: str, caller: str, **arguments: Any) -> object:
        """Return the id of the first element of a list or a page."""
        listed = self.call(operation, caller, **arguments)
        if isinstance(listed, dict):
            listed = listed["results"] if "results" in listed else listed["rows"]
        return listed[0]["id"]

    def control(self, operation: str, /, *path: str, **fields: object) -> Any:
        """Call a control operation, and return the body of the answer."""
        outcome = self.target.control(operation, *path, **fields)
        assert outcome.ok, f"{operation} with {fields}: {outcome}"
        return outcome.body

    def all(self) -> Populated:
        """Make everything."""
        steps: tuple[Callable[[], None], ...] = (
            self.tenants,
            self.people,
            self.channels,
            self.roles,
            self.meetings,
            self.recordings,
            self.phones,
            self.media,
            self.broadcasts,
            self.breakouts,
            self.rest,
        )
        for step in steps:
            step()
        for operation in RUNNING:
            self.own.setdefault(operation, {})["channels"] = self.running
        return Populated(self.things, self.own, self.tokens)

    def needs(self, operations: str, **values: object) -> None:
        """Give operations, separated by spaces, values of their own in place of the common ones."""
        for operation in operations.split():
            self.own.setdefault(operation, {}).update(values)

    def tenants(self) -> None:
        """Switch on the features of the owner's client, and create a client below it."""
        self.client = self.call("get_me", OWNER)["clientId"]
        self.things["clients"] = self.client
        for operation in ("set_friendly_urls_state", "set_client_dial_in_state", "set_client_dial_out_state"):
            self.call(operation, ADMIN, state="enable")
        self.call("set_events_state", ADMIN, state="enable")

    def people(self) -> None:
        """Create users of every sort, their pending actions, and an identity token."""
        self.owner, self.operator, self.user = (self.call("get_me", each)["id"] for each in (OWNER, OPERATOR, USER))
        self.things["users"] = self.user
        self.call("set_user_email", ADMIN, userId=self.user, body={"email": "pending@example.com"})
        code = self.control("list_mail")[-1]["code"]
        self.needs("verify_user_email", codes=code)
        stub = self.call("create_predefined_user", ADMIN, body={"name": "Stub", "originId": "origin-1"})["id"]
        invited = self.call("create_predefined_user", ADMIN, body={"name": "Invited", "originId": "origin-2"})["id"]
        self.call("create_invitation", ADMIN, userId=invited)
        self.needs("create_invitation", users=stub)
        self.needs("get_invitation get_user_origin_id", users=invited)
        self.needs("find_predefined_user", originId="origin-1")
        self.call("add_access_level", ADMIN, userId=self.operator, level=10)
        self.needs("remove_access_level", users=self.operator, level=10)
        self.needs("add_access_level", users=self.user, level=10)
        self.needs("find_user_by_handle", handle="Olaf Owner")
        self.needs("find_user_by_email", email="olaf@customer.example")
        self.needs("accept_terms", version=self.call("get_user_terms", OWNER)["currentVersion"])
        self.call("set_user_property", ADMIN, userId=self.user, key="known", body=1)
        self.needs("get_user_property set_user_property delete_user_property", key="known")

    def channels(self) -> None:
        """Create the channel in which everything is prepared, and the one in which everything is running."""
        listed = self.call("list_channels", OWNER, sort="name")["results"]
        self.prepared, self.running = (each["channelUuid"] for each in listed[:2])
        self.things["channels"] = self.prepared
        for channel in (self.prepared, self.running):
            self.call("set_event_room_state", OWNER, uuid=channel, state="enable")
            self.call("set_broadcast_state", ADMIN, uuid=channel, state="enable")
            self.call("set_dial_in_state", ADMIN, uuid=channel, state="enable")
            self.call("set_dial_out_state", ADMIN, uuid=channel, state="enable")
            self.call("set_guest_access", OWNER, uuid=channel, state="enable")
        self.call("set_channel_friendly_url", OWNER, uuid=self.prepared, body={"url": "known"})
        self.needs("find_channel_by_friendly_url", url="known")
        channel = self.call("get_channel", OWNER, uuid=self.prepared)
        self.needs("list_channels find_channel_by_meeting_id", meetingId=channel["meetingId"])
        self.call("set_channel_property", OWNER, uuid=self.prepared, key="known", body=1)
        self.needs("get_channel_property set_channel_property delete_channel_property", key="known")
        self.needs("get_data_channel", kind="chat")

    def roles(self) -> None:
        """Create a second owner, a user linked to the channel, and a guest with a reserved handle."""
        second = self.control(
            "make_user", clientId=self.client, handle="Second Owner", registered=True, email="second@customer.example"
        )["id"]
        self.call("add_owner", OWNER, uuid=self.prepared, userId=second)
        self.needs("remove_owner demote_owner", users=second)
        self.needs("remove_operator", users=self.operator)
        linked = self.call("create_linked_user", OPERATOR, uuid=self.prepared, body={"handle": "Linked"})["id"]
        self.needs("unlink_user", users=linked)
        code = self.call("create_invitation", OPERATOR, userId=linked)["code"]
        self.needs("exchange_identity_token", codes=code)
        guest = self.call("create_guest", None, clientId=self.client, uuid=self.prepared, body={"handle": "Gwen"})[
            "token"
        ]
        self.call("accept_terms", guest, version=self.call("get_user_terms", guest)["currentVersion"])
        self.things["reservations"] = self.call("reserve_handle", guest, body={"handle": "Held"})["reservationToken"]
        self.tokens |= {"create_user": guest, "change_handle_with_reservation": guest}
        self.needs("rename_channel_user", users=self.call("get_me", guest)["id"])

    def meetings(self) -> None:
        """Create sessions in both channels, and an app session."""
        for channel in (self.prepared, self.running):
            for user in (self.owner, self.user):
                self.control("join_channel", channel=channel, userId=user)
        self.things["sessions"] = self.first("list_sessions", OWNER, channel=self.prepared)
        body = {"started": 1, "url": "https://app.example"}
        self.things["app_sessions"] = self.call("create_app_session", OWNER, clientId=self.client, body=body)["id"]

    def recordings(self) -> None:
        """Create a recording that is ready, its assets and their token, and a recording that is running."""
        for operation in ("start_recording", "stop_recording"):
            self.call(operation, OWNER, uuid=self.prepared)
        self.target.advance("1m")
        recording = self.first("list_recordings", OWNER, channelId=self.prepared)
        place = {"channelId": self.prepared, "recordingId": recording}
        self.things["recordings"] = recording
        self.things["assets"] = self.first("list_recording_assets", OWNER, **place)
        self.things["asset_tokens"] = self.call("get_recording_credentials", OWNER, **place)["jwt"]
        self.call("start_recording", OWNER, uuid=self.running)

    def phones(self) -> None:
        """Create an assigned inbound number, and a PIN."""
        numbers = [each["number"] for each in self.call("list_inbound_numbers", OWNER)]
        self.call("assign_dial_number", OWNER, uuid=self.prepared, number=numbers[0])
        self.call("add_dial_pin", OWNER, uuid=self.prepared, body={"pin": "4711"})
        self.needs("cancel_dial_number_assignment", number=numbers[0])
        self.needs("assign_dial_number assign_exclusive_dial_number", number=numbers[1])
        self.needs("add_default_dial_number remove_default_dial_number set_inbound_number_state", number=numbers[0])
        self.needs("delete_dial_pin", pin="4711")
        self.needs("get_dial_quote dial_registered_user dial_unregistered_user", number="+442079460999")
        self.needs("dial_registered_user", sipUserId=self.operator)  # who is not inside

    def media(self) -> None:
        """Create a file in the pool of the channel and one in that of the client, and a gateway endpoint."""
        channel = self.call("upload_channel_media", OWNER, uuid=self.prepared, name="file", body=b"bytes")["id"]
        client = self.call("upload_client_media", ADMIN, name="file", body=b"bytes")["id"]
        self.things["media"] = channel
        self.needs("get_client_media delete_client_media batch_delete_client_media get_client_media_link", media=client)
        endpoint = self.call("create_gateway_endpoint", OWNER, userId="me", body={"kind": "RTMP"})["uuid"]
        self.things["sources"] = endpoint
        self.needs("get_gateway_endpoint", users=self.owner)
        self.needs("set_user_image set_channel_image", **{"": IMAGE})

    def broadcasts(self) -> None:
        """Create a destination, a finished live stream, and a running one."""
        for channel in (self.prepared, self.running):
            body = {"destination": "rtmp://live.example/app", "label": "Live", "enabled": True}
            made = self.call("add_broadcast_destination", OWNER, channel=channel, body=body)
            self.things.setdefault("destinations", made["id"])
            self.call("start_broadcast", OWNER, uuid=channel)
            self.target.advance("1m")
        self.call("stop_broadcast", OWNER, uuid=self.prepared)
        self.things["broadcasts"] = self.first("list_broadcast_history", OWNER, uuid=self.prepared)

    def breakouts(self) -> None:
        """Create a breakout session with a room and a participant, and a running one."""
        for channel in (self.prepared, self.running):
            body = {"name": "Groups", "duration": 3_600_000}
            session = self.call("create_breakout_session", OWNER, uuid=channel, body=body)["id"]
            place = {"uuid": channel, "breakoutSession": session}
            room = self.call("create_breakout_room", OWNER, **place, body={"name": "Table"})["id"]
            self.call("add_breakout_participant", OWNER, **place, breakoutRoom=room, userId=self.user)
            self.things.setdefault("breakout_sessions", session)
            self.things.setdefault("breakout_rooms", room)
        self.needs("add_breakout_participant", users=self.owner)
        self.call("start_breakout_session", OWNER, uuid=self.running)

    def rest(self) -> None:
        """Create a selected template, an API token, an events endpoint, and a validator."""
        template = self.call("create_template", ADMIN, body={"name": "Template"})["id"]
        self.call("select_channel_template", OWNER, uuid=self.prepared, templateId=template)
        self.things["templates"] = template
        self.things["api_tokens"] = self.call("create_api_token", ADMIN, body={"label": "second"})["id"]
        self.things["endpoints"] = self.call("add_events_endpoint", ADMIN, body={"url": "https://hooks.example"})["id"]
        self.things["validators"] = self.call("list_validators", ADMIN)[-1]["id"]
