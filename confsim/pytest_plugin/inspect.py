"""``--confsim-inspect``: the worlds of failed tests stay open, for a look in the browser after the run."""

from __future__ import annotations

import re
import sys
from collections.abc import Generator
from itertools import islice
from typing import TYPE_CHECKING, Any

import pytest

from .worlds import tests_of

if TYPE_CHECKING:
    from confsim.service.service import Service

#: Most worlds that are served, those of the first failures.
MOST = 100


class Inspect:
    """Collects the worlds of tests that fail, and serves them after the run, until Enter or the end of input."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        #: The worlds of each test, shared ones included: they are gone before its last report.
        self._worlds: dict[str, list[tuple[Service, bool]]] = {}
        #: By the id() of a world: the world, the tests that failed in it with their last calls, and whether they share
        #: it.
        self._failed: dict[int, tuple[Service, dict[str, str], bool]] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Store the worlds of a test that failed, in its set-up and teardown too."""
        report = yield
        found = [(each.service, test.item is not item) for test in tests_of(item) for each in test.simulators]
        worlds = self._worlds.setdefault(item.nodeid, [])
        worlds += [each for each in found if each not in worlds]
        if report.failed:
            for service, shared in worlds:
                last = service.journal.last()
                _, tests, _ = self._failed.setdefault(id(service), (service, {}, shared))
                tests.setdefault(item.nodeid, "" if last is None else last.id)
        if report.when == "teardown":
            del self._worlds[item.nodeid]
        return report

    @pytest.hookimpl(trylast=True)
    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Serve the stored worlds."""
        if not self._failed:
            return
        from confsim.simulator import Simulator

        root = Simulator("empty")
        with root.serve() as server:
            terminalreporter.section("confsim: worlds of the tests that failed")
            for place, (service, tests, shared) in enumerate(islice(self._failed.values(), MOST), 1):
                first = next(iter(tests))
                name = f"{re.sub(r'[^A-Za-z0-9_-]+', '-', first.rpartition('::')[2])[:48].strip('-')}-{place}"
                server.worlds.add(name, service)
                for nodeid, last in tests.items():
                    path = f"requests/{last}" if shared and last else "requests"
                    terminalreporter.write_line(f"{nodeid}: {server.root}/w/{name}/_confsim/inspector/{path}")
            if len(self._failed) > MOST:
                terminalreporter.write_line(f"and {len(self._failed) - MOST} more, which are not served")
            terminalreporter.write_line("Enter stops.")
            self._wait()

    def _wait(self) -> None:
        """Wait for Enter, the end of input or Ctrl-C."""
        capture = self._config.pluginmanager.getplugin("capturemanager")
        if capture is not None:
            capture.suspend_global_capture(in_=True)
        try:
            sys.stdin.readline()
        except KeyboardInterrupt:
            pass
        finally:
            if capture is not None:
                capture.resume_global_capture()
