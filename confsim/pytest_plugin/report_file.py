"""The file of a report that an option asks for: written when the tests have ended, named in the summary."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest


class ReportFile:
    """The file of a report, None for none. The file of an earlier run is removed before the first test.

    Raises UsageError when nothing can be written there. A report that cannot be made or written later fails the run,
    and costs no result of a test.
    """

    def __init__(self, config: pytest.Config, option: str, file: str | None) -> None:
        self.option = option
        self.path = None if file is None else config.invocation_params.dir / file
        self.problem = ""
        if self.path is not None and not hasattr(config, "workerinput"):
            from confsim.kernel.refusal import Misuse
            from confsim.service.files.writing import remove_outdated

            try:
                remove_outdated(self.path, option)
            except Misuse as misuse:
                raise pytest.UsageError(str(misuse)) from None

    def write(self, session: pytest.Session, make: Callable[[], Mapping[str, Any]]) -> None:
        """Make the report, and write it if there is a file."""
        from confsim.kernel.refusal import Misuse
        from confsim.service.files.writing import replace_file

        try:
            found = make()
            if self.path is not None:
                replace_file(self.path, self.option, [json.dumps(found, indent=2).encode(), b"\n"])
        except Misuse as misuse:
            self.problem = str(misuse)
            if session.exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
                session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def tell(self, terminalreporter: Any) -> None:
        """Write where the report is, or why there is none."""
        if self.problem:
            terminalreporter.write_line(self.problem, red=True)
        elif self.path is not None:
            terminalreporter.write_line(f"report: {self.path}")
