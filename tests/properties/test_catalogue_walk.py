"""The walk through the catalogue: every operation is called, no bug is met, and every answer is as documented."""

from __future__ import annotations

import re
from typing import NamedTuple

import msgspec
import pytest

from confsim import Simulator
from confsim.api.catalogue import API
from confsim.assumptions.register import REGISTER
from confsim.service.conformance import Conformance
from kit import CUSTOMER, START
from kit.catalogue_walk import Step, walk

CALLERS = ("demo-owner", "demo-customer-admin", "demo-api-token", "demo-partner-admin")


#: The families of entries about identity, users, access and clients.
PART_ONE = {
    *("api-tokens", "clients", "embedding", "emails", "friendly-urls", "gate", "guests", "handles", "identity"),
    *("invitations", "languages", "levels", "properties", "providers", "roles", "route", "terms", "tokens", "users"),
    "validators",
}


#: Ids that nothing else looks like.
FORM = {"ids.form": "document"}
#: What answers show of an entry, and at least how many operations of the walk show it.
SHOWN = [
    ("ids.form", re.compile(rb"\b[0-9a-f]{24}\b"), 30),
    ("time.source", re.compile(rb"\b17[67]\d{7}(\d{3})?\b|\b2026-0\d-\d\dT"), 8),
]


class Walked(NamedTuple):
    """A walk: its simulator, the steps, and the assumptions that each operation asked."""

    simulator: Simulator
    steps: list[Step]
    leaning: set[tuple[str, str]]


@pytest.fixture(scope="module")
def walked() -> Walked:
    """A walk of which the referee judges every answer."""
    simulator = Simulator(clock=START, profile=FORM)
    simulator.service.pipeline.hold_against(Conformance(FORM))
    steps, leaning = [], set()
    for step in walk(simulator, CUSTOMER, CALLERS):
        steps.append(step)
        leaning |= {(id, step.operation.name) for id in simulator.service.journal.last().assumptions}
    return Walked(simulator, steps, leaning)


def test_every_answer_is_one_of_the_document(walked):
    """Every operation is called, none meets a bug, and the referee agrees with every answer."""
    assert {step.operation.name for step in walked.steps} == {operation.name for operation in API}
    assert [(str(bug), getattr(bug, "__notes__", "")) for bug in walked.simulator.service.bugs] == []


def test_the_operations_of_an_entry_are_those_that_lean_on_it(walked):
    """Where an entry of Part 1 lists operations, no other asks it."""
    leaning = {(id, name) for id, name in walked.leaning if id.partition(".")[0] in PART_ONE}
    assert len(leaning) > 200
    concerned = {id: API.concerned(REGISTER.entries[id]) for id, _ in leaning}
    assert [(id, name) for id, name in sorted(leaning) if concerned[id] and name not in concerned[id]] == []


@pytest.mark.parametrize(("entry", "text", "shown"), SHOWN)
def test_an_answer_that_shows_what_an_entry_decides_is_of_an_operation_that_it_concerns(walked, entry, text, shown):
    """Ids of the form chosen here, and instants near that of the clock, wherever they stand in an answer."""
    found = {
        step.operation.name
        for step in walked.steps
        if step.answer.ok and text.search(msgspec.json.encode(step.answer.body, enc_hook=str))
    }
    assert found - set(API.concerned(REGISTER.entries[entry])) == set()
    assert len(found) >= shown


def test_most_operations_succeed_somewhere_on_the_way(walked):
    """Samples made from declarations alone are good enough that most calls do what they say."""
    succeeded = {step.operation.name for step in walked.steps if step.answer.ok}
    assert len(succeeded) >= 0.6 * len(API), sorted({operation.name for operation in API} - succeeded)
