"""Many worlds on one server."""

from __future__ import annotations

import json
import threading
from contextlib import suppress
from pathlib import Path

import pytest

from confsim import Misuse
from confsim.arazzo import library
from confsim.control.operations import worlds as world_operations
from confsim.service import clock, service, waiting, worlds as service_worlds
from confsim.service.messages import Request
from kit import CUSTOMER

TOKEN = {"authorization": "Bearer demo-api-token"}
URL = b'{"url":"https://terms.example/new"}'


@pytest.fixture
def ask(sim):
    """A request to the server: method, path, body, headers."""

    def request(method, path, body=b"", **headers):
        target, _, query = path.partition("?")
        return waiting.wait_for(sim.app(Request(method, target, query, {**TOKEN, **headers}, body)))

    return request


def test_the_answer_is_all_that_a_client_needs(sim, plane):
    """Addresses, tokens with their holders, clients, and a name that no other world has, if none is given."""
    sim.worlds.add("world-1")
    made = [plane("POST", "/worlds", {}, host="here:8080")[1] for _ in range(2)]
    assert [each["name"] for each in made] == ["world-2", "world-3"]
    root = "http://here:8080/w/world-2"
    assert (made[0]["root"], made[0]["control_url"]) == (root, f"{root}/_confsim")
    assert made[0]["base_url"] == f"{root}/v1_0"
    assert made[0]["tokens"]["demo-owner"] == {"userId": 1002, "clientId": CUSTOMER, "role": "owner"}
    assert CUSTOMER in [each["id"] for each in made[0]["clients"]]
    assert made[0]["now"] == sim.worlds["world-2"].clock.now
    answer = sim.app(Request("GET", "/w/world-2/v1_0/users/me", "", {"authorization": "Bearer demo-owner"}, b""))
    assert answer.status == 200
    sim.worlds.most = 3
    status, problem = plane("POST", "/worlds", {})
    assert (status, problem["code"]) == (409, "too_many_worlds")


def test_worlds_are_made_listed_and_dropped(plane):
    """Each with its name, its source, and where it stands."""
    status, made = plane("POST", "/worlds", {"name": "w1"}, host="here:8080")
    assert (status, made["name"], made["world"]) == (200, "w1", "demo")
    assert (made["root"], made["base_url"]) == ("http://here:8080/w/w1", "http://here:8080/w/w1/v1_0")
    assert [each["name"] for each in plane("GET", "/worlds")[1]] == ["", "w1"]
    assert plane("DELETE", "/worlds/w1") == (200, {"dropped": ["w1"]})
    assert plane("DELETE", "/worlds/w1")[0] == 404


def test_every_world_but_the_root_is_dropped_at_once(plane):
    """And the root stays."""
    for name in ("a", "b"):
        plane("POST", "/worlds", {"name": name})
    assert plane("DELETE", "/worlds")[1] == {"dropped": ["a", "b"]}
    assert len(plane("GET", "/worlds")[1]) == 1


def test_a_world_is_a_complete_mount_of_its_own(plane, ask):
    """State, clock, journal and mail of one world are nobody else's."""
    plane("POST", "/worlds", {"name": "w1"})
    assert ask("POST", "/w/w1/v1_0/terms", URL).status == 200
    terms = f"/v1_0/clients/{CUSTOMER}/terms"
    assert ask("GET", f"/w/w1{terms}").body != ask("GET", terms).body
    ask("POST", "/w/w1/_confsim/clock/advance", b'{"by":"1h"}')
    clocks = [json.loads(ask("GET", f"{mount}/_confsim/clock").body)["now"] for mount in ("", "/w/w1")]
    assert clocks[1] - clocks[0] == 3_600_000
    calls = [len(json.loads(ask("GET", f"{mount}/_confsim/requests").body)) for mount in ("", "/w/w1")]
    assert calls == [1, 2]
    ask("POST", "/w/w1/v1_0/users/me/email", b'{"email":"uma@customer.example"}', authorization="Bearer demo-user")
    mails = [json.loads(ask("GET", f"{mount}/_confsim/mail").body) for mount in ("", "/w/w1")]
    assert [[each["to"] for each in there] for there in mails] == [[], ["uma@customer.example"]]
    assert ask("GET", "/w/w1/openapi.json").status == 200
    assert json.loads(ask("GET", "/w/w1/_confsim/info").body)["name"] == "w1"


def test_two_worlds_of_one_seed_answer_alike(plane, ask):
    """The same calls have the same bytes, whatever the names; another seed has others."""
    for name, seed in (("a", 5), ("b", 5), ("c", 6)):
        plane("POST", "/worlds", {"name": name, "seed": seed})
    made = {name: ask("POST", f"/w/{name}/v1_0/channels/create", b'{"name":"Room"}') for name in "abc"}
    assert made["a"] == made["b"]
    assert made["a"].body != made["c"].body


def test_a_world_is_made_from_a_shipped_one_or_another_or_data(plane, ask):
    """By name, as another is now, or from the content of a world file."""
    ask("POST", "/v1_0/terms", URL)
    plane("POST", "/worlds", {"name": "plain"})
    plane("POST", "/worlds", {"name": "copy", "from": ""})
    plane("POST", "/worlds", {"name": "copied", "from": "copy"})
    plane("POST", "/worlds", {"name": "bare", "from": "empty"})
    file = {"version": 1, "at": "2026-01-01T00:00:00Z", "clients": [{"name": "Only"}]}
    plane("POST", "/worlds", {"name": "own", "from": file})
    terms = f"/v1_0/clients/{CUSTOMER}/terms"
    assert b"terms.example/new" not in ask("GET", f"/w/plain{terms}").body
    assert b"terms.example/new" in ask("GET", f"/w/copy{terms}").body
    assert ask("GET", f"/w/copied{terms}").body == ask("GET", f"/w/copy{terms}").body
    assert ask("GET", f"/w/bare{terms}").status == 404
    assert [each["name"] for each in json.loads(ask("GET", "/w/own/_confsim/info").body)["clients"]] == ["Only"]


def test_a_reset_leaves_other_worlds_alone(plane, ask):
    """Each comes back to its own start."""
    plane("POST", "/worlds", {"name": "w1"})
    ask("POST", "/w/w1/v1_0/terms", URL)
    plane("POST", "/reset")
    assert b"terms.example/new" in ask("GET", f"/w/w1/v1_0/clients/{CUSTOMER}/terms").body
    ask("POST", "/w/w1/_confsim/reset")
    assert b"terms.example/new" not in ask("GET", f"/w/w1/v1_0/clients/{CUSTOMER}/terms").body


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"name": ""}, 400),
        ({"name": 7}, 400),
        ({"name": "a b"}, 400),
        ({"name": "a/b"}, 400),
        ({"name": "x" * 65}, 400),
        ({"name": "ü"}, 400),
        ({"name": "taken"}, 409),
        ({"name": "x", "from": "nowhere"}, 404),
        ({"name": "x", "from": "/etc/passwd"}, 404),
        ({"name": "x", "from": "fixtures/demo.json"}, 404),
        ({"name": "x", "from": 5}, 404),
        ({"name": "x", "from": {"version": 9}}, 400),
        ({"name": "x", "from": {"version": 1, "at": "now", "clients": []}}, 400),
        ({"name": "x", "seed": "y"}, 400),
        ({"name": "x", "colour": 1}, 400),
    ],
)
def test_a_world_that_cannot_be_is_refused(plane, body, status):
    """Bad and taken names, unknown sources, files of the machine above all; no world is added."""
    plane("POST", "/worlds", {"name": "taken"})
    send, problem = plane("POST", "/worlds", body)
    assert (send, problem["status"]) == (status, status)
    assert len(plane("GET", "/worlds")[1]) == 2


@pytest.mark.parametrize("path", ["/v1_0/users/me", "/_confsim/health", "/openapi.json", ""])
@pytest.mark.parametrize("name", ["nope", ""])
def test_a_world_that_is_not_there_is_reported(ask, plane, name, path):
    """By its name, as confsim speaks and not the API, and no other world hears of it."""
    answer = ask("POST", f"/w/{name}{path}")
    assert answer.status == 404
    if name or path:
        send = json.loads(answer.body)
        assert (send["detail"], send["code"]) == (f"there is no world {name!r}", "world_unknown")
        assert plane("GET", "/requests")[1] == []
    assert ask("GET", "/w").status == 404


def test_no_stranger_learns_which_worlds_there_are(sim):
    """A foreign Host name is refused before anything is looked for; so is what could not be read."""
    with sim.serve() as server:
        app = server._server.handler
        for name in ("nope", ""):
            assert app(Request("GET", f"/w/{name}/_confsim/info", "", {"host": "evil.example"})).status == 403
        assert app(Request("GET", "/w/nope", "", {}, b"", "url_too_long")).status == 414


def test_how_many_worlds_there_may_be_is_said(plane, sim):
    """Over HTTP as in Python; those that there are stay."""
    assert plane("GET", "/worlds/limit") == (200, {"most": 10_000})
    for name in ("a", "b"):
        plane("POST", "/worlds", {"name": name})
    assert plane("PUT", "/worlds/limit", {"most": 1}) == (200, {"most": 1})
    assert (sim.worlds.most, len(sim.worlds)) == (1, 3)
    status, problem = plane("POST", "/worlds", {"name": "c"})
    assert (status, problem["code"], problem["most"]) == (409, "too_many_worlds", 1)
    assert plane("PUT", "/worlds/limit", {"most": -1})[0] == 400
    plane("DELETE", "/worlds")
    assert plane("POST", "/worlds", {"name": "c"})[0] == 200


def test_the_same_in_python(sim):
    """Worlds by name, each a simulator."""
    other = sim.worlds.add("w1", seed=3)
    other.call("update_terms_url", "demo-api-token", body={"url": "https://terms.example/new"})
    assert sim.worlds["w1"].requests[0].operation == "update_terms_url"
    assert len(sim.requests) == 0
    assert (list(sim.worlds), len(sim.worlds)) == (["", "w1"], 2)
    assert other.base_url.endswith("/w/w1/v1_0")
    sim.worlds.drop("w1")
    assert list(sim.worlds) == [""]
    with pytest.raises(KeyError):
        sim.worlds["w1"]


# What a world can be made from


@pytest.fixture
def send(ask):
    """What a call of the control plane of a world is answered: method, path, body as plain values."""

    def call(method, path, body=None):
        response = ask(method, path, b"" if body is None else json.dumps(body).encode())
        return response.status, json.loads(response.body)

    return call


def test_a_world_is_made_from_a_snapshot(send, ask):
    """Of the root or of another world, with the instant and the pace of its clock; a reset comes back to it."""
    ask("POST", "/v1_0/terms", URL)
    send("POST", "/_confsim/snapshots", {"name": "new terms"})
    send("POST", "/_confsim/clock/advance", {"by": "1h"})
    send("POST", "/_confsim/worlds", {"name": "w1", "from": {"snapshot": "new terms"}})
    assert b"terms.example/new" in ask("GET", f"/w/w1/v1_0/clients/{CUSTOMER}/terms").body
    assert send("GET", "/w/w1/_confsim/clock")[1]["now"] == send("GET", "/_confsim/clock")[1]["now"] - 3_600_000
    send("POST", "/w/w1/_confsim/clock/run", {"rate": 60})
    send("POST", "/w/w1/_confsim/snapshots", {"name": "fast"})
    send("POST", "/_confsim/worlds", {"name": "w2", "from": {"snapshot": "fast", "world": "w1"}, "seed": 9})
    assert send("GET", "/w/w2/_confsim/info")[1]["seed"] == 9
    assert (send("GET", "/w/w2/_confsim/clock")[1]["rate"], send("GET", "/_confsim/clock")[1]["rate"]) == (60, 1)
    send("POST", "/w/w2/_confsim/clock/freeze")
    send("POST", "/w/w2/_confsim/reset")
    assert send("GET", "/w/w2/_confsim/clock")[1]["frozen"] is False


def test_a_world_is_made_from_a_state_document_or_a_scenario(send):
    """As GET /state gives it, and as a file of a scenario has it; the outputs are at hand."""
    send("POST", "/_confsim/users", {"clientId": CUSTOMER, "handle": "Newcomer"})
    document = send("GET", "/_confsim/state")[1]
    send("POST", "/_confsim/worlds", {"name": "state", "from": document})
    assert send("GET", "/w/state/_confsim/state")[1] == document
    scenario = library.values_of("invitations")
    by_content = send("POST", "/_confsim/worlds", {"name": "content", "from": scenario})[1]
    by_name = send("POST", "/_confsim/worlds", {"name": "name", "from": "invitations"})[1]
    assert by_content["outputs"] == by_name["outputs"] != {}


def test_a_world_has_a_profile_of_its_own(send, ask):
    """Over that of the world it is made from; nobody else is under it."""
    profile = {"errors": {"body": "nested"}, "route": {"prefix": "/x/v1_0"}}
    made = send("POST", "/_confsim/worlds", {"name": "w1", "profile": profile})[1]
    assert made["base_url"].endswith("/w/w1/x/v1_0")
    assert "error" in json.loads(ask("GET", "/w/w1/x/v1_0/channels/nope").body)
    assert "code" in json.loads(ask("GET", "/v1_0/channels/nope").body)
    send("POST", "/_confsim/worlds", {"name": "w2", "from": "w1", "profile": {"encode": {"empty": "204"}}})
    assert send("GET", "/w/w2/_confsim/info")[1]["profile"] == {
        "errors.body": "nested", "route.prefix": "/x/v1_0", "encode.empty": "204",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"from": {"snapshot": "nope"}}, 404),
        ({"from": {"snapshot": "a", "world": "nope"}}, 404),
        ({"from": {"snapshot": 5}}, 404),
        ({"from": {"snapshot": "a", "colour": 1}}, 400),
        ({"from": {"version": 1, "tables": {"nope": {}}}}, 400),
        ({"from": {"arazzo": "1.0.1"}}, 400),
        ({"from": ["demo"]}, 404),
        ({"profile": {"no": {"such": 1}}}, 400),
        ({"profile": {"errors": {"body": "upside down"}}}, 400),
        ({"profile": {"route": {"get_user_email": "GET /users/me/terms/{userId}",
                                "get_user_client": "GET /users/me/terms/{userId}"}}}, 400),
    ],
)  # fmt: skip
def test_what_no_world_can_be_made_from_is_reported(send, body, status):
    """Snapshots and worlds that are not there, documents that are none, profiles that cannot be; nothing is added."""
    send("POST", "/_confsim/snapshots", {"name": "a"})
    code, problem = send("POST", "/_confsim/worlds", {"name": "w1", **body})
    assert (code, problem["status"]) == (status, status)
    assert len(send("GET", "/_confsim/worlds")[1]) == 1


def test_a_snapshot_where_there_is_none_is_reported(send):
    """With those that there are, if there are any."""
    body = {"name": "w1", "from": {"snapshot": "nope"}}
    assert send("POST", "/_confsim/worlds", body)[1]["detail"] == "from: there is no snapshot 'nope'; there is none"
    send("POST", "/_confsim/snapshots", {"name": "a"})
    assert send("POST", "/_confsim/worlds", body)[1]["detail"] == "from: there is no snapshot 'nope'; there are a"


def test_worlds_may_be_made_from_each_other(sim, monkeypatch):
    """At the same time, each by a call of the other: nobody waits for the lock of a world that waits for them."""
    other, met, fork = sim.worlds.add("other"), threading.Barrier(2), service.Service.fork

    def together(source, *send):
        with suppress(threading.BrokenBarrierError):  # a server that answers one after the other lets none meet
            met.wait(1)
        return fork(source, *send)

    monkeypatch.setattr(service.Service, "fork", together)
    calls = ((sim, "one", "other"), (other, "two", ""))
    threads = [threading.Thread(target=own.worlds.add, args=send, daemon=True) for own, *send in calls]
    for each in threads:
        each.start()
    for each in threads:
        each.join(30)
    assert not any(each.is_alive() for each in threads)
    assert set(sim.worlds) == {"", "other", "one", "two"}


# Who is there, and how many


@pytest.fixture
def later(monkeypatch):
    """Lets real time pass, in seconds."""
    real, passed = waiting.monotonic, [0.0]
    for module in (clock, service_worlds, world_operations):
        monkeypatch.setattr(module, "monotonic", lambda: real() + passed[0])

    def pass_(seconds):
        passed[0] += seconds

    return pass_


def test_the_list_tells_who_is_idle(send, ask, later):
    """Age and idle time in milliseconds of real time, whatever clocks show, and the calls of the API there were."""
    send("POST", "/_confsim/worlds", {"name": "w1"})
    later(120)
    send("POST", "/_confsim/worlds", {"name": "w2"})
    ask("GET", "/w/w2/v1_0/users/me")
    ask("GET", "/w/w2/v1_0/nowhere")
    later(30)
    _, one, two = send("GET", "/_confsim/worlds")[1]
    assert (one["age"] // 1000, one["idle"] // 1000, one["calls"]) == (150, 150, 0)
    assert (two["age"] // 1000, two["idle"] // 1000, two["calls"]) == (30, 30, 2)
    send("GET", "/w/w1/_confsim/clock")
    assert [each["idle"] // 1000 for each in send("GET", "/_confsim/worlds")[1][1:]] == [0, 30]


def test_idle_worlds_are_listed_and_dropped(send, later):
    """Those that nobody called for so long, and never the root."""
    for name in ("old", "older"):
        send("POST", "/_confsim/worlds", {"name": name})
    later(600)
    send("POST", "/_confsim/worlds", {"name": "new"})
    assert [each["name"] for each in send("GET", "/_confsim/worlds?idle=10m")[1]] == ["old", "older"]
    assert send("DELETE", "/_confsim/worlds?idle=600000") == (200, {"dropped": ["old", "older"]})
    assert send("DELETE", "/_confsim/worlds?idle=10m") == (200, {"dropped": []})
    assert [each["name"] for each in send("GET", "/_confsim/worlds")[1]] == ["", "new"]
    assert send("DELETE", "/_confsim/worlds?idle=soon")[0] == 400


def test_the_longest_idle_makes_room_and_nobody_in_use_does(send, sim, later):
    """Beyond as many as may be, one that nobody called for a minute goes; else the new one is refused, by a code."""
    sim.worlds.most = 2
    for name in ("a", "b"):
        assert send("POST", "/_confsim/worlds", {"name": name})[0] == 200
    later(59)
    status, problem = send("POST", "/_confsim/worlds", {"name": "c"})
    assert (status, problem["code"], problem["most"]) == (409, "too_many_worlds", 2)
    later(2)
    send("GET", "/w/a/_confsim/health")
    assert send("POST", "/_confsim/worlds", {"name": "c"})[0] == 200
    assert list(sim.worlds) == ["", "a", "c"]
    assert send("POST", "/_confsim/worlds", {"name": "d"})[0] == 409


def test_a_server_may_hold_no_other_world(send, sim):
    """And what it holds when fewer may be stays, until one more is wanted."""
    send("POST", "/_confsim/worlds", {"name": "a"})
    sim.worlds.most = 0
    assert send("POST", "/_confsim/worlds", {"name": "b"})[0] == 409
    assert list(sim.worlds) == ["", "a"]
    with pytest.raises(Misuse):
        sim.worlds.most = -1


def test_all_of_it_in_python(sim, tmp_path, later):
    """Snapshots, files and profiles as sources; who is idle; who goes."""
    sim.snapshot("start")
    sim.call("update_terms_url", "demo-api-token", body=json.loads(URL))
    sim.save(tmp_path / "state.json")
    one = sim.worlds.add("one", snapshot="start", profile={"encode": {"empty": "204"}})
    two = sim.worlds.add("two", tmp_path / "state.json", seed=4)
    assert one.call("update_terms_url", "demo-api-token", body=json.loads(URL)).status == 204
    assert two.call("get_client_terms", "demo-api-token", clientId=CUSTOMER).body["url"] == json.loads(URL)["url"]
    later(60)
    assert [(each.name, each.calls) for each in sim.worlds.infos()] == [("", 1), ("one", 1), ("two", 1)]
    assert [each.name for each in sim.worlds.infos("1m")] == ["one", "two"]
    assert (sim.worlds.drop("one"), sim.worlds.drop(idle="1m")) == (["one"], ["two"])
    for wrong in (tmp_path / "nope.json", Path(__file__)):
        with pytest.raises(Misuse, match=wrong.name):
            sim.worlds.add("three", wrong)
