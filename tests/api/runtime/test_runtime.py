"""Switches of a running channel, its limits and populations, active channels."""

from __future__ import annotations

import pytest

from kit import ADMIN, EVENT_ROOM, GUEST, OPERATOR, OWNER, ROOM, USER, code, demo
from kit.things.runtime import ABLE, CALLERS, SWITCHES, settings

WORDS = [
    pytest.param(operation, word, id=f"{operation}-{word}") for operation, words, _, _ in SWITCHES for word in words
]


def details(sim, uuid=ROOM):
    """The details of the channel."""
    return sim.call("get_channel", OWNER, uuid=uuid).body


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


@pytest.mark.rule("R400", "R401", "R402")
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
    reported = settings(sim)
    assert (reported["midi"], reported["eventRoom"], reported["disableWall"]) == (True, True, True)


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
    """It shows mode, names, who is inside, and whether the caller owns the channel."""
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
