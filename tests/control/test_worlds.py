"""Many worlds on one server."""

from __future__ import annotations

import json

import pytest

from confsim.service.message import Request

CUSTOMER = "22222222-2222-4222-8222-222222222222"
TOKEN = {"authorization": "Bearer demo-api-token"}
URL = b'{"url":"https://terms.example/new"}'


@pytest.fixture
def ask(sim):
    """A request to the server: method, path, body, headers."""

    def request(method, path, body=b"", **headers):
        target, _, query = path.partition("?")
        return sim.app(Request(method, target, query, {**TOKEN, **headers}, body))

    return request


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
    """State, clock and journal of one world are nobody else's."""
    plane("POST", "/worlds", {"name": "w1"})
    assert ask("POST", "/w/w1/v1_0/terms", URL).status == 200
    terms = f"/v1_0/clients/{CUSTOMER}/terms"
    assert ask("GET", f"/w/w1{terms}").body != ask("GET", terms).body
    ask("POST", "/w/w1/_confsim/clock/advance", b'{"by":"1h"}')
    clocks = [json.loads(ask("GET", f"{mount}/_confsim/clock").body)["now"] for mount in ("", "/w/w1")]
    assert clocks[1] - clocks[0] == 3_600_000
    calls = [len(json.loads(ask("GET", f"{mount}/_confsim/requests").body)) for mount in ("", "/w/w1")]
    assert calls == [1, 2]
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
        ({}, 400),
        ({"name": ""}, 400),
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
    told, problem = plane("POST", "/worlds", body)
    assert (told, problem["status"]) == (status, status)
    assert len(plane("GET", "/worlds")[1]) == 2


def test_a_path_of_no_world_is_no_route(ask):
    """Neither an unknown one nor the root by an empty name."""
    assert ask("GET", "/w/nope/v1_0/users/me").status == 404
    assert ask("GET", "/w//v1_0/users/me").status == 404
    assert ask("GET", "/w").status == 404


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
