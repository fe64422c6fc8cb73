"""What the documents state and leave open as data, and the places that name it by number."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from confsim.api.catalogue import API
from confsim.reference import gaps, rules
from kit.processes.plugin import IN_PROCESS, QUIET

pytest_plugins = ["pytester"]

REPOSITORY = Path(__file__).parents[2]
SUFFIXES = {".py", ".md", ".json", ".yaml", ".yml", ".toml", ".html"}

#: Lines of a document, such as 14-15, 17; none where it says nothing.
LINES = r"(\d+(-\d+)?(, \d+(-\d+)?)*)?"
#: The one number that is wrong on purpose.
WRONG = ("tests/tidy/test_reference.py", "R999")


def test_the_numbers_are_without_holes():
    """R001 to R562 and G001 to G597, in order."""
    assert list(rules()) == [f"R{number:03}" for number in range(1, 563)]
    assert list(gaps()) == [f"G{number:03}" for number in range(1, 598)]


def test_every_rule_is_well_formed():
    """It says something in whole sentences, where it stands, and names operations that there are."""
    for rule in rules().values():
        assert rule.statement[-1] == ".", rule
        assert rule.section, rule
        assert re.fullmatch(LINES, rule.lines), rule
        assert all(API.find(name) is not None for name in rule.operations), rule
        assert set(rule.gaps) <= gaps().keys(), rule


def test_every_gap_is_well_formed():
    """It asks something, answers it, and has other answers that differ."""
    for gap in gaps().values():
        assert gap.question.endswith(("?", ".")), gap
        assert gap.default[-1] == ".", gap
        assert gap.alternatives, gap
        assert len({gap.default.rstrip(".").lower(), *gap.alternatives}) == 1 + len(gap.alternatives), gap
        assert re.fullmatch(LINES, gap.lines), gap
        assert bool(gap.section) == bool(gap.lines), gap
        assert set(gap.rules) <= rules().keys(), gap


def test_nothing_is_said_or_asked_twice():
    """A statement that stands twice would make one of the rules superfluous, a question one of the gaps."""
    said = [rule.statement for rule in rules().values()] + [gap.question for gap in gaps().values()]
    assert len(set(said)) == len(said)


def test_every_number_named_exists():
    """Code, tests, scenarios and guides name only rules and gaps that there are."""
    texts = {
        path.relative_to(REPOSITORY).as_posix(): path.read_text(encoding="utf-8")
        for folder in ("confsim", "tests", "scenarios", "fixtures")
        for path in (REPOSITORY / folder).rglob("*")
        if path.suffix in SUFFIXES
    }
    named = {(name, number) for name, text in texts.items() for number in re.findall(r"\b[RG]\d{3}\b", text)}
    assert {(name, number) for name, number in named if number not in {*rules(), *gaps()}} == {WRONG}


def _run(pytester, test, *options):
    """The test in a folder with this project's conftest."""
    pytester.makeconftest((REPOSITORY / "tests" / "conftest.py").read_text(encoding="utf-8"))
    pytester.makeini("[pytest]\nmarkers = rule: numbers")
    pytester.makepyfile(f"import pytest\n\n{test}")
    return pytester.runpytest_inprocess(*QUIET, *IN_PROCESS, *options)


TWO = """
@pytest.mark.rule("R276")
def test_names():
    assert False

def test_other():
    pass
"""


def test_a_failing_test_shows_what_its_rules_say(pytester):
    """Not only the number: the statement, and where it stands."""
    result = _run(pytester, TWO)
    result.assert_outcomes(failed=1, passed=1)
    result.stdout.fnmatch_lines(["*Rules*", f"R276 (P2 *{rules()['R276'].statement}"])


def test_a_rule_selects_and_lists_its_tests(pytester):
    """The others are deselected."""
    result = _run(pytester, TWO, "--rules", "R276,R277", "--collect-only")
    result.assert_outcomes(deselected=1)
    result.stdout.fnmatch_lines(["R276 (P2 *", "  *::test_names", "R277 (P2 *", "  no test"])


def test_without_a_rule_the_option_counts(pytester):
    """How many are proved, and which are not."""
    result = _run(pytester, TWO, "--rules", "--collect-only")
    result.stdout.fnmatch_lines(["rules proved: 1 of 562", "Part 1: 0 of *", "Part 2: 1 of *"])


@pytest.mark.parametrize("options", [(), ("--rules", "R999")])
def test_a_rule_that_there_is_not_is_refused(pytester, options):
    """In a marker and in the option."""
    result = _run(pytester, TWO.replace("R276", "R999") if not options else TWO, *options)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*R999*"])
