"""What the tests of the pytest plugin share."""

from __future__ import annotations

import pytest

from kit.processes.plugin import ALONE, IN_PROCESS, NO_AUTOLOAD


@pytest.fixture(scope="module", autouse=True)
def no_other_plugins():
    """A run has no plugins but the one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(NO_AUTOLOAD, "1")
        yield


@pytest.fixture
def run(pytester):
    """Run a test file in this process, with options."""

    def running(source, *options):
        pytester.makepyfile(source)
        xdist = ("-p", "xdist.plugin") if any(option.startswith("-n") for option in options) else ()
        return pytester.runpytest_inprocess(*ALONE, *IN_PROCESS, *xdist, *options)

    return running
