"""The walk through the catalogue: every operation is called, no bug is met, and every answer is as documented."""

from __future__ import annotations

from confsim import Simulator
from confsim.api.catalogue import API
from confsim.assumptions.register import REGISTER
from confsim.service.conformance import Conformance
from kit import CUSTOMER, START
from kit.catalogue_walk import walk

CALLERS = ("demo-owner", "demo-customer-admin", "demo-api-token", "demo-partner-admin")


def test_every_answer_is_one_of_the_document():
    """Every operation is called, none meets a bug, and the referee agrees with every answer."""
    simulator = Simulator(clock=START)
    simulator.service.pipeline.hold_against(Conformance({}))
    touched = {step.operation.name for step in walk(simulator, CUSTOMER, CALLERS)}
    assert touched == {operation.name for operation in API}
    assert [(str(bug), getattr(bug, "__notes__", "")) for bug in simulator.service.bugs] == []


#: The families of entries about identity, users, access and clients.
PART_ONE = {
    *("api-tokens", "clients", "embedding", "emails", "friendly-urls", "gate", "guests", "handles", "identity"),
    *("invitations", "languages", "levels", "properties", "providers", "roles", "route", "terms", "tokens", "users"),
    "validators",
}


def test_the_operations_of_an_entry_are_those_that_lean_on_it():
    """Where an entry of Part 1 lists operations, no other asks it."""
    simulator = Simulator(clock=START)
    leaning = {
        (id, step.operation.name)
        for step in walk(simulator, CUSTOMER, CALLERS)
        for id in simulator.service.journal.last().assumptions
        if id.partition(".")[0] in PART_ONE
    }
    assert len(leaning) > 200
    assert [
        (id, name)
        for id, name in sorted(leaning)
        if REGISTER.entries[id].operations and name not in REGISTER.entries[id].operations
    ] == []


def test_most_operations_succeed_somewhere_on_the_way():
    """Samples made from declarations alone are good enough that most calls do what they say."""
    steps = list(walk(Simulator(clock=START), CUSTOMER, CALLERS))
    succeeded = {step.operation.name for step in steps if step.answer.ok}
    assert len(succeeded) >= 0.6 * len(API), sorted({operation.name for operation in API} - succeeded)
