"""The Simulator that people import."""

from __future__ import annotations

import subprocess
import sys
import textwrap
import threading
import urllib.request

import httpx
import pytest

from confsim import Answer, Clock, Misuse, Simulator
from kit import CUSTOMER, ROOM, START, START_MS
from kit.wire import web

URL = {"url": "https://terms.example/new"}
ORIGIN = "auth0|a/b %c+d"


# Calls


def test_an_answer_is_what_http_would_have_answered(sim):
    """Status, headers, bytes and plain values."""
    answer = sim.call("get_user_terms", "demo-user")
    assert isinstance(answer, Answer)
    assert (answer.status, answer.ok, answer.body["isCurrent"]) == (200, True, True)
    assert answer.headers["X-Confsim-Request-Id"] == "r1"
    assert answer.content.startswith(b'{"isCurrent"')
    assert "200" in repr(answer)
    assert sim.call("update_terms_url", "demo-api-token", body=URL).body is None


@pytest.mark.parametrize(
    ("operation", "caller", "arguments"),
    [
        ("get_me", "demo-owner", {}),
        ("get_me", None, {}),
        ("list_channels", "demo-owner", {"limit": 1, "offset": 1}),
        ("list_users", "demo-customer-admin", {"levels": [10, 20]}),
        ("find_predefined_user", "demo-api-token", {"originId": ORIGIN}),
        ("list_sessions", "demo-owner", {"from_": 5, "hasRecording": True, "search": None}),
    ],
)
def test_a_call_is_the_request_that_it_stands_for(sim, operation, caller, arguments):
    """The same answer as over WSGI, and the same entry in the journal."""
    before = sim.fork()
    answer = sim.call(operation, caller, **arguments)
    entry = sim.requests[-1]
    request = next(iter(sim.service.journal)).request
    query = f"?{request.query}" if request.query else ""
    response = before.client(caller).open(request.target + query, method=request.method)
    assert (response.status_code, response.data) == (answer.status, answer.content)
    other = before.requests[-1]
    assert (other.operation, other.query, other.status) == (entry.operation, entry.query, entry.status)


@pytest.mark.parametrize(("operation", "arguments"), [("nope", {}), ("get_channel", {}), ("get_channel", {"id": ROOM})])
def test_a_call_that_cannot_be_is_misuse(sim, operation, arguments):
    """An unknown operation, or a path parameter that is missing; nothing is journaled."""
    with pytest.raises(Misuse):
        sim.call(operation, "demo-owner", **arguments)
    assert len(sim.requests) == 0


@pytest.mark.parametrize("body", [object(), {"url": object()}, {"url": "\ud800"}, {1: 2, "\udfff": 3}])
def test_what_cannot_be_sent_is_misuse(sim, body):
    """Values that JSON has not, and halves of surrogate pairs, in the body and in the path."""
    with pytest.raises(Misuse):
        sim.call("update_terms_url", "demo-api-token", body=body)
    with pytest.raises(Misuse, match="surrogate"):
        sim.call("find_predefined_user", "demo-api-token", originId="\ud800")


def test_numbers_and_depths_that_cannot_be_sent_are_misuse(sim):
    """Thousands of digits, and lists in lists without an end."""
    endless: list[object] = []
    endless.append(endless)
    for body in (10**5000, endless):
        with pytest.raises(Misuse, match="body"):
            sim.call("set_user_property", "demo-user", userId="me", key="k", body=body)
    for limit in (10**5000, [10**5000]):
        with pytest.raises(Misuse, match="a number"):
            sim.call("list_users", "demo-api-token", limit=limit)


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -float("inf")])
def test_a_number_that_json_has_not_is_misuse(sim, number):
    """However deep it is; null itself is a value like any other."""
    for body in (number, {"a": [number, None]}):
        with pytest.raises(Misuse, match="body"):
            sim.call("set_user_property", "demo-user", userId="me", key="k", body=body)
    assert sim.call("set_user_property", "demo-user", userId="me", key="k", body={"a": [1.5, None]}).ok


@pytest.mark.parametrize("caller", [1002, b"demo-owner", ["demo-owner"], object()])
def test_a_caller_that_is_no_token_is_misuse(sim, caller):
    """A user's id, say, or the whole user that was made."""
    with pytest.raises(Misuse, match="caller is a token, or somebody who has one, not"):
        sim.call("get_me", caller)


def test_bodies_may_be_bytes_of_a_type(sim):
    """As they are, with the given media type."""
    assert sim.call("update_terms_url", "demo-api-token", body=b'{"url":"https://x.example/"}').ok
    assert sim.call("update_terms_url", "demo-api-token", body=b"{", content_type="text/html").status == 415


def test_profiles_come_as_tables_or_files(tmp_path):
    """Nested or flat; all mistakes in them are reported together."""
    path = tmp_path / "acme.toml"
    path.write_text('[encode]\nempty = "204"\n')
    for profile in (path, str(path), {"encode": {"empty": "204"}}, {"encode.empty": "204"}):
        assert Simulator(profile=profile).call("update_terms_url", "demo-api-token", body=URL).status == 204
    path.write_text('[encode]\nemty = "204"\nabsent = "maybe"\n')
    with pytest.raises(Misuse, match=r"(?s)acme\.toml.*encode\.empty.*maybe"):
        Simulator(profile=path)
    path.write_text("[")
    with pytest.raises(Misuse, match=r"acme\.toml"):
        Simulator(profile=path)
    with pytest.raises(Misuse, match="no such file"):
        Simulator(profile=tmp_path / "nowhere.toml")


# HTTP in this process


def test_paths_of_a_client_are_below_the_base_address(sim):
    """Those of the mount, and whole addresses, are taken as they are."""
    client = sim.client("demo-user")
    for path in ("/users/me", "/v1_0/users/me", "http://any.example/v1_0/users/me"):
        assert client.get(path).json["handle"] == "Uma User"
    assert client.get("/_confsim/health").json == {"status": "ok"}
    assert client.get("/openapi.json").status_code == client.get("/openapi.json?x=1").status_code == 200
    sim.worlds.add("w1")
    assert client.get("/w/w1/v1_0/users/me").status_code == 200
    assert client.get(path="/users/me", headers=[("Authorization", "Bearer demo-owner")]).json["handle"] == "Olaf Owner"


@pytest.mark.parametrize("send", ["werkzeug", "httpx", "requests", "live"])
def test_an_encoded_path_arrives_as_it_was_sent(sim, send):
    """Slashes, percent signs and plus signs in an id (G058)."""
    sim.call("create_predefined_user", "demo-api-token", body={"name": "X", "originId": ORIGIN})
    path = "/users/predefined/auth0%7Ca%2Fb%20%25c+d"
    if send == "werkzeug":
        found = sim.client("demo-api-token").get(path).json
    elif send == "requests":
        found = sim.session("demo-api-token").get(sim.base_url + path).json()
    elif send == "httpx":
        with httpx.Client(transport=sim.transport(), headers={"Authorization": "Bearer demo-api-token"}) as client:
            found = client.get(sim.base_url + path).json()
    else:
        with sim.serve() as server:
            found = web.get(server.base_url + path, headers={"Authorization": "Bearer demo-api-token"}).json()
    assert found == sim.call("find_predefined_user", "demo-api-token", originId=ORIGIN).body


def test_requests_sends_bodies_of_every_sort(sim, tmp_path):
    """JSON, bytes, texts, files and generators; the answer is that of a real session."""
    session = sim.session("demo-api-token")
    path = tmp_path / "body"
    path.write_bytes(b'{"url":"https://x.example/"}')
    with path.open("rb") as file:
        for body in ({"json": URL}, {"data": path.read_bytes()}, {"data": path.read_text()}, {"data": file}):
            answer = session.post(f"{sim.base_url}/terms", headers={"Content-Type": "application/json"}, **body)
            assert answer.status_code == 200
    pieces = (piece for piece in (b'{"url":', b'"https://y.example/"}'))
    assert session.post(f"{sim.base_url}/terms", data=pieces).reason == "OK"
    head = session.head(f"{sim.base_url}/clients/{CUSTOMER}/terms")
    assert (head.status_code, head.content, head.headers["Content-Type"]) == (200, b"", "application/json")


def test_a_live_server_and_the_process_share_the_world(sim):
    """What one does, the other sees; its address ends in the version."""
    with sim.serve() as server:
        assert server.base_url == f"{server.root}/v1_0"
        assert str(server.port) in server.root
        answer = web.post(f"{server.base_url}/terms", json=URL, headers={"Authorization": "Bearer demo-api-token"})
        assert answer.status_code == 200
        sim.worlds.add("w1")
        assert web.get(f"{server.root}/w/w1/_confsim/health").status_code == 200
        assert web.get(f"{server.root}/_confsim/health", headers={"Host": "evil.example"}).status_code == 403
    assert sim.call("get_client_terms", clientId=CUSTOMER).body["url"] == URL["url"]
    with pytest.raises(httpx.ConnectError):
        web.get(f"{server.root}/_confsim/health")


def test_a_world_knows_the_server_that_runs_here(sim):
    """In the thread that calls ``run``, as beside one of its own; when it has stopped there is none any more."""
    server, listening = sim.serve(), threading.Event()
    thread = threading.Thread(target=server.run, args=(listening.set,))
    thread.start()
    assert listening.wait(30)
    assert sim.control.context.root == server.root
    server.stop()
    thread.join(30)
    assert sim.control.context.root == "http://confsim.test"


def test_a_port_that_is_taken_is_reported(sim):
    """Before anything is served."""
    with sim.serve() as server, pytest.raises(OSError, match="in use"), sim.fork().serve(port=server.port):
        pass


# Time, copies, state


def test_the_clock_of_a_simulator(sim):
    """Advanced, set, frozen and resumed; each returns what happened."""
    sim.call("reserve_handle", "demo-user", body={"handle": "Held"})
    assert sim.clock.advance("1m") == []
    (happened,) = sim.clock.advance(until="next")
    assert (happened.what, happened.at, sim.clock.now) == ("handle reservation", START_MS + 900_000, START_MS + 900_000)
    assert sim.clock.set("2026-03-01T00:00:00Z") == []
    assert sim.clock.frozen
    sim.clock.resume()
    assert not sim.clock.frozen
    sim.clock.freeze()
    assert sim.clock.frozen
    assert str(sim.clock.now) in repr(sim.clock)
    with pytest.raises(Misuse, match="not a valid duration"):
        sim.clock.advance("soon")


def test_clocks_come_in_three_ways():
    """As an instant at which it stands, as a clock, or following the machine."""
    assert Simulator(clock=START_MS).clock.now == Simulator(clock=START).clock.now == START_MS
    clock = Clock(START_MS)
    clock.resume()
    assert not Simulator(clock=clock).clock.frozen
    assert not Simulator().clock.frozen


def test_a_fork_takes_what_a_simulator_takes_for_its_clock(sim):
    """An instant to stand at, or a clock; what is neither is named."""
    assert sim.fork(START).clock.now == sim.fork(START_MS).clock.now == sim.fork(Clock(START)).clock.now == START_MS
    with pytest.raises(Misuse, match="'tomorrow' is no instant"):
        sim.fork("tomorrow")


def test_snapshots_hold_their_instant(sim):
    """Restoring brings the clock back too."""
    digest = sim.service.world.digest()
    sim.snapshot("clean")
    sim.call("update_terms_url", "demo-api-token", body=URL)
    sim.clock.advance("1h")
    sim.restore("clean")
    assert (sim.service.world.digest(), sim.clock.now) == (digest, START_MS)
    with pytest.raises(Misuse, match="nope"):
        sim.restore("nope")


def test_a_snapshot_needs_no_name(sim):
    """One is stored beside those that have a name."""
    sim.snapshot()
    sim.call("update_terms_url", "demo-api-token", body=URL)
    changed = sim.service.world.digest()
    sim.restore()
    assert sim.service.world.digest() != changed


def test_state_is_a_document_of_plain_values(sim):
    """Which may be set."""
    document = sim.state
    sim.call("update_terms_url", "demo-api-token", body=URL)
    sim.state = document
    assert sim.state == document
    with pytest.raises(Misuse, match="version"):
        sim.state = {**document, "version": 0}


def test_mail_is_read_from_the_outbox(sim):
    """Newest last."""
    for address in ("a@x.example", "b@x.example"):
        assert sim.call("set_user_email", "demo-user", userId="me", body={"email": address}).ok
    assert [mail.to for mail in sim.mail] == ["a@x.example", "b@x.example"]
    assert sim.mail[0].code in sim.mail[0].text


def test_orders_that_cannot_be_are_misuse(sim):
    """An unknown one, a body where none is taken, a field that is not known, a path that is not whole."""
    for name, body in (("nope", {}), ("reset_world", {"a": 1}), ("make_client", {"colour": 1}), ("drop_world", {})):
        with pytest.raises(Misuse):
            sim.control(name, **body)


def test_an_order_without_a_body_names_what_its_query_has(sim):
    """As over HTTP; of the assumptions those of an operation."""
    ids = {each.id for each in sim.control("list_assumptions", operation="reserve_handle")}
    assert "route.get_user_email" not in ids
    assert ids < {each.id for each in sim.control("list_assumptions")}
    with pytest.raises(Misuse, match="no such parameter"):
        sim.control("list_assumptions", colour=1)


# What it costs


def test_http_is_imported_only_when_it_is_asked_for():
    """Neither werkzeug nor a server nor pytest nor the control plane come with a simulator that is called."""
    code = """
        import sys
        from confsim import Simulator
        sim = Simulator()
        assert sim.fork().call("get_me", "demo-user").ok
        sim.reset()
        heavy = {"werkzeug", "httptools", "asyncio", "jsonschema", "click", "hypothesis", "pytest", "httpx", "requests"}
        found = heavy & sys.modules.keys() | {name for name in sys.modules if name.startswith("confsim.http")}
        assert not found, found
        sim.client()
        assert "httptools" not in sys.modules
    """
    lines = "\n".join(line.strip() for line in code.splitlines())
    subprocess.run([sys.executable, "-c", lines], check=True)


def test_a_world_is_shown_in_the_browser(monkeypatch):
    """From a thread, at one address, until it is stopped; also one that runs beside others."""
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    sim = Simulator()
    second = sim.worlds.add("second")
    sim.call("get_me", "demo-owner")
    url = sim.inspect()
    assert opened == [url]
    with urllib.request.urlopen(urllib.request.Request(url, headers={"Accept": "text/html"}), timeout=30) as page:
        assert b"get_me" in page.read()
    assert sim.inspect(browser=False) == url
    assert second.inspect(browser=False).endswith("/w/second/_confsim/")
    assert opened == [url]
    for each in (sim, second, sim):
        each.stop_inspecting()
    with pytest.raises(OSError, match="refused"):
        urllib.request.urlopen(url, timeout=30)


def test_a_served_api_does_not_wait_for_the_control_plane():
    """The control plane is loaded when it is first called, the inspector with its first page."""
    code = """
        import sys, urllib.request
        from confsim import Simulator
        def ask(path, **headers):
            with urllib.request.urlopen(urllib.request.Request(server.root + path, headers=headers)) as response:
                return response.status
        with Simulator().serve() as server:
            assert ask("/v1_0/users/me", Authorization="Bearer demo-user") == 200
            late = {"confsim.control.catalogue", "confsim.control.invoke", "confsim.inspector.app", "jinja2"}
            assert not late & sys.modules.keys(), late & sys.modules.keys()
            assert ask("/_confsim/health") == 200
            assert ask("/_confsim/", Accept="text/html") == 200
            assert late <= sys.modules.keys()
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(code)], check=True)
