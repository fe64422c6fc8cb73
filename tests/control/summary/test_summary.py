"""What the summary of a world says."""

from __future__ import annotations

import pytest

from confsim import Misuse, Simulator
from confsim.control.labels.problem import problem_of
from confsim.domain.events.deliveries import Attempt
from kit import ADMIN, CUSTOMER, EVENT_ROOM, GUEST, OWNER, ROOM, START, USER, ok

URL = "http://127.0.0.1:22211/hooks/billing"


def refusing(message):
    """A receiver of webhooks that nobody can connect to."""
    raise ConnectionRefusedError("[Errno 111] Connection refused")


@pytest.fixture
def sim():
    """A world in which calls fail, webhooks wait behind one that failed, people wait in lobbies, and timers run."""
    sim = Simulator(clock=START)
    ok(sim, "set_events_state", state="enable")
    sim.webhooks.deliver_to(refusing)
    ok(sim, "add_events_endpoint", body={"url": URL})
    for name in ("Board daily", "Design review"):
        ok(sim, "create_channel", OWNER, body={"name": name})
    for _ in range(2):
        sim.call("create_channel", OWNER, body={"name": "Board daily"}, expect=409)
    sim.call("create_channel", GUEST, body={"name": "Guests only"}, expect=403)
    for room in (EVENT_ROOM, ROOM):
        ok(sim, "set_lobby_door", OWNER, uuid=room, state="close")
        sim.presence.join(room, 1002)
        sim.presence.join(room, 1004)
        sim.clock.advance("1m")
    ok(sim, "reserve_handle", USER, body={"handle": "Neo"})
    return sim


def test_calls_are_counted_by_class_and_refused_ones_grouped(sim):
    """A group has one operation and code; the newest call stands for it."""
    found = sim.summary()
    assert (found.calls.total, found.calls.succeeded, found.calls.refused, found.calls.failed) == (10, 7, 3, 0)
    assert found.calls.callers == 4
    assert [(each.count, each.status, each.code, each.operation, each.caller) for each in found.refused] == [
        (1, 403, "role_missing", "create_channel", "Guest Gwen"),
        (2, 409, "channel_name_taken", "create_channel", "Olaf Owner"),
    ]
    assert found.refused[1].id == "r6"
    assert all(each.text and each.code not in each.text for each in found.refused)


def test_endpoints_say_what_waits_and_behind_what(sim):
    """The head of the queue, why its latest attempt failed, and when the next one is."""
    (endpoint,) = sim.summary().endpoints
    head = sim.webhooks.find(state="later")[0]
    assert (endpoint.label, endpoint.delivered, endpoint.retrying) == ("127.0.0.1:22211/hooks/billing", 0, 1)
    assert (endpoint.undelivered, endpoint.waiting) == (len(sim.webhooks), len(sim.webhooks) - 1)
    assert (endpoint.head, endpoint.headLabel) == (head.id, "channel.created: Board daily")
    assert (endpoint.problem, endpoint.next) == ("Nothing listens at 127.0.0.1:22211", head.next)


def test_those_who_wait_are_listed_the_longest_first(sim):
    """In all channels, each with the channel, since when, and who is inside."""
    waiting = sim.summary().waiting
    assert [(each.user.label, each.channel.label, each.door, each.inside) for each in waiting] == [
        ("Uma User", "Demo Event Room", "closed", ["Olaf Owner"]),
        ("Uma User", "Demo Room", "closed", ["Olaf Owner"]),
    ]
    assert waiting[1].since - waiting[0].since == 60_000
    sim.presence.admit(ROOM, 1004)
    assert [each.channel.label for each in sim.summary().waiting] == ["Demo Event Room"]


def test_what_comes_next_what_decided_and_how_much_there_is(sim):
    """Timers by their instants; assumptions by what they decided; counts of what there is, whatever the limit."""
    sim.faults.add("get_me", do={"status": 503})
    found = sim.summary()
    assert [each.label for each in found.timers][-1] == "Neo"
    decided = {each.id: each.decided for each in found.assumptions}
    assert decided["channels.unique-names"] == 2
    assert decided["webhooks.order"] == found.endpoints[0].waiting
    assert decided["gate.create_channel"] == 1
    assert list(decided.values()) == sorted(decided.values(), reverse=True)
    assert [each.operation for each in found.faults] == ["get_me"]
    short = sim.summary(limit=0)
    assert (short.refused, short.waiting, short.timers, short.endpoints) == ([], [], [], [])
    counts = short.counts
    assert (counts.waiting, counts.present, counts.requests, counts.refused, counts.faults) == (2, 2, 10, 3, 1)
    assert counts.records == sim.control("list_records", limit=0).total
    with pytest.raises(Misuse, match="0 to 100"):
        sim.summary(limit=101)


def test_a_fresh_world_has_nothing_wrong():
    """All lists are empty."""
    found = Simulator(clock=START).summary()
    assert (found.refused, found.endpoints, found.waiting, found.assumptions, found.faults) == ([], [], [], [], [])


@pytest.mark.parametrize(
    ("problem", "expected"),
    [
        ("ConnectionRefusedError: [Errno 111] Connection refused", "Nothing listens at a.example:81"),
        ("TimeoutError: timed out", "a.example:81 did not answer in time"),
        ("gaierror: [Errno -2] Name or service not known", "The host name of a.example:81 is unknown"),
        ("OSError: [Errno 113] No route to host", "a.example:81 could not be reached: [Errno 113] No route to host"),
        ("the sender has stopped", "The sender has stopped"),
        (None, "There was no answer"),
    ],
)
def test_a_problem_is_told_in_plain_words(problem, expected):
    """Not as the name of an exception."""
    assert problem_of(Attempt(0, None, problem, "http://user:secret@a.example:81/hook")) == expected


def test_an_answer_that_is_no_success_is_told_by_its_status():
    """With the address alone, which holds no secret."""
    assert problem_of(Attempt(0, 500, None, "http://a.example/hook?key=secret")) == "a.example answered 500"


def test_the_operation_answers_over_http(sim):
    """With the same content."""
    answer = sim.client(ADMIN).get("/_confsim/summary?limit=1").json
    assert answer["counts"]["waiting"] == 2
    assert len(answer["waiting"]) == 1


def preflight(sim, origin):
    """What a browser asks before a web page of an origin calls."""
    sim.client().options("/channels", headers={"Origin": origin, "Access-Control-Request-Method": "POST"})
    return sim.requests[-1].id


def test_the_preflight_of_a_page_that_no_client_allows_is_refused():
    """It counts among the refused calls until a client allows its origin; why says how."""
    sim, page = Simulator(clock=START), "http://localhost:5173"
    id = preflight(sim, page)
    found = sim.summary()
    assert (found.calls.blocked, found.calls.refused, found.counts.refused) == (1, 0, 1)
    (refused,) = found.refused
    assert (refused.id, refused.status, refused.what) == (id, 204, "OPTIONS /v1_0/channels")
    assert refused.text.startswith(f"No client allows web pages of {page}, so the browser does not send their POST; ")
    (row,) = sim.control("get_journal").rows
    assert row.why == refused.text
    why = sim.control("explain_request", id)
    assert why.text == refused.text
    assert "set_origins" in why.see[0]
    ok(sim, "set_origins", clientId=CUSTOMER, body=[page])
    preflight(sim, page)
    assert sim.summary().calls.blocked == 1


def test_an_endpoint_tells_what_arrived_out_of_order():
    """A delivery that arrived after one of a later event, however many wait."""
    sim = Simulator(clock=START)
    ok(sim, "set_events_state", state="enable")
    sim.webhooks.deliver_to(lambda message: 200)
    ok(sim, "add_events_endpoint", body={"url": URL})
    sim.faults.add(thing="webhook", match={"kind": "channel.created"}, do={"outcome": "out of order", "by": "30s"})
    for name in ("First", "Second", "Third"):
        ok(sim, "create_channel", OWNER, body={"name": name})
        sim.clock.advance("1s")
    assert sim.summary().endpoints[0].overtaken == 0
    sim.clock.advance("1m")
    (endpoint,) = sim.summary().endpoints
    assert (endpoint.overtaken, endpoint.delivered, endpoint.undelivered) == (1, 3, 0)
    assert (endpoint.latecomer, endpoint.latecomerLabel) == (sim.webhooks[0].id, "channel.created: First")
