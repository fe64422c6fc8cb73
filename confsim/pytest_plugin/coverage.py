"""The option --confsim-coverage: what the tests covered of the API, and what is missing in the touched areas."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import pytest

from .report_file import ReportFile
from .worlds import run_of

if TYPE_CHECKING:
    from confsim.control.coverage.report import CoverageNames, CoverageReport, Groups

#: The name under which a worker of xdist reports its coverage.
OUTPUT = "confsim_coverage"
#: Most names that the table lists for each kind of an area; the JSON report has all.
LISTED = 12


def percentage(text: str) -> float:
    """Return a threshold from 0 to 100. Raises UsageError for anything else."""
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
    """Collects the coverage of tests, prints it at the end, and fails the run below the threshold."""

    def __init__(self, config: pytest.Config, threshold: str, file: str | None) -> None:
        from confsim.control.coverage.collector import Collector

        self.config = config
        self.threshold = percentage(threshold) if threshold else None
        self.file = ReportFile(config, "--confsim-coverage-report", file)
        self.found: CoverageReport | None = None
        self.collector = Collector()
        self.collector.attach()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Any:
        """Count nothing while --confsim-fuzz runs a test again under other alternatives."""
        if run_of(item.config).variant:
            self.collector.pause()
        else:
            self.collector.resume()
        return (yield)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Add the coverage of a worker of xdist."""
        from confsim.control.coverage.collector import merge

        merge(self.collector.counts, getattr(node, "workeroutput", {}).get(OUTPUT, {}))

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """Report or sum up the coverage; a run below the threshold fails."""
        from confsim.control.coverage.collector import plain

        self.collector.pause()
        if hasattr(session.config, "workeroutput"):
            session.config.workeroutput[OUTPUT] = plain(self.collector.counts)
            return
        self.file.write(session, lambda: self._report(run_of(session.config).profile(None)))
        if self.below and exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def _report(self, profile: Mapping[str, Any]) -> dict[str, Any]:
        from confsim.control.coverage.report import at_the_end, document

        self.found = at_the_end(self.collector.counts, profile, "--confsim-coverage")
        return {"threshold": self.threshold, **document(self.found)}

    def pytest_unconfigure(self) -> None:
        """Stop counting; until then the inspector can show the coverage."""
        self.collector.detach()

    @property
    def below(self) -> bool:
        """Return whether the coverage is below the threshold."""
        return self.threshold is not None and self.found is not None and self.found.percent < self.threshold

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Print the table, the missing things, and the verdict; write the report."""
        found, write = self.found, terminalreporter.write_line
        terminalreporter.section("confsim: coverage of the API")
        if found is None:
            self.file.tell(terminalreporter)
            return
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
        self.file.tell(terminalreporter)


def table(found: CoverageReport) -> list[str]:
    """Return one line for each touched area (seen of possible, by kind) and one for all."""
    kinds = found.totals.__struct_fields__
    rows: list[tuple[str, ...]] = [("area", *kinds)]
    for name, area in found.areas.items():
        met, of = ([_count(getattr(area, kind), part) for kind in kinds] for part in ("met", "missing"))
        rows.append((name, *(f"{one}/{one + other}" for one, other in zip(met, of, strict=True))))
    shares = (getattr(found.totals, kind) for kind in kinds)
    rows.append(("all", *(f"{share.met}/{share.of}" for share in shares)))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            (row[0].ljust(widths[0]), *(text.rjust(width) for text, width in zip(row[1:], widths[1:], strict=True)))
        )
        for row in rows
    ]


def _count(things: CoverageNames | Groups, part: str) -> int:
    """Return the number of things in a part of them."""
    items = getattr(things, part)
    groups = items.values() if isinstance(items, dict) else ()
    return sum(map(len, groups)) if any(isinstance(each, dict | list) for each in groups) else len(items)


def missing(found: CoverageReport) -> list[str]:
    """Return the missing things of each touched area; refusals only of operations that were called."""
    lines = []
    for name, area in found.areas.items():
        for kind in found.totals.__struct_fields__:
            items = getattr(area, kind).missing
            if kind == "refusals":
                listed = [
                    f"{group} {each}"
                    for group, names in items.items()
                    if group in area.operations.met
                    for each in names
                ]
            elif kind == "transitions":
                listed = [f"{group}: {each}" for group, names in items.items() for each in names]
            else:
                listed = items
            if listed:
                more = f", and {len(listed) - LISTED} more" if len(listed) > LISTED else ""
                of = " of called operations" if kind == "refusals" else ""
                lines.append(f"{name}, {kind}{of} not met: {', '.join(listed[:LISTED])}{more}")
    return lines
