"""What the tests of the pytest plugin share."""

from __future__ import annotations

import importlib.metadata
import sys

import pytest

from kit.processes.commands import program
from kit.processes.plugin import ALONE, IN_PROCESS, NO_AUTOLOAD


@pytest.fixture(scope="module", autouse=True)
def no_other_plugins():
    """A run has no plugins but the one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(NO_AUTOLOAD, "1")
        patch.setattr(importlib.metadata, "distributions", list)  # each -p would look through all that is installed
        yield


@pytest.fixture
def run(pytester, monkeypatch, tmp_path_factory):
    """Run a test file in this process, with options; workers of xdist are forked from a process that has imported."""

    def running(source, *options):
        pytester.makepyfile(source)
        xdist = ()
        if any(option.startswith("-n") for option in options):
            xdist = ("-p", "xdist.plugin")
            monkeypatch.setattr(sys, "executable", str(program("python", tmp_path_factory.mktemp("python"))))
        return pytester.runpytest_inprocess(*ALONE, *IN_PROCESS, *xdist, *options)

    return running
