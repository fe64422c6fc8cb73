"""Ids of users beyond 2^53, which floating-point numbers round: every interface carries them to the last digit.

Two worlds of one seed get the same calls, one with short ids and one with the longest; whatever shows ids of one has to
show the ids of the same users of the other, in the same order.
"""

from __future__ import annotations

import json
import re
from contextlib import closing
from typing import Annotated, get_args, get_origin, get_type_hints

import msgspec
import pytest
from websockets.sync.client import connect

from confsim import Misuse, Simulator
from confsim.api.catalogue import API
from confsim.arazzo import library
from confsim.assistant.tools import Tools, as_text
from confsim.contract.types import Names
from confsim.control.bundle.document import decoded
from confsim.control.bundle.replay import replay
from confsim.control.scenarios import compile_scenario, direct, run_scenario
from confsim.service.conformance import Conformance
from confsim.service.messages import Request
from confsim.transport.remote import RemoteTransport
from kit import API_TOKEN, CUSTOMER, OWNER, ROOM, START, ok
from kit.beside import Beside
from kit.catalogue_walk import walk
from kit.processes.commands import serving

SHORT, LONG = 7_000_000_000, 2**63 - 10**9
#: Everything near the first id that is written as a number, rounded or not.
NEAR = {SHORT: re.compile(r"(?<!\d)70000\d{5}(?!\d)"), LONG: re.compile(r"(?<![\d.])9223372035[85]\d{8}(?!\d)")}
CALLERS = ("demo-owner", "demo-customer-admin", API_TOKEN, "demo-partner-admin")


def world(first):
    """A world whose first user has this id, on which every answer is held against the OpenAPI document."""
    profile = {"users.first-id": first}
    sim = Simulator(clock=START, profile=profile)
    sim.service.pipeline.hold_against(Conformance(profile, listed_refusals=False))
    return sim


@pytest.fixture(scope="module")
def begun():
    """Both worlds with a person in a room."""
    worlds = world(SHORT), world(LONG)
    for sim, first in zip(worlds, (SHORT, LONG), strict=True):
        person = sim.control("make_user", clientId=CUSTOMER, handle="Last").id
        sim.control("join_channel", channel=ROOM, userId=person)
        sim.control("set_presenter", channel=ROOM, userId=person, presenter=True)
        sim.control("issue_token", userId=person)
        assert person > first
    return worlds


@pytest.fixture(scope="module")
def worlds(begun):
    """Both worlds after a walk through the catalogue, in which every answer is compared."""
    worlds = [sim.fork() for sim in begun]
    for one, other in zip(*(walk(each, CUSTOMER, CALLERS, rounds=(0,)) for each in worlds), strict=True):
        assert (one.operation, one.answer.status) == (other.operation, other.answer.status)
        assert users(one.answer.text, SHORT) == users(other.answer.text, LONG), one.operation.name
    return worlds


def users(text, first):
    """Return the users whose ids are in a text, counted from the first."""
    return [int(match) - first for match in NEAR[first].findall(text)]


def texts(path, worlds, **headers):
    """What both worlds answer at a path."""
    for sim, first in zip(worlds, (SHORT, LONG), strict=True):
        answer = sim.client("demo-api-token").get(path.replace("{user}", str(first + 2)), headers=headers)
        assert answer.status_code == 200, (path, answer.text[:300])
        yield answer.text


BEGUN = ("/v1_0/users/{user}", "/v1_0/users?limit=50", f"/_confsim/presence?channel={ROOM}", "/_confsim/info",
         f"/v1_0/channels/{ROOM}", f"/v1_0/channels/{ROOM}/owners")  # fmt: skip
PATHS = (
    "/_confsim/state", "/_confsim/requests?limit=1000", "/_confsim/mail", "/_confsim/webhooks/deliveries",
    "/_confsim/timers", "/_confsim/records?kind=users", "/_confsim/records/users/{user}",
    "/_confsim/requests/export?as=curl", "/_confsim/requests/export?as=har", "/_confsim/requests/export?as=pytest",
    "/_confsim/requests/export?as=scenario", "/_confsim/bundle",
)  # fmt: skip
PAGES = ("", "inspector/records/users/{user}", "inspector/records?kind=users",
         "inspector/requests", "inspector/webhooks", "inspector/mail")  # fmt: skip


@pytest.mark.parametrize("path", BEGUN)
def test_answers_about_people_show_the_same_users(begun, path):
    """Of the API, and of the presence in a room."""
    short, long = texts(path, begun)
    assert users(short, SHORT) == users(long, LONG)


@pytest.mark.parametrize("path", ["/_confsim/search?text={user}", "/_confsim/inspector/search?q={user}"])
def test_a_search_for_an_id_finds_the_same(begun, path):
    """Excerpts are cut by their length, and may show neighbours too."""
    short, long = texts(path, begun, Accept="text/html")
    assert users(short, SHORT).count(2) == users(long, LONG).count(2) > 5


@pytest.mark.parametrize("path", PATHS)
def test_answers_of_api_and_control_plane_show_the_same_users(worlds, path):
    """Lists, records, exports and the bundle."""
    short, long = texts(path, worlds)
    assert users(short, SHORT) == users(long, LONG)
    assert users(long, LONG) or "mail" in path or "timers" in path


@pytest.mark.parametrize("page", PAGES)
def test_pages_of_the_inspector_show_the_same_users(worlds, page):
    """In texts, links and forms; no script of a page reads a number."""
    short, long = texts(f"/_confsim/{page}", worlds, Accept="text/html")
    assert users(short, SHORT) == users(long, LONG)
    script = worlds[1].client().get("/_confsim/inspector/static/inspector.js").text
    assert not re.search(r"JSON\.parse|\.json\(", script)


def test_pages_of_calls_and_records_show_the_same_users(worlds):
    """The page of each call, and of each user."""
    paths = [f"requests/{each.id}" for each in worlds[1].requests[::50]]
    paths += [f"records/users/{{{number}}}" for number in range(1, 9)]
    for path in paths:
        shown = []
        for sim, first in zip(worlds, (SHORT, LONG), strict=True):
            target = re.sub(r"\{(\d+)\}", lambda match, first=first: str(first + int(match[1])), path)
            shown.append(
                users(sim.client().get(f"/_confsim/inspector/{target}", headers={"Accept": "text/html"}).text, first)
            )
        assert shown[0] == shown[1], path


def test_a_replay_of_the_bundle_gives_the_same_answers(worlds):
    """Ids survive being written and read."""
    assert replay(decoded(worlds[1].control("get_bundle").data)).parting is None


def test_a_state_that_was_written_goes_on_with_the_next_id(begun, tmp_path):
    """As a file, as JSON, and in a state directory after the process has ended."""
    long = begun[1].fork()
    created = {"clientId": CUSTOMER, "handle": "Next"}
    following = long.fork().control("make_user", **created).id
    assert following == 1 + long.state["sequences"]["user"]
    long.save(tmp_path / "state.json")
    loaded = Simulator(profile={"users.first-id": LONG})
    loaded.load(tmp_path / "state.json")
    decoded_state = Simulator(profile={"users.first-id": LONG})
    decoded_state.state = json.loads(json.dumps(long.state))
    for sim in (loaded, decoded_state):
        assert sim.control("make_user", **created).id == following
    for turn in range(2):
        again = world(LONG)
        with again.keep_in(tmp_path / "directory"):
            if not turn:
                again.state = long.state
            assert again.control("make_user", **created | {"handle": f"N{turn}"}).id == following + turn
            assert ok(again, "get_user", API_TOKEN, userId=following)["handle"] == "N0"


def test_paths_queries_and_bodies_take_every_id():
    """To the last digit, up to the largest of 64 bits: a neighbour that floating-point rounds alike is another."""
    sim = world(LONG)
    owner, client = ok(sim, "get_me", OWNER)["id"], sim.client("demo-api-token")
    ok(sim, "create_app_session", OWNER, clientId=CUSTOMER, body={"started": 1, "url": "x"})
    for number, there in ((owner, True), (owner + 64, False), (2**63 - 1, False)):
        assert (client.get(f"/users/{number}").status_code == 200) is there
        assert users(client.get(f"/users/multiple/{number}").text, LONG)[:1] == ([owner - LONG] if there else [])
        assert len(sim.client("demo-customer-admin").get(f"/app_sessions?user={number}").json["results"]) == there
        assert (sim.client().post("/_confsim/tokens", json={"userId": number}).status_code == 200) is there
    assert client.get(f"/users/{2**63}").json["message"] == f"path userId: {2**63} does not fit 64 bits."


@pytest.mark.parametrize("name", library.SHIPPED)
def test_scenarios_pass_with_the_longest_ids(name):
    """Every shipped one: expressions, conditions and JSONPath compare whole numbers."""
    sim = world(LONG)
    report = run_scenario(compile_scenario(name, sim.service.profile), sim.control.context)
    assert report.passed, report.failure


def test_scenarios_compare_ids_as_whole_numbers():
    """In simple conditions and in JSONPath, a neighbour that floating-point rounds alike is another."""
    sim = world(LONG)
    owner = ok(sim, "get_me", OWNER)["id"]
    for number, passes in ((owner, True), (owner + 64, False)):
        for criterion in (
            {"condition": f"$response.body#/id == {number}"},
            {"context": "$response.body", "type": "jsonpath", "condition": f"$[?@ == {number}]"},
        ):
            step = {"stepId": "one", "operationId": "get_me", "successCriteria": [criterion]}
            step["parameters"] = [{"name": "Authorization", "in": "header", "value": f"Bearer {OWNER}"}]
            report = run_scenario(compile_scenario(_document(step), {}), sim.control.context)
            assert report.passed is passes, criterion


def _document(step):
    return {
        "arazzo": "1.0.1",
        "info": {"title": "Ids", "version": "1"},
        "sourceDescriptions": [{"name": "confsim", "url": "openapi.json", "type": "openapi"}],
        "workflows": [{"workflowId": "ids", "steps": [step]}],
    }


def test_a_service_with_the_longest_ids_agrees_with_a_model_of_short_ones():
    """Verify matches ids by their place, whatever they are."""
    report = Beside({"users.first-id": LONG}).verify(examples=1, most=150)
    assert not report.divergences
    assert report.requests > 50


def test_websockets_show_the_longest_ids():
    """Messages to a client, as JSON."""
    sim = world(LONG)
    owner = ok(sim, "get_me", OWNER)["id"]
    with sim.serve() as server:
        address = f"ws{server.root.removeprefix('http')}/streaming/{ROOM}"
        with connect(address, additional_headers={"Authorization": f"Bearer {OWNER}"}) as websocket:
            assert str(owner) in websocket.recv(timeout=30)


def test_assistants_get_the_longest_ids():
    """As JSON numbers in the texts of the tools."""
    sim = world(LONG)
    tools = Tools(direct(sim.control.context), {})
    answer = tools.run("call_operation", {"operation": "get_me", "caller": OWNER})
    assert as_text(answer).count(str(ok(sim, "get_me", OWNER)["id"])) == 1


def test_a_profile_file_and_the_command_line_take_the_longest_ids(tmp_path):
    """TOML has whole numbers of 64 bits; the greeting names the users."""
    profile = tmp_path / "long.toml"
    profile.write_text(f"[users]\nfirst-id = {LONG}\n")
    with serving("--profile", profile) as (_, greeting, root):
        assert users(greeting, LONG) == list(range(7))
        with closing(RemoteTransport(root)) as there:
            answer = there.exchange(Request("GET", "/v1_0/users/me", "", {"authorization": f"Bearer {OWNER}"}))
        assert users(answer.body.decode(), LONG) == [2]


@pytest.mark.parametrize("first", [-1, LONG + 1, 2**63, 1.5, True, "1000"])
def test_a_first_id_beyond_the_largest_is_refused(first):
    """By name, with the range."""
    with pytest.raises(Misuse, match=f"'users.first-id': .* is no whole number from 0 to {LONG}"):
        Simulator(profile={"users.first-id": first})


def test_ids_of_users_are_the_only_ones_that_are_long_numbers():
    """As the documents have it: ids of levels are of 32 bits, all others are texts; so says OpenAPI."""
    kinds = {}
    for operation in API:
        for type_, mark in _named(operation.result):
            kinds.setdefault(mark.kind, set()).add(type_)
    assert {kind for kind, types in kinds.items() if int in types} == {"users"}
    document = json.loads(Simulator().client().get("/openapi.json").text)
    schema = document["components"]["schemas"]["User"]["properties"]["id"]
    assert (schema["type"], schema["format"], schema["maximum"]) == ("integer", "int64", 2**63 - 1)
    with pytest.raises(Misuse, match="32 bits"):
        Simulator(
            profile={
                "levels.table": {"customer-admin": {"id": 2**31, "name": "A"}, "partner-admin": {"id": 1, "name": "B"}}
            }
        )


def _named(type_):
    """Every type in a type that names something, with its mark."""
    if get_origin(type_) is Annotated:
        base, *marks = get_args(type_)
        yield from ((base, mark) for mark in marks if isinstance(mark, Names))
        yield from _named(base)
    elif isinstance(type_, type) and issubclass(type_, msgspec.Struct):
        for inner in get_type_hints(type_, include_extras=True).values():
            yield from _named(inner)
    else:
        for inner in get_args(type_):
            yield from _named(inner)
