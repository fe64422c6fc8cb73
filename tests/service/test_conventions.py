"""What holds for every call: JSON out, parameters in their places, types of ids, what an API token is and is not."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from msgspec.structs import replace

from confsim import Simulator
from confsim.api.catalogue import API
from confsim.contract.decode import RESOLVERS
from confsim.contract.gates import Grant
from confsim.testing.samples import IdPool, valid
from kit import API_TOKEN, CUSTOMER, OTHER, PARTNER, START
from kit.catalogue_walk import call, walk
from kit.each import by_name, each

CALLERS = ("demo-owner", "demo-customer-admin", API_TOKEN, "demo-partner-admin")
#: The one operation whose answer is a file.
FILES = {"download_recording_asset"}


@pytest.fixture(scope="module")
def reported() -> list[Any]:
    """Every step of a walk through the whole catalogue."""
    return list(walk(Simulator(clock=START), CUSTOMER, CALLERS))


@pytest.mark.rule("R002")
def test_a_body_is_json(reported):
    """Every answer that has a body, a refusal too, is JSON and says so; one without a body says nothing."""
    assert {step.operation.name for step in reported} == {operation.name for operation in API}
    for step in reported:
        if step.answer.content and not (step.operation.name in FILES and step.answer.ok):
            assert step.answer.headers["Content-Type"] == "application/json", step.operation
            json.loads(step.answer.content)
        else:
            assert step.answer.content or "Content-Type" not in step.answer.headers


#: Names of fields whose values are ids, and the fields of other names that say of whom.
_TEXT = re.compile(r"(client|channel|session|recording|asset|template|token|validator|media|parent)_?(Id|Uuid)$", re.I)
_NUMBER = re.compile(r"user_?Id$", re.I)


def ids(value: Any):
    """Every field of an answer whose name says that it is an id of something."""
    if isinstance(value, dict):
        for name, each in value.items():
            if _TEXT.search(name) or _NUMBER.search(name):
                yield name, each
            yield from ids(each)
    elif isinstance(value, list):
        for each in value:
            yield from ids(each)


def test_user_ids_are_numbers_and_all_others_are_texts(reported):
    """Wherever an answer names one: the fields by their names, and the ids of users, levels and things made."""
    seen = set()
    for step in reported:
        if step.answer.ok and step.answer.content and step.operation.name not in FILES:
            for name, value in ids(step.answer.body):
                seen.add(name)
                for each in value if isinstance(value, list) else [value]:
                    assert isinstance(each, int if _NUMBER.search(name) else str), (step.operation, name)
    assert {"clientId", "channelUuid"} <= seen


def test_an_invitation_names_its_user_by_number(sim):
    """The id of the user, whatever the code is."""
    made = sim.call("create_predefined_user", API_TOKEN, body={"name": "Pre"}).body["id"]
    assert sim.call("create_invitation", API_TOKEN, userId=made).body["userId"] == made
    assert type(made) is int


@each(
    "operation, body, kind",
    [
        ("create_client", {"name": "Kid"}, str),
        ("create_api_token", {}, str),
        ("create_predefined_user", {"name": "Pre"}, int),
        ("get_me", None, int),
        ("list_assignable_access_levels", None, int),
        ("list_api_tokens", None, str),
        ("list_validators", None, str),
        ("list_clients", None, str),
        ("list_users", None, int),
    ],
)
def test_the_id_of_a_thing_has_its_type(operation, body, kind):
    """Users and levels have numbers, clients, tokens and validators texts."""
    sim = Simulator(clock=START)
    child = {} if operation in {"create_client", "list_clients", "get_me"} else {"for_client": CUSTOMER}
    answer = sim.call(operation, "demo-partner-admin", body=body, **child).body
    listed = answer.get("results", [answer]) if isinstance(answer, dict) else answer
    assert listed
    assert all(type(each["id"]) is kind for each in listed)


@pytest.mark.rule("R004")
@each(
    "operation",
    [each for each in API if each.body is not None and each.body.is_json and each.body.fields],
    ids=by_name,
)
def test_fields_of_the_body_are_not_taken_from_the_query(operation):
    """With every field in the query beside the body, or without one, the call is what it is without them."""
    sim = Simulator(clock=START)
    arguments = valid(operation, IdPool(sim.service.world, CUSTOMER), 1)
    fields = {name: str(value) for name, value in arguments.body.items() if name not in arguments.query}
    for body in (arguments.raw(), None):
        for caller in CALLERS:
            plain, beside = sim.fork(), sim.fork()
            rest = {**arguments.path, **arguments.query}
            one = plain.call(operation.name, caller, body=body, **rest)
            other = beside.call(operation.name, caller, body=body, **{**fields, **rest})
            assert (one.status, one.content) == (other.status, other.content)
            assert plain.service.world.digest() == beside.service.world.digest()


@each(
    "operation",
    [each for each in API if each.query_parameters and (each.body is None or each.body.fields)],
    ids=by_name,
)
def test_query_parameters_are_not_taken_from_the_body(operation):
    """With every query parameter in the body too, the call is what it is without them; bodies of any shape aside."""
    sim = Simulator(clock=START)
    arguments = valid(operation, IdPool(sim.service.world, CUSTOMER), 1)
    body = {**(arguments.body or {}), **arguments.query}
    for caller in CALLERS:
        plain, beside = sim.fork(), sim.fork()
        one = plain.call(operation.name, caller, body=arguments.body, **arguments.path)
        other = beside.call(operation.name, caller, body=body, **arguments.path)
        assert (one.status, one.content) == (other.status, other.content)
        assert plain.service.world.digest() == beside.service.world.digest()


ADMINISTRATIVE = [
    operation
    for operation in API
    if set(operation.gate.grants) & {Grant.CUSTOMER_ADMIN, Grant.API_TOKEN, Grant.OPERATOR}
]


@pytest.mark.rule("R221")
@each("operation", ADMINISTRATIVE, ids=by_name)
def test_an_api_token_passes_every_administrative_gate_of_its_client(operation):
    """Whatever is for administrators or hosts; what is reserved for owners, or a user's own, is not (G149)."""
    sim = Simulator(clock=START)
    answer = call(sim, operation, API_TOKEN, valid(operation, IdPool(sim.service.world, CUSTOMER), 1))
    assert answer.ok or answer.body["code"] not in {"role_missing", "credential_invalid"}


@pytest.mark.rule("R220")
@each("client", [PARTNER, OTHER])
@each(
    "operation",
    [
        each
        for each in API
        if (
            Grant.PUBLIC not in each.gate.grants
            and any(parameter.annotation in RESOLVERS for parameter in each.path_parameters)
        )
        or each.for_client
    ],
    ids=by_name,
)
def test_an_api_token_has_access_in_its_own_client_only(operation, client):
    """Neither the parent's things nor a stranger's are there for it, and for_client is refused; nothing changes."""
    sim = Simulator(clock=START)
    before = sim.service.world.digest()
    pool = IdPool(sim.service.world, client)
    if operation.for_client:
        ours = valid(operation, IdPool(sim.service.world, CUSTOMER), 1)
        answer = sim.call(
            operation.name, API_TOKEN, body=ours.body, **{**ours.path, **ours.query, "for_client": client}
        )
        assert answer.body["code"] == "role_missing"
    elif operation.name not in {"find_channel_by_meeting_id", "get_users"}:
        arguments = valid(operation, pool, 1)
        if any(str(text) in map(str, pool.all()) for text in arguments.path.values()):
            assert call(sim, operation, API_TOKEN, arguments).status in {400, 404}
    assert sim.service.world.digest() == before


@pytest.mark.rule("R560")
def test_no_api_token_stands_in_a_url_or_an_answer(reported):
    """It is presented in a header alone: not read from the query, in no path, and in no answer once it is made."""
    sim = Simulator(clock=START)
    assert sim.client().get(f"/users?token={API_TOKEN}&access_token={API_TOKEN}").status_code == 401
    assert not any("apitoken" in name.lower() for operation in API for name in operation.placeholders)
    assert not any(API_TOKEN in step.answer.content.decode("latin-1") for step in reported)
    image = sim.call("set_user_image", "demo-user", userId="me", url="https://img.example/1.png")
    assert image.status == 200
    address = sim.call("get_me", "demo-user").body["imageUrl"].removeprefix("http://confsim.test")
    assert sim.client().get(address).status_code == 200


@pytest.fixture(scope="module")
def walked() -> Simulator:
    """A world with something in most of its lists."""
    sim = Simulator(clock=START)
    for _ in walk(sim, CUSTOMER, CALLERS, rounds=(0,), leave_out=("delete_channel",)):
        pass
    return sim


PAGED = [operation for operation in API if "offset" in {parameter.name for parameter in operation.query_parameters}]


@pytest.mark.rule("R022")
@each("operation", PAGED, ids=by_name)
def test_no_offset_is_too_far(walked, operation):
    """Beyond the end there is nothing, also at the end of all numbers (G082)."""
    sim = walked.fork()
    arguments = valid(operation, IdPool(sim.service.world, CUSTOMER))
    for limit in ("1", str(2**63 - 1)):
        asked = replace(arguments, query={**arguments.query, "limit": limit, "offset": str(2**63 - 1)})
        answers = [call(sim, operation, caller, asked) for caller in CALLERS]
        assert {answer.status for answer in answers} <= {200, 401, 403, 404}
        found = [answer.body for answer in answers if answer.ok]
        assert all((body.get("results", body.get("rows")) if isinstance(body, dict) else body) == [] for body in found)
