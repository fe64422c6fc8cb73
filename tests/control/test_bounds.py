"""Every control call has a stated bound: in its declaration, in the OpenAPI document and in the refusal."""

from __future__ import annotations

import difflib
import json
from enum import Enum
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin

import msgspec
import pytest
from msgspec.structs import replace

from confsim import Misuse, Simulator
from confsim.arazzo import limits
from confsim.contract.annotations import peeled
from confsim.control.catalogue import CONTROL
from confsim.control.operations import bounds, wait
from confsim.service import journal, worlds
from confsim.service.faults import holding
from confsim.service.messages import Request
from confsim.service.waiting import wait_for
from kit import CUSTOMER, START
from kit.openapi import operations

#: What bounds each argument that is more than a short text, a number or a word, beside the bytes of the body.
LARGE_ARGUMENTS = {
    ("make_world", "from"): bounds.SCENARIO,
    ("make_world", "profile"): bounds.PROFILE,
    ("put_state", "body"): {},
    ("put_faults", "body"): bounds.FAULTS,
    ("add_fault", "body"): bounds.FAULTS,
    ("decide_held", "do"): {},
    ("decide_held", "body"): {},
    ("ask_what_if", "assumptions"): bounds.PROFILE,
    ("change_record", "body"): {},
    ("find_labels", "ids"): bounds.LABELS,
    ("play_scenario", "scenario"): bounds.SCENARIO,
    ("play_scenario", "inputs"): {},
    ("make_user", "levels"): {},
    ("make_validator", "claims"): {},
    ("make_validator", "key"): {},
    ("set_webhooks", "allow"): {},
    ("issue_identity_token", "claims"): {},
    ("wait", "for"): bounds.PATTERN,
    ("count_requests", "body"): {},
    ("find_requests", "body"): {},
    **{(name, "path"): bounds.PATTERN for name in ("count_requests", "find_requests", "list_requests", "get_journal")},
    **{(name, "path"): bounds.PATTERN for name in ("clear_requests", "export_requests")},
}
#: What a call leaves behind, or holds while it lasts: the bound of how many there can be; "records" of the world, as
#: calls of the API leave them; or "nothing" that grows with the number of calls.
LEFT_BEHIND = {
    **dict.fromkeys(["make_world", "set_worlds_limit"], bounds.WORLDS),
    "take_snapshot": bounds.SNAPSHOTS,
    **dict.fromkeys(["put_faults", "add_fault"], bounds.FAULTS),
    "add_name": bounds.NAMES,
    "set_journal": bounds.JOURNAL,
    "wait": bounds.WAITERS,
    **dict.fromkeys(
        [
            *("issue_token", "make_user", "make_client", "redeem_invitation", "join_channel", "leave_channel"),
            *("admit_to_channel", "set_presenter", "dial_in", "answer_call", "refuse_call", "fail_call", "hang_up"),
            *("make_validator", "make_number", "change_record", "redeliver", "put_state", "play_scenario"),
        ],
        "records",
    ),
    **dict.fromkeys(
        [
            *("drop_worlds", "drop_world", "reset_world", "restore_snapshot", "drop_snapshot", "clear_faults"),
            *("remove_fault", "set_by_request", "decide_held", "clear_requests", "forget_request", "count_requests"),
            *("find_requests", "ask_what_if", "drop_name", "set_address", "set_webhooks", "issue_identity_token"),
            *("advance_clock", "set_clock", "freeze_clock", "resume_clock", "run_clock"),
            "find_labels",
            "restore_moment",
        ],
        "nothing",
    ),
}
#: Types of fields whose size the body bounds, and that nothing is made of but one value.
SIMPLE = (str, int, float, bool, NoneType)


def is_simple(annotation):
    """Whether a value of the type is a text, a number or a word."""
    base, marks = peeled(annotation)
    if get_origin(base) in (Union, UnionType):
        return all(map(is_simple, get_args(base)))
    schemas = [mark.keywords({}) for mark in marks if hasattr(mark, "keywords")]
    texts = [each for each in schemas if each.get("type") in ("string", "number") or "anyOf" in each or "enum" in each]
    if base is Any or not isinstance(base, type):
        return bool(texts) and "object" not in json.dumps(texts)
    return issubclass(base, (*SIMPLE, Enum))


def arguments_of(operation):
    """The names of the arguments of an operation, each with its type: those of its body by their fields."""
    for each in (*operation.path_parameters, *operation.query_parameters):
        yield each.name, each.wire
    if operation.body is not None:
        struct = operation.body.type
        if isinstance(struct, type) and issubclass(struct, msgspec.Struct):
            for field in msgspec.structs.fields(struct):
                yield field.encode_name, field.type
        else:
            yield "body", Any


@pytest.mark.parametrize("operation", CONTROL, ids=lambda each: each.name)
def test_every_argument_that_can_be_large_has_a_bound(operation):
    """A new one fails here until its bound is stated in the table and in its declaration."""
    for name, annotation in arguments_of(operation):
        row = LARGE_ARGUMENTS.get((operation.name, name))
        if row is None:
            assert is_simple(annotation), f"{operation.name}: state what bounds {name!r}"
        else:
            assert row.items() <= operation.bounds.items()
    assert (bounds.BODY in operation.bounds) is (operation.body is not None)


@pytest.mark.parametrize("operation", [each for each in CONTROL if each.changes], ids=lambda each: each.name)
def test_everything_that_calls_leave_behind_has_a_bound(operation):
    """A new operation fails here until the table says what it leaves behind."""
    left = LEFT_BEHIND[operation.name]
    assert isinstance(left, str) or left.items() <= operation.bounds.items()


def test_bounds_are_in_the_document():
    """The OpenAPI document has each bound as a number and in words."""
    document = operations(json.loads(Simulator(clock=START).control("get_control_openapi").data))
    for operation in CONTROL:
        described = document[operation.name]
        assert described.get("x-confsim-bounds", {}) == operation.bounds
        for what, most in operation.bounds.items():
            assert f"{most:,} {what}" in described["description"]


def ask(sim, method, path, body):
    """Call the control plane over HTTP with a JSON value or with bytes."""
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    target, _, query = path.partition("?")
    response = wait_for(sim.app(Request(method, f"/_confsim{target}", query, {}, raw)))
    return response.status, json.loads(response.body)


@pytest.mark.parametrize("operation", [each for each in CONTROL if each.body is not None], ids=lambda each: each.name)
def test_a_larger_body_is_refused(operation):
    """With 413 and the bound, before it is read."""
    sim = Simulator(clock=START)
    path = operation.path.replace("{", "").replace("}", "")
    status, problem = ask(sim, operation.method, path, b" " * (operation.bounds[bounds.BODY] + 1))
    assert (status, problem["limit"]) == (413, operation.bounds[bounds.BODY])


def test_an_operation_without_a_body_takes_no_large_one():
    """Although it would ignore an empty object."""
    assert ask(Simulator(), "POST", "/reset", b" " * (bounds.SMALL + 1))[0] == 413


FAULT = {"operation": "get_me", "do": {"status": 503}}


def scenario(*steps, **more):
    """A scenario of a workflow with these steps."""
    return {
        "arazzo": "1.0.1",
        "info": {"title": "x", "version": "1"},
        "sourceDescriptions": [{"name": "api", "url": "x/openapi.json"}],
        "workflows": [{"workflowId": "w", "steps": list(steps)}],
        **more,
    }


def step(place=0, **more):
    """A step."""
    return {"stepId": f"s{place}", "operationId": "get_me", **more}


def criterion(condition):
    """A criterion with a regular expression."""
    return {"context": "$statusCode", "type": "regex", "condition": condition}


def world_from(source):
    """The call that makes a world from a source."""
    return "POST", "/worlds", {"from": source}


OUTPUTS = [f"o{place}" for place in range(limits.MAX_FIELDS + 1)]
LONG = "a" * (limits.LONGEST_CONDITION + 1)
REPEATED = {
    "successActions": {
        "long": {"name": "a", "type": "end", "criteria": [{"condition": "$statusCode == 200"}] * 1000},
    }
}
#: A call that goes beyond a bound, by the name of the bound.
BEYOND = [
    ("faults of the world", ("PUT", "/faults", [FAULT] * 1001)),
    ("characters of a path pattern", ("GET", f"/requests?path={'*' * 2001}", b"")),
    ("characters of a path pattern", ("POST", "/requests/find", {"path": "*" * 2001})),
    ("characters of a path pattern", ("POST", "/wait", {"for": {"request": {"path": "*" * 2001}}})),
    ("ids whose labels are asked for", ("POST", "/labels", {"ids": ["1"] * 1001})),
    ("worlds of the server", ("PUT", "/worlds/limit", {"most": 1_000_001})),
    ("calls in the journal", ("PUT", "/requests", {"most": 1_000_001})),
    ("keys and list items of the profile", ("POST", "/worlds", {"profile": {f"k{n}": 1 for n in range(5001)}})),
    ("keys and list items of the profile", ("POST", "/worlds", {"profile": {"options.absent": ["x"] * 5001}})),
    ("keys and list items of the profile", ("POST", "/what-if", {"assumptions": {f"k{n}": 1 for n in range(5001)}})),
    ("workflows and steps of a scenario", world_from(scenario(*map(step, range(2001))))),
    ("characters of a condition", world_from(scenario(step(successCriteria=[criterion(LONG)])))),
    ("characters of all conditions", world_from(scenario(step(successCriteria=[criterion("a|" * 900)] * 60)))),
    (
        "fields and list items of a scenario",
        world_from(scenario(step(outputs=dict.fromkeys(OUTPUTS, "$url")))),
    ),
    (
        "fields and list items of a scenario",  # a component counts wherever it is used
        world_from(
            scenario(step(onSuccess=[{"reference": "$components.successActions.long"}] * 1000), components=REPEATED)
        ),
    ),
]


@pytest.mark.parametrize(("what", "call"), BEYOND, ids=[f"{what}-{place}" for place, (what, _) in enumerate(BEYOND)])
def test_more_than_a_bound_is_refused(what, call):
    """The refusal says the bound, and nothing changes."""
    sim = Simulator(clock=START)
    (most,) = {operation.bounds[what] for operation in CONTROL if what in operation.bounds}
    status, problem = ask(sim, *call)
    assert status == 400
    assert f"{most:,}" in problem["detail"]
    assert len(problem["detail"]) < 1000
    assert (sim.service.world, list(sim.service.faults), len(sim.worlds)) == (sim.service.history.origin, [], 1)


def test_as_many_as_a_bound_are_taken():
    """The bound itself is not beyond it."""
    sim = Simulator(clock=START)
    assert ask(sim, "PUT", "/faults", [FAULT] * 1000)[0] == 200
    assert ask(sim, "POST", "/faults", FAULT)[0] == 409
    assert len(list(sim.service.faults)) == 1000
    assert ask(sim, "GET", f"/requests?path={'*' * 2000}", b"")[0] == 200


def test_things_that_calls_leave_behind_are_counted(sim):
    """One snapshot or Host name too many is refused with 409; what is there can still be replaced."""
    for place in range(1000):
        sim.service.history.take(f"s{place}")
        sim._all().answer_to(f"h{place}.example")
    assert ask(sim, "POST", "/snapshots", {"name": "s0"})[0] == 200
    assert ask(sim, "POST", "/names", {"name": "h0.example"})[0] == 200
    for path in ("/snapshots", "/names"):
        status, problem = ask(sim, "POST", path, {"name": "another"})
        assert (status, problem["most"]) == (409, 1000)


def test_calls_are_held_up_to_a_number(sim, monkeypatch):
    """One more is refused, and does not count as a call of the fault."""
    monkeypatch.setattr(holding, "MOST", 0)
    sim.faults.add("get_me", do={"hold": "before"})
    with pytest.raises(Misuse, match="at most 0 held calls"):
        sim.call("get_me", "demo-user")
    assert [each.met for each in sim.service.faults] == [0]


def wait_once(sim, **body):
    """Begin to wait; return the response, or the future of it."""
    raw = json.dumps({"timeout": "60s", **body}).encode()
    return sim.app(Request("POST", "/_confsim/wait", "", {}, raw))


UPLOADS = {"for": {"request": {"operation": "upload_client_media"}}, "count": 2}


def test_calls_that_wait_are_counted_while_somebody_waits(sim, monkeypatch):
    """One too many is refused; one whose client has gone no longer counts."""
    monkeypatch.setattr(worlds, "MOST_WAITING", 2)
    held = [wait_once(sim, **UPLOADS) for _ in range(2)]
    assert [each.done() for each in held] == [False, False]
    refused = wait_once(sim, **UPLOADS)
    assert (refused.status, json.loads(refused.body)["most"]) == (409, 2)
    assert held[0].cancel()
    assert not wait_once(sim, **UPLOADS).done()


def test_a_call_that_waits_holds_no_copy_of_a_body(sim, monkeypatch):
    """Nothing is described before all is there, and then a large body by its length alone."""
    described, plain = [], wait.describe
    monkeypatch.setattr(wait, "describe", lambda *args, **words: described.append(args) or plain(*args, **words))
    response = wait_once(sim, **UPLOADS)
    sim.call("upload_client_media", "demo-customer-admin", name="a", body=b"x" * 1_000_000)
    assert described == []
    sim.call("upload_client_media", "demo-customer-admin", name="b", body=b"y")
    answer = wait_for(response)
    assert [each["body"] for each in json.loads(answer.body)["seen"]] == ["<1000000 bytes>", "y"]
    assert len(described) == 2


def test_a_record_that_is_waited_for_is_shown_without_its_large_texts(sim):
    """As its length."""
    sim.call("upload_client_media", "demo-customer-admin", name="a", body=b"x" * 1_000_000)
    table = next(each["table"] for each in changed(sim) if "data" in each["after"])
    answer = sim.control("wait", **{"for": {"state": {"table": table}}, "timeout": "1s"})
    assert len(msgspec.json.encode(answer)) < 100_000


def changed(sim):
    """The changes of the newest call."""
    return ask(sim, "GET", "/requests?limit=1", b"")[1][0]["changes"]


def test_similar_names_are_sought_for_few_unknown_keys(monkeypatch):
    """The refusal of a profile names the first mistakes and counts the others."""
    sought = []
    near = difflib.get_close_matches
    monkeypatch.setattr(difflib, "get_close_matches", lambda *args: sought.append(args[0]) or near(*args))
    with pytest.raises(Misuse, match=r"and 4,980 more$") as refused:
        Simulator(profile={f"channels.key-{place}": 1 for place in range(5000)})
    assert len(sought) == 20
    assert len(str(refused.value)) < 3000
    with pytest.raises(Misuse, match="no operation"):
        Simulator().faults.add("x" * 1_000_000, do={"status": 503})
    assert len(sought) == 20, "nothing is similar to a long text"


def test_a_pattern_of_inputs_that_takes_too_long_is_refused(monkeypatch):
    """The schema of a workflow's inputs is searched with the same patience as its criteria."""
    monkeypatch.setattr("confsim.arazzo.conditions._PATIENCE", 0.05)
    schema = {"properties": {"x": {"type": "string", "pattern": "(a|aa)+$", "default": "a" * 60 + "!"}}}
    document = scenario(step())
    document["workflows"][0]["inputs"] = schema
    status, problem = ask(Simulator(), *world_from(document))
    assert (status, "takes more than" in problem["detail"]) == (400, True)
    schema["patternProperties"] = {}
    assert "patternProperties" in ask(Simulator(), *world_from(document))[1]["detail"]


def test_an_export_has_each_call_once(sim):
    """However often its id is given: otherwise a short URL would ask for gigabytes."""
    sim.call("upload_client_media", "demo-customer-admin", name="a", body=b"x" * 50_000)
    answer = sim.client().get(f"/_confsim/requests/export?as=curl&ids={','.join(['r1'] * 1000)}")
    assert answer.text.count("# r1 ") == 1


def test_large_bodies_of_all_control_calls_count_in_the_journal(sim, monkeypatch):
    """Also of those that no replay repeats, which are kept apart."""
    monkeypatch.setattr(journal, "HEAVIEST", 1_000_000)
    sim.make_user(CUSTOMER, "New comer")
    (call,) = sim.service.journal.control_calls
    for _ in range(8):
        sim.service.journal.add_between(replace(call, body=b" " * 300_000))
    assert sum(len(each.body) for each in sim.service.journal.between) <= 1_000_000
