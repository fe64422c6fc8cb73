"""The demo world with one thing of every kind, a meeting under way in each of its channels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from confsim import Simulator
from confsim.domain.telephony.calls import CALLS
from kit import ADMIN, API_TOKEN, CUSTOMER, EVENT_ROOM, GUEST, OPERATOR, OWNER, PARTNER, ROOM, START, USER, choices, ok
from kit.things.identity_tokens import CLAIMS, hs

#: What ``$name`` in the arguments of a call stands for.
Names = dict[str, Any]
PNG = b"\x89PNG\r\n\x1a\n"


def prepared(world: str | Mapping[str, Any] = "demo", **chosen: Any) -> tuple[Simulator, Names]:
    """Return the world, its clock standing still, and the ids and tokens of what is in it by name.

    ``world`` is the demo world or a world file with everything that it has; ``chosen`` is a profile as of ``choices``.
    """
    sim = Simulator(world, clock=START, profile=choices(**chosen))
    names: Names = {"middle": 0, "client": CUSTOMER, "partner": PARTNER, "room": ROOM, "event_room": EVENT_ROOM}
    tokens = sim.control("get_info").tokens
    for name, token in (("admin", ADMIN), ("owner", OWNER), ("operator", OPERATOR), ("user", USER), ("guest", GUEST)):
        names[name] = tokens[token].userId
    names["meeting_id"] = ok(sim, "get_channel", OWNER, uuid=ROOM)["meetingId"]
    _past_meeting(sim, names)
    _belongings_of_users(sim, names)
    _belongings_of_the_client(sim, names)
    _belongings_of_the_room(sim, names)
    for channel in (ROOM, EVENT_ROOM):
        for token in (OWNER, OPERATOR, USER):
            names["session"] = sim.presence.join(channel, token).session
    names["session"] = sim.presence.join(ROOM, OWNER).session
    _breakout(sim, names)
    sim.service.begin()
    return sim, names


def _past_meeting(sim: Simulator, names: Names) -> None:
    """A session that is over, which was recorded and broadcast."""
    for operation in ("set_broadcast_state", "set_dial_out_state"):
        ok(sim, operation, uuid=ROOM, state="enable")
    made = ok(sim, "add_broadcast_destination", OWNER, channel=ROOM, body={"destination": "rtmp://live.example/app"})
    names["destination"] = made["id"]
    for token in (OWNER, OPERATOR, USER):
        names["past_session"] = sim.presence.join(ROOM, token).session
    ok(sim, "start_broadcast", OPERATOR, uuid=ROOM)
    ok(sim, "start_recording", OPERATOR, uuid=ROOM)
    sim.clock.advance("10s")
    ok(sim, "stop_recording", OPERATOR, uuid=ROOM)
    names["broadcast"] = ok(sim, "get_broadcast_metrics", OPERATOR, uuid=ROOM)["id"]
    ok(sim, "stop_broadcast", OPERATOR, uuid=ROOM)
    sim.clock.advance("10s")
    ok(sim, "end_active_session", OWNER, uuid=ROOM)
    names["recording"] = ok(sim, "list_recordings", OPERATOR, channelId=ROOM)["results"][0]["id"]
    recording = {"channelId": ROOM, "recordingId": names["recording"]}
    names["asset"] = ok(sim, "list_recording_assets", OPERATOR, **recording)[0]["id"]
    names["asset_token"] = ok(sim, "get_recording_credentials", OPERATOR, **recording)["jwt"]


def _belongings_of_users(sim: Simulator, names: Names) -> None:
    """An email to confirm, reservations, an invitation, a property, a source, predefined users."""
    ok(sim, "set_user_email", OPERATOR, userId=names["operator"], body={"email": "opal@customer.example"})
    names["mail"], names["email_code"] = len(sim.mail), sim.mail[-1].code
    for name, token in (("nonce", USER), ("registration", ADMIN)):
        made = ok(sim, "reserve_handle", token, body={"handle": f"Reserved {name}"})
        names[name] = made["reservationToken"]
    ok(sim, "set_user_property", USER, userId=names["user"], key="colour", body={"is": "blue"})
    ok(sim, "set_user_image", USER, userId=names["user"], body=PNG, content_type="image/png")
    made = ok(sim, "create_gateway_endpoint", USER, userId=names["user"], body={"kind": "RTMP"})
    names["source"] = made["uuid"]
    made = ok(sim, "create_predefined_user", API_TOKEN, body={"name": "Pia Predefined", "originId": "hr-1"})
    names["predefined"] = made["id"]
    ok(sim, "create_invitation", userId=made["id"])
    names["uninvited"] = ok(sim, "create_predefined_user", API_TOKEN, body={"name": "Ulla Uninvited"})["id"]
    names["identity_token"] = hs(CLAIMS)


def _belongings_of_the_client(sim: Simulator, names: Names) -> None:
    """Templates, an app session with a log, media, an API token, an events endpoint, providers, origins."""
    names["template"] = ok(sim, "create_template", body={"name": "Template"})["id"]
    ok(sim, "set_template_state", templateId=names["template"], state="enable")
    names["unused_template"] = ok(sim, "create_template", body={"name": "Unused"})["id"]
    body = {"started": 1, "url": "https://app.example", "channel": ROOM}
    names["app_session"] = ok(sim, "create_app_session", USER, clientId=CUSTOMER, body=body)["id"]
    link = {"channelUuid": ROOM, "channelSession": names["past_session"]}
    ok(sim, "link_app_session_to_channel_session", USER, appSession=names["app_session"], **link)
    ok(sim, "add_app_session_log", USER, appSession=names["app_session"], body={"time": 1, "data": "begun"})
    names["client_media"] = ok(sim, "upload_client_media", name="file.txt", body=b"bytes")["id"]
    names["api_token"] = ok(sim, "create_api_token", body={"label": "second"})["id"]
    names["endpoint"] = ok(sim, "add_events_endpoint", body={"url": "https://hooks.example/all"})["id"]
    ok(sim, "set_events_state", state="enable")
    ok(sim, "upload_client_media", name="notes.txt", body=b"bytes")
    names["delivery"], names["event"] = sim.webhooks[-1].id, 1
    ok(sim, "set_events_state", state="disable")
    ok(sim, "set_config", body={"theme": {"colour": "blue"}})


def _belongings_of_the_room(sim: Simulator, names: Names) -> None:
    """Media, a property, a PIN, a number, a friendly URL, a template, a linked user, a call."""
    names["media"] = ok(sim, "upload_channel_media", OWNER, uuid=ROOM, name="file.txt", body=b"bytes")["id"]
    ok(sim, "set_channel_property", OWNER, uuid=ROOM, key="colour", body={"is": "blue"})
    ok(sim, "set_channel_image", OWNER, uuid=ROOM, body=PNG, content_type="image/png")
    ok(sim, "add_dial_pin", OWNER, uuid=ROOM, body={"pin": "1234"})
    ok(sim, "assign_dial_number", OWNER, uuid=ROOM, number="+12025550123")
    ok(sim, "set_friendly_urls_state", state="enable")
    ok(sim, "set_channel_friendly_url", OWNER, uuid=ROOM, body={"url": "demo-room"})
    ok(sim, "select_channel_template", OWNER, uuid=ROOM, templateId=names["template"])
    ok(sim, "set_presenters_limit", OWNER, uuid=ROOM, limit=2)
    made = ok(sim, "create_linked_user", OWNER, uuid=ROOM, body={"handle": "Lina Linked"})
    names["linked"] = made["id"]
    made = ok(sim, "dial_unregistered_user", OWNER, uuid=ROOM, body={"number": "+12025550199", "name": "Pat"})
    sim.calls.hang_up(made["id"])
    names["call"] = CALLS.seen(sim.service.world, CUSTOMER).all[0].id


def _breakout(sim: Simulator, names: Names) -> None:
    """A breakout session of the event room, prepared, with a room that the user is assigned to."""
    made = ok(sim, "create_breakout_session", OWNER, uuid=EVENT_ROOM, body={"duration": 600_000})
    names["breakout"] = made["id"]
    breakout = {"uuid": EVENT_ROOM, "breakoutSession": names["breakout"]}
    names["breakout_room"] = ok(sim, "create_breakout_room", OWNER, **breakout, body={})["id"]
    ok(
        sim,
        "add_breakout_participant",
        OWNER,
        **breakout,
        breakoutRoom=names["breakout_room"],
        userId=names["user"],
    )
