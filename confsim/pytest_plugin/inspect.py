"""``--confsim-inspect``: the worlds of tests that failed stay open, to be looked at in the browser after the run."""

from __future__ import annotations

import re
import sys
from collections.abc import Generator
from typing import TYPE_CHECKING, Any

import pytest

from .worlds import TEST

if TYPE_CHECKING:
    from confsim.service.service import Service

#: Worlds that are served; of more failures the first are shown.
MOST = 100


class Inspect:
    """Collects the worlds of tests that fail, and serves them once the run is over, until Enter or the end of input."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._failed: list[tuple[str, Service]] = []

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Keep the worlds of a test that has failed."""
        report = yield
        test = item.stash.get(TEST, None)
        if report.failed and report.when == "call" and test is not None:
            self._failed += [(item.nodeid, each.service) for each in test.simulators]
        return report

    @pytest.hookimpl(trylast=True)
    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Serve the worlds that were kept."""
        if not self._failed:
            return
        from confsim.simulator import Simulator

        root = Simulator("empty")
        with root.serve() as server:
            terminalreporter.section("confsim: worlds of the tests that failed")
            for place, (nodeid, service) in enumerate(self._failed[:MOST], 1):
                name = f"{re.sub(r'[^A-Za-z0-9_-]+', '-', nodeid.rpartition('::')[2])[:48].strip('-')}-{place}"
                server.worlds.add(name, service)
                terminalreporter.write_line(f"{nodeid}: {server.root}/w/{name}/_confsim/inspector/requests")
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
