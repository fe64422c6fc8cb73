"""Waiting in the control plane: over HTTP, over WSGI, in process."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import httpx
import pytest
from freezegun import freeze_time

from confsim import Simulator
from confsim.kernel.refusal import Misuse
from confsim.service import worlds
from kit import CUSTOMER, START_MS, ok
from kit.wire import web
from kit.wire.sockets import until

TERMS = {"url": "https://terms.example/new"}


@pytest.fixture
def live():
    """The demo world on a live server, and a client of its control plane."""
    sim = Simulator(clock=START_MS)
    with sim.serve() as server, web.client(base_url=f"{server.root}/_confsim", timeout=20) as control:
        sim.live, sim.root = control, server.root
        yield sim


@contextmanager
def soon(*acts, after=0.05):
    """Do something a little later, while the block waits."""
    timers = [threading.Timer(after * place, act) for place, act in enumerate(acts, 1)]
    for timer in timers:
        timer.start()
    yield
    for timer in timers:
        timer.join()


def renew(sim, url="https://terms.example/new"):
    """One call that an integrator would wait for."""
    return lambda: ok(sim, "update_terms_url", body={"url": url})


# What is there already


def test_what_is_there_is_answered_at_once(plane, sim):
    """Calls, by the words of the journal."""
    renew(sim)()
    status, waited = plane("POST", "/wait", {"for": {"request": {"operation": "update_terms_url", "body": TERMS}}})
    assert (status, waited["now"]) == (200, START_MS)
    assert [(each["operation"], each["body"], each["status"]) for each in waited["seen"]] == [
        ("update_terms_url", TERMS, 200)
    ]


def test_a_mail_is_answered_whole(plane, sim):
    """With the code that its reader needs."""
    ok(sim, "set_user_email", "demo-user", userId="me", body={"email": "new@example.com"})
    status, waited = plane("POST", "/wait", {"for": {"mail": {"to": "new@example.com"}}})
    assert status == 200
    assert waited["seen"] == plane("GET", "/mail")[1]
    assert waited["seen"][0]["code"]


def test_a_delivery_is_answered_whole(plane, sim):
    """As it is listed."""
    ok(sim, "add_events_endpoint", body={"url": "http://hooks.example"})
    ok(sim, "set_events_state", state="enable")
    ok(sim, "upload_client_media", name="a", body=b"x")
    for pattern in ({}, {"kind": "media.added"}, {"delivered": True}, {"state": "delivered"}):
        status, waited = plane("POST", "/wait", {"for": {"delivery": pattern}})
        assert (status, waited["seen"]) == (200, plane("GET", "/webhooks/deliveries")[1])


def test_a_state_is_a_part_of_a_record(plane, sim, people):
    """By table, client, key and fields, as in the state document."""
    who = people["demo-user"]
    pattern = {"table": "users", "client": CUSTOMER, "key": str(who), "record": {"account": "registered"}}
    status, waited = plane("POST", "/wait", {"for": {"state": pattern}})
    assert status == 200
    (found,) = waited["seen"]
    assert (found["table"], found["client"], found["key"], found["record"]["id"]) == (
        "users",
        CUSTOMER,
        str(who),
        who,
    )
    exported = plane("GET", "/state")[1]["tables"]["users"][CUSTOMER]
    assert found["record"] in exported


def test_every_record_that_fits_is_seen(plane):
    """Across the clients."""
    _, waited = plane("POST", "/wait", {"for": {"state": {"table": "users"}}, "count": 3})
    assert len({each["client"] for each in waited["seen"]}) > 1


# What comes


@pytest.mark.parametrize("way", ["socket", "wsgi", "httpx", "requests", "core"])
def test_what_comes_meanwhile_is_waited_for(live, way):
    """Whatever the way in; calls of others go on."""
    body = {"for": {"request": {"operation": "update_terms_url"}}, "count": 2}
    waits = {
        "socket": lambda: live.live.post("/wait", json=body).json()["seen"],
        "wsgi": lambda: live.client().post("/_confsim/wait", json=body).json["seen"],
        "httpx": lambda: (
            httpx.Client(transport=live.transport(), base_url="http://x/_confsim")
            .post("/wait", json=body)
            .json()["seen"]
        ),
        "requests": lambda: live.session().post("http://x/_confsim/wait", json=body).json()["seen"],
        "core": lambda: live.wait(request=body["for"]["request"], count=2),
    }
    begin = time.monotonic()
    with soon(renew(live), renew(live)):
        seen = waits[way]()
    assert len(seen) == 2
    assert time.monotonic() - begin >= 0.1


def test_an_async_client_lets_its_loop_go_on(sim):
    """What is waited for may come from another task of the same loop."""

    async def both():
        async with httpx.AsyncClient(transport=sim.transport(), base_url="http://x/_confsim") as client:
            waiting = asyncio.create_task(client.post("/wait", json={"for": {"request": {}}}))
            await asyncio.sleep(0.05)
            assert not waiting.done()
            renew(sim)()
            return (await waiting).json()

    assert len(asyncio.run(both())["seen"]) == 1


def test_a_state_that_comes_is_waited_for(live):
    """Of a record that is not there yet."""
    pattern = {"table": "api tokens", "record": {"label": "later"}}
    with soon(lambda: ok(live, "create_api_token", body={"label": "later"})):
        waited = live.live.post("/wait", json={"for": {"state": pattern}}).json()
    assert waited["seen"][0]["record"]["label"] == "later"


def test_what_falls_due_is_waited_for():
    """A running clock goes on while somebody waits."""
    sim = Simulator(profile={"webhooks.retries": [50]})
    statuses = [500, 200]
    ok(sim, "add_events_endpoint", body={"url": "http://hooks.example"})
    ok(sim, "set_events_state", state="enable")
    sim.webhooks.deliver_to(lambda message: statuses.pop(0))
    ok(sim, "upload_client_media", name="a", body=b"x")
    (delivery,) = sim.wait(delivery={"delivered": True})
    assert [each.status for each in delivery.attempts] == [500, 200]


def test_many_wait_and_nobody_is_held_up(live):
    """Fifty at a time, and a call that is answered at once meanwhile."""
    body = {"for": {"request": {"operation": "update_terms_url"}}}
    with ThreadPoolExecutor(50) as threads:
        waiting = [threads.submit(web.post, f"{live.root}/_confsim/wait", json=body, timeout=20) for _ in range(50)]
        time.sleep(0.15)
        begin = time.monotonic()
        assert live.live.get("/health").status_code == 200
        assert time.monotonic() - begin < 15
        assert not any(each.done() for each in waiting)
        renew(live)()
        assert {each.result().status_code for each in waiting} == {200}


@pytest.mark.parametrize("receives", [False, True])
def test_a_wait_ends_when_its_client_leaves(live, monkeypatch, receives):
    """It is no longer one of the waiting calls of the server, and its thread ends; also in a world with a receiver."""
    monkeypatch.setattr(worlds, "MOST_WAITING", 1)
    others = set(threading.enumerate())
    if receives:
        live.webhooks.deliver_to(lambda message: None)
    body = {"for": {"mail": {"to": "nobody@example.com"}}, "timeout": "60s"}
    with web.client(base_url=f"{live.root}/_confsim", timeout=1.5) as hasty, pytest.raises(httpx.ReadTimeout):
        hasty.post("/wait", json=body)
    body["timeout"] = "1ms"
    assert until(lambda: live.live.post("/wait", json=body).json().get("code") == "not_seen")
    assert until(lambda: not set(threading.enumerate()) - others)


# When the time is over


@pytest.mark.parametrize(("timeout", "least"), [("80ms", 0.08), (60, 0.06), (0, 0)])
def test_nobody_waits_for_ever(live, timeout, least):
    """A problem that says how many there were, of how many, of what."""
    renew(live)()
    begin = time.monotonic()
    answer = live.live.post("/wait", json={"for": {"request": {"method": "post"}}, "count": 2, "timeout": timeout})
    assert time.monotonic() - begin >= least
    assert (answer.status_code, answer.headers["content-type"]) == (409, "application/problem+json")
    problem = answer.json()
    assert (problem["code"], problem["found"]) == ("not_seen", 1)
    assert problem["detail"] == f'after {timeout} there were 1 of 2: {{"request":{{"method":"post"}}}}'


def test_python_is_reported_by_misuse(sim):
    """With the same words."""
    with pytest.raises(Misuse, match="after 50ms there were 0 of 1") as misuse:
        sim.wait(mail={"to": "nobody@example.com"}, timeout="50ms")
    assert misuse.value.status == 409


def test_the_time_that_is_over_is_real(sim):
    """A clock that stands, and one that a test has frozen, hold nobody up."""
    with freeze_time("2026-02-01"), pytest.raises(Misuse, match="there were 0 of 1"):
        sim.wait(mail={}, timeout="50ms")


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({}, 400),
        ({"for": {}}, 400),
        ({"for": {"mail": {}, "request": {}}}, 400),
        ({"for": {"pigeon": {}}}, 400),
        ({"for": {"mail": {"from": "x"}}}, 400),
        ({"for": {"delivery": {"state": "gone"}}}, 400),
        ({"for": {"state": {}}}, 400),
        ({"for": {"state": {"table": "pigeons"}}}, 404),
        ({"for": {"request": {"operation": "fly"}}}, 404),
        ({"for": {"mail": {}}, "timeout": "long"}, 400),
        ({"for": {"mail": {}}, "timeout": "61s"}, 400),
        ({"for": {"mail": {}}, "timeout": -1}, 400),
        ({"for": {"mail": {}}, "count": "two"}, 400),
        ({"for": {"mail": {}}, "count": 0}, 400),
        ({"for": {"mail": {}}, "until": "noon"}, 400),
    ],
)
def test_a_wrong_wait_is_reported_at_once(plane, body, status):
    """Nobody waits for what cannot come."""
    begin = time.monotonic()
    assert plane("POST", "/wait", body)[0] == status
    assert time.monotonic() - begin < 15


# On the wire


def raw(live, *bodies, more=b""):
    """Send requests in one go and read until the server closes."""
    lines = []
    for place, (path, body) in enumerate(bodies, 1):
        text = json.dumps(body).encode()
        close = "close" if place == len(bodies) else "keep-alive"
        head = f"POST /_confsim{path} HTTP/1.1\r\nHost: localhost\r\nConnection: {close}\r\n"
        lines.append(f"{head}Content-Length: {len(text)}\r\n\r\n".encode() + text)
    host, port = live.root.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=30) as connection:
        connection.sendall(b"".join(lines) + more)
        return b"".join(iter(lambda: connection.recv(65536), b"")).decode()


def test_requests_behind_one_that_waits_are_answered_after_it(live):
    """In their order, on their connection; others are not behind it."""
    with soon(renew(live)):
        received = raw(
            live, ("/wait", {"for": {"request": {}}}), ("/requests/count", {}), ("/clock/set", {"to": START_MS + 5})
        )
    answers = received.split("HTTP/1.1 ")[1:]
    assert [answer[:3] for answer in answers] == ["200", "200", "200"]
    assert ['"seen"' in answers[0], '"count":1' in answers[1], f'"now":{START_MS + 5}' in answers[2]] == [True] * 3


def test_one_that_waits_behind_one_that_waits(live):
    """Each takes its time."""
    wait = ("/wait", {"for": {"request": {}}, "timeout": "50ms"})
    begin = time.monotonic()
    assert [part[:3] for part in raw(live, wait, wait).split("HTTP/1.1 ")[1:]] == ["409", "409"]
    assert time.monotonic() - begin >= 0.1


def test_a_client_that_goes_while_it_waits_is_let_go(live):
    """Nothing breaks, and the next client is served."""
    host, port = live.root.removeprefix("http://").split(":")
    body = json.dumps({"for": {"mail": {}}, "timeout": "50ms"}).encode()
    with socket.create_connection((host, int(port))) as connection:
        connection.sendall(b"POST /_confsim/wait HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % len(body))
        connection.sendall(body)
        time.sleep(0.02)
    time.sleep(0.1)
    assert live.live.get("/health").status_code == 200


def test_a_server_stops_while_somebody_waits():
    """At once; who waits is hung up on."""
    sim = Simulator()
    server = sim.serve()
    server.start()
    with ThreadPoolExecutor(1) as threads:
        waiting = threads.submit(
            web.post, f"{server.root}/_confsim/wait", json={"for": {"mail": {}}, "timeout": "20s"}, timeout=30
        )
        time.sleep(0.1)
        begin = time.monotonic()
        server.stop()
        with pytest.raises(httpx.TransportError):
            waiting.result()
    assert time.monotonic() - begin < 15  # the waiter would stay for 20 s
