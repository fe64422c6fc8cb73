"""The option --confsim-fuzz: each test that passed runs again under other alternatives of the assumptions it used."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import TYPE_CHECKING, Any, NoReturn

import pytest
from _pytest import runner  # plugins that repeat tests use it: pytest has no public function for that

from .report_file import ReportFile
from .worlds import TEST, Test, run_of

if TYPE_CHECKING:
    from confsim.testing.fuzz import Choices, RunOutcome

#: The fixtures whose tests are run again.
FIXTURES = {"confsim", "confsim_server", "make_confsim"}
#: Fixtures whose tests are not repeated: their worlds contain the changes of other tests.
SHARED = {"confsim_module", "confsim_session"}
#: The phase of the report about the variants of a test, beside setup, call and teardown.
PHASE = "fuzz"
#: The attribute of this report with the findings.
FOUND = "confsim_fuzz"
#: The progress of a test after its variants: robust, and not.
ROBUST, DEPENDS = "+", "!"
_TIMER: int = getattr(signal, "ITIMER_REAL", 0)
#: The meaning of the progress characters.
LEGEND = f"progress: {ROBUST} says that a test passed under every alternative that was tried, {DEPENDS} that it did not"


#: Seconds that a variant has at least, and how many times as long as the test it may take.
SHORTEST, LONGER = 10.0, 50


@contextmanager
def ending_within(seconds: float) -> Iterator[None]:
    """Fail a test that does not end, such as one that waits for an answer which no call gives any more.

    Without effect where there are no timers of signals, and where another one is set.
    """
    timers = getattr(signal, "setitimer", None)
    if timers is None or threading.current_thread() is not threading.main_thread() or any(signal.getitimer(_TIMER)):
        yield
        return

    def end(*_: object) -> NoReturn:
        pytest.fail(f"it did not end within {seconds:.0f} seconds", pytrace=False)

    before = signal.signal(signal.SIGALRM, end)
    timers(_TIMER, seconds)
    try:
        yield
    finally:
        timers(_TIMER, 0)
        signal.signal(signal.SIGALRM, before)


class Fuzz:
    """Runs the variants of tests, and reports their findings. Under xdist each worker runs those of its tests."""

    def __init__(self, config: pytest.Config, mode: str, file: str | None) -> None:
        self.config = config
        self.mode = mode
        self.file = ReportFile(config, "--confsim-fuzz-report", file)
        if config.getoption("usepdb", False):
            raise pytest.UsageError("--confsim-fuzz runs variants that fail on purpose, which --pdb would stop at")
        self.reports: dict[str, dict[str, Any]] = {}
        run_of(config).fuzz()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
        """Run a test that uses a fixture of confsim and, if it passes, its variants."""
        if not isinstance(item, pytest.Function):
            return None
        names = set(item.fixturenames)
        if not FIXTURES & names or SHARED & names:
            return None
        item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        # Pretend that a test of the same collector is next: fixtures of wider scopes stay for the variants.
        started = perf_counter()
        reports = runner.runtestprotocol(item, nextitem=item.parent, log=True)  # type: ignore[arg-type]
        if all(each.passed and not hasattr(each, "wasxfail") for each in reports):
            self._report(item, self._variants(item, perf_counter() - started))
        call = pytest.CallInfo.from_call(lambda: item.session._setupstate.teardown_exact(nextitem), when="teardown")
        if call.excinfo is not None:
            report = item.ihook.pytest_runtest_makereport(item=item, call=call)
            item.ihook.pytest_runtest_logreport(report=report)
        item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        return True

    def _variants(self, item: pytest.Function, seconds: float) -> dict[str, Any]:
        """Run the variants of a test that passed; return the findings as plain values."""
        import msgspec

        from confsim.testing.fuzz import Mode, RunOutcome, SeenCall, alternatives, search

        test, run = item.stash[TEST], run_of(item.config)
        started = perf_counter()
        domains = alternatives(test.used(), test.chosen)

        def calls(test: Test) -> list[SeenCall]:
            return [SeenCall(each.operation, each.response.status, each.response.body) for each in test.entries]

        expected = RunOutcome(True, "", calls(test), frozenset(test.used()))

        def again(choices: Choices) -> RunOutcome:
            with run.under(choices), ending_within(max(SHORTEST, LONGER * seconds)):
                reports = runner.runtestprotocol(item, nextitem=item.parent, log=False)  # type: ignore[arg-type]
            failed = next((each for each in reports if each.failed), None)  # one that is skipped depends on nothing
            error = "" if failed is None else _last_line(failed)
            return RunOutcome(failed is None, error, calls(item.stash[TEST]), frozenset(item.stash[TEST].used()))

        result = search(again, expected, domains, Mode(self.mode))
        found: dict[str, Any] = msgspec.to_builtins(result, enc_hook=str)
        return {**found, "assumptions": list(domains), "seconds": seconds, "fuzz": perf_counter() - started}

    def _report(self, item: pytest.Item, found: dict[str, Any]) -> None:
        report = pytest.TestReport(
            item.nodeid,
            item.location,
            {},
            "passed",
            None,
            PHASE,  # type: ignore[arg-type]
            duration=found["fuzz"],
        )
        vars(report)[FOUND] = found  # a plain value, which xdist can transport
        item.ihook.pytest_runtest_logreport(report=report)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Collect findings, also of a worker of xdist."""
        if report.when == PHASE:
            self.reports[report.nodeid] = vars(report)[FOUND]

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_teststatus(self, report: pytest.TestReport) -> tuple[str, str, Any] | None:
        """Show the progress: a character for a robust test, another for one that depends on an assumption."""
        if report.when != PHASE:
            return None
        found = vars(report)[FOUND]
        leans = found["findings"] or found["unstable"] is not None
        word = f"{found['runs']} VARIANTS"
        if leans:
            return "", DEPENDS, (f"{word}: DEPENDS", {"yellow": True})
        return "", ROBUST, (word, {"green": True})

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Write the report; a worker of xdist leaves that to the process that started it."""
        if not hasattr(session.config, "workerinput"):
            self.file.write(session, lambda: {"mode": self.mode, "tests": self.reports})

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Write what the progress characters mean, the tests that depend on assumptions, and the cost of the variants.

        Of one test and the same assumptions all values are in one line.
        """
        from confsim.testing.fuzz import in_words

        write = terminalreporter.write_line
        terminalreporter.section("confsim: assumptions that tests depend on")
        if terminalreporter.verbosity <= 0:  # else the progress is in words
            write(LEGEND)
        for nodeid, found in sorted(self.reports.items()):
            for each in found["dependencies"]:
                write(f"{nodeid}: {in_words(each['choices'])}", yellow=True)
                write(f"    {each['call']}")
                write(f"    {each['error']}")
                write(f"    ask: {each['question']}")
            if found["unstable"] is not None:
                write(f"{nodeid}: passes once and fails once under the same choices: {found['unstable']}", red=True)
        write(self._summary())
        self.file.tell(terminalreporter)

    def _summary(self) -> str:
        found = self.reports.values()
        leaning = sum(bool(each["findings"]) for each in found)
        plain, fuzz = (_total(found, name) for name in ("seconds", "fuzz"))
        cost = f"{fuzz:.1f} s beside {plain:.1f} s of the plain run" + (f" ({fuzz / plain:.1f}x)" if plain else "")
        runs = int(_total(found, "runs"))
        return f"{leaning} of {len(self.reports)} tests depend on assumptions; {runs} variants took {cost}"


def _total(found: Iterable[dict[str, Any]], name: str) -> float:
    return float(sum(each[name] for each in found))


def _last_line(report: pytest.TestReport) -> str:
    crash = getattr(report.longrepr, "reprcrash", None)
    text = crash.message if crash is not None else str(report.longrepr)
    return str(text.strip().partition("\n")[0])
