"""The walk through the catalogue: every operation is called, no bug is met, and every answer is as documented."""

from __future__ import annotations

from typing import NamedTuple

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


class Walked(NamedTuple):
    """A walk: its simulator, the steps, and the assumptions that each operation asked."""

    simulator: Simulator
    steps: list[Step]
    leaning: set[tuple[str, str]]


@pytest.fixture(scope="module")
def walked() -> Walked:
    """A walk of which the referee judges every answer."""
    simulator = Simulator(clock=START)
    simulator.service.pipeline.hold_against(Conformance({}))
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
    assert [
        (id, name)
        for id, name in sorted(leaning)
        if REGISTER.entries[id].operations and name not in REGISTER.entries[id].operations
    ] == []


def test_most_operations_succeed_somewhere_on_the_way(walked):
    """Samples made from declarations alone are good enough that most calls do what they say."""
    succeeded = {step.operation.name for step in walked.steps if step.answer.ok}
    assert len(succeeded) >= 0.6 * len(API), sorted({operation.name for operation in API} - succeeded)
