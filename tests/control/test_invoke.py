"""Calls of the control plane: who may make them, how they are refused, that they leave no trace."""

from __future__ import annotations

import json
import threading

import pytest

from confsim.control.catalogue import CONTROL
from confsim.kernel.refusal import Misuse
from confsim.service.messages import Request
from confsim.service.waiting import wait_for
from confsim.service.worker import Worker
from kit import START
from kit.each import by_name, each


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"origin": "http://confsim.test"}, 200),
        ({"origin": "http://here:8080", "host": "here:8080"}, 200),
        ({"origin": "http://HERE:8080", "host": "here:8080"}, 200),
        ({"sec_fetch_site": "same-origin"}, 200),
        ({"sec_fetch_site": "none"}, 200),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "http://here:3000", "host": "here:8080"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": ""}, 403),
        ({"origin": "null", "host": ""}, 400),
        ({"origin": "http://[", "host": "here"}, 403),
        ({"sec_fetch_site": "cross-site"}, 403),
        ({"sec_fetch_site": "same-site"}, 403),
    ],
)
def test_pages_of_other_sites_are_refused(plane, headers, status):
    """A browser says where a page is from; only the server's own may call."""
    assert plane("GET", "/clock", **headers)[0] == status


def test_a_refused_page_changes_nothing(plane, sim):
    """Cross-origin calls are refused before they do anything."""
    before = sim.service.world
    assert plane("POST", "/clients", {"name": "X"}, origin="http://evil.example")[0] == 403
    assert sim.service.world is before


@pytest.mark.parametrize("body", [b'{"keep": "clock"}', b"[]", b"text", b"0"])
def test_a_body_where_none_is_taken_is_refused(sim, body):
    """What it says would not be done; an empty one says nothing."""
    sim.call("update_terms_url", "demo-api-token", body={"url": "https://terms.example/new"})
    changed = sim.service.world
    answer = sim.app(Request("POST", "/_confsim/clock/freeze", body=body))
    assert (answer.status, json.loads(answer.body)["detail"]) == (400, "freeze_clock takes no body")
    assert sim.service.world is changed
    for empty in (b"", b" {}\n", b"null"):
        assert sim.app(Request("POST", "/_confsim/clock/freeze", body=empty)).status == 200


@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS", "POST"])
def test_control_calls_are_not_journaled(sim, method):
    """Nor do they need a credential."""
    sim.app(Request(method, "/_confsim/health"))
    sim.app(Request(method, "/_confsim/nowhere"))
    assert len(sim.service.journal) == 0


def test_unknown_paths_and_methods_are_problems(sim):
    """404 and 405 with Allow, as RFC 9457 documents."""
    lost = sim.app(Request("GET", "/_confsim/nowhere"))
    assert (lost.status, dict(lost.headers)["Content-Type"]) == (404, "application/problem+json")
    wrong = sim.app(Request("GET", "/_confsim/reset"))
    assert (wrong.status, dict(wrong.headers)["Allow"]) == (405, "POST, OPTIONS")
    asked = sim.app(Request("OPTIONS", "/_confsim/clock"))
    assert (asked.status, dict(asked.headers)["Allow"]) == (204, "GET, HEAD, OPTIONS")


def test_a_profile_does_not_touch_the_control_plane(make_sim):
    """Other envelopes, empty answers and methods are for the API alone."""
    sim = make_sim({"errors.body": "empty", "route.wrong-method": "404", "http.head": "405", "encode.absent": "null"})
    assert sim.app(Request("GET", "/_confsim/reset")).status == 405
    assert b"detail" in sim.app(Request("GET", "/_confsim/snapshots/x")).body
    assert sim.app(Request("HEAD", "/_confsim/health")).status == 200


@pytest.fixture
def make_sim():
    """Simulators under a profile."""
    from confsim import Simulator

    return lambda profile: Simulator(clock=START, profile=profile)


def test_a_bug_is_reported_with_a_reference_and_stored(plane, sim, monkeypatch):
    """What control code raises unexpectedly is a 500, and is there for the test to raise."""
    monkeypatch.setattr(CONTROL["get_info"], "function", lambda control: 1 / 0)
    status, problem = plane("GET", "/info")
    assert (status, problem["status"]) == (500, 500)
    assert "ZeroDivisionError" in problem["reference"]
    assert isinstance(sim.service.bugs[0], ZeroDivisionError)


def test_python_and_http_refuse_with_the_same_facts(plane, sim):
    """A refusal by the rules of the API has its facts and its code, whichever way the call comes."""
    with pytest.raises(Misuse) as caught:
        sim.control("make_client", name="Child", parent="nobody")
    status, problem = plane("POST", "/clients", {"name": "Child", "parent": "nobody"})
    assert caught.value.facts == {"what": "client", "id": "nobody", "code": "not_found"}
    assert (status, problem["detail"]) == (caught.value.status, str(caught.value))
    assert {name: problem[name] for name in caught.value.facts} == caught.value.facts


@pytest.mark.parametrize(
    ("name", "path", "problem"),
    [
        ("no_such", (), "no operation 'no_such'"),
        ("drop_snapshot", (), "needs name"),
        ("get_info", ("x",), "needs nothing"),
    ],
)
def test_what_python_cannot_call_is_a_misuse(sim, name, path, problem):
    """An unknown operation, and a wrong number of path parameters."""
    with pytest.raises(Misuse, match=problem):
        sim.control(name, *path)


def test_declarations_say_how_an_operation_is_repeated():
    """What a replay leaves out, what only moves the clock, what waits, what runs beside others."""

    def those(word):
        return {operation.name for operation in CONTROL if getattr(operation, word)}

    assert those("moves_clock") == {"advance_clock", "set_clock", "freeze_clock", "resume_clock", "run_clock"}
    assert those("waits") == {"wait"}
    assert those("beside") >= {"make_world", "wait", "export_requests", "search", "get_state", "ask_what_if"}
    assert not those("beside") & those("moves_clock")
    assert {"reset_world", "make_world", "drop_world", "set_journal", "wait"} <= set(CONTROL.operations) - those(
        "replayed"
    )
    assert those("moves_clock") <= those("replayed")


WRONG = [b"", b"{", b"[]", b'"x"', b"5", b"nul", b"\xff\xfe", b'{"x":1}', b"[" * 100_000, b"1" * 5000, b'{"a":NaN}']
POSTS = [operation for operation in CONTROL if operation.body is not None]


@each("raw", WRONG, ids=lambda raw: repr(raw[:8]))
@each("operation", POSTS, ids=by_name)
def test_no_body_makes_a_server_error(sim, operation, raw):
    """Whatever is sent, the answer is a problem that says what and where, or the call is made."""
    sim = sim.fork()
    path = "/_confsim" + operation.path.replace("{kind}", "user").replace("{id}", "1004").replace("{name}", "x")
    response = sim.app(Request(operation.method, path, "", {}, raw))
    assert response.status < 500
    assert response.status < 400 or b'"detail"' in response.body
    assert sim.service.bugs == []


@each("operation", list(CONTROL), ids=by_name)
def test_no_unknown_query_passes(sim, operation):
    """A mistyped parameter is a problem on every call."""
    sim = sim.fork()
    path = "/_confsim" + operation.path.replace("{kind}", "user").replace("{id}", "1004").replace("{name}", "x")
    response = sim.app(Request(operation.method, path, "nonsense=1", {}, b"{}"))
    assert response.status == 400
    assert b"nonsense" in response.body


def test_a_call_beside_others_is_recorded_once_it_is_done(sim):
    """A server answers others meanwhile: its lock is free; the journal has the call when its result is there."""
    going_on, worker = threading.Event(), Worker()
    worker.do(going_on.wait)
    request = Request("GET", "/_confsim/info", "", {"host": "localhost"}, worker=worker)
    outcome = sim.app(request)
    assert sim.requests.between() == []
    going_on.set()
    info = json.loads(wait_for(outcome).body)
    assert [client["id"] for client in info["clients"]] == [client.id for client in sim.control("get_info").clients]
    recorded = sim.requests.between()
    assert [(each.operation, each.status) for each in recorded] == [("get_info", 200)] * 2
    assert recorded[0].assumptions == recorded[1].assumptions != []


def test_a_call_beside_others_is_refused(sim):
    """As any other call."""
    for target in ("/records?client=nobody", "/records/users/nobody"):
        path, _, query = target.partition("?")
        assert wait_for(sim.app(Request("GET", f"/_confsim{path}", query, {}, worker=Worker()))).status == 404


@each("operation", [each for each in CONTROL if each.beside and not each.changes], ids=by_name)
def test_what_runs_beside_others_takes_no_lock_for_long(sim, operation, monkeypatch):
    """Nobody holds the lock of the world while its answer is computed."""
    sim, held = sim.fork(), []
    function = operation.function

    def run(*arguments, **named):
        free = []
        thread = threading.Thread(target=lambda: free.append(sim.service.lock.acquire()))
        thread.start()
        thread.join(10)
        held.append(not free)
        return function(*arguments, **named)

    monkeypatch.setattr(operation, "function", run)
    path = "/_confsim" + operation.path.replace("{kind}", "user").replace("{id}", "1004")
    sim.app(Request("GET", path, "channel=x&text=x&as=curl", {}))
    assert held in ([], [False])
