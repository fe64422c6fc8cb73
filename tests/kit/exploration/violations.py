"""Violations of invariants: what did not hold, after which acts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec
from msgspec import Struct

#: An invariant, the last act, and what did not hold: these make two violations the same kind.
Kind = tuple[str, str, str]


class Violation(Struct):
    """A kind of violation: the name of the invariant, and the shortest sequence of acts that leads to it from a start.

    ``detail`` says what did not hold that time, ``count`` how often the kind was met.
    """

    invariant: str
    start: str
    story: list[str]
    detail: str
    count: int = 1

    @property
    def kind(self) -> Kind:
        """The invariant, the last act and the detail."""
        return self.invariant, self.story[-1] if self.story else "", self.detail

    def __str__(self) -> str:
        return f"{self.invariant} ({self.count} times; {self.detail}): {self.start}: {' > '.join(self.story)}"


class Violations:
    """Violations by kind, each with its shortest sequence."""

    def __init__(self, found: Iterable[Violation] = ()) -> None:
        self.by_kind: dict[Kind, Violation] = {}
        self.add(found)

    def add(self, found: Iterable[Violation]) -> None:
        """Add violations; of two of one kind the shorter sequence stays."""
        for violation in found:
            known = self.by_kind.get(violation.kind)
            if known is None:
                self.by_kind[violation.kind] = violation
            elif len(violation.story) < len(known.story):
                violation.count += known.count
                self.by_kind[violation.kind] = violation
            else:
                known.count += violation.count

    def sorted(self) -> list[Violation]:
        """Return the violations by invariant, the shortest first."""
        return sorted(self.by_kind.values(), key=lambda each: (each.invariant, len(each.story), each.story))


def plain(found: Iterable[Violation]) -> list[dict[str, Any]]:
    """Return violations as plain values."""
    return [msgspec.to_builtins(violation) for violation in found]


def added(before: Iterable[Violation], after: Iterable[Violation]) -> list[Violation]:
    """Return the violations of kinds that were not there before."""
    known = {violation.kind for violation in before}
    return [violation for violation in after if violation.kind not in known]
