"""A plugin that notes which values of assumptions tests choose; a run of the whole suite names those that none does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

import confsim.control.catalogue  # noqa: F401 declares every entry
from confsim.assumptions.register import REGISTER
from confsim.kernel.world import World
from confsim.service.clock import Clock
from confsim.service.service import Service

#: Entries that one mechanism makes, many of a kind: its tests draw some of them, the campaign ``flips`` takes all.
MADE_ALIKE = ("code.", "gate.", "route.", "status.")


class ChosenValues:
    """What the profiles of all worlds of a run choose, each as ``id = value``."""

    def __init__(self) -> None:
        self._profiles: dict[int, Mapping[str, Any]] = {}
        self._others: set[str] = set()

    def follow(self) -> None:
        """Note the profile of every world that is made from now on."""
        make = Service.__init__

        def noting(service: Service, world: World, clock: Clock, profile: Mapping[str, Any], *rest: Any) -> None:
            self._profiles.setdefault(id(profile), profile)
            make(service, world, clock, profile, *rest)

        Service.__init__ = noting  # type: ignore[method-assign]

    @property
    def values(self) -> set[str]:
        """The values that were chosen here and in the workers that have ended."""
        here = {f"{id} = {value!r}" for profile in self._profiles.values() for id, value in profile.items()}
        return here | self._others

    def never(self) -> list[str]:
        """The values of the register that were never chosen, apart from those of ``MADE_ALIKE``."""
        return sorted(
            choice
            for entry in REGISTER.entries.values()
            if not entry.id.startswith(MADE_ALIKE)
            for choice in (f"{entry.id} = {value!r}" for value in entry.candidates())
            if choice not in self.values
        )

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Take over what a worker of xdist noted."""
        self._others.update(getattr(node, "workeroutput", {}).get("chosen", ()))

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Hand on what this worker noted, or fail the run if it was whole and a value was never chosen."""
        config = session.config
        if hasattr(config, "workerinput"):
            config.workeroutput["chosen"] = sorted(self.values)  # type: ignore[attr-defined]  # of xdist
        elif session.exitstatus == pytest.ExitCode.OK and _is_whole(config) and self.never():
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
        """Name the values that no test chose, if the run was whole, and say what to do."""
        if not _is_whole(config) or not (never := self.never()):
            return
        terminalreporter.section("alternatives that no test chooses", red=True)
        for choice in never:
            terminalreporter.write_line(choice)
        terminalreporter.write_line(
            "Add a test that chooses each in its profile and asserts what a caller sees of it: see “An assumption” in "
            "confsim/EXTENDING.md."
        )


def _is_whole(config: pytest.Config) -> bool:
    """Whether all tests of the suite were run, each the ordinary way."""
    option = config.option
    part = any((option.keyword, option.markexpr, getattr(option, "lf", False), getattr(option, "deselect", None)))
    given = config.args_source is pytest.Config.ArgsSource.ARGS
    ways = config.getoption("--through") != "core" or config.getoption("--rules") or option.collectonly
    return not (part or given or ways)
