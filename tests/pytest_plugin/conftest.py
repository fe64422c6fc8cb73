"""What the tests of the pytest plugin share."""

from __future__ import annotations

import importlib
import pkgutil

import jsonpath_rfc9535  # noqa: F401  (see everything_imported)
import jsonschema  # noqa: F401
import pytest

import confsim as package
from kit.processes.plugin import ALONE, NO_AUTOLOAD


@pytest.fixture(scope="module", autouse=True)
def everything_imported():
    """A run in this process forgets what it imported; a module that is imported late would then be there twice.

    The run has no plugins but the one.
    """
    for module in pkgutil.walk_packages(package.__path__, "confsim."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(NO_AUTOLOAD, "1")
        yield


@pytest.fixture
def run(pytester):
    """Run a test file in this process, with options."""

    def running(source, *options):
        pytester.makepyfile(source)
        xdist = ("-p", "xdist.plugin") if any(option.startswith("-n") for option in options) else ()
        return pytester.runpytest_inprocess(*ALONE, *xdist, *options)

    return running
