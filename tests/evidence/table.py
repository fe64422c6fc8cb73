"""The table of the evidence, and the lines of it that the README shows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from . import stored
from .aims import AIMS, Aim
from .parts import PARTS
from .stored import Stored

PATH = Path(__file__).with_name("EVIDENCE.md")
README = Path(__file__).resolve().parents[2] / "README.md"
#: Between these lines of the README stand its figures.
MARKS = ("<!-- figures: python tests/evidence -->\n", "<!-- end of figures -->\n")


class Row(Struct, frozen=True):
    """A figure that is aimed at: what was measured, the bound, and "met", "not met" or "not measured".

    ``why`` says why it is not met, if that is known.
    """

    part: str
    figure: str
    measured: str
    aim: str
    verdict: str
    in_readme: bool
    why: str = ""


def rows(found: Stored) -> list[Row]:
    """A row for each aim."""
    return [_row(aim, found) for aim in AIMS]


def _row(aim: Aim, found: Stored) -> Row:
    shares = found.get(aim.part, {})
    figures = stored.figures(shares)
    value = figures.get(aim.figure)
    if value is None or value == "left out":
        bound = "all of them" if isinstance(aim.at_least, str) and aim.at_least not in figures else aim.bound(figures)
        return Row(aim.part, aim.figure, value or "-", bound, "not measured", aim.in_readme)
    lacking = stored.missing(shares)
    verdict = "met" if aim.met(figures) and not lacking else "not met"
    shown = _shown(value) + (f" (shares to measure: {lacking})" if lacking else "")
    why = aim.why if verdict == "not met" and not lacking else ""
    return Row(aim.part, aim.figure, shown, aim.bound(figures), verdict, aim.in_readme, why)


def _shown(value: object) -> str:
    if isinstance(value, list):
        listed = f": {', '.join(map(str, value[:5]))}" if value else ""
        return f"{len(value)}{listed}{' …' if len(value) > 5 else ''}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def markdown(found: Stored) -> Iterator[str]:
    """The lines of the table, and below them every figure of each part as it was measured."""
    reported = rows(found)
    counts = {verdict: len([row for row in reported if row.verdict == verdict]) for verdict in VERDICTS}
    yield "# Evidence"
    yield ""
    yield "Written by `python tests/evidence`, which says with `--list` how each part is measured. The figures are as"
    yield "they were measured, on a machine with two cores; those of campaigns while it was busy."
    yield ""
    yield ", ".join(f"{number} {verdict}" for verdict, number in counts.items()) + "."
    yield ""
    yield "| part | figure | measured | aim | |"
    yield "|---|---|---|---|---|"
    for row in reported:
        because = f": {row.why}" if row.why else ""
        yield f"| {row.part} | {row.figure} | {row.measured} | {row.aim} | {row.verdict}{because} |"
    for name in PARTS:
        shares = found.get(name, {})
        yield ""
        yield f"## {name}"
        yield ""
        if not shares:
            yield "Not measured."
            continue
        latest = max(shares.values(), key=lambda measured: measured.day)
        yield f"`{latest.command}`, {latest.day}, {', '.join(sorted({each.commit for each in shares.values()}))}"
        yield ""
        for figure, value in stored.figures(shares).items():
            yield f"- {figure}: {_shown(value)}"


VERDICTS = ("met", "not met", "not measured")


def readme(found: Stored) -> str:
    """The figures that the README shows."""
    lines = []
    for row in rows(found):
        if row.in_readme:
            measured = row.measured if row.verdict != "not measured" else row.verdict
            missed = ": not met" if row.verdict == "not met" else ""
            lines.append(f"{f'{row.part}: {row.figure}':62} {measured} ({row.aim}){missed}")
    return "\n".join(["```text", *lines, "```", ""])


def write(found: Stored) -> None:
    """Write the table, and the figures of the README."""
    PATH.write_text("\n".join(markdown(found)) + "\n", "utf-8")
    text = README.read_text("utf-8")
    before, rest = text.split(MARKS[0])
    README.write_text(before + MARKS[0] + readme(found) + MARKS[1] + rest.split(MARKS[1])[1], "utf-8")
