"""Why calls were refused, in sentences made of facts, with what they rest on."""

from __future__ import annotations

import string

import pytest

from confsim import Misuse, Simulator
from confsim.assumptions.protocol.refusals import Reason
from confsim.contract.gates import Grant
from confsim.control.labels.span import lasting
from confsim.control.why.case import Case
from confsim.control.why.findings import GRANTS
from confsim.control.why.past import Past
from confsim.control.why.sentences import finding, sentence
from confsim.kernel.refusal import Refusal
from confsim.service.messages import Request, Response
from confsim.service.waiting import wait_for
from kit import ADMIN, CUSTOMER, GUEST, NOTHING, OTHER_ADMIN, OWNER, ROOM, START, USER, ok
from kit.crowded import crowded_world


@pytest.fixture
def sim():
    """The demo world."""
    return Simulator(clock=START)


def why(sim):
    """Why the newest call was refused."""
    return sim.requests.why(sim.requests[-1].id)


def example(reason):
    """Facts for each blank of a reason's message."""
    names = [name for _, name, _, _ in string.Formatter().parse(reason.value.message) if name]
    return {name: 7 if name in ("limit", "count", "length") else f"a {name}" for name in names}


@pytest.mark.parametrize("reason", Reason, ids=lambda each: each.name)
def test_every_reason_has_a_sentence_of_its_facts(sim, reason):
    """Never the bare code: words that end without a full stop, with no blank left open."""
    sim.call("get_channel", OWNER, uuid=NOTHING, expect=404)
    entry = list(sim.service.journal)[-1]
    refused = type(entry)(
        **{name: getattr(entry, name) for name in entry.__struct_fields__ if name != "refusal"},
        refusal=Refusal(reason, **example(reason)),
    )
    text = sentence(Past(sim.service), refused)
    assert len(text.split()) >= 3, text
    assert reason.name not in text
    assert reason.name.lower() not in text
    assert not text.endswith((".", ": ", "…."))
    assert not set("{}") & set(text.partition("; the nearest route is")[0])


def test_every_refused_call_of_the_crowded_world_explains_itself():
    """With a sentence for each, and no defect."""
    sim = crowded_world()
    past = Past(sim.service)
    refused = [entry for entry in sim.service.journal if entry.response.status >= 400]
    assert len(refused) > 100
    assert [entry.id for entry in refused if not finding(Case(past, entry)).sentence] == []


def test_an_expired_reservation_names_the_timer_that_ended_it(sim):
    """The caller is told less; the rule is the one that the timer fires by."""
    token = ok(sim, "reserve_handle", USER, body={"handle": "Neo"})["reservationToken"]
    sim.clock.advance("16m")
    sim.call("change_handle_with_reservation", USER, nonce=token, expect=404)
    found = why(sim)
    assert found.text == "The reservation of “Neo” ran out 1 min before this call"
    assert found.told == "The reservation is unknown, used or expired."
    assert [each.id for each in found.steps] == ["r1", "t1", "r2"]
    assert (found.gone.kind, found.gone.label) == ("reservations", "Neo")
    assert [(each.kind, each.name) for each in found.decided if not each.shapes] == [("rule", "R095")]
    assert [each.name for each in found.decided if each.shapes] == [
        "status.reservation-not-found",
        "code.reservation-not-found",
    ]


def test_a_used_reservation_names_the_call_that_used_it(sim):
    """Which is the same operation, called before."""
    token = ok(sim, "reserve_handle", USER, body={"handle": "Neo"})["reservationToken"]
    ok(sim, "change_handle_with_reservation", USER, nonce=token)
    sim.call("change_handle_with_reservation", USER, nonce=token, expect=404)
    text = "was used at the same instant by Uma User with change_handle_with_reservation (r2)"
    assert why(sim).text == f"The reservation of “Neo” {text}"


def test_a_removed_record_names_the_call_that_removed_it(sim):
    """And the one that made it."""
    room = ok(sim, "create_channel", OWNER, body={"name": "Zed"})["channelUuid"]
    ok(sim, "delete_channel", OWNER, uuid=room)
    sim.clock.advance("65m")
    sim.call("get_channel", OWNER, uuid=room, expect=404)
    found = why(sim)
    assert found.text == "Zed was removed 1 h 5 min before this call by Olaf Owner with delete_channel (r2)"
    assert [each.id for each in found.steps] == ["r1", "r2", "r3"]
    assert found.steps[0].text == "Olaf Owner calls create_channel, Zed (r1)"


@pytest.mark.parametrize(
    ("caller", "operation", "path", "text", "nearest"),
    [
        (
            OWNER,
            "get_channel",
            {"uuid": ROOM[:-1]},
            "No channel has this id; the one of Demo Room is one character longer",
            ROOM,
        ),
        (
            ADMIN,
            "get_user",
            {"userId": 1044},
            "No user has this id; the one of Uma User differs in one character",
            "1004",
        ),
        (
            OTHER_ADMIN,
            "get_user",
            {"userId": 1004},
            "Uma User belongs to Demo Customer, and the caller to Demo Other",
            "",
        ),
        (
            OWNER,
            "get_channel",
            {"uuid": NOTHING},
            f"No channel has the id '{NOTHING}' here, and none had it since the journal began",
            "",
        ),
    ],
)
def test_an_unknown_id_names_the_nearest_or_whose_it_is(caller, operation, path, text, nearest):
    """A digit or a character too few, too many or wrong; the id of another client."""
    sim = Simulator(clock=START)
    sim.call(operation, caller, **path, expect=404)
    assert (why(sim).text, why(sim).nearest) == (text, nearest)


def test_a_taken_name_names_what_has_it(sim):
    """A channel, a user, and a reservation with the time that is left."""
    ok(sim, "create_channel", OWNER, body={"name": "Board daily"})
    sim.call("create_channel", OWNER, body={"name": "Board daily"}, expect=409)
    found = why(sim)
    assert found.text == "Board daily exists already, made by Olaf Owner with create_channel (r1)"
    assert (found.there.kind, found.there.label) == ("channels", "Board daily")
    assert [each.name for each in found.decided if not each.shapes] == ["channels.unique-names"]
    sim.call("reserve_handle", OWNER, body={"handle": "Uma User"}, expect=409)
    assert why(sim).text == "“Uma User” is the handle of Uma User, since before the journal begins"
    ok(sim, "reserve_handle", OWNER, body={"handle": "Neo"})
    sim.call("reserve_handle", USER, body={"handle": "Neo"}, expect=409)
    assert why(sim).text == "“Neo” is reserved by Olaf Owner for another 15 min"


def test_a_missing_role_names_who_called_and_who_may(sim):
    """With the assumption about the gate, which a profile can change."""
    sim.call("create_channel", GUEST, body={"name": "x"}, expect=403)
    found = why(sim)
    assert found.text == "Guest Gwen is a guest; only registered users and API tokens may call create_channel"
    assert found.decided[0].name == "gate.create_channel"
    assert set(GRANTS) == set(Grant)


@pytest.mark.parametrize(
    ("method", "target", "headers", "text"),
    [
        ("GET", "/users/me", {}, "Nothing is served at /users/me; the API is at /v1_0"),
        (
            "GET",
            "/v1_0/user/me",
            {},
            "Nothing is served at GET /v1_0/user/me; the nearest route is GET /v1_0/users/me",
        ),
        ("GET", "/v1_0/users/me", {}, "get_me needs a token, and the call has none"),
        (
            "GET",
            "/v1_0/users/me",
            {"authorization": "Basic eDp5"},
            "The token was presented as Basic; it belongs into the header Authorization: Bearer …",
        ),
        (
            "GET",
            "/v1_0/users/me",
            {"authorization": "Bearer demo-ownr"},
            "The token demo… was never issued; demo-owner is similar",
        ),
    ],
)
def test_a_request_that_is_addressed_wrongly_names_the_right_way(method, target, headers, text):
    """A missing prefix, a misspelt route, a missing or misspelt token."""
    sim = Simulator(clock=START)
    wait_for(sim.app(Request(method, target, headers={"host": "localhost", **headers})))
    assert why(sim).text == text


def test_the_route_below_the_prefix_is_named(sim):
    """For a call that lacks the prefix."""
    wait_for(sim.app(Request("GET", "/users/me", headers={"host": "localhost"})))
    assert (why(sim).nearest, why(sim).see) == ("GET /v1_0/users/me", ["Call GET /v1_0/users/me"])


def test_a_refused_control_call_explains_itself(sim):
    """Who did not do what; in the world before it."""
    ok(sim, "promulgate_terms", body={"url": "https://terms.example"})
    with pytest.raises(Misuse):
        sim.presence.join(ROOM, 1004)
    (entry,) = sim.requests.between()
    found = sim.requests.why(entry.id)
    version = sim.control("get_record", "clients", CUSTOMER).record["terms"]["version"]
    assert found.text == f"Uma User has not accepted the terms of version {version}"
    assert found.code == "terms_not_accepted"


def test_a_fault_is_named_as_the_cause(sim):
    """In the place of the service."""
    sim.faults.add("get_me", do={"status": 503})
    sim.call("get_me", USER, expect=503)
    assert why(sim).text == "The fault f1 answered 503 in the place of the service"


def test_what_was_not_refused_needs_no_reason(sim):
    """A call that succeeded and a timer have an empty one; unknown ids are refused."""
    ok(sim, "reserve_handle", USER, body={"handle": "Neo"})
    sim.clock.advance("16m")
    assert (why(sim).text, sim.requests.why("t1").text) == ("", "")
    with pytest.raises(Misuse, match="there is no request"):
        sim.requests.why("r99")


def test_no_token_stands_in_a_sentence(sim):
    """Of a token that is known only its holder, of an unknown one its beginning."""
    token = sim.token(1004)
    sim.call("get_me", token, expect=200)
    sim.clock.advance("2d")
    secrets = [token, "a-token-of-a-real-service-0123456789"]
    for secret in secrets:
        sim.call("get_me", secret)
    texts = [sim.requests.why(each.id).text for each in sim.requests]
    assert [secret for secret in secrets if any(secret in text for text in texts)] == []


@pytest.mark.parametrize(
    ("span", "text"),
    [
        (0, "0 s"),
        (400, "0.4 s"),
        (90_000, "1 min 30 s"),
        (900_000, "15 min"),
        (6 * 86_400_000 + 82_800_000, "6 d 23 h"),
    ],
)
def test_spans_have_words(span, text):
    """In their two largest units."""
    assert lasting(span) == text


def test_an_answer_that_was_changed_when_it_was_sent_says_so(sim):
    """Such as a range of a file that has no such bytes."""
    ok(sim, "get_me", USER)
    entry = list(sim.service.journal)[-1]
    changed = type(entry)(
        **{name: getattr(entry, name) for name in entry.__struct_fields__ if name != "response"},
        response=Response(416, []),
    )
    assert sentence(Past(sim.service), changed) == "The answer was 416 when it was sent"
