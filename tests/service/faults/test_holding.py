"""Held calls: what has happened while a call is held, and what becomes of it."""

from __future__ import annotations

import json
import threading
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor

import anyio
import httpx
import pytest

from confsim import Misuse, Simulator
from confsim.pytest_plugin.entries import SeenCalls
from confsim.service.faults.words import read_effect
from confsim.service.messages import Request
from confsim.service.worker import Worker
from kit import OWNER, START_MS, USER

pytestmark = pytest.mark.own_ways
BODY = {"name": "Planning"}


@pytest.fixture
def pool():
    """Threads in which calls are held."""
    with ThreadPoolExecutor(4) as pool:
        yield pool


@pytest.fixture
def held(sim, pool):
    """Begins to make a channel under a fault, and returns the held call and the answer that is yet to come."""

    def begin(**do):
        sim.faults.add("create_channel", do=do)
        answer = pool.submit(sim.call, "create_channel", OWNER, body=BODY)
        return sim.faults.wait_for_held(), answer

    return begin


def rooms(sim):
    """The names of the owner's rooms that the tests make."""
    found = sim.call("list_channels", OWNER).body["results"]
    return [each["name"] for each in found if each["name"].startswith("Plan")]


def hits(sim):
    """What the journal says of the faults of the newest call that had any."""
    return next([(each.when, each.held) for each in call.fault] for call in reversed(list(sim.requests)) if call.fault)


def test_a_call_held_before_its_operation_has_done_nothing(sim, held):
    """No entry, no change, no lock; others are answered; once released it runs as usual."""
    world = sim.service.world
    call, answer = held(hold="before")
    assert (call.info.when, call.info.operation, call.info.body) == ("before", "create_channel", BODY)
    assert (call.info.request, call.info.status) == (None, None)
    assert sim.service.world is world
    assert len(sim.requests) == 0
    assert rooms(sim) == []
    done = call.release()
    assert (done.outcome, sim.faults.held) == ("released", [])
    assert answer.result(30).status == 200
    assert rooms(sim) == ["Planning"]
    assert hits(sim) == [("after", "released")]


def test_a_call_held_after_its_operation_is_committed(sim, held):
    """Everybody sees what it did; its answer is withheld until it is released."""
    call, answer = held(hold="after")
    assert (call.info.when, call.info.request, call.info.status) == ("after", "r1", 200)
    assert set(call.info.answer) == {"channelUuid"}
    assert rooms(sim) == ["Planning"]
    assert hits(sim) == [("after", "held")]
    assert not answer.done()
    assert call.release().request == "r1"
    assert answer.result(30).body == call.info.answer
    assert hits(sim) == [("after", "released")]
    assert rooms(sim) == ["Planning"]


def test_a_call_held_after_its_operation_has_its_place_in_the_journal(sim, held):
    """Before the calls made meanwhile; its entry is another one once it is answered, and observers hear of that."""
    followed = []
    sim.service.live.observers.add(SeenCalls(followed))
    call, answer = held(hold="after")
    withheld = sim.service.journal.last()
    sim.call("get_me", USER)
    assert [each.id for each in followed] == ["r2"]
    call.change({"reason": "too_many_calls"})
    answer.result(30)
    first, second = sim.service.journal
    assert [first, second] == [followed[1], followed[0]]
    assert (first.id, first.response.status, withheld.response.status) == ("r1", 429, 200)
    assert [hit.held for hit in (*withheld.fault, *first.fault)] == ["held", "changed"]
    assert (first.before, first.after) == (withheld.before, withheld.after)
    assert "http.rate-limit" in first.assumptions.keys() - withheld.assumptions.keys()
    assert "http.rate-limit" in sim.assumptions_used


def test_an_entry_that_was_removed_while_its_call_was_held_does_not_come_back(sim, held):
    """The journal has been cleared; observers get the entry all the same."""
    followed = []
    sim.service.live.observers.add(SeenCalls(followed))
    call, answer = held(hold="after")
    sim.requests.clear()
    call.release()
    assert answer.result(30).status == 200
    assert (len(sim.requests), [each.id for each in followed]) == (0, ["r1"])


@pytest.mark.parametrize(("when", "left", "status"), [("before", [], 0), ("after", ["Planning"], 200)])
def test_a_dropped_call_loses_its_connection(sim, held, when, left, status):
    """Held before its operation it has done nothing; held after it, the change stays."""
    call, answer = held(hold=when)
    assert call.drop().outcome == "dropped"
    with pytest.raises(ConnectionResetError):
        answer.result(30)
    assert hits(sim) == [(when, "dropped")]
    assert sim.requests[0].status == status
    assert rooms(sim) == left


@pytest.mark.parametrize(("when", "left"), [("before", []), ("after", ["Planning"])])
def test_a_changed_call_is_answered_otherwise(sim, held, when, left):
    """Before its operation, that does not run; after it, only the answer is another. The journal has what was sent."""
    call, answer = held(hold=when)
    call.change({"status": 503, "body": {"late": True}, "headers": {"X-Late": "yes"}})
    found = answer.result(30)
    assert (found.status, found.body, found.headers["X-Late"]) == (503, {"late": True}, "yes")
    assert found.headers["X-Confsim-Request-Id"] == "r1"
    assert (sim.requests[0].status, sim.requests[0].answer) == (503, {"late": True})
    assert hits(sim) == [(when, "changed")]
    assert rooms(sim) == left


def test_a_refusal_in_place_of_an_answer_is_the_apis_own(sim, held):
    """With its reason, in the envelope that the profile says."""
    call, answer = held(hold="after")
    call.change({"reason": "too_many_calls"})
    assert (answer.result(30).status, answer.result(30).body["code"]) == (429, "too_many_calls")


def test_a_change_may_leave_the_answer_and_add_to_it(sim, held):
    """Headers, a cut: what an effect can do beside an answer."""
    call, answer = held(hold="after")
    call.change({"headers": {"X-Late": "yes"}})
    assert (answer.result(30).status, answer.result(30).headers["X-Late"]) == (200, "yes")


def test_an_operation_may_get_another_body(sim, held):
    """Only before it has run."""
    call, answer = held(hold="before")
    call.change(body={"name": "Planned otherwise"})
    assert answer.result(30).status == 200
    assert rooms(sim) == ["Planned otherwise"]
    assert hits(sim) == [("after", "changed")]
    call, answer = held(hold="after")
    with pytest.raises(Misuse, match="has been performed") as refused:
        call.change(body={"name": "Too late"})
    assert refused.value.status == 409
    call.release()
    answer.result(30)


@pytest.mark.parametrize(("when", "first"), [("before", "after"), ("after", "after")])
def test_a_call_is_released_after_its_time(sim, held, when, first):
    """And the journal says so."""
    call, answer = held(hold=when, holdAtMost="150ms")
    assert 0 < call.info.remaining <= 150
    assert answer.result(30).status == 200
    assert sim.faults.held == []
    assert hits(sim) == [(first, "expired")]
    with pytest.raises(Misuse, match="no call 'h1' is held"):
        call.release()


def test_the_time_is_half_a_minute_unless_it_is_set():
    """At most an hour."""
    assert read_effect({"hold": "before"}, "do").holdAtMost == 30_000
    assert read_effect({"hold": "before", "holdAtMost": "1h"}, "do").holdAtMost == 3_600_000


@pytest.mark.parametrize(
    ("do", "text"),
    [
        ({"hold": "during"}, "'during' is neither 'before' nor 'after'"),
        ({"holdAtMost": "5s"}, "holdAtMost belongs to a hold"),
        ({"hold": "after", "holdAtMost": "2h"}, "no time from 1ms to 1h"),
        ({"hold": "after", "holdAtMost": 0}, "no time from 1ms to 1h"),
    ],
)
def test_a_wrong_hold_is_reported(sim, do, text):
    """With its place."""
    with pytest.raises(Misuse, match=text):
        sim.faults.add("get_me", do=do)


def test_on_the_only_thread_nothing_is_held(sim, monkeypatch):
    """Nobody could release it: it is Misuse, nothing was done, and the fault has not hit."""
    monkeypatch.setattr(threading, "enumerate", lambda: [threading.current_thread()])
    for when in ("before", "after"):
        sim.faults.put([{"operation": "create_channel", "do": {"hold": when}}])
        world = sim.service.world
        with pytest.raises(Misuse, match="nobody could release it") as refused:
            sim.call("create_channel", OWNER, body=BODY)
        assert refused.value.status == 409
        assert sim.service.world is world
        assert [(each.met, each.hits) for each in sim.faults] == [(0, 0)]
        assert (len(sim.requests), sim.faults.held) == (0, [])


def test_tasks_of_one_thread_release_each_other(sim, monkeypatch):
    """httpx waits as tasks do: one thread is enough."""
    monkeypatch.setattr(threading, "enumerate", lambda: [threading.current_thread()])
    sim.faults.add("get_me", do={"hold": "before"})

    async def journey():
        headers = {"Authorization": f"Bearer {OWNER}"}
        url = "http://any.example/v1_0"
        async with httpx.AsyncClient(transport=sim.transport(), base_url=url, headers=headers) as client:
            async with anyio.create_task_group() as tasks:
                answers = []

                async def ask():
                    answers.append(await client.get("/users/me"))

                tasks.start_soon(ask)
                while not sim.faults.held:
                    await anyio.sleep(0.01)
                sim.faults.held[0].release()
            return answers[0].status_code

    assert anyio.run(journey) == 200


def test_a_world_that_is_dropped_holds_nothing_back(sim, pool):
    """The connections of its held calls close at once."""
    other = sim.worlds.add("other")
    other.faults.add("get_me", do={"hold": "before"})
    answer = pool.submit(other.call, "get_me", OWNER)
    other.faults.wait_for_held()
    sim.worlds.drop("other")
    with pytest.raises(ConnectionResetError):
        answer.result(30)


def test_a_reset_drops_what_is_held(sim, held):
    """What was held before its operation does not happen to the world of the start."""
    _, answer = held(hold="before")
    sim.reset()
    with pytest.raises(ConnectionResetError):
        answer.result(30)
    assert (sim.faults.held, len(sim.requests), rooms(sim)) == ([], 0, [])


def test_time_that_a_call_takes_passes_when_it_goes_on(sim, held):
    """A call that is held before its operation has not taken any yet."""
    call, answer = held(hold="before", clock="1h")
    assert sim.clock.now == START_MS
    call.release()
    answer.result(30)
    assert sim.clock.now == START_MS + 3_600_000
    assert sim.requests[0].at == START_MS + 3_600_000


def test_a_request_may_ask_to_be_held(sim, pool):
    """As for every fault of a request; a forked world has nothing held."""
    headers = {"X-Confsim": "hold=after", "Authorization": f"Bearer {USER}"}
    answer = pool.submit(sim.client().get, "/users/me", headers=headers)
    call = sim.faults.wait_for_held()
    assert call.info.operation == "get_me"
    assert sim.fork().faults.held == []
    call.release()
    assert answer.result(30).status_code == 200


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("action", ["release", "drop"])
def test_a_replay_holds_nothing_and_does_what_was_done(sim, held, when, action):
    """A call that did not reach its operation is not made; what was decided of a call is no other answer."""
    call, answer = held(hold=when)
    getattr(call, action)()
    answer.exception(5)
    done = len(rooms(sim))
    sim.call("create_channel", OWNER, body=BODY)
    found = sim.control("ask_what_if", assumptions={"channels.unique-names": "allow"})
    assert [each.would_be.status for each in found.differ] == [200] * done


def ask(url, body=None, **headers):
    """A request of the live server; answers the JSON."""
    raw = None if body is None else json.dumps(body).encode()
    given = {"Content-Type": "application/json", "Authorization": f"Bearer {OWNER}", **headers}
    with urllib.request.urlopen(urllib.request.Request(url, raw, given), timeout=30) as answer:
        return json.load(answer)


def test_over_http_a_held_call_holds_nobody_else_up(pool):
    """Others are answered, on one thread that serves; held calls are listed, and decided by their ids."""
    with Simulator().serve() as server:
        root = f"{server.root}/_confsim"
        ask(f"{root}/faults", {"operation": "create_channel", "times": 2, "do": {"hold": "before"}})
        answers = [pool.submit(ask, f"{server.base_url}/channels/create", {"name": name}) for name in ("One", "Two")]
        while len(found := ask(f"{root}/held")) < 2:
            time.sleep(0.01)
        begun = time.perf_counter()
        assert ask(f"{server.base_url}/users/me")["handle"] == "Olaf Owner"
        assert time.perf_counter() - begun < 20
        assert {each["body"]["name"] for each in found} == {"One", "Two"}
        first, second = found
        assert ask(f"{root}/held/{first['id']}", {"action": "release"})["outcome"] == "released"
        done = ask(f"{root}/held/{second['id']}", {"action": "change", "do": {"status": 200, "body": {"x": 1}}})
        assert done["outcome"] == "changed"
        got = [answer.result(30) for answer in answers]
        assert sorted(map(len, got)) == [1, 1]
        assert {"x": 1} in got


@pytest.mark.parametrize(
    ("body", "status", "text"),
    [
        ({"action": "hold"}, 400, "'hold' is none of release, change, drop"),
        ({"action": "change"}, 400, "either do or body"),
        ({"action": "change", "do": {"status": 503}, "body": {}}, 400, "either do or body"),
        ({"action": "release", "do": {"status": 503}}, 400, "release takes neither"),
        ({"action": "change", "do": {"drop": "before"}}, 400, "not held again"),
        ({"action": "change", "do": {"statu": 503}}, 400, "did you mean 'status'?"),
        ({"action": "drop"}, 404, "no call 'h9' is held"),
    ],
)
def test_a_wrong_decision_is_reported(sim, held, body, status, text):
    """And the call stays held."""
    call, answer = held(hold="before")
    with pytest.raises(Misuse, match=text.replace("?", r"\?")) as refused:
        sim.control("decide_held", "h9" if status == 404 else call.info.id, **body)
    assert refused.value.status == status
    assert len(sim.faults.held) == 1
    call.drop()
    with pytest.raises(ConnectionResetError):
        answer.result(30)


def test_a_call_whose_client_has_gone_is_released_in_its_time(sim):
    """Although nobody waits for its answer any more."""
    sim.faults.add("create_channel", do={"hold": "before", "holdAtMost": "1ms"})
    assert sim.app(_request()).cancel()
    while sim.faults.held:
        time.sleep(0.001)
    assert rooms(sim) == ["Planning"]


def _request():
    headers = {"host": "localhost", "authorization": f"Bearer {OWNER}", "content-type": "application/json"}
    return Request("POST", "/v1_0/channels/create", "", headers, json.dumps(BODY).encode(), worker=Worker())


def test_waiting_for_a_held_call_ends(sim):
    """With Misuse, when none comes."""
    with pytest.raises(Misuse, match="no call was held within 20ms"):
        sim.faults.wait_for_held("20ms")
