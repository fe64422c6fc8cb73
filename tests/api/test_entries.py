"""Entries about what the documents leave open where two things meet: each alternative, by what it shows."""

from __future__ import annotations

import pytest

from confsim.domain.users.users import USERS
from kit import ADMIN, API_TOKEN, CUSTOMER, EVENT_ROOM, OPERATOR, OWNER, ROOM, USER, code, demo, ok


def me(sim, token):
    """The id of the user whose token it is."""
    return ok(sim, "get_me", token)["id"]


def places(sim, user):
    """The channels in which the user is."""
    return {channel for channel in (ROOM, EVENT_ROOM) if user in {each.userId for each in sim.presence(channel)}}


@pytest.mark.rule("R170", "R159")
@pytest.mark.parametrize(("choice", "place"), [("first", 0), ("last", -1)])
def test_who_is_found_of_several_with_the_same_handle_or_address(choice, place):
    """The user who was created first, or last; an address is found without case, a pending one never."""
    sim = demo(users__several_found=choice)
    ok(sim, "set_handle_uniqueness", state="disable")
    for token in (USER, OPERATOR):
        ok(sim, "set_user_handle", token, userId="me", body={"handle": "Neo"})
        ok(sim, "set_user_email", token, userId="me", body={"email": "neo@customer.example"})
        ok(sim, "verify_user_email", token, userId=me(sim, token), code=sim.mail[-1].code)
    expected = sorted(me(sim, token) for token in (USER, OPERATOR))[place]
    assert ok(sim, "find_user_by_handle", API_TOKEN, handle="Neo")["id"] == expected
    assert ok(sim, "find_user_by_email", API_TOKEN, email="NEO@customer.example")["id"] == expected


@pytest.mark.rule("R023")
@pytest.mark.parametrize(("choice", "found"), [("names", 0), ("descriptions", 1)])
def test_what_a_search_looks_at(choice, found):
    """Names, or descriptions too."""
    sim = demo(lists__searched=choice)
    ok(sim, "set_channel_description", OWNER, uuid=ROOM, body={"description": "All about Zebras"})
    ok(sim, "set_user_description", ADMIN, userId="me", body={"description": "Feeds zebras"})
    assert ok(sim, "list_channels", search="zebra")["total"] == found
    assert ok(sim, "list_users", search="zebra")["total"] == found
    assert ok(sim, "list_channels", search="demo")["total"] > 0


@pytest.mark.rule("R355", "R467")
@pytest.mark.parametrize(
    ("choice", "without_rooms", "without_users"),
    [("starts", 200, 200), ("needs-rooms", 409, 200), ("needs-rooms-and-users", 409, 409)],
)
def test_a_breakout_session_that_is_started_empty(choice, without_rooms, without_users):
    """Without rooms, with rooms and nobody in the event room, and with both."""
    for rooms, users, status in ((0, 1, without_rooms), (1, 0, without_users), (1, 1, 200)):
        sim = demo(breakout__start_empty=choice)
        made = ok(sim, "create_breakout_session", OWNER, uuid=EVENT_ROOM, body={"name": "Groups"})["id"]
        if rooms:
            ok(sim, "create_breakout_room", OWNER, uuid=EVENT_ROOM, breakoutSession=made, body={"name": "One"})
        if users:
            sim.presence.join(EVENT_ROOM, OWNER)
        answer = sim.call("start_breakout_session", OWNER, uuid=EVENT_ROOM)
        assert answer.status // 100 == status // 100
        assert answer.ok or code(answer) == (status, "breakout_not_prepared")


@pytest.mark.rule("R339")
@pytest.mark.parametrize(("choice", "rooms"), [("stays", {ROOM, EVENT_ROOM}), ("leaves", {EVENT_ROOM})])
def test_a_user_who_enters_a_second_channel(choice, rooms):
    """Is in both, or leaves the first, whose session ends with its last user."""
    sim = demo(presence__elsewhere=choice)
    user = me(sim, OWNER)
    session = sim.presence.join(ROOM, OWNER).session
    sim.presence.join(EVENT_ROOM, OWNER)
    assert places(sim, user) == rooms
    assert ("ended" in ok(sim, "get_session", sessionId=session)) is (ROOM not in rooms)


@pytest.mark.rule("R349", "R351")
@pytest.mark.parametrize(("choice", "left"), [("stay", 2), ("revoked", 1)])
def test_presenters_beyond_a_lowered_limit(choice, left):
    """All stay, or the latest to join lose the status."""
    sim = demo(presenters__lowered_limit=choice)
    ids = [me(sim, token) for token in (OWNER, OPERATOR)]
    for token, user in zip((OWNER, OPERATOR), ids, strict=True):
        sim.presence.join(ROOM, token)
        sim.presence.present(ROOM, user)
    ok(sim, "set_presenters_limit", OWNER, uuid=ROOM, limit=1)
    assert [each.userId for each in sim.presence(ROOM) if each.presenter] == ids[:left]


@pytest.mark.rule("R499", "R500")
@pytest.mark.parametrize("choice", [True, False])
def test_whether_recording_is_possible_without_a_session(choice):
    """Addresses decide alone, or a session is needed too."""
    sim = demo(recordings__possible_without_session=choice)
    assert ok(sim, "check_record_possible", OWNER, uuid=ROOM) == {"possible": choice}
    sim.presence.join(ROOM, OWNER)
    assert ok(sim, "check_record_possible", OWNER, uuid=ROOM) == {"possible": True}


@pytest.mark.rule("R545", "R206")
@pytest.mark.parametrize(("choice", "hosts"), [("none", False), ("operator", True)])
def test_what_a_former_owner_is(choice, hosts):
    """Nothing in the channel, or an operator of it."""
    sim = demo(roles__former_owner=choice)
    user = me(sim, USER)
    ok(sim, "add_owner", OWNER, uuid=ROOM, userId=user)
    ok(sim, "remove_owner", OWNER, uuid=ROOM, userId=user)
    listed = {each["id"]: each["isOwner"] for each in ok(sim, "list_operators", OWNER, uuid=ROOM)}
    assert (user in listed) is hosts
    assert listed.get(user, False) is False


@pytest.mark.rule("R201", "R545")
@pytest.mark.parametrize(("choice", "refusal"), [("any", None), ("registered", "not_registered")])
@pytest.mark.parametrize("operation", ["add_operator", "add_owner"])
def test_whether_guests_can_be_hosts(choice, refusal, operation):
    """Any user, or registered ones only."""
    sim = demo(roles__temporary_hosts=choice)
    guest = ok(sim, "create_guest", None, clientId=CUSTOMER, uuid=ROOM, body={"handle": "Gus"})["token"]
    answer = sim.call(operation, OWNER, uuid=ROOM, userId=me(sim, guest))
    assert (None if answer.ok else answer.body["code"]) == refusal
    assert sim.call(operation, OWNER, uuid=ROOM, userId=me(sim, USER)).ok


@pytest.mark.rule("R285", "R353")
@pytest.mark.parametrize(("choice", "left"), [("goes-on", 1), ("ends", 0)])
def test_a_session_that_its_last_host_leaves(choice, left):
    """Goes on, or ends with everybody put out; not while another host is inside."""
    sim = demo(sessions__last_host=choice)
    for token in (OWNER, OPERATOR, USER):
        session = sim.presence.join(ROOM, token).session
    sim.presence.leave(ROOM, me(sim, OWNER))
    assert len(sim.presence(ROOM)) == 2
    sim.presence.leave(ROOM, me(sim, OPERATOR))
    assert len(sim.presence(ROOM)) == left
    assert ("ended" in ok(sim, "get_session", sessionId=session)) is not bool(left)


@pytest.mark.rule("R226")
@pytest.mark.parametrize(("choice", "refusal"), [("set", None), ("refused", "friendly_url_taken")])
def test_a_friendly_url_that_is_the_word_of_another_direct_link(choice, refusal):
    """Is set, or refused; the word of the channel's own link is free to it."""
    sim = demo(friendly_urls__direct_links=choice)
    ok(sim, "set_friendly_urls_state", state="enable")
    words = {id: ok(sim, "get_channel", OWNER, uuid=id)["urlName"] for id in (ROOM, EVENT_ROOM)}
    answer = sim.call("set_channel_friendly_url", OWNER, uuid=ROOM, body={"url": words[EVENT_ROOM]})
    assert (None if answer.ok else answer.body["code"]) == refusal
    assert sim.call("set_channel_friendly_url", OWNER, uuid=ROOM, body={"url": words[ROOM]}).ok


@pytest.mark.rule("R498", "R290")
@pytest.mark.parametrize(("choice", "status"), [("stays", 200), ("removed", 404)])
def test_the_user_of_a_phone_whose_call_is_over(choice, status):
    """Stays readable, or is removed; the past session keeps the handle in any case."""
    sim = demo(dial__users_after_call=choice)
    ok(sim, "set_dial_out_state", ADMIN, uuid=ROOM, state="enable")
    session = sim.presence.join(ROOM, OWNER).session
    body = {"number": "+31201234567", "name": "Phil"}
    phone = ok(sim, "dial_unregistered_user", OWNER, uuid=ROOM, body=body)["id"]
    assert sim.call("get_user", API_TOKEN, userId=phone).ok
    sim.call("end_active_session", OWNER, uuid=ROOM)
    assert sim.call("get_user", API_TOKEN, userId=phone).status == status
    shown = [each["handle"] for each in ok(sim, "list_session_participants", sessionId=session)]
    assert shown == ["Olaf Owner", "Phil"]
    assert (phone in USERS.of(sim.service.change(), CUSTOMER)) is (status == 200)


@pytest.mark.rule("R395", "R274")
@pytest.mark.parametrize(("choice", "refusal"), [("gate", None), ("entrance", "guest_access_off")])
def test_who_gets_the_address_of_the_streaming_server(choice, refusal):
    """Whom the gate admits, or only users whom the channel would let in."""
    sim = demo(streaming__proxy_for=choice)
    guest = ok(sim, "create_guest", None, clientId=CUSTOMER, uuid=ROOM, body={"handle": "Gus"})["token"]
    assert sim.call("get_streaming_proxy", guest, uuid=ROOM).ok
    ok(sim, "set_guest_access", OWNER, uuid=ROOM, state="disable")
    answer = sim.call("get_streaming_proxy", guest, uuid=ROOM)
    assert (None if answer.ok else answer.body["code"]) == refusal
    assert sim.call("get_streaming_proxy", OWNER, uuid=ROOM).ok


@pytest.mark.rule("R246", "R189")
def test_a_gate_that_needs_no_thing_comes_before_what_is_looked_up():
    """A user learns nothing of the ids in another system, whether there is such an id or not."""
    sim = demo()
    ok(sim, "create_predefined_user", body={"name": "Rita", "originId": "r1"})
    for origin in ("r1", "nobody"):
        assert code(sim.call("find_predefined_user", USER, originId=origin)) == (403, "role_missing")
    assert sim.call("find_predefined_user", API_TOKEN, originId="nobody").status == 404


@pytest.mark.rule("R221", "R404", "R405", "R403", "R348")
@pytest.mark.parametrize(
    ("passes", "statuses"),
    [
        (None, {"set_midi_state": 403, "set_speech2text_state": 200, "set_lobby_auto_close": 200}),
        (
            ["customer-admin", "owner", "operator", "access"],
            {"set_midi_state": 200, "set_speech2text_state": 200, "set_lobby_auto_close": 200},
        ),
        (["customer-admin"], {"set_midi_state": 403, "set_speech2text_state": 200, "set_lobby_auto_close": 403}),
        ([], {"set_midi_state": 403, "set_speech2text_state": 403, "set_lobby_auto_close": 403}),
    ],
)
def test_an_api_token_does_not_outrank_what_is_reserved(passes, statuses):
    """It administers and hosts, and does not own; by choice it owns too, or administers only, or neither."""
    sim = demo() if passes is None else demo(roles__api_token_passes=passes)
    for operation, status in statuses.items():
        assert sim.call(operation, API_TOKEN, uuid=ROOM, state="enable").status == status
    assert sim.call("set_midi_state", OWNER, uuid=ROOM, state="enable").ok
