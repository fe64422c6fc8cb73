"""What decided the refusal of a call: documented rules, and assumptions that the call used."""

from __future__ import annotations

import re

from confsim.assumptions.protocol.refusals import Reason
from confsim.assumptions.register import REGISTER
from confsim.kernel.machine import Machine
from confsim.service.entries import JournalEntry, TimerEntry

#: Gaps that every refusal of a kind leaves open, whatever it is about.
_OF_ANY = frozenset({"G034", "G035", "G042", "G147"})
#: Beginnings of the ids of entries that only shape the answer of a refusal.
_SHAPES = ("status.", "code.", "errors.", "encode.")


def deciding_assumptions(entry: JournalEntry) -> list[str]:
    """Return the ids of the assumptions that decided the refusal of a call, of those that it used."""
    if entry.refusal is None:
        return []
    reason = entry.refusal.reason
    assert isinstance(reason, Reason)
    gaps = {*reason.value.gaps.split()} - _OF_ANY
    gate = f"gate.{entry.operation}"
    found = [gate] if reason.value.of_caller and gate in entry.assumptions else []
    for id in entry.assumptions:
        known = REGISTER.entries.get(id)
        if known is None or id.startswith(_SHAPES):
            continue
        if reason.name in known.refuses or gaps & {*known.gaps}:
            found.append(id)
    return list(dict.fromkeys(found))


def rules_of(source: str) -> list[str]:
    """Return the numbers of the rules that a source names."""
    return re.findall(r"R\d{3}", source)


def rules_of_timer(timer: TimerEntry) -> list[str]:
    """Return the rules by which a timer fires, as the rows of its machine name them."""
    return [
        rule
        for machine in Machine.declared.values()
        for row in machine.rows
        if row.at is not None and row.at.timer == timer.kind
        for rule in rules_of(row.source)
    ]
