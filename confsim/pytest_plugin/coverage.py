"""The option --confsim-coverage: what the tests of the run met of the API, and what is missing where they touch it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from .worlds import run_of

if TYPE_CHECKING:
    from .met import Coverage as Found

#: The name under which a worker of xdist hands on what its tests met.
OUTPUT = "confsim_coverage"
#: Names that the table lists for each kind of an area; the JSON report has all.
LISTED = 12


def percentage(text: str) -> float:
    """A threshold from 0 to 100. Raises UsageError for anything else."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 100:
        raise pytest.UsageError(
            f"--confsim-coverage takes a percentage from 0 to 100, not {text!r}; without one, it comes after the paths"
        )
    return value


class Coverage:
    """Collects what tests meet, prints it at the end, and fails the run below the threshold."""

    def __init__(self, config: pytest.Config, threshold: str, file: str | None) -> None:
        from .met import Collector

        self.config = config
        self.threshold = percentage(threshold) if threshold else None
        self.file = None if file is None else config.invocation_params.dir / file
        if self.file is not None and not self.file.parent.is_dir():
            raise pytest.UsageError(f"--confsim-coverage-report: there is no directory {self.file.parent}")
        self.found: Found | None = None
        self.collector = Collector()
        self.collector.attach()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Any:
        """Count nothing while --confsim-fuzz runs a test again under other alternatives."""
        self.collector.paused = bool(run_of(item.config).variant)
        return (yield)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Take up what the tests of a worker of xdist met."""
        from .met import merge

        merge(self.collector.counts, getattr(node, "workeroutput", {}).get(OUTPUT, {}))

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """Hand on or sum up what was met; a run below the threshold fails."""
        from .met import Coverage as Found
        from .met import plain

        self.collector.detach()
        if hasattr(session.config, "workeroutput"):
            session.config.workeroutput[OUTPUT] = plain(self.collector.counts)
            return
        self.found = Found(self.collector.counts, run_of(session.config).profile(None))
        if self.below and exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    @property
    def below(self) -> bool:
        """Whether less was met than the threshold asks for."""
        return self.threshold is not None and self.found is not None and self.found.percent < self.threshold

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Print the table, what is missing, and the verdict; write the report."""
        found, write = self.found, terminalreporter.write_line
        if found is None:
            return
        terminalreporter.section("confsim: coverage of the API")
        for line in table(found):
            write(line)
        write("")
        for line in missing(found):
            write(line)
        if found.untouched:
            write(f"not touched: {', '.join(found.untouched)}")
        verdict = f"{found.percent:.1f}% of what the touched areas can show was met"
        if self.threshold is None:
            write(verdict)
        elif self.below:
            write(f"{verdict}: less than the {self.threshold:g}% that --confsim-coverage asks for", red=True)
        else:
            write(f"{verdict}, at least the {self.threshold:g}% that --confsim-coverage asks for", green=True)
        if self.file is not None:
            document = {"threshold": self.threshold, **found.document()}
            self.file.write_text(json.dumps(document, indent=2) + "\n")
            write(f"report: {self.file}")


def table(found: Found) -> list[str]:
    """One line for each touched area, met of what can be met by kind, and one for all."""
    rows = [("area", *found.totals)]
    for area, kinds in found.met.items():
        counts = ((len(met), len(met) + len(found.missing[area][kind])) for kind, met in kinds.items())
        rows.append((area, *(f"{met}/{of}" for met, of in counts)))
    rows.append(("all", *(f"{met}/{of}" for met, of in found.totals.values())))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            (row[0].ljust(widths[0]), *(text.rjust(width) for text, width in zip(row[1:], widths[1:], strict=True)))
        )
        for row in rows
    ]


def missing(found: Found) -> list[str]:
    """What was not met in each touched area. Refusals are listed of the operations that were called."""
    lines = []
    for area, kinds in found.missing.items():
        called = {name for (name,) in found.met[area]["operations"]}
        for kind, items in kinds.items():
            listed = [item for item in items if kind != "refusals" or item[0] in called]
            if listed:
                names = [" ".join(item) if kind == "refusals" else ": ".join(item) for item in listed[:LISTED]]
                more = f", and {len(listed) - LISTED} more" if len(listed) > LISTED else ""
                lines.append(f"{area}, {kind} not met: {', '.join(names)}{more}")
    return lines
