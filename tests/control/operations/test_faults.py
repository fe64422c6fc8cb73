"""Faults over the control plane, and what clients of a live server see of them."""

from __future__ import annotations

import asyncio
import http.client
import json
import socket
import threading
import time
from contextlib import closing
from urllib.parse import urlsplit

import httpx
import pytest
import requests
from jsonschema_rs import Draft202012Validator

from confsim import Simulator
from confsim.control.operations.info import control_document
from confsim.service.messages import Request
from kit import OWNER, ROOM, START_MS
from kit.openapi import operations
from kit.wire.delays import RealTime
from kit.wire.sockets import until

ME = "/v1_0/users/me"


@pytest.fixture
def live(sim):
    """The root of a live server of the world."""
    with sim.serve() as server:
        yield server.root


def raw(root, path=ME, method="GET", **headers):
    """Everything that a server sends over a connection of its own, until it closes it or for half a second."""
    host, port = urlsplit(root).hostname, urlsplit(root).port
    lines = [f"{method} {path} HTTP/1.1", f"Host: {host}", f"Authorization: Bearer {OWNER}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    with socket.create_connection((host, port), timeout=30) as connection:
        connection.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        got = b""
        try:
            while piece := connection.recv(65536):
                got += piece
        except ConnectionResetError:
            pass
        return got


def ask(root, path=ME, **headers):
    """One request on a connection of its own: the answer, its body and how long it took."""
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    with closing(http.client.HTTPConnection(urlsplit(root).netloc, timeout=30)) as connection:
        began = time.perf_counter()
        connection.request("GET", path, headers={"Authorization": f"Bearer {OWNER}", **given})
        with connection.getresponse() as answer:
            return answer, answer.read(), time.perf_counter() - began


def fault(plane, **fields):
    """Let one fault be in force, of reading who one is unless said otherwise."""
    status, found = plane("PUT", "/faults", [{"operation": "get_me", **fields}])
    assert status == 200, found
    return found


def test_the_list_is_put_told_and_cleared(plane, sim):
    """Each fault has its id, matches, schedule, effect and counts."""
    assert plane("GET", "/faults") == (200, [])
    put = [{"operation": "get_me", "on": 2, "do": {"status": 503}}, {"thing": "mail", "times": "always", "do": "lost"}]
    found = [
        {
            "id": "f1",
            "operation": "get_me",
            "match": {},
            "on": 2,
            "times": 1,
            "do": {"status": 503},
            "met": 0,
            "hits": 0,
        },
        {"id": "f2", "thing": "mail", "match": {}, "on": 1, "times": "always", "do": "lost", "met": 0, "hits": 0},
    ]
    assert plane("PUT", "/faults", put) == plane("GET", "/faults") == (200, found)
    assert [sim.call("get_me", OWNER).status for _ in range(3)] == [200, 503, 200]
    assert [(each["met"], each["hits"]) for each in plane("GET", "/faults")[1]] == [(3, 1), (0, 0)]
    assert plane("DELETE", "/faults") == plane("GET", "/faults") == (200, [])


def test_one_more_leaves_the_counts_of_the_others(plane, sim):
    """It stands last, with an id of its own."""
    fault(plane, times="always", do={"retryAfter": 1})
    sim.call("get_me", OWNER)
    assert plane("POST", "/faults", {"operation": "*", "do": {"status": 503}})[1]["id"] == "f2"
    assert [(each["id"], each["hits"]) for each in plane("GET", "/faults")[1]] == [("f1", 1), ("f2", 0)]


@pytest.mark.parametrize(
    ("body", "found"),
    [
        (
            [{"operation": "get_m", "do": {"status": 503}}],
            "faults[0].operation: there is no operation 'get_m'; did you",
        ),
        ([{"operation": "get_me", "do": {"status": 503}, "hit": 1}], "faults[0]: a fault has no 'hit'"),
        ({"operation": "get_me", "do": {"status": 503}}, "faults are a list"),
        (None, "empty"),
        ([7], "faults[0] is to be an object"),
        (b"[{", "JSON"),
        (b'[{"operation": "get_me", "do": {"status": 1e400}}]', ""),
    ],
)
def test_what_cannot_be_is_a_problem_and_nothing_is_taken(plane, body, found):
    """400 with the place and the nearest name; the faults in force stay."""
    fault(plane, do={"status": 503})
    status, problem = plane("PUT", "/faults", body)
    assert (status, problem["title"]) == (400, "Bad Request")
    assert found in problem["detail"]
    assert [each["id"] for each in plane("GET", "/faults")[1]] == ["f1"]


def test_worlds_have_faults_of_their_own(sim):
    """A fault of one mount applies nowhere else; a reset of one mount leaves those of the others."""
    sim.worlds.add("w1")

    def send(method, target, body=None):
        raw = b"" if body is None else json.dumps(body).encode()
        return sim.app(Request(method, target, "", {"authorization": f"Bearer {OWNER}"}, raw)).status

    put = [{"operation": "get_me", "times": "always", "do": {"status": 503}}]
    assert send("PUT", "/w/w1/_confsim/faults", put) == 200
    assert (send("GET", ME), send("GET", f"/w/w1{ME}")) == (200, 503)
    assert send("POST", "/_confsim/reset") == 200
    assert send("GET", f"/w/w1{ME}") == 503


def test_the_journal_tells_what_struck(plane, sim):
    """The fault, what it did and whether the operation ran."""
    fault(plane, do={"status": 503})
    sim.call("get_me", OWNER)
    sim.call("get_me", OWNER)
    failed, fine = plane("GET", "/requests")[1]
    assert (failed["status"], failed["fault"]) == (503, [{"id": "f1", "do": {"status": 503}, "when": "before"}])
    assert fine["fault"] == []


def test_the_rate_limit_over_http(plane, live):
    """429 with Retry-After in the envelope of the API; then the call goes through on the same connection."""
    fault(plane, do={"retryAfter": 2})
    connection = http.client.HTTPConnection(urlsplit(live).netloc, timeout=30)
    found = []
    for _ in range(2):
        connection.request("GET", ME, headers={"Authorization": f"Bearer {OWNER}"})
        answer = connection.getresponse()
        found.append((answer.status, answer.headers["Retry-After"], json.loads(answer.read()).get("code")))
    connection.close()
    assert found == [(429, "2", "too_many_calls"), (200, None, None)]


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_dropped_connection(plane, sim, live, when):
    """Not a byte comes; the next connection is served."""
    fault(plane, do={"drop": when})
    assert raw(live) == b""
    assert raw(live, Connection="close").startswith(b"HTTP/1.1 200 ")
    assert [(each.fault[0].when if each.fault else None) for each in sim.requests] == [when, None]


@pytest.mark.parametrize(("truncate", "part"), [(0, 0), (5, 5), (True, 0.5), (10**6, -1)])
def test_a_truncated_body(plane, live, truncate, part):
    """Status and headers are those of the whole body; the connection ends before it does."""
    whole = raw(live, Connection="close").partition(b"\r\n\r\n")[2]
    fault(plane, do={"truncate": truncate})
    head, _, body = raw(live).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200 ")
    assert f"Content-Length: {len(whole)}".encode() in head
    assert body == whole[: part if part != 0.5 else len(whole) // 2]
    fault(plane, do={"truncate": truncate})
    with pytest.raises(http.client.IncompleteRead):
        ask(live)


@pytest.mark.parametrize("method", ["HEAD", "POST"])
def test_an_answer_without_a_body_is_dropped_instead(plane, live, method):
    """There is nothing of it to leave away."""
    plane("PUT", "/faults", [{"operation": "*", "do": {"truncate": 3}}])
    path = ME if method == "HEAD" else f"/v1_0/channels/{ROOM}/rename?name=New"
    assert raw(live, path, method, Content_Length="0") == b""


def test_what_is_sent_behind_a_dropped_request_is_not_served(plane, sim, live):
    """Requests of the same connection die with it."""
    fault(plane, do={"drop": "after"})
    host, port = urlsplit(live).hostname, urlsplit(live).port
    with socket.create_connection((host, port), timeout=30) as connection:
        line = f"GET {ME} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {OWNER}\r\n\r\n".encode()
        connection.sendall(line * 3)
        try:
            got = connection.recv(1000)
        except ConnectionResetError:
            got = b""
    assert (got, len(sim.requests)) == (b"", 1)


def test_true_latency_holds_up_nobody_else(plane, sim, live, monkeypatch):
    """While one answer is on its way, another connection is served at once."""
    real_time = RealTime(monkeypatch)
    fault(plane, do={"real": "30s"})
    slow: list = []
    thread = threading.Thread(target=lambda: slow.append(ask(live)))
    thread.start()
    assert until(lambda: len(sim.requests) == 1)
    for ahead in (0, 15):
        real_time.ahead = ahead
        assert [ask(live, "/v1_0/users/me")[0].status for _ in range(3)] == [200] * 3
        assert thread.is_alive()
    real_time.ahead = 30
    thread.join(30)
    assert slow[0][0].status == 200


def test_answers_of_one_connection_keep_their_order(plane, live):
    """What was sent behind a slow request is answered behind it."""
    fault(plane, do={"real": "50ms", "headers": {"X-Slow": "yes"}})
    host, port = urlsplit(live).hostname, urlsplit(live).port
    line = f"GET {ME} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {OWNER}\r\n"
    with socket.create_connection((host, port), timeout=30) as connection:
        connection.sendall(f"{line}\r\n{line}Connection: close\r\n\r\n".encode())
        got = b"".join(iter(lambda: connection.recv(65536), b""))
    assert got.count(b"HTTP/1.1 200 ") == 2
    assert got.index(b"X-Slow: yes") < got.rindex(b"HTTP/1.1 200 ")


def test_latency_and_a_dropped_connection_go_together(plane, live):
    """It hangs for a while, and then it is gone."""
    fault(plane, do={"real": "100ms", "drop": "before"})
    began = time.perf_counter()
    assert raw(live) == b""
    assert time.perf_counter() - began >= 0.1


# Clients in the same process


def test_the_wsgi_app_waits_drops_and_cuts(sim):
    """As far as WSGI goes: an exception for no answer, a body shorter than its length."""
    sim.faults.put([{"operation": "get_me", "on": place, "do": do} for place, do in enumerate(CUTS, 1)])
    client = sim.client(OWNER)
    with pytest.raises(ConnectionResetError):
        client.get("/users/me")
    answer = client.get("/users/me")
    assert int(answer.headers["Content-Length"]) > len(answer.data) == 5
    began = time.perf_counter()
    assert client.get("/users/me").status_code == 200
    assert time.perf_counter() - began >= 0.05


CUTS = [{"drop": "after"}, {"truncate": 5}, {"real": "50ms"}]


def test_httpx_and_requests_raise_their_own(sim):
    """What a client of each sees when a real connection breaks."""
    sim.faults.put([{"operation": "get_me", "times": 2, "do": {"drop": "before"}}])
    url = f"{sim.base_url}/users/me"
    with httpx.Client(transport=sim.transport()) as client, pytest.raises(httpx.RemoteProtocolError):
        client.get(url)
    with pytest.raises(requests.ConnectionError):
        sim.session(OWNER).get(url)


def test_an_async_client_waits_without_blocking(sim, monkeypatch):
    """Two answers are on their way at once, and whatever else there is to do goes on."""
    real_time = RealTime(monkeypatch)
    sim.faults.add("get_me", times="always", do={"real": "30s"})

    async def both():
        async with httpx.AsyncClient(transport=sim.transport(), base_url=sim.base_url) as client:
            calls = [asyncio.create_task(client.get("/users/me")) for _ in range(2)]
            while len(sim.requests) < 2:
                await asyncio.sleep(0.01)
            assert not any(each.done() for each in calls)
            real_time.ahead = 30
            return [each.status_code for each in await asyncio.gather(*calls)]

    assert asyncio.run(both()) == [401, 401]


def test_a_conditional_answer_may_be_slow_too():
    """304 takes its time as well."""
    sim = Simulator(profile={"http.caching": "etag"})
    client = sim.client(OWNER)
    tag = client.get("/users/me").headers["ETag"]
    sim.faults.add("get_me", do={"real": "50ms"})
    began = time.perf_counter()
    assert client.get("/users/me", headers={"If-None-Match": tag}).status_code == 304
    assert time.perf_counter() - began >= 0.05


# What a request brings


def test_a_request_brings_its_own_fault(live):
    """By header or by query, as pairs or as JSON, for this request alone."""
    answers = [
        ask(live, X_Confsim="status=503;retryAfter=9"),
        ask(live, f"{ME}?_confsim=status%3D502"),
        ask(live, f"{ME}?for_client=&_confsim=%7B%22reason%22:%22channel_full%22%7D"),
        ask(live),
    ]
    assert [each[0].status for each in answers] == [503, 502, 409, 200]
    assert answers[0][0].headers["Retry-After"] == "9"
    assert raw(live, X_Confsim="drop=after") == b""


@pytest.mark.parametrize(
    ("path", "headers", "found"),
    [
        (ME, {"X_Confsim": "statu=503"}, "did you mean 'status'?"),
        (f"{ME}?_confsim=statu=503", {}, "did you mean 'status'?"),
        (f"{ME}?_confsim=status=503", {"X_Confsim": "status=503"}, "more than once"),
        (f"{ME}?_confsim=status=503&_confsim=status=503", {}, "more than once"),
    ],
)
def test_nonsense_in_a_request_is_a_problem(sim, live, path, headers, found):
    """400 as problem+json with the nearest name; the call is not made."""
    answer, body, _ = ask(live, path, **headers)
    assert (answer.status, answer.headers["Content-Type"]) == (400, "application/problem+json")
    assert found in json.loads(body)["detail"]
    assert len(sim.requests) == 0


@pytest.mark.parametrize("headers", [{"Origin": "https://evil.example"}, {"Sec_Fetch_Site": "cross-site"}])
def test_a_page_of_another_site_does_not_move_the_clock(sim, live, headers):
    """What touches more than its own answer is refused to it; the rest is not."""
    assert [
        ask(live, f"{ME}?_confsim={text}", **headers)[0].status for text in ("clock=1w", "now=0", "status=503")
    ] == [
        403,
        403,
        503,
    ]
    assert sim.clock.now == START_MS
    own = {"Origin": live}
    assert ask(live, f"{ME}?_confsim=clock=1s", **own)[0].status == 200
    assert sim.clock.now == START_MS + 1000


def test_requests_may_be_kept_from_it(plane, live):
    """Then the header is no concern of the service, and the parameter one that the call does not know."""
    assert plane("GET", "/faults/by-request") == (200, {"enabled": True})
    assert plane("PUT", "/faults/by-request", {"enabled": False}) == (200, {"enabled": False})
    assert ask(live, X_Confsim="status=503")[0].status == 200
    assert ask(live, f"{ME}?_confsim=nonsense")[0].status == 200
    assert plane("PUT", "/faults/by-request", {})[0] == 400


def test_an_unknown_parameter_beside_it_is_still_one():
    """Only its own part of the query is taken away."""
    sim = Simulator(profile={"parse.unknown-query": "refuse"})
    assert [
        sim.client(OWNER).get(f"/users/me?{query}").status_code
        for query in ("_confsim=clock=1s", "x=1&_confsim=clock=1s", "_confsim=&x=1")
    ] == [200, 400, 400]


def test_python_says_the_same(sim):
    """A sequence that can be put, added to and cleared."""
    assert repr(sim.faults) == "<0 faults>"
    first = sim.faults.put([{"operation": "get_me", "do": {"status": 503}}])[0]
    second = sim.faults.add(thing="proxy", do="creating", match={"channel": ROOM})
    assert [first, second] == list(sim.faults) == sim.faults[0:2]
    sim.faults.by_request = False
    assert sim.faults.by_request is False
    sim.faults.clear()
    assert len(sim.faults) == 0


#: Faults, and whether they are taken.
WRITTEN = [
    ({"operation": "get_me", "do": {"status": 503, "body": {"a": 1}, "headers": {"x-a": "b"}}}, True),
    ({"operation": "*", "match": {"caller": "demo-owner"}, "times": "always", "do": {"reason": "not_found"}}, True),
    ({"operation": "get_me", "on": 3, "times": 2, "do": {"clock": "1h 30m", "real": 20, "truncate": True}}, True),
    ({"operation": "get_me", "do": {"hold": "before", "holdAtMost": "PT1M"}}, True),
    ({"operation": "get_me", "do": {"drop": "after"}}, True),
    ({"thing": "mail", "match": {"to": "a@b.example"}, "do": "lost"}, True),
    ({"thing": "webhook", "do": {"outcome": "late", "by": "10m"}}, True),
    ({"id": "f1", "met": 1, "hits": 0, "thing": "call", "do": {"outcome": "busy"}}, True),
    ({"operation": "get_me"}, False),
    ({"do": {"status": 503}}, False),
    ({"operation": "get_me", "thing": "mail", "do": {"status": 503}}, False),
    ({"operation": "get_me", "do": {}}, False),
    ({"operation": "get_me", "do": {"status": 99}}, False),
    ({"operation": "get_me", "do": {"stauts": 503}}, False),
    ({"operation": "get_me", "do": {"status": 503, "drop": "before"}}, False),
    ({"operation": "get_me", "do": {"reason": "not_found", "status": 404}}, False),
    ({"operation": "get_me", "do": {"body": "x"}}, False),
    ({"operation": "get_me", "do": {"holdAtMost": 5}}, False),
    ({"operation": "get_me", "do": {"clock": "soon"}}, False),
    ({"operation": "get_me", "do": {"drop": "during"}}, False),
    ({"operation": "get_me", "on": 0, "do": {"status": 503}}, False),
    ({"operation": "get_me", "times": "sometimes", "do": {"status": 503}}, False),
    ({"operation": "get_me", "match": {"caller": True}, "do": {"status": 503}}, False),
    ({"operation": "get_me", "whom": 1, "do": {"status": 503}}, False),
    ({"thing": "letter", "do": "lost"}, False),
    ({"thing": "mail", "do": "eaten"}, False),
    ({"thing": "webhook", "do": {"outcome": "late", "by": "later"}}, False),
]


@pytest.mark.parametrize(("written", "taken"), WRITTEN)
def test_the_document_describes_the_faults_that_are_taken(plane, written, taken):
    """One, or a list of them; and an active fault is described as one that could be put."""
    document = json.loads(control_document())
    one, several = (operations(document)[name]["requestBody"] for name in ("add_fault", "put_faults"))

    def is_described(body, value):
        schema = body["content"]["application/json"]["schema"]
        return Draft202012Validator({**schema, "components": document["components"]}).is_valid(value)

    assert (plane("POST", "/faults", written)[0] == 200) is taken
    assert (plane("PUT", "/faults", [written])[0] == 200) is taken
    assert is_described(one, written) is taken
    assert is_described(several, [written]) is taken
    assert not is_described(several, written)
    if taken:
        assert is_described(several, plane("GET", "/faults")[1])
