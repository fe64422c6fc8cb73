"""Reset, snapshots, and the world as a document."""

from __future__ import annotations

import copy
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from jsonschema import Draft202012Validator

from confsim import Simulator
from confsim.kernel.timers import ALARMS
from kit import CUSTOMER, START_MS
from kit.wire import web
from kit.wire.delays import RealTime

URL = {"url": "https://terms.example/new"}


def url(sim):
    """The URL of the terms: what the tests change."""
    return sim.call("get_client_terms", clientId=CUSTOMER).body["url"]


def test_a_reset_brings_everything_back(plane, sim):
    """World, clock and journal are those of the start."""
    digest = sim.service.world.digest()
    sim.call("promulgate_terms", "demo-api-token", body=URL)
    plane("POST", "/clock/advance", {"by": "1h"})
    assert plane("POST", "/reset") == (200, {"now": START_MS})
    assert sim.service.world.digest() == digest
    assert plane("GET", "/requests") == (200, [])


def test_a_reset_may_leave_the_clock():
    """By a profile the clock goes on from where it is."""
    sim = Simulator(clock=START_MS, profile={"world.reset-clock": False})
    sim.clock.advance("1h")
    sim.reset()
    assert sim.clock.now == START_MS + 3_600_000


@pytest.mark.parametrize("way", ["in process", "over a socket"])
def test_a_call_in_flight_finishes_on_the_world_that_was(sim, way, monkeypatch):
    """It is answered as if nothing had been, and leaves nothing in the new world, whose reset waits for nobody."""
    start, real_time = sim.service.world.digest(), RealTime(monkeypatch)
    with sim.serve() as server, ThreadPoolExecutor(1) as others, web.client(base_url=server.root) as http:
        http.headers["Authorization"] = "Bearer demo-owner"
        if way == "in process":
            create, reset = lambda: sim.call("create_channel", "demo-owner", body={"name": "Room"}), sim.reset
        else:
            create = lambda: http.post("/v1_0/channels/create", json={"name": "Room"})  # noqa: E731
            reset = lambda: web.post(f"{server.root}/_confsim/reset")  # noqa: E731
        sim.faults.add("create_channel", do={"real": "30s"})
        answer = others.submit(create)
        while sim.service.world.digest() == start:
            time.sleep(0.01)
        reset()
        assert not answer.done()
        assert sim.service.world.digest() == start
        real_time.ahead = 30
        made = answer.result(30)
        assert (made.status if way == "in process" else made.status_code) == 200
        assert (sim.service.world.digest(), len(sim.requests)) == (start, 0)


def test_request_ids_begin_anew_after_a_reset(plane, sim):
    """The same calls after a reset answer the same bytes, their ids included."""
    first = sim.call("get_user_terms", "demo-user").headers
    plane("POST", "/reset")
    assert sim.call("get_user_terms", "demo-user").headers == first


def test_a_snapshot_holds_its_instant(plane, sim):
    """Restoring brings back the world and the clock, and as often as wanted."""
    before = url(sim)
    assert plane("POST", "/snapshots", {"name": "clean"}) == (200, {"name": "clean", "now": START_MS})
    for _ in range(2):
        sim.call("update_terms_url", "demo-api-token", body=URL)
        plane("POST", "/clock/advance", {"by": "1h"})
        assert url(sim) != before
        assert plane("POST", "/snapshots/clean/restore") == (200, {"name": "clean", "now": START_MS})
        assert (url(sim), sim.clock.now) == (before, START_MS)


def test_snapshots_are_listed_and_replaced(plane):
    """One of the same name replaces the earlier one."""
    plane("POST", "/snapshots", {"name": "a"})
    plane("POST", "/snapshots", {"name": "b"})
    plane("POST", "/clock/advance", {"by": 5})
    plane("POST", "/snapshots", {"name": "a"})
    assert plane("GET", "/snapshots")[1] == [{"name": "a", "now": START_MS + 5}, {"name": "b", "now": START_MS}]


def test_snapshots_are_dropped(plane, sim):
    """Those that are not wanted any more; what they held stays where it was restored."""
    sim.snapshot("a b/c")
    plane("POST", "/snapshots", {"name": "other"})
    assert sim.snapshots == {"a b/c": START_MS, "other": START_MS}
    sim.restore("other")
    assert plane("DELETE", "/snapshots/a%20b%2Fc") == (200, {"name": "a b/c", "now": START_MS})
    sim.drop_snapshot("other")
    assert (plane("GET", "/snapshots")[1], sim.snapshots) == ([], {})
    assert plane("DELETE", "/snapshots/other")[0] == plane("POST", "/snapshots/other/restore")[0] == 404


def test_the_document_has_a_schema(plane, busy):
    """What is given is as the schema says, in the eyes of an independent judge; what is not is not taken."""
    schema = plane("GET", "/state/schema")[1]
    Draft202012Validator.check_schema(schema)
    judge = Draft202012Validator(schema)
    document = plane("GET", "/state")[1]
    judge.validate(document)
    for change in ({"version": 99}, {"extra": 1}, {"minted": -1}, {"tables": {"nope": {}}}, {"timers": [[1, "x"]]}):
        assert not judge.is_valid({**document, **change})
        assert plane("PUT", "/state", {**document, **change})[0] == 400


def test_an_unknown_snapshot_is_reported(plane):
    """There is nothing to restore under a name that was not taken."""
    status, problem = plane("POST", "/snapshots/nope/restore")
    assert (status, problem["title"]) == (404, "Not Found")
    assert "nope" in problem["detail"]


@pytest.fixture
def busy(sim):
    """A world with images, timers, reservations, tokens and changed records."""
    sim.call("reserve_handle", "demo-user", body={"handle": "Held"})
    sim.call("create_api_token", "demo-customer-admin", body={"label": "x"})
    sim.call("set_user_image", "demo-user", userId="me", url="https://pictures.example/1.png")
    sim.call("update_terms_url", "demo-api-token", body=URL)
    return sim


def test_state_goes_out_and_comes_in_as_the_same_bytes(busy):
    """Export, import and export give the same bytes, in this world and in a fresh one."""
    client = busy.client()
    first = client.get("/_confsim/state").data
    assert client.put("/_confsim/state", data=first).status_code == 200
    assert client.get("/_confsim/state").data == first
    other = Simulator("empty", clock=START_MS)
    other.state = busy.state
    assert other.client().get("/_confsim/state").data == first
    assert other.service.world.digest() == busy.service.world.digest()


def test_an_imported_world_goes_on_like_its_original(busy):
    """The same calls afterwards have the same answers: id counters, sequences, order and timers came along."""
    other = Simulator("empty", clock=START_MS)
    other.state = busy.state
    for each in (busy, other):
        each.call("create_channel", "demo-owner", body={"name": "After"})
        each.call("reserve_handle", "demo-owner", body={"handle": "Later"})
        each.clock.advance("1h")
    assert other.service.world.digest() == busy.service.world.digest()


def test_what_falls_due_together_keeps_its_order_through_an_import(sim):
    """Timers of one instant fire in the order in which their records were created, also in a world that was read."""
    tokens = []
    for handle in ("Cc", "Aa", "Bb"):
        user = sim.make_user(CUSTOMER, f"By {handle}").token
        tokens.append(sim.call("reserve_handle", user, body={"handle": handle}).body["reservationToken"])
    other = Simulator("empty", clock=START_MS)
    other.state = sim.state
    assert [each.subject for each in sim.clock.advance("15m")] == tokens
    assert [each.subject for each in other.clock.advance("15m")] == tokens


def _edited(document, *steps):
    """The document with the value at the end of the steps replaced by the last of them."""
    *path, last, value = steps
    changed = copy.deepcopy(document)
    spot = changed
    for step in path:
        spot = spot[step]
    spot[last] = value
    return changed


@pytest.mark.parametrize(
    ("steps", "problem_text"),
    [
        (("version", 99), "version"),
        (("version", None), "version"),
        (("version", True), "version"),
        (("seed", "x"), "seed"),
        (("extra", 1), "extra"),
        (("tables", "planets", {"": []}), "planets"),
        (("tables", "users", "nobody", []), "nobody"),
        (("tables", "users", CUSTOMER, 0, "shoe_size", 44), "shoe_size"),
        (("tables", "users", CUSTOMER, 0, "id", "one"), "id"),
        (("tables", "users", CUSTOMER, 0, "client", "elsewhere"), "client"),
        (("tables", "users", CUSTOMER, 1, "id", 1001), "earlier"),
        (("timers", [[1, "handle reservation"]]), "timers"),
        (("sequences", {"user": "many"}), "sequences"),
    ],
)
def test_a_document_that_cannot_be_is_refused_with_its_place(sim, plane, steps, problem_text):
    """The first thing that is wrong is named, and the world stays."""
    before = sim.service.world
    status, problem = plane("PUT", "/state", _edited(sim.state, *steps))
    assert status == 400
    assert problem_text in problem["detail"]
    assert sim.service.world is before


@pytest.mark.parametrize("body", [[], 5, "x", None, b"{", b"", b'{"version":1}'])
def test_what_is_no_state_document_is_refused(plane, body):
    """Other JSON, and what is none, is a problem."""
    assert plane("PUT", "/state", b"null" if body is None else body)[0] == 400


def test_a_timer_that_fails_is_our_bug_and_stops_nothing(sim, monkeypatch):
    """The defect is recorded, and the world goes on."""

    class Failing:
        """An alarm whose trigger fails."""

        timer = ALARMS["handle reservation"].timer

        def fire(self, change, timer):
            raise LookupError(change, timer.subject)

    sim.call("reserve_handle", "demo-user", body={"handle": "Held"}, expect=200)
    monkeypatch.setitem(ALARMS, "handle reservation", Failing())
    assert sim.clock.advance("16m") == []
    assert {type(bug) for bug in sim.service.bugs} == {LookupError}
    assert sim.call("get_user_terms", "demo-user").ok
    sim.service.bugs.clear()


def test_the_timers_of_a_document_are_those_of_its_records(sim):
    """What a document says of timers is for readers: one that is missing fires, one of no record does not exist."""
    token = sim.call("reserve_handle", "demo-user", body={"handle": "Held"}, expect=200).body["reservationToken"]
    document = sim.state
    kinds = ("handle reservation", "placement", "session grace", "breakout end", "call", "doomsday")
    document["timers"] = [[START_MS + 1, kind, CUSTOMER, "nobody"] for kind in kinds]
    sim.state = document
    assert [each.subject for each in sim.clock.advance("16m")] == [token]
    assert sim.service.bugs == []
