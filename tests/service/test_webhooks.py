from __future__ import annotations

import json
import socket
import time
from contextlib import nullcontext

import pytest
from standardwebhooks import Webhook, WebhookVerificationError

from confsim import Simulator
from confsim.domain.events import deliveries
from confsim.domain.events.deliveries import State
from confsim.service.webhooks.delivery import Plan, Route
from confsim.service.webhooks.http_sender import HttpSender, blocked_reason
from confsim.service.webhooks.receivers import Message
from kit import START_MS, ok

URL = "https://hooks.example/a%20b?c=d"


def listening(url=URL, clock=START_MS, **profile):
    """The demo world with an endpoint that is told what happens."""
    sim = Simulator(clock=clock, profile={f"webhooks.{name}": value for name, value in profile.items()})
    ok(sim, "add_events_endpoint", body={"url": url})
    ok(sim, "set_events_state", state="enable")
    return sim


def happen(sim, *names):
    """Let media of these names be added."""
    for name in names:
        ok(sim, "upload_client_media", name=name, body=b"x")


def states(sim):
    """The states of all deliveries."""
    return [each.state for each in sim.webhooks]


def wait_for(found, count=1):
    """Wait until there are so many, for five seconds at the most."""
    until = time.monotonic() + 5
    while len(found()) < count and time.monotonic() < until:
        time.sleep(0.01)


def names(messages):
    """The names of the media that messages tell of."""
    return [each.json["data"]["name"] for each in messages]


def application(statuses, got):
    """A WSGI application that answers these statuses in turn, the last for ever."""

    def answer(environ, start_response):
        got.append({**environ, "body": environ["wsgi.input"].read()})
        status = statuses.pop(0) if len(statuses) > 1 else statuses[0]
        start_response(f"{status} Whatever", [])
        return [b"told"]

    return answer


@pytest.fixture
def sim():
    """The demo world with an endpoint that is told what happens."""
    return listening()


# In this process


def test_without_a_receiver_everything_is_taken(sim):
    """At once, at the same instant, whatever the host."""
    happen(sim, "a")
    (delivery,) = sim.webhooks
    assert (delivery.state, delivery.url, delivery.payload["data"]["name"]) == (State.DELIVERED, URL, "a")
    assert [(each.at, each.status) for each in delivery.attempts] == [(START_MS, 200)]
    assert sim.service.webhooks.route is Route.LIST


def test_a_list_gets_every_message_in_order(sim):
    """As it would be sent."""
    got = []
    sim.webhooks.deliver_to(got)
    happen(sim, "a", "b", "c")
    assert names(got) == ["a", "b", "c"]
    assert {each.url for each in got} == {URL}
    assert got[0].headers["webhook-id"] == sim.webhooks[0].message
    assert got[0].headers["webhook-timestamp"] == str(START_MS // 1000)
    assert got[0].json == sim.webhooks[0].payload


def test_a_wsgi_application_gets_a_request(sim):
    """Method, path, query, host, headers and body."""
    got = []
    sim.webhooks.deliver_to(application([200], got))
    happen(sim, "a")
    (environ,) = got
    assert (environ["REQUEST_METHOD"], environ["PATH_INFO"], environ["QUERY_STRING"]) == ("POST", "/a b", "c=d")
    assert (environ["HTTP_HOST"], environ["SERVER_PORT"], environ["wsgi.url_scheme"]) == (
        "hooks.example",
        "443",
        "https",
    )
    assert environ["CONTENT_TYPE"] == "application/json"
    assert environ["HTTP_WEBHOOK_ID"] == sim.webhooks[0].message
    assert int(environ["CONTENT_LENGTH"]) == len(environ["body"])


def test_an_application_that_fails_is_asked_again_as_the_clock_goes_on(sim):
    """Each retry at its own instant, and the next one after it, within one advance."""
    got = []
    sim.webhooks.deliver_to(application([500, 503, 200], got))
    happen(sim, "a", "b")
    assert states(sim) == [State.LATER, State.WAITING]
    fired = sim.clock.advance("1h")
    first, second = sim.webhooks
    assert [(each.at - START_MS, each.status) for each in first.attempts] == [(0, 500), (5_000, 503), (305_000, 200)]
    assert [(each.at - START_MS, each.status) for each in second.attempts] == [(305_000, 200)]
    assert [(each.at - START_MS, each.what) for each in fired] == [
        (5_000, "webhook delivery"),
        (305_000, "webhook delivery"),
    ]
    assert len({environ["HTTP_WEBHOOK_ID"] for environ in got[:3]}) == 1
    assert [environ["HTTP_WEBHOOK_TIMESTAMP"] for environ in got] == [
        str((START_MS + late) // 1000) for late in (0, 5_000, 305_000, 305_000)
    ]


def test_the_next_thing_to_happen_may_be_a_retry(sim):
    """The clock stops there."""
    sim.webhooks.deliver_to(lambda message: 500)
    happen(sim, "a")
    sim.clock.advance(until="next")
    assert sim.clock.now == START_MS + 5_000
    assert len(sim.webhooks[0].attempts) == 2


@pytest.mark.parametrize(("answer", "state"), [(None, State.DELIVERED), (201, State.DELIVERED), (404, State.LATER)])
def test_a_function_answers_a_status_or_nothing(sim, answer, state):
    """Nothing is 200."""
    sim.webhooks.deliver_to(lambda message: answer)
    happen(sim, "a")
    assert states(sim) == [state]


def test_what_a_receiver_raises_is_a_failed_attempt(sim):
    """Told by its type and its words; the call that made it happen knows nothing of it."""

    def receive(message):
        raise LookupError("no such order")

    sim.webhooks.deliver_to(receive)
    happen(sim, "a")
    assert [each.problem for each in sim.webhooks[0].attempts] == ["LookupError: no such order"]
    assert sim.service.bugs == []


def test_an_application_without_an_answer_has_failed(sim):
    """One that never starts its response."""
    sim.webhooks.deliver_to(lambda environ, start_response: [])
    happen(sim, "a")
    assert states(sim) == [State.LATER]


def test_a_receiver_may_call_the_service(sim):
    """What happens by that is delivered after what it is told of now, not within."""
    got = []

    def receive(message):
        got.append(("begin", message.json["data"]["name"]))
        if len(got) < 5:
            happen(sim, f"{message.json['data']['name']}+")
        got.append(("end", message.json["data"]["name"]))

    sim.webhooks.deliver_to(receive)
    happen(sim, "a")
    assert got == [(word, name) for name in ("a", "a+", "a++") for word in ("begin", "end")]
    assert states(sim) == [State.DELIVERED] * 3


def test_a_receiver_may_reset_the_world(sim):
    """What it was told of is gone then."""
    sim.webhooks.deliver_to(lambda message: sim.reset())
    happen(sim, "a")
    assert list(sim.webhooks) == []
    assert sim.service.bugs == []


def test_a_receiver_set_later_gets_what_comes_then(sim):
    """And none gets what a fork of the world is told."""
    got = []
    happen(sim, "a")
    sim.webhooks.deliver_to(got)
    happen(sim, "b")
    happen(sim.fork(), "c")
    sim.webhooks.deliver_to(None)
    happen(sim, "d")
    assert names(got) == ["b"]
    assert states(sim) == [State.DELIVERED] * 3


def test_the_call_is_answered_and_noted_before_it_is_delivered(sim):
    """Its entry tells what the call did, and what was delivered is no call."""
    seen = []
    sim.webhooks.deliver_to(lambda message: seen.append(sim.requests[-1].operation))
    happen(sim, "a")
    assert seen == ["upload_client_media"]
    changed = [change for change in sim.requests[-1].changes if change.table == "webhook deliveries"]
    assert [change.after["state"] for change in changed] == ["ready"]


def test_what_deliveries_lean_on_is_told(sim):
    """Beside what calls lean on."""
    sim.webhooks.deliver_to([])
    happen(sim, "a")
    assert {"webhooks.taken", "webhooks.signature", "webhooks.envelope", "webhooks.order"} <= set(sim.assumptions_used)


def test_same_calls_and_answers_make_the_same_world():
    """To the byte, messages and signatures included."""
    worlds, messages = [], []
    for _ in range(2):
        sim, got = listening(), []
        statuses = [500, 200, 500, 503, 200]
        sim.webhooks.deliver_to(lambda message, got=got, statuses=statuses: got.append(message) or statuses.pop(0))
        happen(sim, "a", "b")
        sim.clock.advance("1h")
        worlds.append(sim.service.world.digest())
        messages.append(got)
    assert worlds[0] == worlds[1]
    assert messages[0] == messages[1]
    assert len(messages[0]) == 5


# Signatures


def test_messages_are_signed():
    """The library that receivers use takes the signature with the secret of the client, and no other."""
    sim, got = listening(clock=None), []
    sim.webhooks.deliver_to(got)
    happen(sim, "a")
    (message,) = got
    secret = ok(sim, "get_events_secret")["secret"]
    assert Webhook(secret).verify(message.body, message.headers) == message.json
    with pytest.raises(WebhookVerificationError):
        Webhook(secret).verify(message.body + b" ", message.headers)
    ok(sim, "regenerate_events_secret")
    happen(sim, "b")
    with pytest.raises(WebhookVerificationError):
        Webhook(secret).verify(got[1].body, got[1].headers)


def test_the_secret_may_be_a_text():
    """Its own bytes are the key then."""
    sim, got = listening(clock=None, **{"secret-form": "text"}), []
    sim.webhooks.deliver_to(got)
    happen(sim, "a")
    secret = ok(sim, "get_events_secret")["secret"]
    assert not secret.startswith("whsec_")
    assert Webhook(secret.encode()).verify(got[0].body, got[0].headers)


@pytest.mark.parametrize(("timestamp", "taken"), [("world", False), ("true", True)])
def test_a_receiver_in_another_time_takes_what_bears_the_true_one(timestamp, taken):
    """A retry of hours later on the clock of the world is too new for the library, unless it bears the true time."""
    sim, got = listening(timestamp=timestamp), []
    sim.webhooks.deliver_to(lambda message: got.append(message) or 500)
    happen(sim, "a")
    sim.clock.advance("3h")
    webhook = Webhook(ok(sim, "get_events_secret")["secret"])
    for message in got:
        with nullcontext() if taken else pytest.raises(WebhookVerificationError):
            webhook.verify(message.body, message.headers)
    assert len(got) == 5


def test_messages_may_be_unsigned():
    """Then they bear no header of the kind."""
    sim, got = listening(signature="none"), []
    sim.webhooks.deliver_to(got)
    happen(sim, "a")
    assert not [name for name in got[0].headers if name.startswith("webhook")]


# What faults do


@pytest.mark.parametrize(
    ("plan", "got", "state"),
    [
        (Plan(), ["a", "b"], State.DELIVERED),
        (Plan(copies=0), ["b"], State.LOST),
        (Plan(copies=3), ["a", "a", "a", "b"], State.DELIVERED),
        (Plan(delay=1000), [], State.LATER),
        (Plan(delay=1000, bypasses=True), ["b"], State.LATER),
    ],
)
def test_what_becomes_of_an_attempt_is_decided_before_it(sim, plan, got, state):
    """Lost, doubled, late, out of order: of the first alone; those behind it go as its lane lets them."""
    messages = []
    sim.webhooks.deliver_to(messages)
    sim.service.webhooks._plan = lambda delivery: plan if delivery.payload["data"]["name"] == "a" else Plan()
    happen(sim, "a", "b")
    assert names(messages) == got
    assert sim.webhooks[0].state is state


def test_what_was_late_arrives(sim):
    """When its time has come, in or out of order."""
    messages, late = [], {"a": Plan(delay=1000, bypasses=True), "b": Plan(delay=500)}
    sim.webhooks.deliver_to(messages)
    sim.service.webhooks._plan = lambda delivery: late.pop(delivery.payload["data"]["name"], Plan())
    happen(sim, "a", "b", "c")
    assert messages == []
    sim.clock.advance("1s")
    assert names(messages) == ["b", "c", "a"]


# Over HTTP


@pytest.fixture
def live(listener):
    """The demo world on a live server, with an endpoint on the listener."""
    sim = listening(listener.url, clock=None)
    with sim.serve():
        yield sim


def test_a_live_server_sends(live, listener):
    """A real request, signed, that is answered."""
    happen(live, "a")
    (delivery,) = live.wait(delivery={"delivered": True})
    ((path, headers, body),) = listener.got
    assert (path, headers["content-type"], json.loads(body)) == ("/hook", "application/json", delivery.payload)
    secret = ok(live, "get_events_secret")["secret"]
    assert Webhook(secret).verify(body, headers) == delivery.payload
    assert [each.status for each in delivery.attempts] == [200]


def test_a_live_server_sends_in_order(live, listener):
    """One after the other to each endpoint."""
    happen(live, *"abcdefgh")
    live.wait(delivery={"delivered": True}, count=8)
    assert [json.loads(body)["data"]["name"] for _, _, body in listener.got] == list("abcdefgh")


def test_a_slow_endpoint_holds_nobody_up(live, listener):
    """Calls go on while it thinks, and so does a reset, of which its answer then knows nothing."""
    listener.open.clear()
    happen(live, "a", "b")
    assert states(live) == [State.READY, State.WAITING]
    live.reset()
    listener.open.set()
    time.sleep(0.1)
    assert list(live.webhooks) == []
    assert live.service.bugs == []


def test_a_live_server_tries_again(live, listener):
    """When the clock is moved."""
    listener.status = 500
    happen(live, "a")
    live.wait(delivery={"state": "later"})
    listener.status = 200
    live.clock.advance("5s")
    (delivery,) = live.wait(delivery={"delivered": True})
    assert [each.status for each in delivery.attempts] == [500, 200]
    assert len({headers["webhook-id"] for _, headers, _ in listener.got}) == 1


def test_a_live_server_tries_again_by_itself(listener):
    """Also when nobody calls."""
    sim = listening(listener.url, clock=None, retries=[100])
    listener.status = 500
    with sim.serve():
        happen(sim, "a")
        wait_for(lambda: listener.got, 2)
    assert len(listener.got) == 2


def test_a_redirect_is_a_failure(live, listener):
    """Nothing is sent on to where it leads."""
    listener.status = 307
    happen(live, "a")
    (delivery,) = live.wait(delivery={"state": "later"})
    assert [each.status for each in delivery.attempts] == [307]
    assert [path for path, _, _ in listener.got] == ["/hook"]


def test_an_endpoint_that_does_not_answer_in_time_has_failed(listener):
    """The time is a choice."""
    sim = listening(listener.url, clock=None, timeout=50)
    listener.open.clear()
    with sim.serve():
        happen(sim, "a")
        (delivery,) = sim.wait(delivery={"state": "later"})
    assert "timed out" in delivery.attempts[0].problem


def test_an_endpoint_that_is_not_there_has_failed(listener):
    """The problem is told."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    sim = listening(f"http://127.0.0.1:{port}/", clock=None)
    with sim.serve():
        happen(sim, "a")
        (delivery,) = sim.wait(delivery={"state": "later"})
    assert "Connection" in delivery.attempts[0].problem


def test_a_server_stops_while_an_endpoint_thinks(listener):
    """It does not wait for the answer, and nothing is recorded of it."""
    listener.open.clear()
    sim = listening(listener.url, clock=None)
    with sim.serve():
        happen(sim, "a")
        wait_for(lambda: listener.got)
    assert not listener.open.is_set()
    assert states(sim) == [State.READY]


@pytest.mark.parametrize("first", [0, 1])
def test_two_servers_of_one_simulator(listener, first):
    """Webhooks go out as long as one of them is there, whichever stops first; then they stay in the process."""
    sim = listening(listener.url, clock=None)
    servers = [sim.serve(), sim.serve()]
    for server in servers:
        server.start()
    listener.open.clear()
    happen(sim, "a")
    wait_for(lambda: listener.got)
    servers[first].stop()
    assert sim.service.address.host == servers[1 - first].root.removeprefix("http://")
    listener.open.set()
    happen(sim, "b")
    sim.wait(delivery={"delivered": True}, count=2)
    servers[1 - first].stop()
    assert sim.service.webhooks.route is Route.LIST
    assert {json.loads(body)["data"]["name"] for _, _, body in listener.got} == {"a", "b"}


def test_a_world_that_leaves_the_server_sends_nothing_more():
    """What happens in it then is taken, as in any process."""
    sim = Simulator(clock=None)
    with sim.serve():
        world = sim.worlds.add("w1", "demo")
        assert world.service.webhooks.route is Route.HTTP
        sim.worlds.drop("w1")
        assert world.service.webhooks.route is Route.LIST


def test_a_receiver_of_the_process_comes_first(live, listener):
    """Also on a live server."""
    got = []
    live.webhooks.deliver_to(got)
    happen(live, "a")
    assert (names(got), listener.got) == (["a"], [])


# Where nothing is sent to


@pytest.fixture
def no_network(monkeypatch):
    """Any look-up of a name and any connection is noted, and fails."""
    tried = []

    def refuse(*arguments):
        tried.append(arguments)
        raise AssertionError("a connection was tried")

    for name in ("getaddrinfo", "create_connection", "gethostbyname"):
        monkeypatch.setattr(socket, name, refuse)
    monkeypatch.setattr(socket.socket, "connect", refuse)
    return tried


FOREIGN = [
    "http://hooks.example/",
    "https://hooks.example:8443/",
    "http://10.0.0.1/",
    "http://169.254.169.254/latest/meta-data",
    "http://[2001:db8::1]/",
    "http://0.0.0.0/",
    "http://2130706433/",
    "http://127.0.0.1.hooks.example/",
    "http://127.0.0.1@hooks.example/",
    "http://hooks.example\\@127.0.0.1:x/",
    "http://localhost.hooks.example/",
    "http://evil.localhost/",
]


@pytest.mark.parametrize("url", FOREIGN)
def test_nothing_goes_to_a_host_that_is_not_loopback(url, no_network):
    """Not even a look-up of its name; the delivery says why, and the next one is no different."""
    sim = listening(url)
    sim.service.webhooks.send_with(HttpSender())
    happen(sim, "a", "b")
    assert states(sim) == [State.REFUSED, State.REFUSED]
    assert "--allow-webhooks" in sim.webhooks[0].attempts[0].problem or "no URL" in sim.webhooks[0].attempts[0].problem
    assert no_network == []


def test_without_the_guard_it_would_go_there(no_network, monkeypatch):
    """The attack succeeds of a sender that is not asked whether it may."""
    monkeypatch.setattr("confsim.service.webhooks.http_sender.blocked_reason", lambda url, allowed: None)
    sim = listening("http://10.0.0.1/")
    sim.service.webhooks.send_with(HttpSender())
    happen(sim, "a")
    wait_for(lambda: no_network)
    assert no_network


@pytest.mark.parametrize(
    "url",
    ["http://127.0.0.1:1/", "http://127.8.9.1/", "http://localhost/x", "https://LOCALHOST:9/", "http://[::1]:80/"],
)
def test_loopback_is_not_barred(url):
    """By address or by the one name."""
    assert blocked_reason(url, ()) is None


def test_a_sender_that_has_stopped_opens_no_connection(no_network):
    """Also for a message that one of its threads had taken up already."""
    sender = HttpSender()
    sender.close()
    assert sender._post(Message("http://127.0.0.1:1/", {}, b""), 1.0).status is None
    assert no_network == []


@pytest.mark.parametrize("how", ["server", "world"])
def test_a_host_that_is_allowed_is_tried(how, no_network):
    """Allowed on the server, or for one world; names are compared without regard to case."""
    sim = listening("http://Hooks.Example/")
    if how == "world":
        sim.webhooks.allow("hooks.example")
    sim.service.webhooks.send_with(HttpSender(["HOOKS.example"] if how == "server" else []))
    happen(sim, "a")
    wait_for(lambda: no_network)
    assert no_network[0][0][0] == "hooks.example"


def test_a_bug_of_a_decision_is_kept_and_the_call_is_answered(sim):
    """It is raised by the fixture, not in the call."""

    def decide(delivery):
        raise ZeroDivisionError

    sim.service.webhooks._plan = decide
    happen(sim, "a")
    assert [type(bug) for bug in sim.service.bugs] == [ZeroDivisionError]
    assert deliveries.ready(sim.service.world)
