"""Calls after which each machine has a record in each of its states, and each kind of event has happened."""

from __future__ import annotations

from collections.abc import Mapping

from confsim import Simulator
from kit import ADMIN, CUSTOMER, EVENT_ROOM, OPERATOR, OTHER, OTHER_ADMIN, OWNER, PARTNER_ADMIN, ROOM, USER, ok
from kit.growth.prepared import PNG, Names

_GB = "+442079460123"
_PHONE = "+12025550198"

#: States that no call leads to, by machine and state, with the reason.
UNREACHED: Mapping[tuple[str, str], str] = {
    ("client default midi", "on"): "no operation sets the default of a client",
}


def stand(sim: Simulator, names: Names) -> None:
    """Leave every machine in every state behind, but for those that ``happenings.timers`` leaves."""
    _of_clients(sim, names)
    _of_channels(sim)
    _of_rooms(sim)
    _of_runtime(sim, names)
    _of_belongings(sim)
    _of_fields(sim, names)


def _of_clients(sim: Simulator, names: Names) -> None:
    """A client whose service is off, defaults of clients, terms, a user whose new address waits."""
    disabled = ok(sim, "create_client", PARTNER_ADMIN, body={"name": "Disabled Customer"})["id"]
    ok(sim, "set_client_service_state", PARTNER_ADMIN, clientId=disabled, state="disable")
    for state in ("disable", "enable"):
        ok(sim, "set_client_service_state", PARTNER_ADMIN, clientId=CUSTOMER, state=state)
    for operation in ("set_friendly_urls_state", "set_handle_uniqueness"):
        ok(sim, operation, OTHER_ADMIN, state="disable")
    for operation in ("set_client_speech2text_state", "set_client_dial_in_state", "set_client_dial_out_state"):
        ok(sim, operation, state="enable")
    sim.control("change_record", "client", OTHER, termsRequired=True)
    ok(sim, "promulgate_terms", OTHER_ADMIN, body={"url": "https://terms.example"})
    ok(sim, "promulgate_terms", ADMIN, body={"url": "https://terms.example/other"})
    version = ok(sim, "get_client_terms", None, clientId=CUSTOMER)["version"]
    for token in (OWNER, OPERATOR, USER, ADMIN):
        sim.call("accept_terms", token, version=version)
    ok(sim, "set_user_email", OWNER, userId=names["owner"], body={"email": "renewed@customer.example"})


def _of_channels(sim: Simulator) -> None:
    """A channel with every switch on, one with guest access off, and an event room that is deleted with its room."""
    for operation, state in (
        ("set_wall_state", "disable"),
        ("set_attendees_state", "mute"),
        ("set_midi_state", "enable"),
        ("set_lobby_auto_close", "enable"),
        ("set_lobby_door", "close"),
        ("set_lobby_door", "open"),
        ("set_presenters_limit", ""),
    ):
        given = {"state": state} if state else {"limit": 3}
        ok(sim, operation, OWNER, uuid=ROOM, **given)
    for operation in ("set_speech2text_state", "set_dial_in_state", "set_dial_out_state", "set_broadcast_state"):
        for channel in (ROOM, EVENT_ROOM):
            ok(sim, operation, uuid=channel, state="enable")
    private = ok(sim, "create_channel", OWNER, body={"name": "No guests"})["channelUuid"]
    ok(sim, "set_guest_access", OWNER, uuid=private, state="disable")
    gone = ok(sim, "create_channel", OWNER, body={"name": "Gone"})["channelUuid"]
    ok(sim, "set_event_room_state", OWNER, uuid=gone, state="enable")
    made = ok(sim, "create_breakout_session", OWNER, uuid=gone, body={})["id"]
    ok(sim, "create_breakout_room", OWNER, uuid=gone, breakoutSession=made, body={})
    ok(sim, "start_breakout_session", OWNER, uuid=gone)
    ok(sim, "delete_channel", OWNER, uuid=gone)


def _of_rooms(sim: Simulator) -> None:
    """A breakout session that is over, one that is active with a user in one of two rooms, and one that is prepared."""
    place = ok(sim, "create_channel", OWNER, body={"name": "Breakouts"})["channelUuid"]
    ok(sim, "set_event_room_state", OWNER, uuid=place, state="enable")
    ok(sim, "add_operator", OWNER, uuid=place, userId=sim.control("get_info").tokens[USER].userId)
    for name in ("over", "running", "planned"):
        breakout = {"uuid": place}
        breakout["breakoutSession"] = ok(sim, "create_breakout_session", OWNER, **breakout, body={"name": name})["id"]
        breakout["breakoutRoom"] = ok(sim, "create_breakout_room", OWNER, **breakout, body={"name": name})["id"]
        user = sim.control("get_info").tokens[USER].userId
        ok(sim, "add_breakout_participant", OWNER, **breakout, userId=user)
        if name == "running":
            rooms = {"uuid": place, "breakoutSession": breakout["breakoutSession"]}
            ok(sim, "create_breakout_room", OWNER, **rooms, body={"name": "empty"})
        if name == "planned":
            return
        for token in (OWNER, USER):
            sim.presence.join(place, token)
        ok(sim, "start_breakout_session", OWNER, uuid=place)
        if name == "over":
            ok(sim, "stop_breakout_session", OWNER, uuid=place)


def _of_runtime(sim: Simulator, names: Names) -> None:
    """A presenter, a live stream that is on air and one that is over, a recording in progress, calls in each state."""
    for channel in (ROOM, EVENT_ROOM):
        ok(sim, "set_lobby_door", OWNER, uuid=channel, state="open")
        for token in (OWNER, OPERATOR, USER):
            sim.presence.join(channel, token)
    sim.presence.present(EVENT_ROOM, names["user"])
    made = ok(sim, "add_broadcast_destination", OWNER, channel=EVENT_ROOM, body={"destination": "rtmp://live.example"})
    ok(sim, "start_broadcast", OPERATOR, uuid=EVENT_ROOM)
    sim.clock.advance("10s")
    ok(sim, "stop_broadcast", OPERATOR, uuid=EVENT_ROOM)
    ok(sim, "start_broadcast", OPERATOR, uuid=EVENT_ROOM)
    sim.clock.advance("10s")
    ok(
        sim,
        "set_broadcast_destination_state",
        OWNER,
        channel=EVENT_ROOM,
        destinationId=made["id"],
        state="disable",
    )
    ok(sim, "start_recording", OPERATOR, uuid=EVENT_ROOM)
    for name, act in (("answered", sim.calls.answer), ("busy", sim.calls.busy), ("failed", sim.calls.fail)):
        body = {"number": _PHONE, "name": f"Phone {name}"}
        act(ok(sim, "dial_unregistered_user", OWNER, uuid=ROOM, body=body)["id"])


def _of_belongings(sim: Simulator) -> None:
    """Templates, media, numbers, invitations and endpoints in each state."""
    for state in ("inheritable", "disabled"):
        template = ok(sim, "create_template", body={"name": f"Template {state}"})["id"]
        if state == "inheritable":
            ok(sim, "set_template_inheritance", templateId=template, state="allow")
        ok(sim, "set_template_state", templateId=template, state="enable" if state == "inheritable" else "disable")
    ok(sim, "upload_client_media", name="public.txt", body=b"bytes", read="public")
    ok(sim, "delete_client_media", mediaId=ok(sim, "upload_client_media", name="gone.txt", body=b"bytes")["id"])
    sim.control("make_number", clientId=CUSTOMER, number="+12025550177")
    ok(sim, "assign_exclusive_dial_number", OWNER, uuid=ROOM, number="+12025550177")
    ok(sim, "set_inbound_number_state", number=_GB, state="disable")
    invited = ok(sim, "create_predefined_user", body={"name": "Rita Redeemed"})["id"]
    sim.control("redeem_invitation", code=ok(sim, "create_invitation", userId=invited)["code"])
    guest = ok(sim, "create_guest", None, clientId=CUSTOMER, uuid=ROOM, body={"handle": "Rex Guest"})["token"]
    reserved = ok(sim, "reserve_handle", guest, body={"handle": "Rex"})["reservationToken"]
    ok(sim, "create_user", guest, token=reserved, body={})
    made = ok(sim, "add_events_endpoint", body={"url": "https://inactive.example/"})
    ok(sim, "update_events_endpoint", id=made["id"], body={"active": False})


def _of_fields(sim: Simulator, names: Names) -> None:
    """Other values than the defaults in the fields that the calls before leave as they are made."""
    user, channel = names["user"], ok(sim, "create_channel", OWNER, body={"name": "Fields"})["channelUuid"]
    ok(sim, "set_user_languages", USER, userId=user, body={"languages": ["de-CH", "en"]})
    sim.control("change_record", "user", str(user), follow=[names["owner"]])
    sim.control("change_record", "channel", channel, populationLimit=50, publicPIN=True)
    sim.control("change_record", "session", names["session"], groupId="a group")
    ok(sim, "set_dial_in_state", uuid=channel, state="enable")
    ok(sim, "add_dial_pin", OWNER, uuid=channel, body={"pin": "4711", "organizer": True})
    code = ok(sim, "assign_dial_number", OWNER, uuid=channel, number="+12025550123")["code"]
    sim.calls.dial_in("+12025550123", code=code, pin="4711")
    callee = ok(sim, "create_predefined_user", body={"name": "Cleo Callee"})["id"]
    dialled = {"number": f"{_PHONE},12#", "sipUserId": callee, "whisper": True}
    ok(sim, "dial_registered_user", OWNER, uuid=ROOM, body=dialled)
    labelled = {"destination": "rtmp://labelled.example", "label": "Label"}
    ok(sim, "add_broadcast_destination", OWNER, channel=EVENT_ROOM, body=labelled)
    described = {"body": b"bytes", "name": "described.txt", "description": "A file"}
    for where, more in (("client", {}), ("channel", {"uuid": channel})):
        made = ok(sim, f"upload_{where}_media", OWNER if more else ADMIN, **more, **described)["id"]
        sim.control("change_record", "media", made, tags=["a", "b"])
    sim.control("issue_token", clientId=CUSTOMER, kind="api", ttl="90d")
    key = {"algorithm": "HS256", "key": "a secret of thirty-two characters", "claims": {"originId": "id"}}
    issued = {"issuer": "https://issuer.example", "audience": "confsim"}
    sim.control("make_validator", clientId=CUSTOMER, validatorId="all-fields", **key, **issued)
    room = next(each.id for each in sim.control("list_records", kind="room channels", limit=1).records)
    ok(sim, "set_channel_description", OWNER, uuid=room, body={"description": "A room"})
    ok(sim, "set_presenters_limit", OWNER, uuid=room, limit=3)
    ok(sim, "set_attendees_state", OWNER, uuid=room, state="mute")
    ok(sim, "set_lobby_auto_close", OWNER, uuid=room, state="enable")
    ok(sim, "set_broadcast_state", uuid=room, state="enable")
    ok(sim, "set_channel_image", OWNER, uuid=room, body=PNG, content_type="image/png")
    sim.control("change_record", "channel", room, populationLimit=50, publicPIN=True)
    app = ok(sim, "create_app_session", USER, clientId=CUSTOMER, body={"url": "https://app.example", "started": 2})[
        "id"
    ]
    ok(sim, "add_app_session_log", USER, appSession=app, body={"time": 1, "data": "noted", "index": 7})
