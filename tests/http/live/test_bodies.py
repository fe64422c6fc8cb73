"""Large bodies: those that nobody needs are not read, those that are read have one bound and one deadline."""

from __future__ import annotations

import json
from contextlib import ExitStack

import pytest

from confsim import Simulator
from confsim.api.catalogue import API
from confsim.assumptions.protocol.wire import PRESENTATION
from confsim.assumptions.register import in_force
from confsim.http.limits import Limits
from confsim.http.live.bodies import SMALL
from confsim.http.live.server import LiveServer
from confsim.service.checks.credentials import present
from confsim.service.messages import Request
from confsim.transport.address import query_string, route
from kit import CUSTOMER, ROOM, START, START_MS
from kit.wire.sockets import Client, Connect, Echo, ServerClock, until

TOKENS = (None, "", "no-such-token", "demo-owner", "demo-api-token")
BODIES = (b"", b"{}", b'{"name": "x", "url": 5}', b"no JSON", b"x" * (2 << 20))
PROFILES = {
    "default": {},
    "query": {"auth.presentation": ["?token={token}"]},
    "cookie": {"auth.presentation": ["Cookie: t={token}"]},
    "two headers": {"auth.presentation": ["Authorization: Bearer {token}", "X-Token: {token}"]},
    "input first": {"checks.order": "input first"},
    "checked": {"auth.on-public-calls": "checked"},
    "public": {"gate.create_channel": ["public"]},
    "rate limit": {"http.rate-limit": 3},
    "idempotency": {"http.idempotency-key": "Idempotency-Key"},
    "lag": {"time.visibility-lag": "5s"},
}
#: Values for placeholders: some that exist, and for all others one that does not.
KNOWN = {"uuid": ROOM, "clientId": CUSTOMER, "userId": "me"}


def requests_of(sim, operation, token, **headers):
    """The requests of an operation by the holder of a token, one for each body."""
    method, target = route(
        operation, tuple(KNOWN.get(each, "1") for each in operation.placeholders), sim.service.profile
    )
    lines, query = ({}, {}) if token is None else present(in_force(sim.service.profile, PRESENTATION), token)
    query |= {each.name: "1" for each in operation.query_parameters if each.required}
    named = {name.lower(): value for name, value in {**lines, **headers}.items()}
    for body in BODIES:
        yield Request(method, target, query_string(query), dict(named), body)


def answered(sim, request):
    """The status and the body of the answer, in a fork of the world."""
    response = sim.fork().app(request)
    return response.status, response.body


@pytest.mark.parametrize("name", PROFILES)
def test_a_body_that_is_not_needed_changes_no_answer(name):
    """Of every operation with every kind of token: where the body is not read, each body gets the same answer."""
    sim = Simulator(clock=START, profile=PROFILES[name])
    unneeded = 0
    for operation in API:
        if not operation.changes:
            continue
        for token in TOKENS:
            requests = list(requests_of(sim, operation, token))
            if not sim.app.needs_body(requests[0]):
                unneeded += 1
                assert len({answered(sim, each) for each in requests}) == 1, (operation.name, token)
    decided_before = {"input first", "rate limit", "idempotency"}
    assert (unneeded == 0) if name in decided_before else unneeded > 200


def test_a_body_is_needed_where_something_else_may_decide(sim):
    """With a valid token, under a fault, with a fault of the request itself, for the control plane."""
    bad, good = (next(requests_of(sim, API["create_channel"], token)) for token in ("nobody", "demo-owner"))
    assert (sim.app.needs_body(bad), sim.app.needs_body(good)) == (False, True)
    by_itself = next(requests_of(sim, API["create_channel"], "nobody", **{"X-Confsim": "status=503"}))
    assert sim.app.needs_body(by_itself)
    assert sim.app.needs_body(Request("POST", "/_confsim/reset"))
    assert not sim.app.needs_body(Request("POST", "/w/none/v1_0/channels/create"))
    assert not sim.app.needs_body(Request("POST", "/v1_0/nowhere"))
    sim.faults.add("create_channel", do={"status": 503})
    assert sim.app.needs_body(bad)


def test_a_caller_who_is_admitted_after_all_gets_nothing_done_without_the_body(sim):
    """The request is malformed then, and the world stays."""
    request = next(requests_of(sim, API["update_terms_url"], "demo-api-token"))
    request.fault = "unread"
    response = sim.app(request)
    assert (response.status, json.loads(response.body)["code"]) == (400, "request_malformed")
    assert sim.service.world is sim.service.history.origin


@pytest.fixture
def served(sim):
    """Gives connections to a live server of the world."""
    with ExitStack() as stack:
        server = stack.enter_context(LiveServer(sim.app, limits=Limits(), needs_body=sim.app.needs_body))

        def connection():
            client = Client(server)
            stack.callback(client.close)
            return client

        yield connection


def head(token, length, more="", path="/v1_0/media?name=x"):
    """The head of an upload."""
    return (
        f"POST {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n"
        f"Content-Length: {length}\r\n{more}\r\n"
    ).encode()


def test_an_unknown_caller_is_refused_before_the_body(served, sim):
    """With the answer to an ordinary request, and the connection is closed; a small body is read as ever."""
    status, headers, body = served().send(head("nobody", 30 << 20)).read()
    whole = served().send(head("nobody", 4) + b"abcd").read()
    assert (status, headers["Connection"], body) == (401, "close", whole[2])
    assert whole[1]["Connection"] == "keep-alive"
    assert headers["WWW-Authenticate"] == whole[1]["WWW-Authenticate"]
    assert [each.request.body for each in sim.service.journal] == [b"", b"abcd"]
    chunked = head("nobody", 0).replace(b"Content-Length: 0", b"Transfer-Encoding: chunked")
    assert served().send(chunked + b"20000\r\n" + b"x" * 0x20000).read()[0] == 401


def test_an_expected_continue_comes_only_for_a_body_that_is_needed(served):
    """An unknown caller gets the final answer at once, whatever the length."""
    expecting = "Expect: 100-continue\r\n"
    assert served().send(head("nobody", 4, expecting)).read()[0] == 401
    client = served().send(head("demo-customer-admin", 4, expecting))
    assert client.head()[0] == 100
    assert client.send(b"abcd").read()[0] == 200


def test_a_body_behind_another_request_is_read(served, sim):
    """The request before it decides who the caller is: it sets the clock back to when the token was valid."""
    token = sim.token(1001, "15m")
    sim.clock.advance("1h")
    earlier = json.dumps({"to": START_MS}).encode()
    first = b"POST /_confsim/clock/set HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s"
    body = b"\x89PNG\r\n\x1a\n" + bytes(SMALL)
    upload = head(token, len(body), path="/v1_0/users/me/image")
    client = served().send(first % (len(earlier), earlier) + upload + body)
    assert [client.read()[0], client.read()[0]] == [200, 200]


ROOMY = Limits(unfinished=300_000)
PUT = b"PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: %d\r\n\r\n"


def test_unfinished_bodies_have_one_bound(connect: Connect, echo: Echo):
    """One too many is refused, whether it declares its length or not; small ones and later ones are read."""
    first = connect(ROOMY).send(PUT % 200_000 + b"x" * 199_999)
    assert until(lambda: refused(connect, PUT % 200_000))
    chunked = PUT.replace(b"Content-Length: %d", b"Transfer-Encoding: chunked") + b"30000\r\n" + b"x" * 0x30000
    assert refused(connect, chunked)
    assert connect(ROOMY).send(PUT % 1000 + b"x" * 1000).reported()["length"] == 1000
    assert connect(ROOMY).send(PUT % 90_000 + b"x" * 90_000).reported()["length"] == 90_000
    assert first.send(b"x").reported()["length"] == 200_000
    assert connect(ROOMY).send(PUT % 250_000 + b"x" * 250_000).reported()["length"] == 250_000


def refused(connect, raw):
    """Whether a request is refused because the bodies of others fill the bound."""
    client = connect(ROOMY).send(raw)
    return until(client.answered, 0.2) and client.reported()["fault"] == "busy"


def test_small_bodies_count_while_they_are_unfinished(connect: Connect, echo: Echo):
    """Many that are each read in any case fill the bound together; a finished one gives its room back."""
    others = [connect(ROOMY).send(PUT % SMALL + b"x" * 60_000) for _ in range(5)]
    assert until(lambda: refused(connect, PUT % 1000 + b"x" * 999))
    others[0].send(b"x" * (SMALL - 60_000)).reported()
    assert until(lambda: not refused(connect, PUT % 1000 + b"x" * 1000))


def test_a_client_that_leaves_gives_its_room_back(connect: Connect):
    """Its body is no longer among the unfinished ones."""
    first = connect(ROOMY).send(PUT % 200_000 + b"x" * 199_999)
    assert until(lambda: refused(connect, PUT % 200_000))
    first.close()

    def fits():
        return connect(ROOMY).send(PUT % 200_000 + b"x" * 200_000).reported()["fault"] == ""

    assert until(fits)


def test_the_refusal_of_a_full_server_says_when_to_come_again(sim):
    """503 with Retry-After, as a problem of confsim, not as an answer of the service."""
    response = sim.app(Request("POST", "/v1_0/media", "", {}, b"", fault="busy"))
    headers = dict(response.headers)
    assert (response.status, headers["Retry-After"]) == (503, "1")
    assert headers["Content-Type"] == "application/problem+json"
    assert "268,435,456 bytes" in json.loads(response.body)["detail"]


def test_a_body_that_drips_has_a_deadline_as_a_whole(server_clock: ServerClock, connect: Connect):
    """Each piece comes in time, and the request is refused after two minutes nevertheless."""
    client = connect(Limits()).send(PUT % 1000)
    pieces = 0

    def dripped():
        nonlocal pieces
        pieces += 1
        client.send(b"x")
        return until(client.answered, 0.05)

    assert server_clock.advance_until(dripped, step=10)
    assert client.reported()["fault"] == "timeout"
    assert 10 <= pieces <= 14
