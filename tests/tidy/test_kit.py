"""The kit of the tests fails where a test for each case would."""

from __future__ import annotations

import pytest

from kit.each import each


def test_every_case_that_fails_is_named():
    """All cases are run, and the failures stand in one group, each with the name of its case."""
    seen = []

    @each("number, word", [(1, "a"), (2, "b"), (3, "c")], ids=lambda case: case[1])
    def odd(number, word):
        seen.append(word)
        assert number % 2 == 0

    with pytest.raises(ExceptionGroup, match="2 of 3 cases") as failed:
        odd()
    assert seen == ["a", "b", "c"]
    assert [error.__notes__ for error in failed.value.exceptions] == [["case: a"], ["case: c"]]


def test_no_case_is_an_error():
    """A list that became empty would prove nothing."""
    with pytest.raises(ValueError, match="no case of operation"):
        each("operation", [])


@each("case", [1, 2])
def test_fixtures_stand_beside_the_cases(tmp_path, case):
    """What is no name of a case is a fixture."""
    (tmp_path / str(case)).touch()
    assert len(list(tmp_path.iterdir())) == case
