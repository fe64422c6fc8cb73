"""The register of the calls that show a bug."""

from __future__ import annotations

from collections.abc import Callable

from services.calls.client import Api

Case = Callable[[Api], None]
CASES: dict[str, tuple[str, Case]] = {}


def shows(bug: str, style: str = "a") -> Callable[[Case], Case]:
    """Register calls that go as they should without the bug, and not with it, in the style."""

    def register(case: Case) -> Case:
        assert bug not in CASES, bug
        CASES[bug] = (style, case)
        return case

    return register
