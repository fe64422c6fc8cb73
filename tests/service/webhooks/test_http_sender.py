"""Webhooks over HTTP: what is sent, what is tried again, and what is not sent to."""

from __future__ import annotations

import json
import socket
import time
from base64 import b64encode
from http.client import HTTPConnection
from types import SimpleNamespace

import pytest
from standardwebhooks import Webhook

from confsim import Simulator
from confsim.domain.events import deliveries
from confsim.domain.events.deliveries import DeliveryState
from confsim.kernel.refusal import Misuse
from confsim.service.webhooks.http_sender import HttpSender, blocked_reason
from confsim.service.webhooks.receivers import Message
from confsim.service.webhooks.sending import Route
from kit import ok
from kit.each import each
from kit.things.webhooks import happen, listening, names, states
from kit.wire.sockets import ServerClock


def wait_for(found, count=1):
    """Wait until there are so many, for half a minute at the most."""
    until = time.monotonic() + 30
    while len(found()) < count and time.monotonic() < until:
        time.sleep(0.01)


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
    assert states(live) == [DeliveryState.READY, DeliveryState.WAITING]
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


def test_a_live_server_tries_again_by_itself(listener, monkeypatch):
    """Also when nobody calls."""
    server_clock = ServerClock(monkeypatch)
    sim = listening(listener.url, clock=None, retries=[100])
    listener.status = 500
    with sim.serve():
        happen(sim, "a")
        assert server_clock.advance_until(lambda: len(listener.got) > 1)
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
    """The problem is reported."""
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
    assert states(sim) == [DeliveryState.READY]


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
    "http://[::ffff:10.0.0.1]/",
    "http://0.0.0.0/",
    "http://2130706433/",
    "http://127.0.0.1.hooks.example/",
    "http://127.0.0.1@hooks.example/",
    "http://localhost.hooks.example/",
    "http://evil.localhost.example/",
    "http://evil-localhost/",
]


@pytest.mark.parametrize("url", FOREIGN)
def test_nothing_goes_to_a_host_that_is_not_loopback(url, no_network):
    """Not even a look-up of its name; the delivery says why, and the next one is no different."""
    sim = listening(url)
    sim.service.webhooks.send_with(HttpSender())
    happen(sim, "a", "b")
    assert states(sim) == [DeliveryState.REFUSED, DeliveryState.REFUSED]
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


@each(
    "url",
    [
        "http://127.0.0.1:1/",
        "http://127.8.9.1/",
        "http://localhost/x",
        "https://LOCALHOST:9/",
        "http://[::1]:80/",
        "http://[::ffff:127.0.0.1]:80/",
        "http://app.localhost/",
        "http://APP.Localhost.:8080/",
    ],
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


def test_a_bug_of_a_decision_is_stored_and_the_call_is_answered(sim, monkeypatch):
    """The fixture raises it, not the call."""

    def decide(change, id):
        raise ZeroDivisionError

    monkeypatch.setattr(deliveries, "begin_attempt", decide)
    happen(sim, "a")
    assert [type(bug) for bug in sim.service.bugs] == [ZeroDivisionError]
    assert deliveries.ready(sim.service.world)


def test_a_sender_that_stops_aborts_what_is_under_way():
    """Connections that are open are shut down; those that are not yet, or failed to be, are left alone."""
    sender, shut = HttpSender(), []

    def closed(how):
        shut.append(how)
        raise OSError("it is closed")

    for shutdown in (None, closed, shut.append):
        connection = HTTPConnection("host.example")
        connection.sock = shutdown and SimpleNamespace(shutdown=shutdown)
        sender._open.add(connection)
    sender.close()
    assert shut == [socket.SHUT_RDWR] * 2


# The address

#: The end of a URL, the target of the request that is sent, and its credentials.
TARGETS = {
    "/ü": ("/%C3%BC", None),
    "/a?q=ü&r={}": ("/a?q=%C3%BC&r=%7B%7D", None),
    "/%C3%BC%2f%41": ("/%C3%BC%2f%41", None),
    "/#ü": ("/", None),
    "": ("/", None),
}
USERS = {
    "me:secret@": "me:secret",
    "me@": "me:",
    "m%C3%BC:p%40%3a@": "mü:p@:",
    "ü:ß@": "ü:ß",
}


@pytest.mark.parametrize("end", TARGETS)
def test_a_url_beyond_ascii_is_delivered_to(listener, end):
    """Percent-encoded in UTF-8 (RFC 3987, 3.1); what was encoded stays; the API shows the URL as it was given."""
    url = listener.url.removesuffix("/hook") + end
    sim = listening(url, clock=None)
    with sim.serve():
        happen(sim, "a")
        (delivery,) = sim.wait(delivery={"delivered": True})
    ((path, headers, _),) = listener.got
    assert (path, headers.get("authorization")) == TARGETS[end]
    assert [each["url"] for each in ok(sim, "list_events_endpoints")] == [url]
    assert delivery.attempts[0].problem is None


@pytest.mark.parametrize("user", USERS)
def test_the_user_of_a_url_is_sent_as_credentials(listener, user):
    """Over HTTP and to receivers in this process, decoded, as RFC 7617 says; the URL that is sent to is without it."""
    url = listener.url.replace("//", f"//{user}")
    sim, received = listening(url, clock=None), []
    with sim.serve():
        happen(sim, "a")
        (delivery,) = sim.wait(delivery={"delivered": True})
    sim.webhooks.deliver_to(received)
    happen(sim, "b")
    expected = f"Basic {b64encode(USERS[user].encode()).decode()}"
    assert listener.got[0][1]["authorization"] == received[0].headers["Authorization"] == expected
    assert delivery.url == received[0].url == listener.url


@pytest.mark.parametrize("name", ["any.thing.localhost", "localhost."])
def test_a_name_below_localhost_is_this_machine(listener, name):
    """No resolver is asked for it, and Host has the whole name (RFC 6761, 6.3)."""
    sim = listening(listener.url.replace("127.0.0.1", name), clock=None)
    with sim.serve():
        happen(sim, "a")
        sim.wait(delivery={"delivered": True})
    assert listener.got[0][1]["host"] == f"{name}:{listener.server_port}"


def test_a_host_beyond_ascii_is_allowed_by_either_name(no_network):
    """It is compared, and looked up, in its ASCII form."""
    for allowed in ("bücher.example", "XN--BCHER-KVA.example"):
        sim = listening("http://Bücher.example/")
        sim.service.webhooks.send_with(HttpSender([allowed]))
        happen(sim, "a")
    wait_for(lambda: no_network, 2)
    assert {each[0][0] for each in no_network} == {"xn--bcher-kva.example"}


def test_a_host_with_a_dot_at_its_end_is_allowed_by_name():
    """As it is allowed with or without the dot."""
    assert blocked_reason("http://hooks.example./", HttpSender(["hooks.example."]).allowed) is None


def test_a_receiver_gets_a_decoded_path():
    """As from a WSGI server: bytes of UTF-8, and the host in ASCII."""
    sim, seen = listening("http://Bücher.example/ü%20b?q=ü"), []

    def application(environ, start_response):
        seen.append(environ)
        start_response("204 No Content", [])
        return []

    sim.webhooks.deliver_to(application)
    happen(sim, "a")
    (environ,) = seen
    assert environ["PATH_INFO"].encode("latin-1").decode() == "/ü b"
    assert (environ["QUERY_STRING"], environ["HTTP_HOST"]) == ("q=%C3%BC", "xn--bcher-kva.example")


@pytest.mark.parametrize("host", ["http://hooks.example", "hooks.example:8080", "hooks.example/x", "*", ""])
def test_what_is_not_a_host_is_not_allowed(host):
    """An entry that could match nothing is refused at once, however it is given."""
    sim = Simulator()
    for give in (sim.webhooks.allow, lambda name: HttpSender([name]), lambda name: sim.serve(allow_webhooks=[name])):
        with pytest.raises(Misuse, match="is not a host name; leave scheme, port and path away"):
            give(host)
    assert sim.control("get_webhooks").allow == []
