"""Rows of parametrised tests as one test: which are, each in a world of its own, and that every failure is named."""

from __future__ import annotations

import pytest

from kit.processes.plugin import ALONE, IN_PROCESS, NO_AUTOLOAD

pytest_plugins = ["pytester"]

CONFTEST = """
import pytest

from confsim import Simulator
from kit.rows import merged

@pytest.fixture
def sim():
    return Simulator()

@pytest.hookimpl(tryfirst=True)
def pytest_pycollect_makeitem(collector, name, obj):
    return merged(collector, name, obj)
"""
TESTS = """
import pytest

CALLED = []

@pytest.mark.parametrize("name", ["One", "Two"])
@pytest.mark.parametrize(("first", "second"), [(1, 2), (3, 4)])
def test_one_of_four(sim, name, first, second):
    CALLED.append((name, first, second))
    assert sim.call("create_channel", "demo-owner", body={"name": "Room"}).ok

def test_all_were_called():
    assert sorted(CALLED) == [("One", 1, 2), ("One", 3, 4), ("Two", 1, 2), ("Two", 3, 4)]

@pytest.mark.parametrize("number", range(4))
def test_that_fails(number):
    if number == 0:
        pytest.skip()
    if number == 3:
        pytest.fail("by its word")
    assert number == 1

@pytest.mark.parametrize("number", range(3))
def test_of_their_own(number, tmp_path):
    pass

@pytest.mark.parametrize("number", [1, pytest.param(2, marks=pytest.mark.xfail)])
def test_with_marks(number):
    assert number == 1

@pytest.mark.parametrize("number", (each for each in range(2)))
def test_that_are_read_once(number):
    pass

@pytest.mark.parametrize("number", [1, 2])
def test_that_is_skipped(number):
    pytest.skip()
"""


def test_rows_are_one_test(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where they need nothing but a world; the failing ones are named, and a world is that of its row."""
    monkeypatch.setenv(NO_AUTOLOAD, "1")
    pytester.makeconftest(CONFTEST)
    result = pytester.inline_run(str(pytester.makepyfile(TESTS)), *ALONE[:2], *IN_PROCESS)
    passed, skipped, failed = result.listoutcomes()
    names = [each.nodeid.partition("::")[2].partition("[")[0] for each in passed]
    own = ["test_of_their_own"] * 3 + ["test_with_marks"] + ["test_that_are_read_once"] * 2
    assert names == ["test_one_of_four", "test_all_were_called", *own]
    assert [each.nodeid.partition("::")[2] for each in skipped] == ["test_with_marks[2]", "test_that_is_skipped"]
    (report,) = failed
    assert report.nodeid.endswith("::test_that_fails")
    assert "2 of 4 rows" in str(report.longrepr)
    assert "row: {'number': 2}" in str(report.longrepr)
    assert "by its word" in str(report.longrepr)
