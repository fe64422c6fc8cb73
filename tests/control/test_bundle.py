"""Bundles: a journal in one file, played again to the byte, or up to where it parts."""

from __future__ import annotations

import json
import socket
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from threading import Event

import pytest
from websockets.sync.client import connect

from confsim import Simulator, cli
from confsim.arazzo import library
from confsim.control.bundle.document import decoded
from confsim.control.bundle.replay import replay
from confsim.control.scenarios import compile_scenario, run_scenario
from confsim.kernel.refusal import Misuse
from kit import CUSTOMER, ROOM
from kit.wire.sockets import until

OWNER = 1002


def bundle_of(sim, **options):
    """The bundle of a simulator, as plain values."""
    return json.loads(sim.control("get_bundle", **options).data)


def played(document):
    """What a replay of a bundle shows."""
    return replay(decoded(json.dumps(document).encode()))


def assert_same(sim, calls=None):
    """A replay gives the same answers; returns the bundle."""
    document = bundle_of(sim)
    found = played(document)
    assert found.parting is None, found.parting
    assert calls is None or found.calls == calls
    return document


@pytest.mark.parametrize("name", library.SHIPPED)
def test_every_shipped_scenario_is_played_again(name):
    """Calls of the API and of the control plane, time and mails between them."""
    sim = Simulator()
    assert run_scenario(compile_scenario(name, {}), sim.control.context).failure is None
    assert_same(sim)


def test_calls_of_clients_over_http(sim):
    """Of several kinds, with headers, forms, bytes and errors; headers of the answers too."""
    client, anonymous = sim.client("demo-owner"), sim.client()
    client.get("/users/me", headers={"X-Trace": "1", "Origin": "https://a.example", "Accept": "text/html"})
    client.get("/users/me", headers={"If-None-Match": "*"})
    client.put(f"/channels/{ROOM}/image", data={"image": (BytesIO(b"\xff\xfe"), "a.png")})
    client.head("/users/me")
    client.options("/users/me")
    client.post("/users/handle/reserve", data=b"\xff not json", content_type="application/json")
    anonymous.get("/nothing/here?x=%ff")
    anonymous.get("/users/me")
    sim.call("reserve_handle", "demo-user", body={"handle": "new"})
    sim.call("list_active_channels", "demo-owner")
    document = assert_same(sim, 10)
    assert document["digest"]
    assert document["calls"][0]["request"]["headers"]["x-trace"] == "1"


def test_a_world_by_name_under_a_profile(sim):
    """Its mount stands in answers; other choices give other answers."""
    worlds = Simulator(profile={"status.role-missing": 418, "http.caching": "etag", "http.request-id": "X-Id"})
    other = worlds.worlds.add("other")
    other.client("demo-owner").get(f"/channels/{ROOM}/proxyfor")
    assert other.call("create_channel", "demo-guest", body={"name": "x"}).status == 418
    other.client().get("/nothing")
    document = assert_same(other, 3)
    assert document["mount"] == "/w/other"
    document["profile"]["status.role-missing"] = 403
    assert played(document).parting.id == "r2"


def test_faults_time_and_presence(sim):
    """What the control plane did between calls is done again, also faults of requests and dropped connections."""
    sim.faults.put([{"operation": "get_me", "on": 2, "times": 1, "do": {"status": 503}}])
    for _ in range(3):
        sim.client("demo-owner").get("/users/me")
    sim.presence.join(ROOM, "demo-user")
    sim.clock.advance("2h")
    token = sim.token(1004)
    sim.call("get_me", token)
    sim.clock.advance("3d")
    sim.call("get_me", token)
    sim.snapshot("s")
    sim.presence.leave(ROOM, 1004)
    sim.restore("s")
    sim.call("get_populations", "demo-owner", channelIds=ROOM)
    assert_same(sim)


def test_a_journal_that_has_lost_its_beginning_starts_from_the_world_before_it(sim):
    """And says how much it has lost."""
    sim.requests.most = 2
    for name in "abcd":
        sim.call("create_channel", "demo-owner", body={"name": name})
    document = assert_same(sim, 2)
    assert document["first"] == 3
    assert document["left_out"] == ["2 calls before the first, which the journal no longer has, and faults set by then"]


def test_an_empty_journal_is_played(sim):
    """There is nothing to differ."""
    assert_same(sim, 0)


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (lambda answer: answer.update(status=500), "the status"),
        (lambda answer: answer["headers"][0].__setitem__(1, "text/odd"), "header line 1"),
        (lambda answer: answer["headers"].pop(), "the header lines"),
        (lambda answer: answer.update(body=answer["body"].replace("Olaf", "Olga")), "byte 24 of the body"),
        (lambda answer: answer.update(cut=3), "where the connection is dropped"),
    ],
)
def test_where_it_parts_is_said(sim, change, what):
    """The first call that differs, what of it, and both values."""
    sim.call("list_active_channels", "demo-owner")
    sim.call("get_me", "demo-owner")
    document = bundle_of(sim)
    change(document["calls"][1]["answer"])
    parting = played(document).parting
    assert parting.id == "r2"
    assert parting.call == "get_me GET /v1_0/users/me"
    assert parting.what == what
    assert parting.was != parting.got


def test_another_start_parts_too(sim):
    """A world that ends otherwise, and a call of the control plane that cannot be made."""
    sim.call("create_channel", "demo-owner", body={"name": "x"})
    document = bundle_of(sim)
    document["digest"] = "0" * 32
    assert played(document).parting.what == "the world after the last call"
    sim.presence.join(ROOM, "demo-user")
    document = bundle_of(sim)
    document["calls"][-1]["body"] = json.dumps({"channel": ROOM, "userId": 1})
    assert "no user 1" in played(document).parting.got
    document["calls"][-1]["control"] = "no_such_call"
    assert played(document).parting.got is None


def test_a_world_of_other_names_is_the_same(sim):
    """A start of another seed draws other names, which no answer shows here: the world has the same form."""
    sim.call("set_lobby_door", "demo-owner", uuid=ROOM, state="close")
    sim.presence.join(ROOM, "demo-owner")
    sim.call("get_me", "demo-owner")
    document = bundle_of(sim)
    document["start"]["seed"] += 1
    assert played(document).parting is None
    document["start"]["tables"]["channels"][CUSTOMER][0]["off_air"] = True
    assert played(document).parting.what == "the world after the last call"


def test_the_digest_of_an_older_format_is_left_out(sim):
    """Up to format 3 it was that of the bytes of the world: the replay says that it does not compare it."""
    sim.call("get_me", "demo-owner")
    document = bundle_of(sim) | {"format": 3, "digest": "0" * 32}
    found = played(document)
    assert found.parting is None
    assert [line.partition(":")[0] for line in found.left_out] == ["the world after the last call"]
    assert played(document | {"digest": ""}).left_out == []


def test_secrets_are_masked_on_request(sim):
    """Tokens of the start, what headers present, keys; a key that nothing reads is masked without being asked for."""
    sim.client("demo-owner").get("/users/me", headers={"Cookie": "sid=hidden-cookie", "X-Api-Key": "hidden-key"})
    sim.client("hidden-token").get("/users/me")
    token = sim.token(1004)
    sim.client(token).get("/users/me")
    sim.call("get_me", "demo-user")
    plain, masked = (sim.control("get_bundle", mask=mask).data for mask in (False, True))
    secrets = [b"demo-owner", b"demo-user", b"demo-partner-admin", b"hidden-cookie", b"hidden-key", b"hidden-token"]
    assert [each for each in secrets if each not in plain] == [b"hidden-key"]
    assert [each for each in secrets if each in masked] == []
    assert token.encode() in plain
    assert token.encode() not in masked
    assert played(json.loads(masked)).parting is None


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_held_call_is_not_repeated(sim, when):
    """What it left is set, with the faults that remained; others came while it was held."""
    sim.faults.put([{"operation": "create_channel", "times": 1, "do": {"hold": when}}])
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(sim.call, "create_channel", "demo-owner", body={"name": "held"})
        held = sim.faults.wait_for_held()
        sim.call("create_channel", "demo-operator", body={"name": "meanwhile"})
        held.release()
        assert answer.result().ok
    sim.call("create_channel", "demo-owner", body={"name": "later"})
    sim.call("list_channels", "demo-owner")
    found = played(bundle_of(sim))
    assert [each.partition(": ")[2] for each in found.not_repeated] == ["a fault held it until somebody released it"]
    assert found.parting is None, found.parting


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("nonsense", "it is not a bundle"),
        ("[]", "it is not a bundle"),
        ('{"format": 99}', "it is of format 99; this confsim reads formats up to 4"),
        ('{"format": 1}', "it is damaged: .*missing required field"),
    ],
)
def test_what_is_no_bundle_is_refused(text, error):
    """With what is wrong."""
    with pytest.raises(Misuse, match=error):
        decoded(text.encode())


@pytest.mark.own_ways
@pytest.mark.parametrize(
    ("change", "error"),
    [
        (lambda call: call.update(answer=None), "a request without `answer`"),
        (lambda call: call.update(at=10**15), "1000000000000000 is no instant that a clock shows"),
        (lambda call: call.update(id="x"), "the id of a call of the API is r and a number, not 'x'"),
        (lambda call: call.update(operation=""), "a call of entry 'python' without `operation`"),
        (lambda call: call["answer"].update(body={"base64": "!!"}), "the base64 of `answer.body` is invalid"),
    ],
)
def test_a_call_that_no_bundle_has_is_refused(sim, change, error):
    """With its place, before anything is played."""
    sim.call("get_me", "demo-owner")
    sim.call("get_me", "demo-owner")
    document = bundle_of(sim)
    change(document["calls"][1])
    with pytest.raises(Misuse, match=rf"it is damaged: {error}.* - at `\$\.calls\[1\]`"):
        decoded(json.dumps(document).encode())


@pytest.mark.own_ways
def test_what_this_version_lacks_of_a_call_is_said(sim):
    """An operation, a path parameter, and the calls before the recorded end."""
    sim.call("get_user", "demo-owner", userId=OWNER)
    document = bundle_of(sim)
    for change, what in [
        ({"operation": "get_person"}, "the operation"),
        ({"texts": {"personId": "1"}}, "the path parameters"),
    ]:
        parting = played(document | {"calls": [document["calls"][0] | change]}).parting
        assert (parting.id, parting.what) == ("r1", what)
    assert played(document | {"calls": []}).parting is None
    assert played(document | {"calls": [], "digest": "0"}).parting.what == "the world after the last call"


@pytest.mark.parametrize("body", ["", "2026", "[3]", '[{"do": null}]'])
def test_faults_that_are_none_are_refused_where_they_are_set(sim, body):
    """The call of the control plane is where the replay ends."""
    sim.faults.add("get_me", do={"status": 503})
    document = bundle_of(sim)
    document["calls"][-1] |= {"control": "put_faults", "body": body}
    parting = played(document).parting
    assert (parting.id, parting.what) == (document["calls"][-1]["id"], "the call of the control plane")


def test_a_bad_start_is_refused(sim):
    """As a state document is."""
    document = bundle_of(sim)
    document["start"]["version"] = 99
    with pytest.raises(Misuse, match="version 99"):
        played(document)


@pytest.fixture
def run(capsys):
    """Call the command line; returns exit code, output, errors."""

    def running(*arguments):
        try:
            cli.main(arguments)
            code = 0
        except SystemExit as exit:
            code = exit.code or 0
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return running


def test_the_commands(sim, run, tmp_path):
    """Of a served world to a file, and from the file."""
    sim.call("get_me", "demo-owner")
    file = tmp_path / "bundle.json"
    with sim.serve() as server:
        assert run("bundle", "--base-url", server.base_url, "-o", str(file))[0] == 0
        code, printed, _ = run("bundle", "--base-url", server.root, "--mask")
        assert code == 0
        assert "demo-owner" not in printed
        assert run("bundle", "--base-url", server.root, "-o", str(tmp_path / "none" / "x"))[0] == 1
        code, _, error = run("bundle", "--base-url", f"{server.root}/w/none")
        assert code == 1
        assert f"--base-url {server.root}/w/none: there is no world 'none'" in error
    assert run("replay", str(file)) == (0, "1 call: the same to the byte\n", "")
    document = json.loads(file.read_text())
    document["calls"][0]["answer"]["status"] = 500
    document["confsim"] = "0.0.1"
    file.write_text(json.dumps(document))
    code, printed, _ = run("replay", str(file))
    assert code == 2
    assert "parts at r1 get_me GET /v1_0/users/me\n  the status\n  was 500\n  got 200\n" in printed
    assert "it was made by confsim 0.0.1" in printed
    code, printed, _ = run("replay", str(file), "--json")
    assert code == 2
    assert json.loads(printed)["parting"]["id"] == "r1"
    file.write_text(json.dumps(document | {"profile": {"encode.emty": "204"}}))
    assert "bundle.json': profile: 'encode.emty' names no assumption" in run("replay", str(file))[2]
    file.write_text(json.dumps(document | {"started": -5}))
    assert "it is damaged: -5 is no instant that a clock shows" in run("replay", str(file))[2]
    code, _, error = run("replay", str(tmp_path / "none.json"))
    assert code == 1
    assert "no such file" in error


def test_a_har_has_every_call_with_its_answer(sim):
    """As HTTP Archive 1.2 asks for, headers and bytes and all."""
    sim.client("demo-owner").get("/users/me?a=1&b=", headers={"X-Trace": "1", "Cookie": "a=b"})
    sim.call("reserve_handle", "demo-user", body={"handle": "new"})
    sim.client("demo-owner").post("/users/handle/reserve", data=b"\xff", content_type="application/json")
    log = json.loads(sim.control("export_requests", as_="har").data)["log"]
    assert log["version"] == "1.2"
    first, second, third = log["entries"]
    assert {"name": "x-trace", "value": "1"} in first["request"]["headers"]
    assert first["request"]["cookies"] == [{"name": "a", "value": "b"}]
    assert first["request"]["queryString"] == [{"name": "a", "value": "1"}, {"name": "b", "value": ""}]
    assert json.loads(first["response"]["content"]["text"])["handle"] == "Olaf Owner"
    assert {"name": "authorization", "value": "Bearer demo-user"} in [
        {**each, "name": each["name"].lower()} for each in second["request"]["headers"]
    ]
    assert json.loads(second["request"]["postData"]["text"]) == {"handle": "new"}
    assert third["request"]["postData"]["encoding"] == "base64"
    assert third["response"]["status"] == 400
    for each in log["entries"]:
        assert each.keys() >= {"startedDateTime", "time", "request", "response", "cache", "timings"}
        assert each["response"]["content"]["size"] == each["response"]["bodySize"]


def test_curl_says_what_the_client_said(sim):
    """Headers on which no answer depends, too."""
    sim.client("demo-owner").get("/users/me", headers={"X-Trace": "a b", "Accept": "*/*"})
    exported = sim.control("export_requests", as_="curl").data.decode()
    assert "-H 'x-trace: a b'" in exported
    assert "accept" not in exported


def test_what_became_of_webhooks_is_set_again(sim):
    """Receivers that fail, and one that is not reached: retries come as they came."""
    results = iter([500, 503])
    sim.webhooks.deliver_to(lambda message: next(results, None))
    sim.call("set_events_state", "demo-customer-admin", state="enable", expect=200)
    endpoint = sim.call(
        "add_events_endpoint", "demo-customer-admin", body={"url": "https://hooks.example/in"}, expect=200
    )
    sim.call("create_channel", "demo-owner", body={"name": "x"})
    sim.presence.join(ROOM, "demo-user")
    sim.clock.advance("1h")
    sim.webhooks.deliver_to(None)
    sim.presence.leave(ROOM, 1004)
    sim.call("get_me", "demo-owner")
    attempts = [each.status for delivery in sim.webhooks for each in delivery.attempts]
    assert attempts[:3] == [500, 503, 200]
    document = assert_same(sim)
    assert document["digest"]
    assert endpoint.body["id"] in json.dumps(document)
    document["attempts"][0]["status"] = 200
    assert played(document).parting.what == "the world after the last call"


def test_webhooks_of_a_live_server_end_between_calls(sim):
    """Their results come when they come; the replay puts them between the same calls."""
    sim.clock.resume()
    sim.call("set_events_state", "demo-customer-admin", state="enable", expect=200)
    url = "http://127.0.0.1:9/nobody"
    sim.call("add_events_endpoint", "demo-customer-admin", body={"url": url}, expect=200)
    sim.call("add_events_endpoint", "demo-customer-admin", body={"url": "https://elsewhere.example"}, expect=200)
    with sim.serve():
        sim.presence.join(ROOM, "demo-user")
        sim.call("create_channel", "demo-owner", body={"name": "x"})
        for state in ("refused", "later"):
            sim.wait(delivery={"state": state}, timeout="60s")
        sim.call("get_me", "demo-owner")
        document = assert_same(sim)
    assert {each["step"] for each in document["attempts"]} == {"sent", "refused"}
    assert [each for each in document["calls"] if each.get("delivery")]


def test_a_webhook_that_was_under_way_before_the_first_call(sim):
    """Its result comes after it: it is not sent again meanwhile."""
    sim.clock.resume()
    answer = Event()

    class Slow(BaseHTTPRequestHandler):
        """Answers when the test sets its event."""

        def do_POST(self):
            """Wait, and fail."""
            answer.wait(60)
            self.send_error(500)

        def log_message(self, *_):
            """Say nothing."""

    slow = ThreadingHTTPServer(("127.0.0.1", 0), Slow)
    with slow, ThreadPoolExecutor(1) as pool, ExitStack() as stack, sim.serve():
        pool.submit(slow.serve_forever, 0.01)
        stack.callback(slow.shutdown)
        stack.callback(answer.set)
        url = f"http://127.0.0.1:{slow.server_port}/"
        sim.call("set_events_state", "demo-customer-admin", state="enable", expect=200)
        sim.call("add_events_endpoint", "demo-customer-admin", body={"url": url}, expect=200)
        sim.requests.most = 2
        for name in "abcd":
            sim.call("create_channel", "demo-owner", body={"name": name}, expect=200)
        answer.set()
        sim.wait(delivery={"state": "later"}, timeout="60s")
        sim.call("get_me", "demo-owner")
        document = assert_same(sim, 2)
    assert document["first"] == 6
    assert [each["step"] for each in document["attempts"]] == ["sent"]


def test_handshakes_of_websockets_are_left_out(sim):
    """Those that are refused too, whatever they lack; who came in by one comes in again."""
    sim.clock.resume()
    with sim.serve() as server:
        host = server.root.partition("//")[2]
        for lines in ("", "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n"):
            with socket.create_connection(host.split(":"), timeout=60) as client:
                head = f"GET /streaming/{ROOM} HTTP/1.1\r\nHost: {host}\r\n"
                client.sendall(f"{head}Upgrade: websocket\r\nConnection: Upgrade\r\n{lines}\r\n".encode())
                assert client.recv(12) in (b"HTTP/1.1 400", b"HTTP/1.1 401")
        with connect(f"ws://{host}/streaming/{ROOM}?token=demo-user", open_timeout=60) as client:
            client.recv(timeout=60)
        assert until(lambda: not sim.presence(ROOM), 60)
        sim.call("get_me", "demo-owner")
        document = assert_same(sim, 4)
    assert document["left_out"] == ["3 handshakes of websockets; who came in by them is in it"]
    assert document["digest"]


def test_who_counts_the_calls_of_a_replay_sees_each_once():
    """One after the other, up to where it parts."""
    sim = Simulator()
    for _ in range(3):
        sim.call("get_me", "demo-owner")
    document, taken = bundle_of(sim), []
    bundle = decoded(json.dumps(document).encode())
    assert replay(bundle, (taken.append(each.id) or each for each in bundle.calls)).parting is None
    assert taken == [each.id for each in bundle.calls]


def test_a_fault_that_refuses_as_for_another_host_is_played_again(sim):
    """A call that a fault answers with host_unknown came in by the name of the server, and parts nowhere."""
    fault = {"X-Confsim": "reason=host_unknown"}
    assert sim.client("demo-user").get("/users/me", headers=fault).json["code"] == "host_unknown"
    assert_same(sim, 1)
