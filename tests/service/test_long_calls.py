"""Calls that take long: others are served meanwhile, and the change is put in force as a whole."""

from __future__ import annotations

import gc
import json
import threading
import time
from contextlib import contextmanager

import pytest

from confsim.api.catalogue import API
from confsim.assumptions.protocol.refusals import Reason
from confsim.kernel.refusal import Refusal
from confsim.service import pipeline
from confsim.service.live import WorldObserver
from confsim.service.messages import Request
from confsim.service.waiting import wait_for
from confsim.service.worker import Worker
from kit import ADMIN, OWNER, ROOM, demo, ok

DELETE = ("DELETE", f"/v1_0/channels/{ROOM}")
GET = ("GET", f"/v1_0/channels/{ROOM}")
CREATE = ("POST", "/v1_0/channels/create")
UPLOAD = ("POST", "/v1_0/media")


@pytest.fixture(autouse=True)
def _soon(monkeypatch):
    """A call takes long from its third step on."""
    monkeypatch.setattr(pipeline, "MOST_STEPS", 3)


@pytest.fixture
def serve(sim):
    """Sends a request as a server does that serves others while a response is yet to come."""

    def serve(call, token=OWNER, query="", **body):
        headers = {"host": "localhost", "authorization": f"Bearer {token}", "content-type": "application/json"}
        return sim.app(Request(*call, query, headers, json.dumps(body).encode() if body else b"", worker=Worker()))

    return serve


@contextmanager
def wrapped(monkeypatch, name, before):
    """Calls ``before`` with the number of each run of an operation, counted from 0."""
    operation, runs = API[name], []
    function = operation.function

    def run(*arguments, **named):
        runs.append(0)
        before(len(runs) - 1)
        return function(*arguments, **named)

    with monkeypatch.context() as patch:
        patch.setattr(operation, "function", run)
        yield runs


def test_others_read_the_world_before_it(sim, serve):
    """Until it is in force."""
    with sim.service.live.lock:  # its thread does not come to its end meanwhile
        deletion = serve(DELETE)
        assert not deletion.done()
        assert serve(GET).status == 200
    assert wait_for(deletion).status == 200
    assert serve(GET).status == 404


def test_nobody_waits_for_its_lock(sim, serve, monkeypatch):
    """While it is put in force, which takes as long as its record on a disk, calls that read follow, too."""
    flushing, go_on = threading.Event(), threading.Event()

    def flush():
        if sim.service.journal.count:
            flushing.set()
            assert go_on.wait(30)

    sim.service.live.observers.add(type("Flush", (WorldObserver,), {"releasing": lambda self: flush()})())
    deletion = serve(DELETE)
    assert flushing.wait(30)
    reading = serve(GET)
    assert not reading.done()
    go_on.set()
    assert [wait_for(each).status for each in (deletion, reading)] == [200, 404]


def test_calls_that_change_something_come_after_it(sim, serve):
    """In the journal, too; each is answered as if it had been the next call."""
    with sim.service.live.lock:
        deletion, creation = serve(DELETE), serve(CREATE, name="Another")
        rename = serve(("POST", f"/v1_0/channels/{ROOM}/rename"), name="Too late")
        assert not creation.done()
        assert not rename.done()
    assert [wait_for(each).status for each in (deletion, creation, rename)] == [200, 200, 404]
    first, *others = sim.service.journal
    assert first.operation == "delete_channel"
    assert len(others) == 2


@pytest.fixture
def received(sim):
    """The names of the media that have arrived at a receiver, which takes its time."""
    ok(sim, "add_events_endpoint", body={"url": "https://hooks.example"})
    ok(sim, "set_events_state", state="enable")
    names = []

    def receive(message):
        time.sleep(0.05)
        names.append(message.json["data"]["name"])

    sim.webhooks.deliver_to(receive)
    return names


def test_its_answer_comes_after_its_deliveries(sim, serve, received, monkeypatch):
    """However long its receiver takes."""
    monkeypatch.setattr(pipeline, "MOST_STEPS", 0)
    assert wait_for(serve(UPLOAD, ADMIN, "name=a", x=1)).status == 200
    assert received == ["a"]


def test_a_call_of_python_behind_it_returns_after_its_deliveries(sim, serve, received):
    """Though the thread of the long call performs it."""
    sim.service.pipeline._long.do(lambda: time.sleep(0.05))
    sim.call("upload_client_media", ADMIN, name="c", body=b"x", expect=200)
    assert received == ["c"]


def test_it_is_as_the_same_call_that_waits_for_nobody(sim, serve):
    """The world, the answer and the entry of the journal are the same."""
    other = sim.fork()
    assert wait_for(serve(DELETE)).status == other.call("delete_channel", OWNER, uuid=ROOM).status
    assert sim.service.world.digest() == other.service.world.digest()
    first, second = sim.service.journal.last(), other.service.journal.last()
    assert (first.id, first.touched, first.assumptions.keys() >= second.assumptions.keys()) == (
        second.id,
        second.touched,
        True,
    )


def test_a_world_that_has_moved_is_read_again(sim, serve, monkeypatch):
    """What others changed meanwhile is there, and what it changed."""

    def move(run):
        if run == 1:
            sim.control("make_client", name="Meanwhile")

    with wrapped(monkeypatch, "delete_channel", move) as runs:
        assert wait_for(serve(DELETE)).status == 200
    assert len(runs) == 3
    assert serve(GET).status == 404
    assert "Meanwhile" in [client.name for client in sim.control("get_info").clients]


def test_a_world_that_always_moves_waits_in_the_end(sim, serve, monkeypatch):
    """After some attempts it is computed under the lock."""

    def move(run):
        if 0 < run <= pipeline.ATTEMPTS:
            sim.control("make_client", name=f"Meanwhile {run}")

    with wrapped(monkeypatch, "delete_channel", move) as runs:
        assert wait_for(serve(DELETE)).status == 200
    assert len(runs) == 1 + pipeline.ATTEMPTS + 1
    assert serve(GET).status == 404


def test_a_refusal_and_a_defect_leave_no_trace(sim, serve, monkeypatch):
    """Whatever the thread raises is answered as that of any call."""

    def fail(run):
        if run:
            raise ZeroDivisionError("as asked")

    before = sim.service.world
    with wrapped(monkeypatch, "delete_channel", fail):
        answer = wait_for(serve(DELETE))
    assert (answer.status, b"as asked" in answer.body) == (500, True)
    assert [type(bug) for bug in sim.service.live.take_bugs()] == [ZeroDivisionError]
    assert sim.service.world is before
    assert wait_for(serve(DELETE)).status == 200


@pytest.mark.parametrize("refused", [False, True])
def test_it_leaves_no_cyclic_garbage(sim, serve, monkeypatch, refused):
    """Which a server would never collect: neither when it is done nor when it is refused in the end."""

    def refuse(run):
        if run and refused:
            raise Refusal(Reason.NOT_FOUND, what="channel", id=ROOM)

    with wrapped(monkeypatch, "delete_channel", refuse):
        gc.freeze()  # what there is, is not looked through
        gc.disable()
        try:
            status = wait_for(serve(DELETE)).status
            assert gc.collect() == 0
        finally:
            gc.enable()
    assert status == (404 if refused else 200)


def test_a_search_of_many_texts_takes_long(sim, serve, monkeypatch):
    """As many as are looked at; a second one waits for the first."""
    monkeypatch.setattr("confsim.kernel.tables.views.READS_OF_A_STEP", 1)
    for number in range(6):
        sim.call("create_channel", OWNER, body={"name": f"Room {number}"})
    with sim.service.live.lock:
        searches = [serve(("GET", "/v1_0/channels"), query="search=Room+3") for _ in range(2)]
        assert [each.done() for each in searches] == [False, False]
    assert [json.loads(wait_for(each).body)["total"] for each in searches] == [1, 1]


def test_what_is_counted_is_computed_once(sim, serve):
    """Under a stage that counts calls, and where faults count things, others wait."""
    sim.faults.add(thing="mail", do="lost")
    assert serve(DELETE).status == 200
    limited = demo(**{"http__rate-limit": 2})
    headers = {"host": "localhost", "authorization": f"Bearer {OWNER}"}
    assert limited.app(Request(*DELETE, "", headers, worker=Worker())).status == 200
    assert limited.call("get_me", OWNER).status == 200
    assert limited.call("get_me", OWNER).status == 429


@pytest.mark.own_ways
def test_a_call_of_python_is_answered_at_once(sim):
    """Nobody else is served by its thread."""
    threads = {*threading.enumerate()}
    assert sim.call("delete_channel", OWNER, uuid=ROOM).ok
    assert {*threading.enumerate()} <= threads
