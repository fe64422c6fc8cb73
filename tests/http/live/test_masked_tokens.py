"""Tokens in requests, by every way on every kind of path: no output that people read shows them."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from concurrent.futures import Future
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import quote

import pytest

import confsim
from confsim import Simulator
from confsim.cli.call_log import CallLog
from confsim.control.why.past import Past
from confsim.pytest_plugin.failing import _call
from confsim.service.masking import ENDS, NAMES
from confsim.service.messages import Request
from confsim.service.worker import Worker
from kit import CUSTOMER, ROOM
from kit.wire.sockets import until

pytestmark = pytest.mark.own_ways

#: A token that no world knows; it is masked in a place that carries credentials.
UNKNOWN = "nobody-knows-this-0123456789"
#: Ways in which a request may carry a token, in places that carry credentials: query and headers.
PLACED = {
    "token": ("token={}", {}),
    "encoded name": ("%74oken={}", {}),
    "name in capitals": ("a=1&TOKEN={}", {}),
    "access_token": ("access_token={}", {}),
    "camel case": ("accessToken={}&b", {}),
    "api key": ("api_key={}", {}),
    "authorization": ("", {"Authorization": "Bearer {}"}),
    "api key header": ("", {"X-Api-Key": "{}"}),
    "cookie": ("", {"Cookie": "a=b; session_token={}; c=d"}),
    "subprotocol": ("", {"Sec-WebSocket-Protocol": "chat, bearer, {}"}),
    "referer": ("", {"Referer": "http://page.example/?token={}"}),
}
#: Ways by which only the value says that it is a token.
BY_VALUE = {
    "parameter": ("q={}", {}),
    "bare query": ("{}", {}),
    "URL in a parameter": ("next=" + quote("https://x.example/?t=", safe="") + "{}", {}),
    "other cookie": ("", {"Cookie": "sid={}"}),
    "other header": ("", {"X-Other": "of {}"}),
    "user of a URL": ("next=https://name:{}@x.example/", {"Referer": "https://{}@page.example/"}),
    "other subprotocol": ("", {"Sec-WebSocket-Protocol": "{}"}),
}
#: Paths: of a websocket, near misses of it, unknown ones, and one of an operation.
PATHS = (f"/streaming/{ROOM}", f"/streaming/{ROOM}/data/chat", f"/streaming/{ROOM}/", f"/streamin/{ROOM}", "/nowhere",
         "/v1_0/nowhere", "/w/nobody/v1_0/users/me")  # fmt: skip
OPERATION = "/v1_0/users/me"
UPGRADE = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
           "Sec-WebSocket-Key": b64encode(bytes(16)).decode()}  # fmt: skip


def ask(server, path, query="", headers=(), method="GET", body=None):
    """Send one request; return the status, and the body of the answer unless it opened a websocket."""
    with closing(HTTPConnection(server.root.partition("//")[2], timeout=30)) as connection:
        connection.request(method, f"{path}?{query}" if query else path, body, dict(headers))
        answer = connection.getresponse()
        return answer.status, "" if answer.status == 101 else answer.read().decode("latin-1")


def outputs(sim, server, lines):
    """All that people read of a journal: by name, as text."""
    yield "log", "\n".join(lines)
    yield (
        "journal section of pytest",
        "\n".join(
            line
            for entry in sim.service.journal
            for line in _call(Past(sim.service), entry, sim.control.context, verbose=True)
        ),
    )
    yield "entries", "\n".join(repr(entry.request) for entry in sim.service.journal if not entry.operation)
    calls = ["requests", "requests/unmatched", "moments", "search?text=GET&limit=1000", "bundle?mask=true"]
    calls += [f"requests/export?as={form}" for form in ("curl", "har", "pytest", "scenario")]
    calls += ["inspector/requests", *(f"inspector/requests/{each.id}" for each in sim.requests[::9])]
    for call in calls:
        status, text = ask(server, f"/_confsim/{call.partition('?')[0]}", call.partition("?")[2])
        assert status == 200, (call, text)
        yield call, text
    bundle = json.loads(ask(server, "/_confsim/bundle")[1])
    yield "bundle", json.dumps([call for call in bundle["calls"] if not call.get("operation")])


@pytest.fixture
def served():
    """A served world with a user's token, the server, and the lines of its logs."""
    sim, lines = Simulator(), []
    token = sim.make_user(CUSTOMER, "Somebody", registered=True).token
    with sim.serve() as server:
        logs = [CallLog(server, lines.append, verbose=True, as_json=as_json) for as_json in (False, True)]
        server.log_to(lambda *logged: [log(*logged) for log in logs])
        yield sim, server, token, lines


def leaks(sim, server, lines, secret):
    """The outputs that show a secret, or a part of it that is long."""
    assert until(lambda: len(lines) >= 2 * sum(not entry.operation for entry in sim.service.journal))
    shown = [line for line in lines if "/_confsim/" not in line]
    return [name for name, text in outputs(sim, server, shown) if secret in text or secret[4:] in text]


@pytest.mark.parametrize("secret", ["known", "unknown"])
def test_no_output_shows_a_token_by_any_way(served, secret):
    """A token that the world knows is masked everywhere, any other value in a place that carries credentials."""
    sim, server, token, lines = served
    secret = token if secret == "known" else UNKNOWN
    for query, headers in {**PLACED, **(BY_VALUE if secret == token else {})}.values():
        for path in PATHS:
            for upgrade in ({}, UPGRADE):
                named = {name: value.format(secret) for name, value in headers.items()}
                ask(server, path, query.format(secret), {**named, **upgrade})
        if query:
            ask(server, OPERATION, query.format(secret))
    assert leaks(sim, server, lines, secret) == []
    assert "***" in repr(sim.service.journal.last().request)


def test_known_tokens_are_masked_in_paths_bodies_and_answers(served):
    """A token as a segment of a path or in a body that no operation takes is masked, also in the answer's message."""
    sim, server, token, lines = served
    encoded = "".join(f"%{ord(each):02x}" for each in token)
    for segment in (token, encoded, f"a;token={token}", f"{token}.json"):
        for path in (f"/streaming/{ROOM}/{segment}", f"/nowhere/{segment}", f"/v1_0/nowhere/{segment}"):
            assert token not in ask(server, path)[1]
            ask(server, path, headers=UPGRADE)
    for body in (json.dumps({"a": [{"b": token}]}), f"a={token}", f"plain {token}", json.dumps({"password": UNKNOWN})):
        ask(server, "/nowhere", method="POST", body=body)
    ask(server, "/nowhere", method="POST", body=token.encode() * 10_000)
    assert leaks(sim, server, lines, token) == []
    assert leaks(sim, server, lines, UNKNOWN) == []


@pytest.mark.parametrize("name", [*ENDS, *(f"my_{end}" for end in ENDS), *NAMES])
def test_a_value_is_masked_by_its_name(name):
    """In the query, in fields of JSON (texts and numbers) and of a form, and in cookies of an unknown route."""
    sim, spelt = Simulator(), name.title()
    for body in (
        json.dumps({"a": [{name: 'ab"cd12'}], spelt: 'ab"cd12'}),
        f"{name}=abcd12&b=1",
        f'{{"{name}": 12.5e12,',
    ):
        headers = {"cookie": f"a=b; {name}=abcd12"}
        sim.app(Request("POST", "/nowhere", f"a=1&{name}=abcd12&{spelt}=abcd12", headers, body.encode()))
        noted = sim.service.journal.last().request
        assert noted.query == f"a=1&{name}=***&{spelt}=***"
        assert noted.headers["cookie"] == f"a=b; {name}=***"
        assert b"***" in noted.body
        assert b"12" not in noted.body
        assert b"cd" not in noted.body


def test_the_guide_says_which_names_are_masked():
    """All of them, and no other."""
    place = (Path(confsim.__file__).parent / "guides" / "sharing.md").read_text("utf-8")
    listed = place.partition("- parameters, cookies and fields")[2].partition(";")[0]
    assert sorted(re.findall("`([^`]+)`", listed)) == sorted({*ENDS, *NAMES})


def test_other_parts_of_a_request_are_shown_as_they_came(served):
    """Masking changes nothing but credentials: words like those of a token's name, short values, other parameters."""
    sim, server, *_ = served
    query = "tokens=1&q=me&mytokens&empty=&b=%41&token"
    ask(server, "/nowhere/token/me", query, {"X-Other": "tokens are fine", "Cookie": "a=b; c=d"})
    request = sim.service.journal.last().request
    assert (request.target, request.query) == ("/nowhere/token/me", query)
    assert (request.headers["x-other"], request.headers["cookie"]) == ("tokens are fine", "a=b; c=d")


def test_deeply_encoded_values_end(served):
    """A value that is encoded a thousand times is looked at a few times."""
    sim, server, *_ = served
    assert ask(server, "/nowhere", "q=" + "%25" * 1000 + "41")[0] == 404
    assert sim.service.bugs == []


def test_redirects_keep_the_token_for_the_client_alone():
    """A redirect sends the client on with its token; the journal and the HAR show the address without it."""
    sim = Simulator(profile={"route.trailing-slash": "redirect"})
    answer = sim.app(Request("GET", "/v1_0/users/me/", "access_token=demo-owner", {"host": "localhost"}))
    assert (answer.status, dict(answer.headers)["Location"]) == (308, "/v1_0/users/me?access_token=demo-owner")
    entry = sim.service.journal.last()
    assert "demo-owner" not in repr((entry.request, entry.response))
    assert b"demo-owner" not in sim.control("export_requests", as_="har").data


def test_held_calls_are_listed_without_tokens(served):
    """A call that a fault holds is listed with its query masked."""
    sim, _, token, _ = served
    sim.faults.add("get_me", do={"hold": "before"})
    request = Request("GET", OPERATION, f"access_token={token}&a=b", {"host": "localhost"}, worker=Worker())
    assert isinstance(sim.app(request), Future)
    (held,) = sim.control("list_held")
    assert (held.path, held.query) == (OPERATION, "access_token=***&a=b")
    sim.control("decide_held", held.id, action="release")
