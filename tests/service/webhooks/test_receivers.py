"""Receivers of webhooks in this process: what can be one, and what each of them may do."""

from __future__ import annotations

import asyncio
import sys
import threading
import urllib.request
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from unittest.mock import Mock

import pytest

from confsim import Misuse, Simulator
from confsim.domain.events.deliveries import DeliveryState
from confsim.service.live import WorldObserver
from confsim.service.webhooks.receivers import FAILED
from kit import ADMIN, USER, ok
from kit.things.webhooks import happen, listening, names, states

pytestmark = pytest.mark.own_ways


@pytest.fixture(autouse=True)
def nothing_left():
    """No failed assertion is left to the test that runs next."""
    yield
    assert FAILED.take() is None


def upload(root, name):
    """Add media over HTTP; return the status."""
    headers = {"Authorization": f"Bearer {ADMIN}"}
    request = urllib.request.Request(f"{root}/v1_0/media?name={name}", b"x", headers, method="POST")
    with urllib.request.urlopen(request, timeout=30) as response:
        return response.status


# What can be a receiver


async def slow(message):
    """Answer after others had their turn."""
    await asyncio.sleep(0)
    return 201 if message.json["data"]["name"] == "a" else 500


class Application:
    """An ASGI application that remembers what it got."""

    def __init__(self):
        self.scopes, self.bodies, self.events = [], [], []

    async def __call__(self, scope, receive, send):
        """Read the request, and listen for the end of the connection while the response is sent."""
        event = await receive()
        self.scopes.append(scope)
        self.bodies.append(event["body"])
        listening = asyncio.create_task(receive())
        await send({"type": "http.response.start", "status": 202, "headers": []})
        await send({"type": "http.response.body", "body": b"so", "more_body": True})
        assert not listening.done()
        await send({"type": "http.response.body", "body": b"on"})
        self.events.append(await listening)


@pytest.mark.parametrize(
    "receiver", [slow, partial(slow), lambda message: slow(message)], ids=["function", "partial", "made"]
)
def test_a_coroutine_function_answers(sim, receiver):
    """The status that a coroutine returns is that of the attempt."""
    sim.webhooks.deliver_to(receiver)
    happen(sim, "a", "b")
    assert [each.attempts[0].status for each in sim.webhooks] == [201, 500]


def test_a_coroutine_function_answers_beside_a_running_loop(sim):
    """A caller on an event loop, whose loop waits meanwhile, gets the same answer."""
    sim.webhooks.deliver_to(slow)

    async def call():
        happen(sim, "a")

    asyncio.run(call())
    assert states(sim) == [DeliveryState.DELIVERED]


def test_the_event_loop_of_the_caller_stays_as_it_was(sim):
    """A receiver's event loop does not become that of the thread."""
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    try:
        sim.webhooks.deliver_to(slow)
        happen(sim, "a")
        assert asyncio.get_event_loop_policy().get_event_loop() is loop
    finally:
        asyncio.set_event_loop(None)
        loop.close()


def test_an_asgi_application_gets_a_request(sim):
    """It gets method, path, query, headers and body, and after its answer the end of the connection."""
    application = Application()
    sim.webhooks.deliver_to(application)
    happen(sim, "a")
    (scope,), (delivery,) = application.scopes, sim.webhooks
    assert [each.status for each in delivery.attempts] == [202]
    assert (scope["type"], scope["method"], scope["path"], scope["query_string"]) == ("http", "POST", "/a b", b"c=d")
    assert (scope["raw_path"], scope["scheme"], scope["server"]) == (b"/a%20b", "https", ("hooks.example", 443))
    headers = dict(scope["headers"])
    assert headers[b"host"] == b"hooks.example"
    assert headers[b"webhook-id"] == delivery.message.encode()
    assert int(headers[b"content-length"]) == len(application.bodies[0])
    assert application.events == [{"type": "http.disconnect"}]


def test_anything_with_append_collects_messages(sim):
    """A deque is a receiver like a list."""
    got = deque(maxlen=1)
    sim.webhooks.deliver_to(got)
    happen(sim, "a", "b")
    assert names(got) == ["b"]


def generator(message):
    """Yield, so that a call does nothing."""
    yield message


async def async_generator(message):
    """Yield, so that there is nothing to await."""
    yield message


async def two(environ, start_response):
    """Be neither a WSGI application nor an ASGI application."""


class Called:
    """Have methods like functions that cannot be receivers."""

    def one(self, message):
        """Yield, so that a call does nothing."""
        yield message

    async def one_later(self, message):
        """Yield, so that there is nothing to await."""
        yield message

    async def two(self, environ, start_response):
        """Be neither a WSGI application nor an ASGI application."""

    def three(self, scope, receive, send):
        """Yield, so that there is nothing to await."""
        yield scope, receive, send


def calling(method):
    """Return an object that does this when it is called."""
    return type("Object", (), {"__call__": method})()


@pytest.mark.parametrize(
    "target",
    [
        *(1, "http://hooks.example", {"url": "x"}, ("a",), object()),
        lambda: 200,
        lambda one, two, three, four: 200,
        lambda **named: 200,
        lambda message, *, needed: 200,
        *(generator, async_generator, two),
        *map(calling, (Called.one, Called.one_later, Called.two, Called.three)),
        *(list, int, Simulator),
    ],
)
def test_what_cannot_be_a_receiver_is_refused(sim, target):
    """It is refused when it is given, and the earlier receiver stays."""
    got = []
    sim.webhooks.deliver_to(got)
    with pytest.raises(Misuse, match="cannot receive webhooks: a receiver is a list, a function of one message"):
        sim.webhooks.deliver_to(target)
    happen(sim, "a")
    assert names(got) == ["a"]


@pytest.mark.parametrize(
    "spec",
    [None, generator, lambda message: 200, Called().one_later],
    ids=["nothing", "a generator function", "a function", "a method"],
)
def test_a_mock_is_a_receiver_whatever_its_spec(sim, spec):
    """It has every attribute, append too, and is called nevertheless; its status is that of the attempt."""
    mock = Mock(spec=spec, return_value=202)
    sim.webhooks.deliver_to(mock)
    happen(sim, "a")
    assert names(call.args[0] for call in mock.call_args_list) == ["a"]
    assert [each.attempts[0].status for each in sim.webhooks] == [202]


@pytest.mark.parametrize(
    ("answer", "named"),
    [
        (True, "True"),
        (99, "99"),
        (600, "600"),
        ("x", "'x'"),
        (Mock(), "an object of Mock"),
        ((200,), "an object of tuple"),
    ],
)
def test_what_is_no_status_is_a_failed_attempt_that_says_so(sim, answer, named):
    """A receiver that returns no status has not answered; the attempt says what it returned."""
    sim.webhooks.deliver_to(lambda message: answer)
    happen(sim, "a")
    (attempt,) = sim.webhooks[0].attempts
    problem = f"ValueError: the receiver returned {named}, which is no status from 100 to 599"
    assert (attempt.status, attempt.problem) == (None, problem)


# What a receiver may do


def test_other_callers_do_not_notice_that_a_receiver_waits(sim):
    """Calls of other threads are answered while a receiver has a message; what they cause is delivered after it."""
    entered, go_on, got = threading.Event(), threading.Event(), []

    def receive(message):
        got.append(message)
        entered.set()
        assert go_on.wait(30)

    sim.webhooks.deliver_to(receive)
    with ThreadPoolExecutor() as pool:
        first = pool.submit(happen, sim, "a")
        assert entered.wait(30)
        pool.submit(happen, sim, "b").result(30)
        assert pool.submit(sim.call, "get_me", USER).result(30).ok
        assert pool.submit(sim.clock.advance, "1h").result(30) == []
        assert (names(got), states(sim)) == (["a"], [DeliveryState.READY, DeliveryState.WAITING])
        go_on.set()
        first.result(30)
    assert names(got) == ["a", "b"]
    assert states(sim) == [DeliveryState.DELIVERED] * 2


def test_an_object_that_appends_may_wait_for_another_thread_that_calls(sim):
    """An ``append`` of users is code of users: it is called while others go on."""
    statuses = []

    class Box:
        append = staticmethod(lambda message: call_in_thread())

    def call_in_thread():
        caller = threading.Thread(target=lambda: statuses.append(sim.call("get_me", USER).status), daemon=True)
        caller.start()
        caller.join(10)
        statuses.append("received")

    sim.webhooks.deliver_to(Box())
    happen(sim, "a")
    assert statuses == [200, "received"]


def test_a_receiver_may_wait_for_another_thread_that_calls(sim):
    """A receiver that waits for a call of another thread gets its answer, in a call and in an advance of the clock."""
    calls = []

    def receive(message):
        with ThreadPoolExecutor() as pool:
            calls.append(pool.submit(sim.call, "get_me", USER).result(30).status)
            calls.append(pool.submit(sim.control, "get_clock").result(30).now)
        return 500 if len(calls) < 6 else 200

    sim.webhooks.deliver_to(receive)
    start = sim.clock.now
    happen(sim, "a")
    sim.clock.advance("1h")
    assert calls == [200, start, 200, start + 5_000, 200, start + 305_000]
    assert sim.clock.now == start + 3_600_000


def test_an_advance_ends_no_earlier_than_another_one(sim):
    """The clock does not go back to where an advance would have ended, when its receiver went beyond."""
    start = sim.clock.now
    sim.webhooks.deliver_to(lambda message: 500)
    happen(sim, "a")
    sim.webhooks.deliver_to(lambda message: None if sim.clock.advance("2h") is None else 200)
    sim.clock.advance("10s")
    assert sim.clock.now == start + 5_000 + 7_200_000


def test_no_event_is_delivered_before_it_happens(sim):
    """What a receiver causes after it has moved the clock is delivered at the instant of its call, or of its timer."""
    start = sim.clock.now
    other = ok(sim, "add_events_endpoint", body={"url": "http://other.example/"})["id"]

    def receive(message):
        if message.json["data"]["name"] == "a" and message.url == "http://other.example/":
            sim.clock.advance("6s")
            happen(sim, "b")
        return 500 if message.json["data"]["name"] == "a" and message.url != "http://other.example/" else 200

    sim.webhooks.deliver_to(receive)
    happen(sim, "a")
    later = [each for each in sim.webhooks if each.endpoint == other]
    assert [[attempt.at - start for attempt in each.attempts] for each in later] == [[0], [6_000]]
    (retried,) = [each for each in sim.webhooks if each.endpoint != other and each.attempts]
    assert [attempt.at - start for attempt in retried.attempts] == [0, 6_000]


def test_a_receiver_gets_what_is_stored(sim):
    """What a call changed is flushed before its webhook is delivered, while others may see it."""
    flushed = []
    flush = type("Flush", (WorldObserver,), {"releasing": lambda self: flushed.append(sim.service.world)})()
    sim.service.live.observers.add(flush)
    sim.webhooks.deliver_to(lambda message: seen.append(flushed[-1] is sim.service.world))
    seen = []
    happen(sim, "a")
    assert seen == [True]


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_an_interrupt_reaches_the_caller(sim, error):
    """An interrupt is no failed attempt: the delivery is made by the next call, and nobody waits for a lock."""

    def receive(message):
        raise error

    sim.webhooks.deliver_to(receive)
    with pytest.raises(error):
        happen(sim, "a")
    sim.webhooks.deliver_to(None)
    with ThreadPoolExecutor() as pool:
        pool.submit(happen, sim, "b").result(30)
    assert states(sim) == [DeliveryState.DELIVERED] * 2


@pytest.mark.parametrize("over", ["call", "http"])
def test_runs_with_a_receiver_that_calls_back_are_the_same(over):
    """Two runs give the same messages, journal and world, whether the receiver calls the simulator or its server."""

    def run():
        sim, got = listening(), []
        ok(sim, "add_events_endpoint", body={"url": "http://other.example/"})

        def receive(message):
            got.append((message.url, message.headers, message.body))
            if len(got) < 8:
                happen(sim, f"{len(got)}") if over == "call" else upload(root, f"{len(got)}")
            return 500 if len(got) % 3 == 0 else 200

        sim.webhooks.deliver_to(receive)
        with sim.serve() as server:
            root = server.root
            assert upload(root, "a") == 200
            sim.clock.advance("1h")
        journal = [(each.id, each.at, each.operation, each.query, each.status) for each in sim.requests]
        return got, journal, [repr(each) for each in sim.webhooks], sim.service.world.digest()

    first = run()
    assert len(first[0]) > 8
    assert run() == first


def test_a_receiver_of_a_served_world_may_call_its_server(sim):
    """A call over HTTP, and an advance of the clock, return after the deliveries, in which the server is called."""
    statuses, counts = [], []

    def receive(message):
        if len(statuses) < 4:
            statuses.append(upload(root, "more"))
        return 200 if statuses[3:] else 503

    sim.webhooks.deliver_to(receive)
    with sim.serve() as server:
        root = server.root
        assert upload(root, "a") == 200
        counts.append(len(statuses))
        request = urllib.request.Request(f"{root}/_confsim/clock/advance", b'{"by": "1d"}', method="POST")
        with urllib.request.urlopen(request, timeout=30) as response:
            assert response.status == 200
        counts.append(len(statuses))
    assert (counts, statuses) == ([1, 4], [200] * 4)
    assert set(states(sim)) == {DeliveryState.DELIVERED}


def test_other_clients_of_a_server_do_not_notice_that_a_receiver_waits(sim):
    """The server answers other clients while a receiver has a message."""
    entered, go_on = threading.Event(), threading.Event()

    def receive(message):
        entered.set()
        assert go_on.wait(30)

    sim.webhooks.deliver_to(receive)
    with sim.serve() as server, ThreadPoolExecutor() as pool:
        first = pool.submit(upload, server.root, "a")
        assert entered.wait(30)
        assert upload(server.root, "b") == 200
        assert not first.done()
        go_on.set()
        assert first.result(30) == 200
    assert states(sim) == [DeliveryState.DELIVERED] * 2


def test_a_receiver_cannot_end_the_server(sim):
    """An attempt to exit the process is a failed attempt there, since no caller gets it; the server answers on."""
    sim.webhooks.deliver_to(lambda message: sys.exit(3))
    with sim.serve() as server:
        assert upload(server.root, "a") == 200
        assert upload(server.root, "b") == 200
    assert sim.webhooks[0].attempts[0].problem == "SystemExit: 3"


# What fails


def test_a_failed_assertion_is_raised_by_check(sim):
    """It is a failed attempt, and raised once; several are raised as one group; any other exception is not raised."""

    def receive(message):
        assert message.json["data"]["name"] != "a", "no a"
        raise LookupError("no b")

    sim.webhooks.deliver_to(receive)
    sim.webhooks.check()
    happen(sim, "a")
    with pytest.raises(AssertionError, match="no a"):
        sim.webhooks.check()
    sim.webhooks.check()
    sim.clock.advance("1h")
    with pytest.raises(ExceptionGroup, match="receivers of webhooks failed") as raised:
        sim.webhooks.check()
    assert {type(error) for error in raised.value.exceptions} == {AssertionError}
    assert sim.webhooks[0].attempts[0].problem.startswith("AssertionError: no a")
    sim.webhooks.deliver_to(lambda message: 200)
    sim.clock.advance("1d")
    sim.webhooks.deliver_to(receive)
    happen(sim, "b")
    sim.webhooks.check()
    assert [each.problem for each in sim.webhooks[1].attempts] == ["LookupError: no b"]


@pytest.mark.parametrize("failing", [0, 1])
def test_a_doubled_message_has_failed_when_one_of_the_two_has(sim, failing):
    """What a receiver raises at either message is the error of the attempt."""
    problems = [None, None]
    problems[failing] = LookupError("no b")

    def receive(message):
        if (problem := problems.pop(0)) is not None:
            raise problem

    sim.faults.add(thing="webhook", do="doubled")
    sim.webhooks.deliver_to(receive)
    happen(sim, "b")
    assert problems == []
    assert [each.problem for each in sim.webhooks[0].attempts] == ["LookupError: no b"]


def test_pytest_fail_is_a_failed_assertion(sim):
    """``pytest.fail`` in a receiver is a failed attempt whose failure is raised, though it is no Exception."""
    sim.webhooks.deliver_to(lambda message: pytest.fail("no b"))
    happen(sim, "b")
    assert states(sim) == [DeliveryState.LATER]
    with pytest.raises(pytest.fail.Exception, match="no b"):
        sim.webhooks.check()


def test_worlds_check_their_own_receivers(sim):
    """A check does not raise what a receiver of another world failed with."""
    other = listening()
    sim.webhooks.deliver_to(lambda message: pytest.fail("here"))
    happen(sim, "a")
    other.webhooks.check()
    with pytest.raises(pytest.fail.Exception, match="here"):
        sim.webhooks.check()


def test_a_group_with_a_failed_assertion_is_one(sim):
    """The failures of a coroutine's tasks are raised, as the group in which they come."""

    async def receive(message):
        async def judge():
            raise AssertionError("no task")

        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(judge())

    sim.webhooks.deliver_to(receive)
    happen(sim, "a")
    with pytest.raises(ExceptionGroup):
        sim.webhooks.check()
