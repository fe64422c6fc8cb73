"""The reports of pytest and of the command line about calls of every sort."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kit.crowded import crowded_world
from kit.crowded.answers import Answer
from kit.processes.commands import run_apart, run_pytest

SUITE = f"""
    import sys
    sys.path.insert(0, {str(Path(__file__).parents[1])!r})

    from kit.crowded import BUILDERS, calls
    from kit.growth.prepared import prepared

    def test_builds_a_crowded_world():
        assert BUILDERS["crowded"]().service.journal.count

    def test_fails(confsim):
        confsim.state = BUILDERS["crowded"]().state
        calls.say_hostile_things(confsim, prepared()[1], turns=1)
        assert not "the journal is shown"
"""
SCRIPT = """
import os, urllib.request
for path in ("/v1_0/users/me", "/openapi.json", "/_confsim/bundle", "/_confsim/requests/export?as=pytest"):
    request = urllib.request.Request(os.environ["CONFSIM_URL"] + path, headers={"Authorization": "Bearer demo-user"})
    urllib.request.urlopen(request).read()
"""
#: Why a report of coverage cannot be written once a file was fetched.
NO_COVERAGE = "coverage fails once a file was fetched"


@pytest.fixture
def suite(tmp_path, monkeypatch):
    """Run the tests of ``SUITE`` with options; returns exit code and everything that was printed."""
    lines = (line.removeprefix("    ") for line in SUITE.splitlines())
    (tmp_path / "test_suite.py").write_text("\n".join(lines))
    monkeypatch.chdir(tmp_path)

    def running(*options):
        result = run_pytest("-p", "confsim.pytest_plugin", *options)
        return result.ret, "\n".join([*result.outlines, *result.errlines])

    return running


@pytest.mark.own_ways
def test_reports_end_with_the_failure_of_the_test(suite):
    """The test that fails is shown with its journal and the assumptions: there is no crash."""
    code, text = suite("--confsim-report")
    assert code == 1, text
    assert "1 failed, 1 passed" in text
    assert "assumptions used" in text
    assert list(Answer("the report", 200, "text/x-terminal", text.encode()).problems()) == []


@pytest.mark.own_ways
@pytest.mark.xfail(strict=True, reason=NO_COVERAGE)
def test_coverage_of_all_calls_is_reported(suite, tmp_path):
    """All operations count, and the run ends as the tests do."""
    code, text = suite("--confsim-coverage", "--confsim-coverage-report=coverage.json")
    assert code == 1, text
    assert "INTERNALERROR" not in text
    report = json.loads((tmp_path / "coverage.json").read_text())
    assert report["untouched"] == []


@pytest.mark.own_ways
@pytest.mark.xfail(strict=True, reason=NO_COVERAGE)
def test_a_command_writes_the_coverage_of_a_crowded_world(tmp_path, monkeypatch):
    """``exec`` starts from the state of the crowded world, serves a file, and leaves a whole report."""
    monkeypatch.chdir(tmp_path)
    crowded_world().save("state.json")
    (tmp_path / "script.py").write_text(SCRIPT)
    code, _, errors = run_apart("exec", "--import", "state.json", "--coverage", "c.json", "--", "python", "script.py")
    assert (code, errors) == (0, "")
    assert json.loads((tmp_path / "c.json").read_text())["totals"]["operations"]["met"] == 1
