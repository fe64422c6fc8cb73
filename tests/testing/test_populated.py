"""The world that Schemathesis is let loose on has something for every operation."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from confsim import Simulator
from confsim.api.catalogue import API
from confsim.reference.observed import observed
from confsim.service.document import api_document
from confsim.testing.populated import IMAGE, Populated, populate
from confsim.testing.targets import Core, Outcome
from kit import START

if TYPE_CHECKING:
    from confsim.testing.schemathesis import Described


@pytest.fixture(scope="module")
def world() -> tuple[Core, Populated]:
    """A target whose world is populated and has a snapshot."""
    target = Core(Simulator(clock=START))
    known = populate(target)
    target.control("take_snapshot", name="populated")
    return target, known


@pytest.fixture(scope="module")
def all_described() -> dict[str, Described]:
    """What the document says of each operation."""
    from confsim.testing.schemathesis import described_operations  # with Schemathesis, which no other test imports

    return {each.id: each for _, _, each in described_operations(json.loads(api_document({})))}


def test_the_example_of_each_operation_succeeds(
    world: tuple[Core, Populated], all_described: dict[str, Described]
) -> None:
    """Sent by whom its gate admits, with what is there in place of what it names."""
    assert len(all_described) >= len(API.operations) - 1  # two operations share a method and a path
    outcomes = {name: _sent(*world, described) for name, described in all_described.items()}
    assert {name: outcome for name, outcome in outcomes.items() if not outcome.ok} == {}


def _sent(target: Core, known: Populated, described: Described) -> Outcome:
    """What the example of an operation is answered with in the populated world."""
    name = described.id
    example = observed()[name]["example"]
    required = {each.name: "1" for each in API[name].query_parameters if each.required}
    arguments = {
        each: _there(known, described, each, described.parameters[each], given)
        for each, given in {**example["parameters"], **required}.items()
    }
    body = example.get("body")
    if API[name].body is not None and not API[name].body.is_json:
        body = IMAGE
    elif isinstance(body, list) and described.elements is not None:
        body = [known.value(name, "", described.elements)]
    elif isinstance(body, dict):
        body = {each: _there(known, described, each, described.fields.get(each), given) for each, given in body.items()}
    target.control("restore_snapshot", "populated")
    return target.call(name, known.token(name, described.gate), body=body, **arguments)


def _there(known: Populated, described: Described, name: str, kind: str | None, given: object) -> object:
    found = known.value(described.id, name, kind)
    return given if found is None else [found] if isinstance(given, list) else found
