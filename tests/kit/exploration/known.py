"""Violations that are known and not mended yet: each with its reason, and acts that show it."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from pathlib import Path

import msgspec
from msgspec import Struct

from .acts import every
from .invariants import INVARIANTS
from .starts import BY_NAME
from .step import without_log
from .view import View
from .violations import Violation

FILE = Path(__file__).resolve().parents[2] / "data" / "known_violations.toml"


class Shown(Struct, frozen=True, forbid_unknown_fields=True):
    """The start and the acts by which a violation is shown."""

    start: str
    story: list[str]


class Known(Struct, frozen=True, forbid_unknown_fields=True):
    """A known violation: the invariant, what does not hold, why it is not mended, and shortest sequences of acts.

    Each sequence shows it after another last act. ``any_act`` says that the violation is known after every act.
    """

    invariant: str
    detail: str
    reason: str
    shown: list[Shown]
    any_act: bool = False

    def covers(self, violation: Violation) -> bool:
        """Return whether a violation is this one."""
        if (violation.invariant, violation.detail) != (self.invariant, self.detail):
            return False
        return self.any_act or violation.kind[1] in {shown.story[-1] for shown in self.shown}


def entries() -> list[Known]:
    """Return the entries of the list."""
    values = tomllib.loads(FILE.read_text())
    return msgspec.convert(values.get("violation", []), list[Known])


def unknown(found: Iterable[Violation], listed: Iterable[Known] | None = None) -> list[Violation]:
    """Return the violations that are not in the list."""
    known = entries() if listed is None else list(listed)
    return [violation for violation in found if not any(entry.covers(violation) for entry in known)]


def happens(entry: Known, shown: Shown) -> bool:
    """Return whether the last act of a sequence still shows the violation."""
    invariant = next((each for each in INVARIANTS if each.name == entry.invariant), None)
    if invariant is None:
        return False
    stage, acts = BY_NAME[shown.start].stage(), every()
    world, now = stage.live.world, stage.live.clock.now()
    details: list[str] = []
    for sentence in shown.story:
        step = stage.step(View(world, now), acts[sentence])
        if step is None:
            return False
        details = [*invariant.of(step), *invariant.on(stage, step.after)]
        world, now = without_log(step.after.world), step.after.now
    return entry.detail in details
