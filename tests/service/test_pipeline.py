"""One call through a service, time going on around it, and what a profile makes of it."""

from __future__ import annotations

import json
import threading
from base64 import b64encode

import pytest

from confsim import Misuse, Simulator
from confsim.api.catalogue import API
from confsim.service.messages import Request
from kit import CUSTOMER, START_MS, code, demo

URL = {"url": "https://terms.example/new"}


def url(sim, *caller):
    """The URL of the terms: what the tests change."""
    return sim.call("get_client_terms", *caller, clientId=CUSTOMER).body["url"]


# A call and its trace


def test_a_call_puts_its_change_in_force(sim):
    """And the next one sees it (G015)."""
    assert sim.call("update_terms_url", "demo-api-token", body=URL).ok
    assert url(sim) == URL["url"]


def test_a_bug_is_a_500_with_a_reference_and_leaves_no_trace(sim, monkeypatch):
    """It is stored, for the test to raise."""
    operation = API["promulgate_terms"]
    assert operation.body is not None

    def broken(call, body):
        call.change.uuid()
        raise ZeroDivisionError("as asked")

    monkeypatch.setattr(operation, "function", broken)
    before = sim.service.world
    answer = sim.call("promulgate_terms", "demo-api-token", body=URL)
    assert code(answer) == (500, "internal_error")
    assert "as asked" in answer.body["message"]
    assert [type(bug) for bug in sim.service.bugs] == [ZeroDivisionError]
    assert sim.service.world is before


def test_what_is_due_happens_before_the_next_call(sim):
    """At its own instant, whether or not anybody moved the clock knowingly."""
    sim.call("reserve_handle", "demo-user", body={"handle": "Held"})
    sim.service.clock.move(START_MS + 16 * 60_000)
    assert sim.call("check_handle_unique", "demo-user", handle="Held").body["unique"] is True


def test_calls_from_many_threads_come_one_after_another(sim):
    """No change is lost."""

    def create(name):
        for place in range(20):
            assert sim.call("create_channel", "demo-owner", body={"name": f"{name} {place}"}).ok

    threads = [threading.Thread(target=create, args=(f"Thread {name}",)) for name in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert sim.call("list_channels", "demo-owner", limit=0).body["total"] == 82


def test_the_same_calls_give_the_same_bytes():
    """In two runs of one seed, ids and tokens included."""

    def run():
        sim = Simulator(seed=7, clock=START_MS)
        calls = [
            sim.call("create_channel", "demo-owner", body={"name": "Room"}),
            sim.call("create_api_token", "demo-customer-admin"),
            sim.call("reserve_handle", "demo-user", body={"handle": "Held"}),
        ]
        return [(each.status, each.headers, each.content) for each in calls], sim.service.world.digest()

    assert run() == run()


# Snapshots and forks


def test_a_fork_goes_its_own_way(sim):
    """Neither sees what happens in the other, and each resets to its own start."""
    sim.call("update_terms_url", "demo-api-token", body=URL)
    fork = sim.fork()
    fork.call("update_terms_url", "demo-api-token", body={"url": "https://fork.example/"})
    fork.clock.advance("1h")
    assert (url(sim), sim.clock.now) == (URL["url"], START_MS)
    fork.reset()
    assert (url(fork), fork.clock.now) == (URL["url"], START_MS)
    sim.reset()
    assert url(sim) != URL["url"]


def test_no_clock_goes_beyond_all_time(sim):
    """Misuse, and the clock stays."""
    with pytest.raises(Misuse, match="9999"):
        sim.service.live.show(10**18)
    assert sim.clock.now == START_MS


# Order of checks (G040)


@pytest.mark.parametrize(
    ("order", "caller", "path", "body", "status"),
    [
        ("credential first", None, "1", b"{", 401),
        ("credential first", "demo-owner", "x", b"{", 401),
        ("credential first", "demo-user", "x", b"{", 400),
        ("credential first", "demo-user", "99", b"{", 404),
        ("credential first", "demo-user", "1002", b"{", 403),
        ("credential first", "demo-user", "me", b"{", 400),
        ("input first", None, "1", b"{", 400),
        ("input first", "demo-owner", "x", b'{"fullName":"X"}', 401),
    ],
)
def test_which_refusal_wins(order, caller, path, body, status):
    """Credential, path, existence, role, input; or the input before them all."""
    sim = demo(checks__order=order)
    sim.call("promulgate_terms", "demo-api-token", body=URL)
    sim.call("accept_terms", "demo-user", version=2)
    assert sim.call("set_user_full_name", caller, userId=path, body=body).status == status


def test_a_refusal_leans_on_the_order(sim):
    """It is noted with refused calls, and not with others."""
    sim.call("get_me", None)
    sim.call("get_me", "demo-user")
    refused, done = sim.requests
    assert "checks.order" in refused.assumptions
    assert "checks.order" not in done.assumptions


# What profiles choose


@pytest.mark.parametrize(
    ("choice", "status", "content"), [("200", 200, b""), ("200 {}", 200, b"{}"), ("204", 204, b"")]
)
@pytest.mark.rule("R002")
def test_empty_answers(choice, status, content):
    """Calls whose response is '-' (G043)."""
    answer = demo(encode__empty=choice).call("update_terms_url", "demo-api-token", body=URL)
    assert (answer.status, answer.content) == (status, content)


@pytest.mark.parametrize("choice", [200, 201])
def test_creations(choice):
    """What makes something may answer 201; what does not, does not (G044)."""
    sim = demo(status__created=choice)
    assert sim.call("create_channel", "demo-owner", body={"name": "X"}).status == choice
    assert sim.call("update_terms_url", "demo-api-token", body=URL).status == 200
    assert sim.call("get_me", "demo-owner").status == 200


def test_absent_or_null():
    """Options without a value (G077)."""
    assert "description" not in demo().call("get_me", "demo-user").body
    assert demo(encode__absent="null").call("get_me", "demo-user").body["description"] is None


@pytest.mark.parametrize(("choice", "counted"), [("first", "1"), ("last", "2"), ("join", None), ("refuse", None)])
def test_a_parameter_given_twice(choice, counted):
    """The first, the last, joined, or refused (G050)."""
    sim = demo(**{"parse__repeated-query": choice})
    response = sim.app(Request("GET", "/v1_0/channels", "limit=1&limit=2", {"authorization": "Bearer demo-owner"}))
    reported = json.loads(response.body)
    if counted is None:
        assert (response.status, reported["code"]) == (400, "invalid_input")
    else:
        assert len(reported["results"]) == int(counted)


@pytest.mark.rule("R014")
def test_a_plus_in_the_query():
    """A space, or itself (G056)."""
    for choice, name in (("space", "A B"), ("plus", "A+B")):
        sim = demo(parse__plus=choice)
        uuid = sim.call("create_channel", "demo-owner", body={"name": "X"}).body["channelUuid"]
        headers = {"authorization": "Bearer demo-owner"}
        assert sim.app(Request("POST", f"/v1_0/channels/{uuid}/rename", "name=A+B", headers)).status == 200
        assert sim.call("get_channel", "demo-owner", uuid=uuid).body["name"] == name


@pytest.mark.parametrize(
    ("choice", "value", "status"),
    [("5.0 is 5", 5.0, 200), ("5.0 is 5", "5", 400), ("strict", 5.0, 400), ("coerce", "5", 200), ("coerce", 5.0, 200)],
)
def test_numbers_in_bodies(choice, value, status):
    """JSON has one type of number; a text is none unless a profile says so (G069)."""
    sim = demo(parse__numbers=choice)
    body = {"started": value, "url": "https://app.example/"}
    assert sim.call("create_app_session", "demo-user", clientId=CUSTOMER, body=body).status == status


@pytest.mark.parametrize(("choice", "status"), [("absent", 200), ("refuse", 400)])
def test_null_for_an_option(choice, status):
    """Absent, or refused (G071)."""
    sim = demo(parse__null=choice)
    assert sim.call("create_api_token", "demo-customer-admin", body={"label": None}).status == status


@pytest.mark.parametrize(("choice", "status"), [("as {}", 200), ("refuse", 400)])
def test_no_body_where_all_is_optional(choice, status):
    """The same as an empty object, or refused (G066)."""
    assert demo(**{"parse__no-body": choice}).call("create_api_token", "demo-customer-admin").status == status


@pytest.mark.parametrize(("choice", "status"), [("stated", 400), ("query too", 200)])
def test_fields_in_the_query(choice, status):
    """Only where the call states, or from the query too when there is no body (G047)."""
    sim = demo(parse__places=choice)
    assert sim.call("update_terms_url", "demo-api-token", **URL).status == status
    assert (
        sim.call("create_app_session", "demo-user", clientId=CUSTOMER, started="5", url="https://a.example/").status
        == status
    )
    assert sim.call("set_user_languages", "demo-user", userId="me", languages="de,en").status == status


@pytest.mark.parametrize(("choice", "status"), [("400", 400), ("404", 404)])
def test_text_where_a_number_belongs(choice, status):
    """In a path (G060)."""
    sim = demo(**{"parse__path-numbers": choice})
    assert sim.call("get_user_auth_method", "demo-customer-admin", userId="abc").status == status
    assert sim.call("accept_terms", "demo-user", version="two").status == status


@pytest.mark.parametrize(("choice", "status"), [("refuse", 400), ("absent", 200)])
def test_an_unknown_sort(choice, status):
    """Refused, or as if absent (G084, G085)."""
    sim = demo(**{"parse__bad-sort": choice})
    assert sim.call("list_channels", "demo-owner", sort="colour").status == status
    assert sim.call("list_channels", "demo-owner", order="up").status == status
    assert sim.call("list_channels", "demo-owner", limit="many").status == 400


@pytest.mark.parametrize(("choice", "count"), [("empty page", 0), ("absent", 2)])
def test_a_limit_of_zero(choice, count):
    """An empty page with the total, or the default page (G081)."""
    reported = demo(**{"parse__limit-zero": choice}).call("list_channels", "demo-owner", limit=0).body
    assert (reported["total"], len(reported["results"])) == (2, count)


@pytest.mark.parametrize(("choice", "status"), [("cut", 200), ("refuse", 400)])
def test_a_limit_too_large(choice, status):
    """Cut to the most, or refused (G080)."""
    assert demo(**{"parse__limit-large": choice}).call("list_channels", "demo-owner", limit=10**6).status == status


@pytest.mark.parametrize(("choice", "text"), [(",", "2,,3"), (",", " 2 , 3 "), (";", "2;3")])
def test_lists_in_a_path(choice, text):
    """Items are trimmed, empty ones left out; another separator by a profile (G055, G075)."""
    sim = demo(**{"parse__list-separator": choice, "users__first-id": 1})
    assert [each["id"] for each in sim.call("get_users", "demo-api-token", userIds=text).body] == [2, 3]


def test_empty_items_of_a_list_may_be_refused():
    """By a profile (G075)."""
    sim = demo(**{"parse__empty-items": "refuse"})
    assert sim.call("list_users", "demo-customer-admin", levels="10,,20").status == 400
    assert demo().call("list_users", "demo-customer-admin", levels="10,,20").status == 200


def test_the_case_of_state_words():
    """Exact, or of no weight (G062)."""
    for choice, status in (("exact", 400), ("ignore", 200)):
        sim = demo(**{"parse__state-case": choice})
        assert sim.call("list_channels", "demo-owner", order="DESC").status == status


@pytest.mark.parametrize(("choice", "status"), [("400", 400), ("404", 404)])
def test_a_missing_query_parameter(choice, status):
    """Invalid, or no such thing (G052)."""
    sim = demo(**{"parse__missing-query": choice})
    assert sim.call("check_handle_unique", "demo-user").status == status


def test_tokens_on_public_calls_play_no_part():
    """However wrong they are; by a profile they must be valid (G023)."""
    for headers in ({"authorization": "Basic x"}, {"authorization": "Bearer nobody"}, {"authorization": "Bearer a, b"}):
        request = Request("GET", f"/v1_0/clients/{CUSTOMER}/terms", "", headers)
        assert demo().app(request).status == 200
        checked = demo(**{"auth__on-public-calls": "checked"})
        assert checked.app(request).status in {400, 401}
        assert "auth.presentation" in next(iter(checked.requests)).assumptions


LINES = {
    "Authorization: Bearer {token}": "Bearer",
    "Authorization: Basic {token}": 'Basic realm="confsim"',
    "Authorization: Token {token}": "Token",
    "Authorization: {token}": None,
    "X-Auth-Token: {token}": None,
    "?token={token}": None,
    "Cookie: session={token}": None,
}


@pytest.mark.parametrize("line", LINES)
def test_who_has_no_token_is_told_what_is_wanted(line):
    """The scheme of the presentation in force, where it has one (G018)."""
    answer = demo(auth__presentation=[line]).client().get("/users/me")
    assert (answer.status_code, answer.headers.get("WWW-Authenticate")) == (401, LINES[line])


@pytest.mark.parametrize("credentials", ["demo-user", "!", b64encode(b"demo-user").decode(), ""])
def test_by_the_scheme_basic_the_token_is_the_password(credentials):
    """Whatever the user name is; what is no pair of both is no credential (G017)."""
    client = demo(auth__presentation=["Authorization: Basic {token}"]).client()
    assert client.get("/users/me", headers={"Authorization": f"Basic {credentials}"}).status_code == 401
    assert client.get("/users/me", auth=("whoever", "demo-user")).json["handle"] == "Uma User"


@pytest.mark.parametrize("line", [line for line in LINES if "Bearer" not in line])
def test_other_ways_to_present_a_token(line):
    """Clients of the simulator know them too (G016)."""
    sim = demo(auth__presentation=line)
    assert sim.client("demo-user").get("/users/me").status_code == 200
    assert sim.client("demo-user").get("/users/me?x=1").status_code == 200
    assert sim.client().get("/users/me", headers={"Authorization": "Bearer demo-user"}).status_code == 401


def test_a_standing_clock_by_profile():
    """Made without a clock, the world's stands still (G128)."""
    sim = demo(time__source="standing")
    assert Simulator(profile={"time.source": "standing"}).clock.frozen
    assert not Simulator().clock.frozen
    assert sim.clock.now == START_MS
