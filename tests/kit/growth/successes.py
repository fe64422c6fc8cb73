"""One call of every operation that succeeds in the prepared world, and one for each documented sort and filter."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from confsim import Simulator
from confsim.api.catalogue import API
from confsim.contract.operation import Operation
from confsim.service.messages import Answer
from kit import ADMIN, API_TOKEN, CUSTOMER, EVENT_ROOM, OPERATOR, OWNER, PARTNER_ADMIN, ROOM, USER
from kit.growth.prepared import PNG, Names


class Success(Struct, frozen=True):
    """A call that succeeds once the calls ``before`` it are made.

    ``variant`` says which sort or filter of the operation it uses, and is empty for the bare call. In ``arguments`` the
    texts ``$name`` stand for what the prepared world calls so.
    """

    operation: str
    caller: str | None
    arguments: Mapping[str, Any]
    before: tuple[Success, ...] = ()
    variant: str = ""

    @property
    def name(self) -> str:
        """The operation and its variant."""
        return f"{self.operation} {self.variant}".rstrip()

    def filled(self, names: Names) -> dict[str, Any]:
        """The arguments with ids and tokens in place of ``$name``."""
        return {key: _filled(value, names) for key, value in self.arguments.items()}

    def prepare(self, sim: Simulator, names: Names) -> None:
        """Make the calls before it. Raises AssertionError when one is refused."""
        for call in self.before:
            call.make(sim, names)

    def make(self, sim: Simulator, names: Names) -> Answer:
        """Make the call. Raises AssertionError when it is refused."""
        answer = sim.call(self.operation, self.caller, **self.filled(names))
        assert answer.ok, f"{self.name}: {answer.status} {answer.body}"
        return answer


def _filled(value: Any, names: Names) -> Any:
    if isinstance(value, str) and value.startswith("$"):
        return names[value[1:]]
    if isinstance(value, dict):
        return {key: _filled(each, names) for key, each in value.items()}
    if isinstance(value, list):
        return [_filled(each, names) for each in value]
    return value


def _of(operation: str, caller: str | None, *before: Success, **arguments: Any) -> Success:
    return Success(operation, caller, arguments, before)


_OF_ROOM, _OF_EVENT_ROOM = {"uuid": ROOM}, {"uuid": EVENT_ROOM}
_BREAKOUT = {"uuid": EVENT_ROOM, "breakoutSession": "$breakout"}
_BREAKOUT_ROOM = {**_BREAKOUT, "breakoutRoom": "$breakout_room"}
_RECORDING = {"channelId": ROOM, "recordingId": "$recording"}
_IMAGE = {"body": PNG, "content_type": "image/png"}
_US, _GB = "+12025550123", "+442079460123"
_SELF = {"userId": "$user"}
_CLIENT = {"clientId": CUSTOMER}

USERS = (
    _of("list_auth_providers", USER),
    _of("get_user_auth_method", USER, **_SELF),
    _of("list_client_auth_providers", None, **_CLIENT),
    _of("set_auth_providers", ADMIN, body=["google"]),
    _of("get_auth_profile", USER),
    _of("accept_terms", USER, _of("promulgate_terms", ADMIN, body={"url": "https://terms.example"}), version=2),
    _of("get_client_terms", None, **_CLIENT),
    _of("get_user_terms", USER),
    _of("update_terms_url", ADMIN, body={"url": "https://terms.example"}),
    _of("promulgate_terms", ADMIN, body={"url": "https://terms.example"}),
    _of("list_validators", ADMIN),
    _of("enable_validator", ADMIN, validatorId="demo-validator-2"),
    _of("disable_validator", ADMIN, validatorId="demo-validator"),
    _of("exchange_identity_token", None, **_CLIENT, body={"idToken": "$identity_token"}),
    _of("set_user_email", USER, **_SELF, body={"email": "uma@customer.example"}),
    _of("get_user_email", USER, **_SELF),
    _of("verify_user_email", OPERATOR, userId="$operator", code="$email_code"),
    _of("create_guest", None, **_CLIENT, **_OF_ROOM, body={"handle": "Gus Guest"}),
    _of("set_user_handle", USER, **_SELF, body={"handle": "Uma Anew"}),
    _of("change_handle_with_reservation", USER, nonce="$nonce"),
    _of("check_handle_unique", USER, handle="Nobody"),
    _of("reserve_handle", USER, body={"handle": "Neo"}),
    _of("create_user", ADMIN, token="$registration", body={}),
    _of("rename_channel_user", OWNER, **_OF_ROOM, userId="$guest", body={"handle": "Gwen Anew"}),
    _of("set_handle_uniqueness", ADMIN, state="disable"),
    _of("create_invitation", ADMIN, userId="$uninvited"),
    _of("get_invitation", ADMIN, userId="$predefined"),
    _of("set_user_languages", USER, **_SELF, body={"languages": ["de-CH", "en"]}),
    _of("list_supported_languages", USER),
    _of("create_predefined_user", API_TOKEN, body={"name": "Per Predefined", "originId": "hr-2"}),
    _of("find_predefined_user", API_TOKEN, originId="hr-1"),
    _of("get_user_origin_id", API_TOKEN, userId="$predefined"),
    _of("get_users", USER, userIds=["$user", "$owner"]),
    _of("get_me", USER),
    _of("get_user", API_TOKEN, **_SELF),
    _of("list_users", ADMIN),
    _of("set_user_image", USER, **_SELF, **_IMAGE),
    _of("remove_user_image", USER, **_SELF),
    _of("set_user_description", USER, **_SELF, body={"description": "A user"}),
    _of("set_user_full_name", USER, **_SELF, body={"fullName": "Uma Ulrike User"}),
    _of("get_user_client", USER, **_SELF),
    _of("find_user_by_handle", USER, handle="Olaf Owner"),
    _of("find_user_by_email", ADMIN, email="olaf@customer.example"),
    _of("get_user_property", USER, **_SELF, key="colour"),
    _of("set_user_property", USER, **_SELF, key="size", body=1),
    _of("delete_user_property", USER, **_SELF, key="colour"),
    _of("list_user_properties", USER, **_SELF),
)
ROLES = (
    _of("add_operator", OWNER, **_OF_ROOM, userId="$user"),
    _of("remove_operator", OWNER, **_OF_ROOM, userId="$operator"),
    _of("list_operators", OWNER, **_OF_ROOM),
    _of("list_owners", OWNER, **_OF_ROOM),
    _of("add_owner", OWNER, **_OF_ROOM, userId="$user"),
    _of("remove_owner", ADMIN, _of("add_owner", OWNER, **_OF_ROOM, userId="$user"), **_OF_ROOM, userId="$user"),
    _of("demote_owner", ADMIN, _of("add_owner", OWNER, **_OF_ROOM, userId="$user"), **_OF_ROOM, userId="$user"),
    _of("add_access_level", ADMIN, **_SELF, level=10),
    _of("remove_access_level", ADMIN, _of("add_access_level", ADMIN, **_SELF, level=10), **_SELF, level=10),
    _of("list_assignable_access_levels", ADMIN),
    _of("list_user_access_levels", ADMIN, **_SELF),
    _of("list_own_access_levels", USER),
)
CLIENTS = (
    _of("create_api_token", ADMIN, body={"label": "third"}),
    _of("list_api_tokens", ADMIN),
    _of("regenerate_api_token", ADMIN, tokenId="$api_token"),
    _of("delete_api_token", ADMIN, tokenId="$api_token"),
    _of("check_friendly_url", None, **_CLIENT, url="another-room"),
    _of("find_channel_by_friendly_url", None, **_CLIENT, url="demo-room"),
    _of("set_friendly_urls_state", ADMIN, state="disable"),
    _of("set_channel_friendly_url", OWNER, **_OF_EVENT_ROOM, body={"url": "event-room"}),
    _of("remove_channel_friendly_url", OWNER, **_OF_ROOM),
    _of("list_origins", ADMIN, **_CLIENT),
    _of("set_origins", ADMIN, **_CLIENT, body=["https://example.com"]),
    _of("list_domains", ADMIN, **_CLIENT),
    _of("set_domains", ADMIN, **_CLIENT, body=["example.com"]),
    _of("create_client", PARTNER_ADMIN, body={"name": "Another Customer"}),
    _of("set_client_service_state", PARTNER_ADMIN, **_CLIENT, state="disable"),
    _of("get_client", ADMIN, **_CLIENT),
    _of("list_clients", PARTNER_ADMIN),
)
CHANNELS = (
    _of("create_channel", OWNER, body={"name": "Planning"}),
    _of("delete_channel", OWNER, **_OF_ROOM),
    _of("get_channel", OWNER, **_OF_ROOM),
    _of("set_channel_description", OWNER, **_OF_ROOM, body={"description": "A room"}),
    _of("set_channel_image", OWNER, **_OF_ROOM, **_IMAGE),
    _of("remove_channel_image", OWNER, **_OF_ROOM),
    _of("rename_channel", OWNER, **_OF_ROOM, name="Planning"),
    _of("get_channel_client", OWNER, channelUuid=ROOM),
    _of("list_channels", OWNER),
    _of("find_channel_by_meeting_id", OWNER, meetingId="$meeting_id"),
    _of("get_guest_access", OWNER, **_OF_ROOM),
    _of("set_guest_access", OWNER, **_OF_ROOM, state="disable"),
    _of("set_wall_state", OWNER, **_OF_ROOM, state="disable"),
    _of("set_presenters_limit", OWNER, **_OF_ROOM, limit=3),
    _of("remove_presenters_limit", OWNER, **_OF_ROOM),
    _of("get_turn_credentials", OWNER, **_OF_ROOM),
    _of("get_populations", OWNER, channelIds=[ROOM, EVENT_ROOM]),
    _of("get_data_channel", OWNER, **_OF_ROOM, kind="chat"),
    _of("get_streaming_proxy", OWNER, **_OF_ROOM),
    _of("list_active_channels", OWNER),
    _of("set_lobby_door", OWNER, **_OF_ROOM, state="close"),
    _of("set_lobby_auto_close", OWNER, **_OF_ROOM, state="enable"),
    _of("set_attendees_state", OWNER, **_OF_ROOM, state="mute"),
    _of("set_speech2text_state", ADMIN, **_OF_ROOM, state="enable"),
    _of("set_midi_state", OWNER, **_OF_ROOM, state="enable"),
    _of("set_event_room_state", OWNER, **_OF_ROOM, state="enable"),
    _of("list_channel_properties", OWNER, **_OF_ROOM),
    _of("get_channel_property", OWNER, **_OF_ROOM, key="colour"),
    _of("set_channel_property", OWNER, **_OF_ROOM, key="size", body=1),
    _of("delete_channel_property", OWNER, **_OF_ROOM, key="colour"),
)
SESSIONS = (
    _of("get_session", OWNER, sessionId="$past_session"),
    _of("list_session_participants", OWNER, sessionId="$past_session"),
    _of("list_session_recordings", OWNER, sessionId="$past_session"),
    _of("end_session", OWNER, **_OF_ROOM, sessionId="$session"),
    _of("end_active_session", OWNER, **_OF_ROOM),
    _of("list_channel_participants", OWNER, **_OF_ROOM),
    _of("list_sessions", OWNER),
    _of("create_app_session", USER, **_CLIENT, body={"started": 1, "url": "https://app.example"}),
    _of("add_app_session_log", USER, appSession="$app_session", body={"time": 2, "data": "going on"}),
    _of("get_app_session", USER, appSessionId="$app_session"),
    _of("list_app_sessions", ADMIN),
    _of(
        "link_app_session_to_channel_session",
        USER,
        appSession="$app_session",
        channelUuid=ROOM,
        channelSession="$session",
    ),
    _of("link_app_session_to_channel", USER, appSession="$app_session", channelUuid=ROOM),
    _of("list_app_session_logs", USER, appSession="$app_session"),
    _of("link_app_session_to_user", USER, appSession="$app_session", **_SELF),
)
CONFIG = (
    _of("get_config", USER),
    _of("set_config", ADMIN, body={"theme": {"colour": "red"}}),
    _of("get_channel_config", OWNER, **_OF_ROOM),
    _of("set_channel_config", OWNER, **_OF_ROOM, body={"theme": {"colour": "red"}}),
    _of("get_template_config", ADMIN, templateId="$template"),
    _of("set_template_config", ADMIN, templateId="$template", body={"theme": {"colour": "red"}}),
    _of("get_client_settings", USER),
    _of("get_channel_settings", OWNER, **_OF_ROOM),
    _of("set_client_speech2text_state", ADMIN, state="enable"),
    _of("get_template", ADMIN, templateId="$template"),
    _of("list_templates", ADMIN),
    _of("get_channel_template", OWNER, **_OF_ROOM),
    _of("list_channel_templates", OWNER, **_OF_ROOM),
    _of("create_template", ADMIN, body={"name": "Another"}),
    _of("update_template", ADMIN, templateId="$template", body={"name": "Renamed"}),
    _of("remove_template", ADMIN, templateId="$unused_template"),
    _of("set_template_state", ADMIN, templateId="$unused_template", state="enable"),
    _of("set_template_inheritance", ADMIN, templateId="$template", state="allow"),
    _of("select_channel_template", OWNER, **_OF_EVENT_ROOM, templateId="$template"),
    _of("remove_channel_template", OWNER, **_OF_ROOM),
)
BREAKOUTS = (
    _of("create_breakout_session", OWNER, **_OF_EVENT_ROOM, body={"duration": 60_000}),
    _of("update_breakout_session", OWNER, **_BREAKOUT, body={"name": "Groups"}),
    _of("delete_breakout_session", OWNER, **_BREAKOUT),
    _of("list_breakout_sessions", OWNER, **_OF_EVENT_ROOM),
    _of("get_active_breakout_session", USER, _of("start_breakout_session", OWNER, **_OF_EVENT_ROOM), **_OF_EVENT_ROOM),
    _of("create_breakout_room", OWNER, **_BREAKOUT, body={"name": "Group"}),
    _of("rename_breakout_room", OWNER, **_BREAKOUT_ROOM, body={"name": "Group"}),
    _of("delete_breakout_room", OWNER, **_BREAKOUT_ROOM),
    _of("list_breakout_rooms", OWNER, **_BREAKOUT),
    _of("add_breakout_participant", OWNER, **_BREAKOUT_ROOM, userId="$operator"),
    _of("remove_breakout_participant", OWNER, **_BREAKOUT_ROOM, **_SELF),
    _of("list_breakout_participants", OWNER, **_BREAKOUT_ROOM),
    _of("start_breakout_session", OWNER, **_OF_EVENT_ROOM),
    _of("stop_breakout_session", OWNER, _of("start_breakout_session", OWNER, **_OF_EVENT_ROOM), **_OF_EVENT_ROOM),
    _of("create_linked_user", OWNER, **_OF_ROOM, body={"handle": "Leo Linked"}),
    _of("list_linked_users", OWNER, **_OF_ROOM),
    _of("link_user", OWNER, **_OF_ROOM, **_SELF),
    _of("unlink_user", OWNER, **_OF_ROOM, userId="$linked"),
)
TELEPHONY = (
    _of("get_dial_quote", OWNER, **_OF_ROOM, number="+12025550199"),
    _of("dial_registered_user", OWNER, **_OF_ROOM, body={"number": "+12025550199", "sipUserId": "$uninvited"}),
    _of("dial_unregistered_user", OWNER, **_OF_ROOM, body={"number": "+12025550199", "name": "Pat Phone"}),
    _of("list_available_dial_numbers", OWNER),
    _of("list_inbound_numbers", OWNER),
    _of("assign_dial_number", OWNER, **_OF_ROOM, number=_GB),
    _of("assign_exclusive_dial_number", OWNER, **_OF_ROOM, number=_GB),
    _of("list_dial_number_assignments", OWNER, channel=ROOM),
    _of("cancel_dial_number_assignment", OWNER, **_OF_ROOM, number=_US),
    _of("add_default_dial_number", ADMIN, number=_GB),
    _of("remove_default_dial_number", ADMIN, number=_US),
    _of("set_inbound_number_state", ADMIN, number=_GB, state="disable"),
    _of("list_dial_pins", OWNER, **_OF_ROOM),
    _of("add_dial_pin", OWNER, **_OF_ROOM, body={"pin": "4321"}),
    _of("delete_dial_pin", OWNER, **_OF_ROOM, pin="1234"),
    _of("set_client_dial_in_state", ADMIN, state="enable"),
    _of("set_client_dial_out_state", ADMIN, state="enable"),
    _of("set_dial_in_state", ADMIN, **_OF_ROOM, state="disable"),
    _of("set_dial_out_state", ADMIN, **_OF_ROOM, state="disable"),
)
RECORDINGS = (
    _of("check_record_possible", OWNER, **_OF_ROOM),
    _of("start_recording", OPERATOR, **_OF_ROOM),
    _of("stop_recording", OPERATOR, _of("start_recording", OPERATOR, **_OF_ROOM), **_OF_ROOM),
    _of("list_recordings", OPERATOR, channelId=ROOM),
    _of("get_recording", OPERATOR, **_RECORDING),
    _of("list_recording_assets", OPERATOR, **_RECORDING),
    _of("get_recording_asset", OPERATOR, **_RECORDING, assetId="$asset"),
    _of("get_recording_download", OWNER, **_RECORDING),
    _of("get_recording_credentials", OPERATOR, **_RECORDING),
    _of("list_downloadable_assets", None, jwtToken="$asset_token"),
    _of("download_recording_asset", None, jwtToken="$asset_token", assetId="$asset"),
)
MEDIA = (
    _of("get_channel_media", OWNER, **_OF_ROOM, mediaId="$media"),
    _of("get_client_media", USER, mediaId="$client_media"),
    _of("list_channel_media", OWNER, **_OF_ROOM),
    _of("list_client_media", USER),
    _of("upload_channel_media", OWNER, **_OF_ROOM, name="new.txt", body=b"bytes"),
    _of("upload_client_media", ADMIN, name="new.txt", body=b"bytes"),
    _of("delete_channel_media", OWNER, **_OF_ROOM, mediaId="$media"),
    _of("delete_client_media", ADMIN, mediaId="$client_media"),
    _of("batch_delete_channel_media", OWNER, **_OF_ROOM, body=["$media"]),
    _of("batch_delete_client_media", ADMIN, body=["$client_media"]),
    _of("get_channel_media_link", OWNER, **_OF_ROOM, mediaId="$media"),
    _of("get_client_media_link", USER, mediaId="$client_media"),
    _of("get_channel_media_pool_size", OWNER, **_OF_ROOM),
    _of("get_client_media_pool_size", USER),
    _of("create_gateway_endpoint", USER, **_SELF, body={"kind": "SRT"}),
    _of("get_gateway_endpoint", USER, **_SELF, uuid="$source"),
)
_ON_AIR = _of("start_broadcast", OPERATOR, **_OF_ROOM)
BROADCASTS = (
    _of("list_broadcast_destinations", OWNER, channel=ROOM),
    _of("add_broadcast_destination", OWNER, channel=ROOM, body={"destination": "rtmp://live.example/other"}),
    _of("set_broadcast_destination_state", OWNER, channel=ROOM, destinationId="$destination", state="disable"),
    _of("set_broadcast_state", ADMIN, **_OF_ROOM, state="disable"),
    _of("get_broadcast_state", OPERATOR, **_OF_ROOM),
    _ON_AIR,
    _of("stop_broadcast", OPERATOR, _ON_AIR, **_OF_ROOM),
    _of("list_broadcast_history", OPERATOR, **_OF_ROOM),
    _of("get_broadcast", OPERATOR, **_OF_ROOM, broadcastID="$broadcast"),
    _of("get_broadcast_metrics", OPERATOR, _ON_AIR, **_OF_ROOM),
)
_ON = _of("set_events_state", ADMIN, state="enable")
EVENTS = (
    _of("update_events_endpoint", ADMIN, _ON, id="$endpoint", body={"active": False}),
    _of("add_events_endpoint", ADMIN, body={"url": "https://hooks.example/other"}),
    _of("list_events_endpoints", ADMIN, _ON),
    _of("remove_events_endpoint", ADMIN, _ON, id="$endpoint"),
    _of("get_events_status", ADMIN),
    _ON,
    _of("get_events_secret", ADMIN, _ON),
    _of("regenerate_events_secret", ADMIN, _ON),
)
#: The bare call of every operation, by its name.
SUCCESSES: dict[str, Success] = {
    call.operation: call
    for calls in (
        *(USERS, ROLES, CLIENTS, CHANNELS, SESSIONS, CONFIG),
        *(BREAKOUTS, TELEPHONY, RECORDINGS, MEDIA, BROADCASTS, EVENTS),
    )
    for call in calls
}


def with_successes() -> list[tuple[Operation, Success]]:
    """Return every operation with its bare call, those without one left out: a test of the catalogue names them."""
    return [(operation, SUCCESSES[operation.name]) for operation in API if operation.name in SUCCESSES]
