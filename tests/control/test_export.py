"""The journal written down to be run again: curl lines, a pytest test, a scenario."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from contextlib import suppress
from http.client import HTTPConnection

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from confsim import Misuse, Simulator
from confsim.control.bundle.document import decoded
from confsim.control.bundle.replay import replay
from confsim.control.scenarios import compile_scenario, run_scenario
from confsim.testing import ApiJourney, api_journey
from confsim.testing.targets import Core, Wsgi
from kit import CUSTOMER, ROOM, START
from kit.catalogue_walk import walk
from kit.processes.commands import run, run_pytest
from kit.things import recordings
from kit.wire import web

pytest_plugins = ["pytester"]

URL = "https://terms.example/new"
PNG = b"\x89PNG\r\n\x1a\n" + bytes(40)


def world_of(document):
    """The world that a scenario leads to, from a fresh one."""
    simulator = Simulator()
    report = run_scenario(compile_scenario(json.loads(document), {}), simulator.control.context)
    assert report.failure is None, report.failure.details()
    return simulator.service.world


def run_test(text, simulator=Simulator):
    """Run the test in an exported module; answers the world that its fixture made."""
    made = []

    def make_confsim(**words):
        made.append(simulator(**words))
        return made[0]

    names = {}
    exec(compile(text, "exported", "exec"), names)
    names["test_journal"](make_confsim)
    return made[0].service.world


def again(sim):
    """Both ways to run the journal again lead to this very world."""
    digest = sim.service.world.digest()
    assert run_test(sim.requests.export("pytest")).digest() == digest
    assert world_of(sim.requests.export("scenario")).digest() == digest


# curl


def test_curl_lines_hold_all_there_is_to_a_call(sim):
    """Method, address, token, body; in the order of the calls, with a word on each; orders between them too."""
    sim.call("update_terms_url", "demo-api-token", body={"url": URL})
    sim.presence.join(ROOM, "demo-owner")
    sim.client("demo-user").get("/users/me?x=a b")
    assert sim.requests.export("curl").splitlines() == [
        "# r1 update_terms_url -> 200",
        "curl --silent -X POST http://confsim.test/v1_0/terms -H 'Authorization: Bearer demo-api-token' "
        f"-H 'Content-Type: application/json' --data-raw '{{\"url\":\"{URL}\"}}'",
        "# join_channel",
        "curl --silent -X POST http://confsim.test/_confsim/presence/join -H 'Content-Type: application/json' "
        f'--data-raw \'{{"channel":"{ROOM}","token":"demo-owner"}}\'',
        "# r2 get_me -> 200",
        "curl --silent 'http://confsim.test/v1_0/users/me?x=a%20b' -H 'Authorization: Bearer demo-user'",
    ]


@pytest.mark.parametrize(("body", "said"), [(b"a", "Content-Type:"), ({"a": 1}, "Content-Type: application/json")])
def test_curl_says_no_type_of_its_own(sim, body, said):
    """That of JSON goes without saying; where a call has none, curl must not call the body a form."""
    sim.call("upload_client_media", "demo-customer-admin", name="x", body=body)
    assert said in shlex.split(sim.requests.export("curl").splitlines()[1])


#: As much of curl as the lines need, for machines that have none.
CURL = f"""#!{sys.executable}
import argparse, sys, urllib.request
options = argparse.ArgumentParser()
for name in ("--silent", "--head"):
    options.add_argument(name, action="store_true")
options.add_argument("-X", default="GET")
options.add_argument("-H", action="append", default=[])
options.add_argument("--data-raw")
options.add_argument("--data-binary")
options.add_argument("url")
options = options.parse_args()
body = sys.stdin.buffer.read() if options.data_binary else options.data_raw.encode() if options.data_raw else None
headers = dict(line.split(": ", 1) for line in options.H)
urllib.request.urlopen(urllib.request.Request(options.url, body, headers, method=options.X))
"""


@pytest.fixture
def shell(tmp_path):
    """Runs lines in a shell that has curl."""
    path = os.environ["PATH"]
    if shutil.which("curl") is None:
        (tmp_path / "curl").write_text(CURL)
        (tmp_path / "curl").chmod(0o755)
        path = f"{tmp_path}:{path}"

    def run(lines):
        environment = {**os.environ, "PATH": path}
        lines = lines.encode()
        subprocess.run(["bash", "-eu"], input=lines, check=True, capture_output=True, timeout=60, env=environment)

    return run


def test_curl_lines_lead_a_server_to_the_same_world(sim, shell):
    """Run by a shell against a live server: names with quotes, an image, a moved clock."""
    with sim.serve() as server:
        sim.worlds.add("copy")
        for kind in ("plain", "it's $HOME"):
            sim.call("create_channel", "demo-api-token", body={"name": kind})
        sim.call("set_user_image", "demo-user", userId="me", body=PNG, content_type="image/png")
        sim.call("upload_client_media", "demo-customer-admin", name="long", body=b"a" * 200_000, content_type="a/b")
        sim.call("reserve_handle", "demo-user", body={"handle": "Held"})
        sim.clock.advance("20m")
        shell(sim.requests.export("curl").replace(server.root, f"{server.root}/w/copy"))
        assert sim.worlds["copy"].service.world.digest() == sim.service.world.digest()


def test_addresses_are_those_of_the_mount(sim):
    """Whatever name the calls were made by: where the world stands for anyone who asks."""
    sim.worlds.add("w1").client("demo-user").get("/nowhere", headers={"Host": "old.example"})
    with sim.serve() as server:
        text = web.get(f"{server.root}/w/w1/_confsim/requests/export?as=curl").text
    assert f"{server.root}/w/w1/v1_0/nowhere" in shlex.split(text.splitlines()[1])
    assert "old.example" not in text


# pytest


def test_the_exported_test_runs_with_the_fixture(sim, pytester):
    """A module that pytest runs as it is: every answer is compared; and it fails when the world is another."""
    sim.call("update_terms_url", "demo-api-token", body={"url": URL})
    sim.call("create_channel", "demo-owner", body={"name": "Room"})
    sim.clock.advance("1h")
    sim.client("demo-user").post("/channels/create", data=b'{"name": "twice", "name": "x"}')
    sim.client().get("/nowhere?x=1", headers={"X-Other": "1"})
    text = sim.requests.export("pytest")
    for name, wanted in ((text, 0), (text.replace("seed=0", "seed=1"), 1)):
        module = pytester.makepyfile(**{f"test_exported_{wanted}": name})
        assert run_pytest(str(module)).ret == wanted


def test_calls_appear_by_their_names(sim):
    """As one would write them."""
    sim.session("demo-owner").get(f"http://any.example/v1_0/channels/{ROOM}?x=1")
    text = sim.requests.export("pytest")
    assert "    answer = world.call('get_channel', 'demo-owner', uuid='" + ROOM + "', x_='1')\n" in text
    assert "make_confsim(world='demo', seed=0, clock=1769904000000)" in text


# Whatever has happened


def order_everything(sim):
    """A bit of everything that the control plane does to a world."""
    joined = sim.presence.join(ROOM, "demo-owner")
    assert joined.state == "in"
    token = sim.token(1001, "15m")
    sim.call("get_me", token)
    sim.make_user(CUSTOMER, "New comer")
    sim.clock.run(60)
    sim.clock.freeze()
    sim.faults.put([{"operation": "get_me", "do": {"status": 503}}])
    sim.call("get_me", "demo-user")
    sim.faults.add("list_channels", do={"clock": "3s"})
    sim.call("list_channels", "demo-owner")
    sim.faults.add("list_channels", do={"drop": "after"})
    with pytest.raises(ConnectionResetError):
        sim.call("list_channels", "demo-owner")
    sim.snapshot("saved")
    sim.call("reserve_handle", "demo-user", body={"handle": "Held"})
    sim.clock.advance("20m")
    sim.restore("saved")
    sim.call("create_channel", "demo-owner", body={"name": "after"})
    sim.client("demo-owner").get("/users/me", headers={"X-Confsim": "now=2026-03-01T00:00:00Z"})
    sim.call("set_user_image", "demo-user", userId="me", body=PNG, content_type="image/png")


def test_orders_of_the_control_plane_are_repeated(sim):
    """People, tokens, time, faults and snapshots between the calls."""
    order_everything(sim)
    again(sim)


def test_paths_stay_as_they_were_written(sim):
    """Whatever is encoded in them, also where they reach nothing."""
    with sim.serve() as server:
        for path in ("/v1_0/channels/%2e%2e/x%2Fy?a=1&a=2", f"/v1_0/channels/{ROOM}%2F", "/v1_0/caf%C3%A9%20"):
            connection = HTTPConnection("127.0.0.1", server.port)
            connection.request("GET", path, headers={"X-Other": "1"})
            assert connection.getresponse().status >= 400
            connection.close()
    again(sim)


@pytest.mark.parametrize(
    "fault",
    [
        {"operation": "get_me", "do": {"drop": "before"}},
        {"operation": "get_me", "on": 2, "times": 2, "do": {"status": 503}},
        {"operation": "*", "on": 2, "times": "always", "do": {"drop": "after"}},
        {"operation": "get_me", "match": {"caller": "demo-owner"}, "on": 4, "do": {"truncate": 3}},
    ],
)
def test_faults_strike_the_same_calls_again(sim, fault):
    """Also in a scenario that leaves some of the calls out, such as those whose connection was dropped."""
    sim.faults.put([fault])
    for query in ("?x=1&x=2", "", "?x=1&x=2", "", ""):
        with suppress(ConnectionResetError):
            sim.client("demo-owner").get(f"/users/me{query}")
        with suppress(ConnectionResetError):
            sim.call("get_me", "demo-owner")
    again(sim)


def test_texts_that_look_like_expressions_stay_texts(sim):
    """In the body of a call, in an order, and in the whole world where a step has to put it."""
    names = ("$steps.x.outputs.y", "{$inputs.name} $5", "$response.nowhere", "$url")
    for place, name in enumerate(names):
        assert sim.call("create_channel", "demo-owner", body={"name": name}).ok
        sim.make_user(CUSTOMER, f"$method {place}")
    assert sim.client("demo-owner").post("/channels/create?x=1&x=2", json={"name": "x"}).status_code == 200
    again(sim)
    sent = json.loads(sim.requests.export("scenario"))
    assert "put_state" in [each["operationId"].rpartition(".")[2] for each in sent["workflows"][0]["steps"]]


@pytest.mark.parametrize(
    "start",
    [
        lambda sim: sim.fork(),
        lambda sim: Simulator(sim.state and {"version": 1, "at": "2026-01-01T00:00:00Z", "clients": []}),
        lambda sim: Simulator(scenario="invitations", clock=START),
        lambda sim: Simulator(seed=7),
        lambda sim: Simulator(profile={"errors": {"body": "nested"}, "auth": {"presentation": ["X-Token: {token}"]}}),
        lambda sim: sim.worlds.add("w1", seed=3),
        lambda sim: sim.worlds.add("w1", ""),
    ],
)
def test_whatever_the_world_started_from(sim, start):
    """A name where the start has one, else the whole of it; another seed, another profile, another mount."""
    sim.call("update_terms_url", "demo-api-token", body={"url": URL})
    other = start(sim)
    client = other.client("demo-owner")
    client.post("http://any.example" + other.service.address.mount + "/v1_0/channels/create", json={"name": "Room"})
    other.call("set_user_image", "demo-user", userId="me", url="https://pictures.example/1.png")
    other.call("get_me", "demo-user")
    client.get(f"http://any.example{other.service.address.mount}/v1_0/nowhere")
    digest = other.service.world.digest()
    assert run_test(other.requests.export("pytest")).digest() == digest


def test_a_tour_through_the_catalogue_is_run_again(sim):
    """Eight hundred calls of every operation, with their ids and tokens taken from answers."""
    sim.requests.most = 10_000
    for _ in walk(sim, CUSTOMER, ("demo-owner", "demo-customer-admin", "demo-user"), rounds=(0,)):
        pass
    again(sim)
    steps = json.loads(sim.requests.export("scenario"))["workflows"][0]["steps"]
    linked = [step for step in steps if "$steps." in json.dumps(step.get("parameters", []))]
    assert len(linked) > 50


class Exported(ApiJourney):
    """A journey whose journal is run again at its end."""

    def targets(self):
        """The core and WSGI, for calls of both kinds."""
        ways = Core(Simulator(clock=START)), Wsgi(Simulator(clock=START))
        for way in ways:
            way.simulator.requests.most = 10_000
        return ways

    def teardown(self):
        """What holds after every journey."""
        for way in self.driven:
            again(way.simulator)
            for mask in (False, True):
                bundle = decoded(way.simulator.control("get_bundle", mask=mask).data)
                assert replay(bundle).parting is None
        super().teardown()


def test_random_histories_are_run_again():
    """Whatever is called, over whichever way, test, scenario and bundle lead a fresh world to the same."""
    budget = settings(
        max_examples=2, stateful_step_count=25, suppress_health_check=list(HealthCheck), phases=[Phase.generate]
    )
    run_state_machine_as_test(api_journey(Exported), settings=budget)


def test_linked_values_follow_the_server(sim):
    """Ids and tokens that answers gave are taken from the answers, so the scenario passes under another seed too."""
    made = sim.call("create_channel", "demo-owner", body={"name": "Room"}).body
    assert sim.call("get_channel", "demo-owner", uuid=made["channelUuid"]).ok
    guest = sim.call("create_guest", None, clientId=CUSTOMER, uuid=ROOM, body={"handle": "Visitor"}).body
    assert sim.call("get_me", guest["token"]).ok
    document = sim.requests.export("scenario")
    other = Simulator(seed=99)
    report = run_scenario(compile_scenario(json.loads(document), {}), other.control.context)
    assert report.passed, report.failure.details()
    assert made["channelUuid"] not in document
    assert guest["token"] not in document


def test_a_scenario_runs_from_its_file(sim, tmp_path):
    """By the command line, in a process of its own."""
    sim.call("create_channel", "demo-owner", body={"name": "Room"})
    sim.call("get_me", "no-such-token")
    file = tmp_path / "journal.arazzo.json"
    file.write_text(sim.requests.export("scenario"))
    code, output, errors = run("run", file)
    assert (code, "passed" in output) == (0, True), output + errors


#: What HTTP clients send of their own accord.
CLIENTS = {
    "fetch of Node": {"accept": "*/*", "accept-language": "*", "sec-fetch-mode": "cors", "user-agent": "node"},
    "axios": {"accept": "application/json, text/plain, */*"},
    "a browser": {"origin": "http://a.example", "referer": "http://a.example/x", "cookie": "theme=dark", "dnt": "1"},
    "tracing": {"traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "x-request-id": "1"},
}


def left_out(sim):
    """What the exported scenario says that it leaves out."""
    return json.loads(sim.requests.export("scenario")).get("x-confsim-left-out", [])


@pytest.mark.parametrize("headers", CLIENTS.values(), ids=CLIENTS)
def test_headers_of_a_client_leave_nothing_out(sim, headers):
    """Each call is a step, and a call of the test, with what the client said; URLs are those of the process."""
    client = sim.client("demo-user")
    image = "/users/me/image?url=https%3A%2F%2Fa.example%2F1.png"
    assert client.post(image, headers=headers).status_code == 200
    assert client.get("/users/me?x=1", headers=headers).json["imageUrl"].startswith("http://confsim.test/")
    if "origin" in headers:
        preflight = {**headers, "access-control-request-method": "GET"}
        assert client.options("/users/me", headers=preflight).status_code == 204
    assert "get_me" in [step["operationId"].rpartition(".")[2] for step in steps_of(sim)]
    again(sim)
    assert left_out(sim) == []
    said = {name: text for name, text in headers.items() if name != "user-agent" and text != "*/*"}
    test, steps = sim.requests.export("pytest"), steps_of(sim)
    for name, text in said.items():
        assert f"{name!r}: {text!r}" in test
        assert {"name": name, "in": "header", "value": text} in steps[-1]["parameters"]


def test_a_call_without_further_headers_is_one_by_name(sim):
    """Those of its body and its transport aside."""
    sim.client("demo-user").get("/users/me?x=1", headers={"User-Agent": "x", "Accept": "*/*"})
    assert "world.call('get_me', 'demo-user', x_='1')" in sim.requests.export("pytest")


def steps_of(sim):
    """The steps of the exported scenario."""
    return json.loads(sim.requests.export("scenario"))["workflows"][0]["steps"]


PLAY = {"X-Confsim": "status=503"}
ONCE = {"http.idempotency-key": "Idempotency-Key", "http.caching": "etag"}


def test_headers_that_an_answer_depends_on_are_parameters_of_the_step(make_confsim):
    """Faults of a request, a key for repeating it, and what makes a request conditional."""
    sim = make_confsim(profile=ONCE, clock=START)
    client = sim.client("demo-owner")
    assert client.get("/users/me", headers=PLAY).status_code == 503
    for _ in range(2):
        client.post("/channels/create", json={"name": "Room"}, headers={"Idempotency-Key": "one"})
    tag = client.get("/users/me").headers["ETag"]
    assert client.get("/users/me", headers={"If-None-Match": tag, "Accept-Language": "de"}).status_code == 304
    assert client.head("/users/me").status_code == 200
    assert client.post("/channels/create", data=b"{}", content_type="text/plain").status_code == 415
    given = [p["name"] for step in steps_of(sim) for p in step.get("parameters", []) if p["in"] == "header"]
    assert [name for name in given if name != "Authorization"] == [
        "x-confsim",
        "idempotency-key",
        "idempotency-key",
        "if-none-match",
        "accept-language",
    ]
    digest = sim.service.world.digest()
    document = json.loads(sim.requests.export("scenario"))
    other = Simulator(profile=ONCE)
    report = run_scenario(compile_scenario(document, ONCE), other.control.context)
    assert (report.failure, report.left_out) == (None, [])
    assert other.service.world.digest() == digest == run_test(sim.requests.export("pytest")).digest()


def test_the_range_of_a_download_is_a_parameter_of_the_step():
    """A client that resumes a download gets the part in the scenario too."""
    sim = recordings.simulator()
    token = recordings.read(sim, "get_recording_credentials", recordings.recorded(sim)).body["jwt"]
    asset = sim.call("list_downloadable_assets", jwtToken=token).body[0]["id"]
    path = f"/channels/recording/assets/{token}/{asset}"
    assert sim.client().get(path, headers={"Range": "bytes=2-3"}).status_code == 206
    assert sim.client().get(path, headers={"Range": "bytes=99999999-"}).status_code == 416
    assert left_out(sim) == []
    again(sim)


@pytest.mark.parametrize("missing", ["no route", "a body that is no JSON", "forgotten"])
def test_a_scenario_that_leaves_calls_out_has_not_passed(sim, tmp_path, missing):
    """It names them, and the command says so and exits with 1; a world can start from it all the same."""
    if missing == "no route":
        sim.client().get("/nowhere")
    elif missing == "forgotten":
        sim.client("demo-user").get("/users/me")
        sim.requests.clear(operation="get_me")
    else:
        sim.client("demo-owner").post("/channels/create", data=b"{", content_type="application/json")
    sim.call("create_channel", "demo-owner", body={"name": "Room"})
    (named,) = left_out(sim)
    assert named.startswith("1 calls that" if missing == "forgotten" else "r1 (")
    file = tmp_path / "journal.arazzo.json"
    file.write_text(sim.requests.export("scenario"))
    code, output, _ = run("run", str(file))
    assert (code, "passed" in output, "INCOMPLETE" in output) == (1, False, True)
    assert named in output
    assert Simulator(scenario=file).service.world.digest() == sim.service.world.digest()


def test_a_part_of_a_journal_is_no_incomplete_one(sim):
    """Who asks for some calls gets some calls."""
    sim.client().get("/nowhere")
    sim.call("get_me", "demo-user")
    assert "x-confsim-left-out" not in json.loads(sim.requests.export("scenario", operation="get_me"))


# Over HTTP, and what cannot be


def test_exports_over_http(plane, sim):
    """Each as what it is; filters pick calls, and then orders are left out."""
    sim.call("get_me", "demo-user")
    sim.presence.join(ROOM, "demo-owner")
    sim.call("list_channels", "demo-owner", limit=1)
    for kind, content in (("curl", "text/plain"), ("pytest", "text/x-python"), ("scenario", "application/json")):
        answer = sim.client().get(f"/_confsim/requests/export?as={kind}")
        assert answer.content_type.startswith(content)
        assert "join_channel" in answer.text
        some = sim.client().get(f"/_confsim/requests/export?as={kind}&operation=list_channels").text
        assert ("list_channels" in some, "get_me" in some, "join_channel" in some) == (True, False, False)
        last = sim.client().get(f"/_confsim/requests/export?as={kind}&limit=1").text
        assert ("list_channels" in last, "get_me" in last) == (True, False)


@pytest.mark.parametrize(
    ("query", "status"), [("", 400), ("?as=wget", 400), ("?as=curl&operation=nope", 404), ("?as=curl&colour=1", 400)]
)
def test_what_cannot_be_exported_is_reported(sim, query, status):
    """Unknown forms, operations and words."""
    assert sim.client().get(f"/_confsim/requests/export{query}").status_code == status
    with pytest.raises(Misuse, match="'wget' is none of curl, har, pytest, scenario"):
        sim.requests.export("wget")


def test_what_was_never_read_is_reported(sim):
    """A call that was refused for its size cannot be repeated; the others are."""
    sim.client().get("/" + "x" * 70_000)
    sim.call("get_me", "demo-user")
    assert "url_too_long" in sim.requests.export("curl")
    assert "refused before it was read" in sim.requests.export("pytest")
    again(sim)


def test_a_missing_past_is_reported(sim):
    """The module says that it is not the whole journal."""
    for _ in range(3):
        sim.call("get_me", "demo-user")
    sim.requests.clear(operation="get_me", status=200)
    sim.call("get_me", "demo-user")
    assert sim.requests.export("pytest").startswith('"""1 call of a journal of 4')
