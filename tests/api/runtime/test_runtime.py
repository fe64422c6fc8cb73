"""The running of a channel: lobby, switches, populations, streaming addresses."""

from __future__ import annotations

import pytest

from kit import ADMIN, API_TOKEN, CUSTOMER, EVENT_ROOM, GUEST, OPERATOR, OWNER, ROOM, USER, code, demo

#: Every switch: operation, its words with the state of the flag, the field of the settings, who may turn it.
SWITCHES = [
    ("set_wall_state", {"enable": False, "disable": True}, "disableWall", {OWNER, OPERATOR, API_TOKEN}),
    ("set_lobby_door", {"open": True, "close": False}, "open", {OWNER, OPERATOR, API_TOKEN}),
    ("set_lobby_auto_close", {"enable": True, "disable": False}, "autoClose", {OWNER, OPERATOR, API_TOKEN}),
    ("set_attendees_state", {"mute": True, "unmute": False}, "muteAttendees", {OWNER, OPERATOR, API_TOKEN}),
    ("set_speech2text_state", {"enable": True, "disable": False}, "speech2text", {ADMIN, API_TOKEN}),
    ("set_midi_state", {"enable": True, "disable": False}, "midi", {OWNER, API_TOKEN}),
    ("set_event_room_state", {"enable": True, "disable": False}, "eventRoom", {OWNER, API_TOKEN}),
]
ABLE = {operation: min(callers - {API_TOKEN}) for operation, _, _, callers in SWITCHES}
CALLERS = (OWNER, OPERATOR, USER, GUEST, ADMIN, API_TOKEN)
WORDS = [
    pytest.param(operation, word, id=f"{operation}-{word}") for operation, words, _, _ in SWITCHES for word in words
]


def settings(sim, uuid=ROOM):
    """The settings of the channel."""
    return sim.call("get_channel_settings", OWNER, uuid=uuid).body


def details(sim, uuid=ROOM):
    """The details of the channel."""
    return sim.call("get_channel", OWNER, uuid=uuid).body


def states(sim, uuid=ROOM):
    """Where everybody is."""
    return {each.userId: each.state for each in sim.presence(uuid)}


# Switches


@pytest.mark.rule("R042", "R345", "R352", "R400", "R401", "R402", "R346", "R347", "R343")
@pytest.mark.parametrize(("operation", "words", "field", "callers"), SWITCHES)
def test_a_switch_shows_in_the_settings_of_its_channel_alone(sim, operation, words, field, callers):
    """Each word sets the flag, setting it again changes nothing, and the other channel keeps its own."""
    other = settings(sim, EVENT_ROOM)[field]
    for word, value in [*words.items(), *words.items()]:
        for _ in range(2):
            answer = sim.call(operation, ABLE[operation], uuid=ROOM, state=word)
            assert (answer.status, answer.content) == (200, b"")
            assert settings(sim)[field] is value
    assert settings(sim, EVENT_ROOM)[field] is other


@pytest.mark.rule("R042", "R400", "R401", "R402")
@pytest.mark.parametrize("word", ["on", "Enable", "enabled", "open", "mute", "enable", "true", ""])
@pytest.mark.parametrize(("operation", "words", "field", "callers"), SWITCHES)
def test_a_switch_takes_its_own_words_alone(sim, operation, words, field, callers, word):
    """Another word is a 400 that changes nothing, however well another call takes it."""
    before = settings(sim)
    if word not in words:
        answer = sim.call(operation, ABLE[operation], uuid=ROOM, state=word)
        assert code(answer) == (400, "invalid_state")
        assert settings(sim) == before


@pytest.mark.rule("R348", "R403", "R404", "R405", "R535", "R536", "R537")
@pytest.mark.parametrize("caller", CALLERS)
@pytest.mark.parametrize(("operation", "words", "field", "callers"), SWITCHES)
def test_who_may_turn_a_switch(sim, operation, words, field, callers, caller):
    """Hosts moderate, owners enable what is the owner's, Customer Admins what may be charged; others get 403."""
    word = next(iter(words))
    assert sim.call(operation, caller, uuid=ROOM, state=word).status == (200 if caller in callers else 403)


@pytest.mark.parametrize(("operation", "word"), WORDS)
def test_a_state_that_holds_can_be_refused(operation, word):
    """By assumption, setting a state that holds already is a conflict."""
    sim = demo(states__repeated="refuse")
    sim.call(operation, ABLE[operation], uuid=ROOM, state=word)
    answer = sim.call(operation, ABLE[operation], uuid=ROOM, state=word)
    assert code(answer) == (409, "state_holds")


@pytest.mark.parametrize(("operation", "word"), WORDS)
def test_a_switch_needs_a_channel_of_the_client(sim, operation, word):
    """The channel of another client is not there."""
    assert sim.call(operation, "demo-other-admin", uuid=ROOM, state=word).status == 404


@pytest.mark.rule("R263", "R267", "R273")
def test_details_agree_with_the_settings(sim):
    """isMidi, isEventRoom and disableWall of the details follow the switches."""
    for operation, word in [
        ("set_midi_state", "enable"),
        ("set_event_room_state", "enable"),
        ("set_wall_state", "disable"),
    ]:
        sim.call(operation, OWNER, uuid=ROOM, state=word)
    shown = details(sim)
    assert (shown["isMidi"], shown["isEventRoom"], shown["disableWall"]) == (True, True, True)
    told = settings(sim)
    assert (told["midi"], told["eventRoom"], told["disableWall"]) == (True, True, True)


@pytest.mark.rule("R352")
def test_a_switch_leaves_the_default_of_the_client(sim):
    """Switching a feature on for a channel changes nothing for the client's new channels."""
    before = sim.call("get_client_settings", ADMIN).body
    sim.call("set_midi_state", OWNER, uuid=ROOM, state="enable")
    sim.call("set_speech2text_state", ADMIN, uuid=ROOM, state="enable")
    assert sim.call("get_client_settings", ADMIN).body == before


@pytest.mark.rule("R206")
def test_a_removed_operator_moderates_no_more(sim, people):
    """The lock is refused at the very next call."""
    assert sim.call("set_attendees_state", OPERATOR, uuid=ROOM, state="mute").ok
    sim.call("remove_operator", OWNER, uuid=ROOM, userId=people[OPERATOR])
    assert sim.call("set_attendees_state", OPERATOR, uuid=ROOM, state="unmute").status == 403


def test_midi_may_need_a_token():
    """By assumption, midi is enabled only where the channel has a premium token."""
    sim = demo(flags__midi_token="needs-premium")
    assert sim.call("set_midi_state", OWNER, uuid=ROOM, state="enable").body["code"] == "midi_needs_token"
    sim.change_record("channel", ROOM, premium=True)
    assert sim.call("set_midi_state", OWNER, uuid=ROOM, state="enable").ok


# Presenters limit


@pytest.mark.rule("R349", "R350")
def test_the_presenters_limit_is_set_and_lifted(sim):
    """The limit shows in the settings until it is removed; removing it twice is no error."""
    for limit in (3, 0, 2**31 - 1):
        assert sim.call("set_presenters_limit", OPERATOR, uuid=ROOM, limit=limit).content == b""
        assert settings(sim)["presentersLimit"] == limit
    for _ in range(2):
        assert sim.call("remove_presenters_limit", OPERATOR, uuid=ROOM).status == 200
        assert "presentersLimit" not in settings(sim)


@pytest.mark.rule("R349")
@pytest.mark.parametrize("limit", ["-1", "many", "1.5", str(2**31), str(2**70), ""])
def test_a_presenters_limit_is_a_number(sim, limit):
    """Negative, huge and other limits are refused."""
    assert sim.call("set_presenters_limit", OWNER, uuid=ROOM, limit=limit).status == 400
    assert "presentersLimit" not in settings(sim)


@pytest.mark.rule("R009")
def test_the_limit_is_not_taken_from_the_query(sim):
    """A limit sent as a query parameter reaches no operation and changes nothing."""
    answer = sim.client(OWNER).post(f"/channels/{ROOM}/settings/presenters/limit?limit=3")
    assert answer.status_code == 405
    assert "presentersLimit" not in settings(sim)


@pytest.mark.parametrize(
    ("meaning", "status", "limit"), [("nobody", 200, 0), ("unlimited", 200, None), ("refuse", 400, 9)]
)
def test_what_zero_presenters_mean(meaning, status, limit):
    """A limit of 0 keeps everybody from presenting, lifts the limit, or is refused."""
    sim = demo(presenters__zero=meaning)
    sim.call("set_presenters_limit", OWNER, uuid=ROOM, limit=9)
    assert sim.call("set_presenters_limit", OWNER, uuid=ROOM, limit=0).status == status
    assert settings(sim).get("presentersLimit") == limit


@pytest.mark.parametrize("operation", ["set_presenters_limit", "remove_presenters_limit"])
@pytest.mark.parametrize("caller", [USER, GUEST, ADMIN])
def test_hosts_alone_limit_presenters(sim, operation, caller):
    """Others are refused."""
    path = {"limit": 1} if operation == "set_presenters_limit" else {}
    assert sim.call(operation, caller, uuid=ROOM, **path).status == 403


def test_lifting_no_limit_can_be_refused():
    """By assumption, there must be a limit to be removed."""
    sim = demo(delete__empty_slot="refuse")
    assert sim.call("remove_presenters_limit", OWNER, uuid=ROOM).status == 404


@pytest.mark.rule("R351")
def test_the_host_grants_and_revokes_presenter_status(sim, people):
    """As many as the limit allows are made presenters; a limit lowered later takes nobody's status."""
    for token in (OWNER, USER):
        sim.presence.join(ROOM, token)
    sim.call("set_presenters_limit", OWNER, uuid=ROOM, limit=2)
    assert sim.presence.present(ROOM, people[OWNER]) is True
    assert sim.presence.present(ROOM, people[USER]) is True
    sim.call("set_presenters_limit", OWNER, uuid=ROOM, limit=1)
    assert [each.presenter for each in sim.presence(ROOM)] == [True, True]
    assert sim.presence.present(ROOM, people[USER], presenter=False) is False
    with pytest.raises(Exception, match="No more than 1 users may present"):
        sim.presence.present(ROOM, people[USER])


# The lobby


@pytest.mark.rule("R339", "R340")
def test_the_door_lets_in_or_makes_wait(sim, people):
    """Everyone joins through an open door; at a closed one users wait for an invitation, hosts do not."""
    assert sim.presence.join(ROOM, USER).state == "in"
    sim.call("set_lobby_door", OPERATOR, uuid=ROOM, state="close")
    assert sim.presence.join(ROOM, GUEST).state == "waiting"
    assert sim.presence.join(ROOM, OPERATOR).state == "in"
    assert sim.presence.join(ROOM, OWNER).state == "in"
    assert sim.presence.admit(ROOM, people[GUEST]) == "in"


@pytest.mark.rule("R341")
def test_closing_the_door_removes_nobody(sim, people):
    """Those inside stay, and the session goes on."""
    session = sim.presence.join(ROOM, USER).session
    sim.call("set_lobby_door", OWNER, uuid=ROOM, state="close")
    assert states(sim) == {people[USER]: "in"}
    assert "ended" not in sim.call("get_session", OWNER, sessionId=session).body


@pytest.mark.rule("R339")
@pytest.mark.parametrize(("choice", "state"), [("admit", "in"), ("wait", "waiting")])
def test_who_waits_comes_in_when_the_door_opens(choice, state):
    """Opening admits everybody who waits, or by assumption nobody."""
    sim = demo(lobby__on_open=choice)
    sim.call("set_lobby_door", OWNER, uuid=ROOM, state="close")
    sim.presence.join(ROOM, USER)
    sim.presence.join(ROOM, GUEST)
    sim.call("set_lobby_door", OWNER, uuid=ROOM, state="open")
    assert set(states(sim).values()) == {state}


def test_closing_may_send_attendees_to_the_lobby(people):
    """By assumption, those inside who are no hosts go back to the lobby."""
    sim = demo(lobby__on_close="lobby")
    for token in (OWNER, USER):
        sim.presence.join(ROOM, token)
    sim.call("set_lobby_door", OWNER, uuid=ROOM, state="close")
    assert states(sim) == {people[OWNER]: "in", people[USER]: "waiting"}
    sim.presence.leave(ROOM, people[OWNER])
    assert sim.call("get_populations", OWNER, channelIds=ROOM).body == {}


@pytest.mark.parametrize(("choice", "state"), [("hosts-and-readmitted", "in"), ("hosts", "waiting")])
def test_who_was_inside_comes_back_through_a_closed_door(people, choice, state):
    """In the same session a user who was inside passes again, or by assumption waits like any other."""
    sim = demo(lobby__passes=choice)
    for token in (OWNER, USER):
        sim.presence.join(ROOM, token)
    sim.call("set_lobby_door", OWNER, uuid=ROOM, state="close")
    sim.presence.leave(ROOM, people[USER])
    assert sim.presence.join(ROOM, USER).state == state


@pytest.mark.rule("R342", "R343", "R344")
def test_the_door_closes_whenever_the_channel_becomes_empty(sim, people):
    """With auto-close it closes each time the last user leaves, and no sooner; without it, it stays."""
    sim.call("set_lobby_auto_close", OWNER, uuid=ROOM, state="enable")
    assert settings(sim)["open"] is True
    for _ in range(2):
        for token in (OWNER, USER):
            sim.presence.join(ROOM, token)
        sim.presence.leave(ROOM, people[OWNER])
        assert settings(sim)["open"] is True
        sim.presence.leave(ROOM, people[USER])
        assert settings(sim)["open"] is False
        sim.call("set_lobby_door", OWNER, uuid=ROOM, state="open")
    sim.call("set_lobby_auto_close", OWNER, uuid=ROOM, state="disable")
    sim.presence.join(ROOM, USER)
    sim.presence.leave(ROOM, people[USER])
    assert settings(sim)["open"] is True


@pytest.mark.rule("R342")
def test_ending_the_session_empties_the_channel(sim):
    """Auto-close closes the door too when everybody is disconnected at once."""
    sim.call("set_lobby_auto_close", OWNER, uuid=ROOM, state="enable")
    sim.presence.join(ROOM, USER)
    sim.call("end_active_session", OWNER, uuid=ROOM)
    assert settings(sim)["open"] is False


def test_auto_close_may_close_an_empty_channel_at_once():
    """By assumption, enabling auto-close on an empty channel closes the door."""
    sim = demo(lobby__auto_close_when_empty=True)
    sim.call("set_lobby_auto_close", OWNER, uuid=ROOM, state="enable")
    assert settings(sim)["open"] is False


@pytest.mark.rule("R346", "R347")
@pytest.mark.parametrize(("choice", "muted"), [("all-but-hosts", True), ("all-but-presenters", False)])
def test_the_lock_mutes_attendees(people, choice, muted):
    """Whoever is no host is muted, also who comes later; presenters may be spared. Unmuting ends it."""
    sim = demo(attendees__locked=choice)
    sim.presence.join(ROOM, OWNER)
    sim.call("set_attendees_state", OPERATOR, uuid=ROOM, state="mute")
    sim.presence.join(ROOM, USER)
    sim.presence.present(ROOM, people[USER])
    assert {each.userId: each.muted for each in sim.presence(ROOM)} == {people[OWNER]: False, people[USER]: muted}
    sim.call("set_attendees_state", OPERATOR, uuid=ROOM, state="unmute")
    assert not any(each.muted for each in sim.presence(ROOM))


# TURN credentials


@pytest.mark.rule("R328", "R389")
def test_turn_credentials_are_complete(sim, people):
    """They carry a user name with its end, a password, the time to live in seconds and the addresses."""
    told = sim.call("get_turn_credentials", USER, uuid=ROOM).body
    assert set(told) == {"username", "password", "ttl", "uris"}
    assert told["username"] == f"{1769904000 + told['ttl']}:{people[USER]}"
    assert told["ttl"] == 86_400
    assert all(uri.startswith(("turn:", "turns:")) for uri in told["uris"])


@pytest.mark.parametrize(("choice", "same"), [("fresh", False), ("constant", True)])
def test_turn_credentials_are_fresh_or_constant(choice, same):
    """A later call gets later credentials, or by assumption the same."""
    sim = demo(turn__credentials=choice)
    first = sim.call("get_turn_credentials", USER, uuid=ROOM).body
    sim.clock.advance("1h")
    assert (sim.call("get_turn_credentials", USER, uuid=ROOM).body == first) is same


# Populations


def populations(sim, *ids, caller=USER):
    """The answer for these ids."""
    return sim.call("get_populations", caller, channelIds=",".join(ids))


@pytest.mark.rule("R390", "R391")
def test_populations_count_the_connected_of_live_channels(sim, people):
    """Those inside count, those who wait do not; a channel without a session is left out."""
    assert populations(sim, ROOM, EVENT_ROOM).body == {}
    sim.presence.join(ROOM, OWNER)
    sim.call("set_lobby_door", OWNER, uuid=ROOM, state="close")
    sim.presence.join(ROOM, USER)
    assert populations(sim, ROOM, EVENT_ROOM).body == {ROOM: 1}
    sim.presence.admit(ROOM, people[USER])
    assert populations(sim, EVENT_ROOM, ROOM).body == {ROOM: 2}
    sim.presence.leave(ROOM, people[USER])
    assert populations(sim, ROOM).body == {ROOM: 1}


@pytest.mark.rule("R392")
def test_what_is_no_uuid_is_dropped(sim):
    """The call succeeds with the rest, unknown and foreign channels among what is dropped."""
    sim.presence.join(ROOM, USER)
    unknown = "12345678-1234-4123-8123-123456789012"
    assert populations(sim, "nonsense", ROOM, "", unknown, ROOM[:-1]).body == {ROOM: 1}
    assert populations(sim, ROOM, caller="demo-other-admin").body == {}
    assert populations(sim, "x").body == {}


@pytest.mark.rule("R393")
def test_at_most_200_channels(sim):
    """200 entries are taken; one more is refused, malformed ones counted."""
    sim.presence.join(ROOM, USER)
    assert populations(sim, *["x"] * 199, ROOM).body == {ROOM: 1}
    answer = populations(sim, *["x"] * 200, ROOM)
    assert code(answer) == (400, "too_many_channels")


def test_more_than_200_channels_may_be_cut():
    """By assumption, the first 200 entries are used."""
    sim = demo(populations__too_many="first")
    sim.presence.join(ROOM, USER)
    assert populations(sim, *["x"] * 199, ROOM, "y").body == {ROOM: 1}
    assert populations(sim, *["x"] * 200, ROOM).body == {}


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        ("map", {ROOM: 1}),
        ("list", [{"channelUuid": ROOM, "population": 1}]),
        ("page", {"total": 1, "results": [{"channelUuid": ROOM, "population": 1}]}),
        ("numbers", [1]),
    ],
)
def test_the_shape_of_populations_is_assumed(shape, expected):
    """A map, a list, a page or bare numbers."""
    sim = demo(populations__shape=shape)
    sim.presence.join(ROOM, USER)
    assert populations(sim, ROOM, EVENT_ROOM).body == expected


def test_what_else_of_populations_is_assumed():
    """Idle channels may be 0, unknown ones refused, private ones shown."""
    assert populations(demo(populations__idle="zero"), ROOM).body == {ROOM: 0}
    assert populations(demo(populations__unknown="refuse"), ROOM.replace("a", "c")).status == 404
    for choice, expected in (("omit", {}), ("show", {ROOM: 1})):
        sim = demo(populations__access=choice)
        sim.change_record("channel", ROOM, private=True)
        sim.presence.join(ROOM, OWNER)
        assert populations(sim, ROOM).body == expected


def test_who_waits_may_be_counted():
    """By assumption, the lobby counts too."""
    sim = demo(populations__counts="with-waiting")
    sim.presence.join(ROOM, OWNER)
    sim.call("set_lobby_door", OWNER, uuid=ROOM, state="close")
    sim.presence.join(ROOM, USER)
    assert populations(sim, ROOM).body == {ROOM: 2}


# Streaming addresses


@pytest.mark.rule("R395", "R556")
def test_the_proxy_is_a_websocket_address(sim):
    """The address names the channel, the mode is the service mode of the channel."""
    told = sim.call("get_streaming_proxy", USER, uuid=ROOM).body
    assert told == {"url": f"ws://confsim.test/streaming/{ROOM}", "mode": "conference"}


@pytest.mark.rule("R394", "R556")
def test_a_data_channel_has_a_websocket_address(sim):
    """Any word is a kind of data channel; there is no mode."""
    told = sim.call("get_data_channel", USER, uuid=ROOM, kind="white-board_2").body
    assert told == {"url": f"ws://confsim.test/streaming/{ROOM}/data/white-board_2"}
    assert sim.call("get_data_channel", USER, uuid=ROOM, kind="no kind").status == 404


def test_what_else_of_addresses_is_assumed():
    """Kinds may be fixed, the mode absent, the address another."""
    sim = demo(data__kinds="known")
    assert sim.call("get_data_channel", USER, uuid=ROOM, kind="chat").ok
    assert sim.call("get_data_channel", USER, uuid=ROOM, kind="smell").status == 404
    sim = demo(streaming__mode="absent", streaming__url="wss://stream.example/{channel}")
    assert sim.call("get_streaming_proxy", USER, uuid=ROOM).body == {"url": f"wss://stream.example/{ROOM}"}


@pytest.mark.rule("R396", "R397", "R538")
def test_the_proxy_is_409_while_the_channel_is_being_created(people):
    """From the first request on the channel is being created; when the time is over the address is there."""
    sim = demo(duration__placement="time(2)")
    for _ in range(2):
        answer = sim.call("get_streaming_proxy", USER, uuid=ROOM)
        assert code(answer) == (409, "channel_being_created")
        assert sim.call("list_sessions", OWNER).body["total"] == 0
    sim.clock.advance("1s")
    assert sim.call("get_streaming_proxy", USER, uuid=ROOM).status == 409
    sim.clock.advance("1s")
    assert sim.call("get_streaming_proxy", USER, uuid=ROOM).ok
    sim.presence.join(ROOM, USER)
    sim.presence.leave(ROOM, people[USER])
    assert sim.call("get_streaming_proxy", USER, uuid=ROOM).status == 409


@pytest.mark.rule("R397")
def test_the_proxy_may_be_409_so_many_times():
    """Asked for three times in vain, the fourth request gets the address."""
    sim = demo(duration__placement="manual(3)")
    assert [sim.call("get_streaming_proxy", USER, uuid=ROOM).status for _ in range(5)] == [409, 409, 409, 200, 200]


def test_joining_places_the_channel(people):
    """Somebody who is inside proves that the channel is there."""
    sim = demo(duration__placement="manual(9)")
    assert sim.call("get_streaming_proxy", USER, uuid=ROOM).status == 409
    sim.presence.join(ROOM, USER)
    assert sim.call("get_streaming_proxy", USER, uuid=ROOM).ok


def test_creation_may_begin_with_the_channel():
    """By assumption, a channel is being created from its making on, and never again."""
    sim = demo(duration__placement="time(2)", streaming__being_created="channel-creation")
    assert sim.call("get_streaming_proxy", USER, uuid=ROOM).ok
    made = sim.call("create_channel", OWNER, body={"name": "Fresh"}).body["channelUuid"]
    assert sim.call("get_streaming_proxy", OWNER, uuid=made).status == 409
    sim.clock.advance("2s")
    assert sim.call("get_streaming_proxy", OWNER, uuid=made).ok
    sim = demo(duration__placement="manual(1)", streaming__being_created="channel-creation")
    assert [sim.call("get_streaming_proxy", USER, uuid=ROOM).status for _ in range(2)] == [409, 200]
    sim.call("end_session", OWNER, uuid=ROOM, sessionId=sim.presence.join(ROOM, USER).session)
    assert sim.call("get_streaming_proxy", USER, uuid=ROOM).ok


@pytest.mark.parametrize(("choice", "placing", "idle"), [("address", 200, 200), ("409", 409, 200), ("404", 404, 404)])
def test_data_channels_of_a_channel_that_is_not_placed(choice, placing, idle):
    """The address is there all the same, or not while the channel is being created, or not without a session."""
    sim = demo(duration__placement="time(2)", data__while_created=choice)
    assert sim.call("get_data_channel", USER, uuid=ROOM, kind="chat").status == idle
    sim.call("get_streaming_proxy", USER, uuid=ROOM)
    assert sim.call("get_data_channel", USER, uuid=ROOM, kind="chat").status == placing


def test_asking_for_the_proxy_may_join():
    """By assumption, asking for the address is coming in."""
    sim = demo(presence__joining="proxyfor")
    sim.call("get_streaming_proxy", USER, uuid=ROOM)
    assert set(states(sim).values()) == {"in"}


@pytest.mark.parametrize("operation", ["get_turn_credentials", "get_streaming_proxy", "get_data_channel"])
def test_addresses_are_for_those_with_access(sim, operation):
    """Users of the client, the channel's guests and API tokens get them; not who cannot see a private channel."""
    path = {"kind": "chat"} if operation == "get_data_channel" else {}
    for caller in CALLERS:
        assert sim.call(operation, caller, uuid=ROOM, **path).ok
    assert sim.call(operation, GUEST, uuid=EVENT_ROOM, **path).status == 403
    sim.change_record("channel", ROOM, private=True)
    assert sim.call(operation, USER, uuid=ROOM, **path).status == 403
    assert sim.call(operation, OWNER, uuid=ROOM, **path).ok


@pytest.mark.rule("R540")
@pytest.mark.parametrize(
    ("operation", "path"),
    [
        ("get_streaming_proxy", {"uuid": ROOM}),
        ("get_data_channel", {"uuid": ROOM, "kind": "chat"}),
        ("get_turn_credentials", {"uuid": ROOM}),
        ("get_populations", {"channelIds": ROOM}),
        ("list_active_channels", {}),
        ("get_active_breakout_session", {"uuid": EVENT_ROOM}),
        ("set_presenters_limit", {"uuid": ROOM, "limit": 1}),
        ("remove_presenters_limit", {"uuid": ROOM}),
        *((operation, {"uuid": ROOM, "state": next(iter(words))}) for operation, words, _, _ in SWITCHES),
    ],
)
def test_a_disabled_service_runs_nothing(sim, operation, path):
    """Every call of the running of a channel is a 403 while the client's service is disabled."""
    sim.call("set_client_service_state", "demo-partner-admin", clientId=CUSTOMER, state="disable")
    answer = sim.call(operation, ABLE.get(operation, OWNER), **path)
    assert code(answer) == (403, "service_disabled")


# Active channels


def active(sim, caller=OWNER):
    """The names of the active channels that the caller sees."""
    return [each["channelName"] for each in sim.call("list_active_channels", caller).body]


@pytest.mark.rule("R024", "R398", "R399")
def test_active_channels_come_before_owned_ones(sim):
    """A bare array of the active channels, then the others that the caller owns, each once."""
    assert active(sim) == ["Demo Event Room", "Demo Room"]
    assert active(sim, USER) == []
    sim.presence.join(ROOM, USER)
    assert active(sim) == ["Demo Room", "Demo Event Room"]
    assert active(sim, USER) == ["Demo Room"]
    assert active(sim, "demo-other-admin") == []


@pytest.mark.rule("R256", "R281")
def test_an_active_channel_item(sim, people):
    """It tells mode, names, who is inside, and whether the caller owns the channel."""
    sim.presence.join(ROOM, USER)
    item = sim.call("list_active_channels", USER).body[0]
    assert item == {
        "serviceMode": "conference",
        "description": "A room that admits guests",
        "channelName": "Demo Room",
        "participants": {"total": 1, "users": [{"id": people[USER], "handle": "Uma User"}]},
        "isOwner": False,
        "channelUuid": ROOM,
    }
    assert sim.call("list_active_channels", OWNER).body[0]["isOwner"] is True


def test_what_else_of_active_channels_is_assumed():
    """Participants may be a number, activity mean somebody connected, private channels be seen."""
    sim = demo(active__participants="number")
    sim.presence.join(ROOM, USER)
    assert sim.call("list_active_channels", USER).body[0]["participants"] == 1
    for choice, expected in (("access", []), ("all", ["Demo Room"])):
        sim = demo(active__seen=choice)
        sim.change_record("channel", ROOM, private=True)
        sim.presence.join(ROOM, OWNER)
        assert active(sim, USER) == expected


@pytest.mark.parametrize(("choice", "names"), [("session", ["Demo Room"]), ("connected", [])])
def test_a_session_without_users_is_active_or_not(people, choice, names):
    """While a session outlives its users, the channel is active by session and not by presence."""
    sim = demo(active__when=choice, sessions__end="by-call")
    sim.presence.join(ROOM, USER)
    assert active(sim, USER) == ["Demo Room"]
    sim.presence.leave(ROOM, people[USER])
    assert active(sim, USER) == names
