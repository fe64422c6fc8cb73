from __future__ import annotations

from urllib.parse import quote

import pytest

from confsim import Simulator
from kit import ADMIN, API_TOKEN, GUEST, OPERATOR, OTHER_ADMIN, OWNER, ROOM, USER

PHONE, GB = "+12025550147", "+442079460123"
REGISTERED, UNREGISTERED = "dial_registered_user", "dial_unregistered_user"


@pytest.fixture
def on(sim):
    """The demo world with dial-out on in its room."""
    assert sim.call("set_dial_out_state", ADMIN, uuid=ROOM, state="enable").ok
    return sim


def dial(sim, user, number=PHONE, caller=OWNER, **more):
    """Call a number as a registered user."""
    return sim.call(REGISTERED, caller, uuid=ROOM, body={"number": number, "sipUserId": user, **more})


def dial_name(sim, name="Bob", number=PHONE, caller=OWNER, **more):
    """Call a number as a new user."""
    return sim.call(UNREGISTERED, caller, uuid=ROOM, body={"number": number, "name": name, **more})


def inside(sim):
    """Who is in the room."""
    return [each.userId for each in sim.presence(ROOM)]


# Calls


@pytest.mark.rule("R489", "R495")
@pytest.mark.parametrize("number", [PHONE, PHONE[1:], f"{PHONE},12#"])
def test_a_registered_user_is_called(on, people, number):
    """The answer is empty, and the user is in the channel."""
    answer = dial(on, people[USER], number)
    assert (answer.status, answer.content) == (200, b"")
    assert inside(on) == [people[USER]]
    assert on.calls()[0].number == PHONE


@pytest.mark.parametrize(("choice", "status"), [("refuse", 409), ("call", 200)])
def test_a_user_who_is_inside_or_on_the_phone_is_not_called_again(people, choice, status):
    """Once somebody is reached, another call is refused, or by assumption placed; who waits in the lobby is called."""
    sim = Simulator(profile={"dial.inside": choice, "duration.call-answered": "manual(1)"})
    for operation, caller, state in (("set_dial_out_state", ADMIN, "enable"), ("set_lobby_door", OWNER, "close")):
        assert sim.call(operation, caller, uuid=ROOM, state=state).ok
    assert sim.presence.join(ROOM, USER).state == "waiting"
    assert dial(sim, people[USER]).status == 200
    assert dial(sim, people[USER]).status == status
    sim.presence.join(ROOM, OWNER)
    assert dial(sim, people[OWNER]).status == status
    sim.presence.leave(ROOM, people[OWNER])
    assert dial(sim, people[OWNER]).status == 200


@pytest.mark.rule("R044", "R491", "R492", "R498")
def test_an_unregistered_user_is_called(on):
    """The answer is the id of a new user of the name, each time another, however the number is written."""
    made = [dial_name(on, number=number).body for number in ("1 (202) 555-0147", "1-800-FLOWERS")]
    assert [list(each) for each in made] == [["id"], ["id"]]
    assert inside(on) == [each["id"] for each in made]
    users = on.call("get_users", OWNER, userIds=[each["id"] for each in made]).body
    assert [(each["handle"], each["kind"], each["unregistered"]) for each in users] == [("Bob", "DialOut", True)] * 2
    assert {each.number for each in on.calls()} == {PHONE, "+18003569377"}


@pytest.mark.rule("R197")
def test_a_callee_is_renamed(on):
    """As any unregistered user is, by a host."""
    id = dial_name(on).body["id"]
    assert on.call("rename_channel_user", OWNER, uuid=ROOM, userId=id, body={"handle": "Robert"}).status == 200
    assert on.call("get_users", OWNER, userIds=[id]).body[0]["handle"] == "Robert"


@pytest.mark.rule("R490", "R493")
def test_dial_out_must_be_enabled(sim, people):
    """Both calls are refused while it is off."""
    for answer in (dial(sim, people[USER]), dial_name(sim)):
        assert (answer.status, answer.body["code"]) == (403, "dial_out_off")
    assert sim.calls() == []


@pytest.mark.rule("R494")
def test_whisper_is_optional(on, people):
    """False unless it is true; null counts as absent."""
    for whisper in ({}, {"whisper": None}, {"whisper": False}, {"whisper": True}):
        assert dial(on, people[USER], **whisper).status == 200
        on.presence.leave(ROOM, people[USER])
        assert dial_name(on, **whisper).status == 200
    assert [call.whisper for call in on.calls()] == [True, True, *[False] * 6]


@pytest.mark.rule("R495", "R496")
@pytest.mark.parametrize(
    ("number", "code"),
    [
        ("+1 202 555 0147", "number_malformed"),
        ("FLOWERS", "number_malformed"),
        ("", "number_malformed"),
        ("0049301234", "number_malformed"),
        ("1" * 16, "number_malformed"),
        (f"{PHONE},{'1' * 25}", "dtmf_malformed"),
        (f"{PHONE},1x", "dtmf_malformed"),
    ],
)
def test_numbers_of_registered_calls_are_exact(on, people, number, code):
    """An optional plus, E.164 digits, and up to 25 characters of DTMF."""
    answer = dial(on, people[USER], number)
    assert (answer.status, answer.body["code"]) == (400, code)
    assert dial(on, people[USER], f"{PHONE},{'1' * 24}").status == 200


@pytest.mark.rule("R496", "R498")
@pytest.mark.parametrize(
    ("number", "code"),
    [("???", "number_malformed"), ("1" * 16, "number_malformed"), (f"{PHONE},{'1' * 25}", "dtmf_malformed")],
)
def test_numbers_of_unregistered_calls_are_extracted_or_refused(on, number, code):
    """Where nothing dialable is written, or too long a DTMF part."""
    answer = dial_name(on, number=number)
    assert (answer.status, answer.body["code"]) == (400, code)


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"number": PHONE, "name": " "}, "invalid_input"),
        ({"number": PHONE}, "invalid_input"),
        ({"name": "Bob"}, "invalid_input"),
        ({"number": 12025550147, "name": "Bob"}, "invalid_input"),
        ({"number": PHONE, "name": "Bob", "whisper": "no"}, "invalid_input"),
    ],
)
def test_bodies_that_are_refused(on, body, code):
    """A field that is missing, blank, or of another type."""
    answer = on.call(UNREGISTERED, OWNER, uuid=ROOM, body=body)
    assert (answer.status, answer.body["code"]) == (400, code)


def test_whom_a_call_can_be_for(on, people):
    """A registered user of the client: not a guest, and nobody of another client."""
    for user, status, code in [
        (people[GUEST], 400, "not_registered"),
        (people[OTHER_ADMIN], 404, "not_found"),
        (99999, 404, "not_found"),
    ]:
        answer = dial(on, user)
        assert (answer.status, answer.body["code"]) == (status, code)


@pytest.mark.parametrize("operation", [REGISTERED, UNREGISTERED, "get_dial_quote"])
def test_who_dials_and_asks_for_prices(on, people, operation):
    """Hosts and API tokens; nobody else."""
    arguments = {"number": GB}
    if operation != "get_dial_quote":
        arguments = {"body": {"number": GB, "sipUserId": people[USER], "name": "Bob"}}
    for caller in (OWNER, OPERATOR, API_TOKEN):
        assert on.fork().call(operation, caller, uuid=ROOM, **arguments).status == 200
    for caller in (USER, GUEST, ADMIN):
        answer = on.call(operation, caller, uuid=ROOM, **arguments)
        assert (answer.status, answer.body["code"]) == (403, "role_missing")
    assert on.call(operation, OTHER_ADMIN, uuid=ROOM, **arguments).status == 404


@pytest.mark.rule("R497")
def test_dtmf_follows_the_connection(on, people):
    """The first tone a second after the phone is answered, the one behind the comma a second later."""
    dial(on, people[USER], f"{PHONE}#1,2")
    heard = []
    for _ in range(3):
        heard.append("".join(each.tone for each in on.calls()[0].tones))
        on.clock.advance("1s")
    assert heard == ["", "#1", "#12"]


def test_a_call_starts_the_session(on, people):
    """The callee is its participant."""
    dial(on, people[USER])
    found = on.call("list_sessions", OWNER, channel=ROOM).body["results"]
    assert [(each["participantsCount"], "ended" in each) for each in found] == [(1, False)]


def test_calls_by_profile(people):
    """Without a session they can be refused, and phones can ring on."""
    sim = Simulator(profile={"dial.no-session": "refuse", "duration.call-answered": "manual(1)"})
    sim.call("set_dial_out_state", ADMIN, uuid=ROOM, state="enable")
    assert (dial_name(sim).status, dial_name(sim).body["code"]) == (409, "channel_idle")
    sim.presence.join(ROOM, OWNER)
    assert dial_name(sim).status == 200
    assert inside(sim) == [people[OWNER]]


def test_names_can_be_held_to_uniqueness():
    """By profile a callee does not have the handle of a registered user."""
    sim = Simulator(profile={"handles.unregistered": "unique"})
    sim.call("set_dial_out_state", ADMIN, uuid=ROOM, state="enable")
    assert (dial_name(sim, "uma user").status, dial_name(sim, "uma user").body["code"]) == (409, "handle_taken")


@pytest.mark.parametrize(("fields", "status", "code"), [({"maxUsers": 0}, 409, "channel_full"), ({}, 200, None)])
def test_a_call_is_refused_by_the_rules_of_coming_in(on, people, fields, status, code):
    """A full channel takes nobody; the call is not placed then."""
    on.change_record("channel", ROOM, **fields)
    answer = dial(on, people[USER])
    assert (answer.status, code and answer.body["code"]) == (status, code)
    assert len(on.calls()) == (status == 200)


# Prices


@pytest.mark.rule("R327", "R487", "R488", "R495")
@pytest.mark.parametrize("number", [GB, GB[1:], f"{GB},1*2#", f"{GB}#9"])
def test_a_quote(sim, number):
    """The number without its DTMF part, the cost per minute in US dollars, the country; by HTTP too."""
    quoted = {"number": GB, "cost": 0.02, "currency": "USD", "country": "GB"}
    assert sim.call("get_dial_quote", OWNER, uuid=ROOM, number=number).body == quoted
    answer = sim.client(OWNER).get(f"/channels/{ROOM}/dial/quote/{quote(number, safe='+')}")
    assert (answer.status_code, answer.get_json()) == (200, quoted)


@pytest.mark.rule("R495", "R496")
@pytest.mark.parametrize(
    ("number", "status", "code"),
    [
        ("one", 400, "number_malformed"),
        ("0044", 400, "number_malformed"),
        ("+999123456", 404, "destination_unknown"),
    ],
)
def test_quotes_that_are_refused(sim, number, status, code):
    """No number, no country."""
    answer = sim.call("get_dial_quote", OWNER, uuid=ROOM, number=number)
    assert (answer.status, answer.body["code"]) == (status, code)


@pytest.mark.rule("R488")
@pytest.mark.parametrize(("choice", "status"), [("ignored", 200), ("held", 400)])
def test_the_dtmf_part_of_a_quote_is_ignored(choice, status):
    """Also a long one; by assumption it is held to the same as that of a call."""
    sim = Simulator(profile={"quote.long-dtmf": choice})
    assert sim.call("get_dial_quote", OWNER, uuid=ROOM, number=f"{GB},{'1' * 25}").status == status


def test_a_quote_can_need_dial_out():
    """A profile can refuse a price while dial-out is off."""
    sim = Simulator(profile={"quote.while-off": False})
    answer = sim.call("get_dial_quote", OWNER, uuid=ROOM, number=GB)
    assert (answer.status, answer.body["code"]) == (403, "dial_out_off")
