"""Mutants of tables and registers: rows and guards of machines, gates, statuses and codes of refusals."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from confsim.api.catalogue import API
from confsim.assumptions.protocol.refusals import CODE, STATUS, Reason
from confsim.contract.gates import Gate, Grant
from confsim.contract.operation import Operation
from confsim.kernel.machine import Machine
from confsim.kernel.rows import ABSENT, Row

from .mutant import Mutant


def edges() -> Iterator[Mutant]:
    """Transitions that are refused, and transitions that lead to another state."""
    for machine in Machine.declared.values():
        for place, row in enumerate(machine.rows):
            name = f"{machine.name}, {row.when} from {'/'.join(each.name for each in row.on)}"
            key = ("row", machine.name, place)
            yield Mutant("edges", f"{name} is refused", key, partial(_remove, row))
            others = [each for each in machine.states if each not in (ABSENT, row.then)]
            if row.then is not ABSENT and row.on != (ABSENT,) and others:
                yield Mutant("edges", f"{name} leads to {others[0].name}", key, partial(_lead, row, others[0]))


def _remove(row: Row) -> None:
    row.when.rows = tuple(each for each in row.when.rows if each is not row)


def _lead(row: Row, state: Any) -> None:
    row.then = state


def guards() -> Iterator[Mutant]:
    """Conditions of transitions that do not count, grants of gates that are missing or too many."""
    for machine in Machine.declared.values():
        for row in machine.rows:
            if row.only_if is not None:
                name = f"{machine.name}, {row.when}: {row.only_if} does not count"
                yield Mutant("guards", name, ("not admitted", machine.name, row.when.name), partial(_unguard, row))
    for operation in API:
        grants = operation.gate.grants
        if operation.public:
            continue
        if Grant.SIGNED_IN not in grants:
            name = f"{operation.name} is open to every caller"
            yield Mutant(
                "guards", name, ("refused role", operation.name), partial(_gate, operation, (Grant.SIGNED_IN,))
            )
        for grant in grants if len(grants) > 1 else ():
            rest = tuple(each for each in grants if each is not grant)
            key = ("needs grant", operation.name, rest)
            yield Mutant("guards", f"{operation.name} is closed to {grant}", key, partial(_gate, operation, rest))


def _unguard(row: Row) -> None:
    row.only_if = None


def _gate(operation: Operation, grants: tuple[Grant, ...]) -> None:
    operation.gate = Gate(*grants, gaps=operation.gate.gaps)
    if operation.gate_entry is not None:
        operation.gate_entry.default = grants


def codes() -> Iterator[Mutant]:
    """Refusals with another status or another code."""
    for reason in Reason:
        key = ("reason", reason.name)
        yield Mutant("codes", f"{reason.name} has another status", key, partial(_status, reason))
        yield Mutant("codes", f"{reason.name} has another code", key, partial(_code, reason))


def _status(reason: Reason) -> None:
    other = 400 if reason.value.status != 400 else 409
    entry = STATUS[reason]
    if entry is None:
        reason.value.status = other
    else:
        entry.default = other


def _code(reason: Reason) -> None:
    CODE[reason].default = "error"
