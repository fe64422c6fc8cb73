"""The evidence: its table and the figures of the README are those that were measured, and what is not met says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from evidence import stored, table
from evidence.aims import AIMS, Aim
from evidence.parts import PARTS, read_judges
from evidence.stored import Measured

README = Path(__file__).resolve().parents[2] / "README.md"


def test_the_readme_shows_what_was_measured() -> None:
    """Between its marks stand the figures that are stored, and nothing else."""
    shown = README.read_text("utf-8").split(table.MARKS[0])[1].split(table.MARKS[1])[0]
    assert shown == table.readme(stored.load())
    assert shown.count("\n") > 10


@pytest.mark.parametrize(("unsound", "shown"), [(0, "0 (0)"), (3, "3 (0): not met"), (None, "not measured (0)")])
def test_the_readme_says_what_is_not_met(unsound: int | None, shown: str) -> None:
    """Beside what is aimed at."""
    lines = table.readme({} if unsound is None else {"flips": _measured(unsound=unsound)}).splitlines()
    assert [line.partition("  ")[2].strip() for line in lines if line.startswith("flips: unsound ")] == [shown]


def test_the_table_is_that_of_the_figures() -> None:
    """``python tests/evidence`` without a part writes it."""
    assert table.PATH.read_text("utf-8") == "\n".join(table.markdown(stored.load())) + "\n"


def test_every_aim_is_of_a_part() -> None:
    """Each has one bound, and each figure that is stored is of a part."""
    assert {aim.part for aim in AIMS} <= PARTS.keys()
    assert stored.load().keys() <= PARTS.keys()
    assert len({(aim.part, aim.figure) for aim in AIMS}) == len(AIMS)
    for aim in AIMS:
        assert sum(bound is not None for bound in (aim.at_most, aim.at_least, aim.words)) == 1


def _measured(**figures: object) -> dict[str, Measured]:
    return {
        "": Measured("2026-01-01", "abc", "command", {name.replace("_", " "): each for name, each in figures.items()})
    }


@pytest.mark.parametrize(
    ("found", "verdict", "measured"),
    [
        ({"flips": _measured(unsound=0)}, "met", "0"),
        ({"flips": _measured(unsound=3)}, "not met", "3"),
        ({"flips": _measured(unsound=["a", "b"])}, "not met", "2: a, b"),
        ({"flips": _measured(pairs=9)}, "not measured", "-"),
        ({}, "not measured", "-"),
    ],
)
def test_a_figure_is_told_as_it_is(found: stored.Stored, verdict: str, measured: str) -> None:
    """As met, as not met, or as not measured."""
    (row,) = [each for each in table.rows(found) if (each.part, each.figure) == ("flips", "unsound")]
    assert (row.verdict, row.measured) == (verdict, measured)


def test_what_is_slower_than_aimed_at_says_why() -> None:
    """Each such figure that is stored has a reason in the table."""
    slow = [row for row in table.rows(stored.load()) if row.part.startswith("speed") and row.verdict == "not met"]
    assert [row.figure for row in slow if not row.why] == []


def test_a_reason_is_shown_where_it_is_needed() -> None:
    """Where the figure is measured and above its bound."""
    for median, shown in ((0.2, False), (0.5, True)):
        found = {"speed of operations": {"": Measured("", "", "", {"first, median": median})}}
        (row,) = [each for each in table.rows(found) if each.figure == "first, median"]
        assert bool(row.why) is shown
        assert (row.why in "\n".join(table.markdown(found))) is True


@pytest.mark.parametrize(
    ("aim", "figure", "met"),
    [
        (Aim(part="", figure="x", at_most=1), "1.12x the bare app", False),
        (Aim(part="", figure="x", at_least=1000), "1,177/s", True),
        (Aim(part="", figure="x", at_least=95, reading=r"([\d.]+) %"), "900 of 1000, 90.0 %", False),
        (Aim(part="", figure="x", at_most=20, reading=r"p99 ([\d.]+) ms"), "p99 3.2 ms, worst 90.0 ms", True),
        (Aim(part="", figure="x", at_most=0), ["one"], False),
        (Aim(part="", figure="x", at_least="y"), 7, False),
        (Aim(part="", figure="x", words="no warning"), "3 warnings", False),
    ],
)
def test_bounds(aim: Aim, figure: object, met: bool) -> None:
    """A number in a text, the length of a list, another figure, words."""
    assert aim.met({"x": figure, "y": 8}) == met


def test_a_judge_that_is_not_there_is_not_measured() -> None:
    """It said that it was left out."""
    reported = read_judges(
        "openapi-python-client: 3 of 3 operations of api, no warning\nleft out, as there is no Node: Prism"
    )
    assert reported == {"openapi-python-client, api": "3 of 3 operations of api, no warning", "Prism": "left out"}
    found = {"judges": {"": Measured("", "", "", reported)}}
    verdicts = {row.figure: row.verdict for row in table.rows(found) if row.part == "judges"}
    assert verdicts["Prism"] == "not measured"
    assert verdicts["openapi-python-client, api"] == "met"
    assert verdicts["openapi-python-client, control"] == "not measured"


def test_shares_are_added_up() -> None:
    """Until all are there the figure is not met; a share of other shares takes the place of all."""
    found: stored.Stored = {}
    for share, survivors in (("1/3", 0), ("2/3", 0)):
        found = stored.merged(
            found,
            "tables",
            share,
            Measured("", "", "", {"survivors": survivors, "mutants": 5, "by kind": {share: 2, "row": 3}}),
        )
    (row,) = [each for each in table.rows(found) if (each.part, each.figure) == ("tables", "survivors")]
    assert (row.verdict, row.measured) == ("not met", "0 (shares to measure: 1)")
    assert stored.figures(found["tables"])["mutants"] == 10
    assert stored.figures(found["tables"])["by kind"] == {"1/3": 2, "2/3": 2, "row": 6}
    found = stored.merged(found, "tables", "", Measured("", "", "", {"survivors": 0, "mutants": 12}))
    assert stored.figures(found["tables"])["mutants"] == 12
