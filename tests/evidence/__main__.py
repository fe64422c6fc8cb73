"""Measure figures and keep them as evidence: ``python tests/evidence [PART ...]``.

Without a part the table is written anew from what is stored. Each part is measured by itself, and replaces what was
stored of it: ``figures.json`` holds the figures as measured, ``EVIDENCE.md`` the table, beside what is aimed at.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parents[1])]

from evidence import stored, table  # noqa: E402
from evidence.parts import PARTS, Part, now  # noqa: E402


@click.command()
@click.argument("names", nargs=-1, metavar="[PART ...]")
@click.option("--from", "file", type=click.Path(path_type=Path, exists=True), help="Figures that --json wrote earlier.")
@click.option("--share", default="", metavar="I/N", help="The share of the part that is measured; shares are added up.")
@click.option("--list", "listed", is_flag=True, help="List the parts, with how each is measured.")
def main(names: tuple[str, ...], file: Path | None, share: str, listed: bool) -> None:
    """Measure the parts that are named, or take their figures from a file, and write the table."""
    if listed:
        for name, part in PARTS.items():
            click.echo(f"{name:20} {part.command}")
        return
    wanted = [_part(name) for name in names]
    if file is not None and len(wanted) != 1:
        raise click.UsageError("--from is for one part")
    for name, part in zip(names, wanted, strict=True):
        found = part.measure(share) if file is None else part.read(json.loads(file.read_text()))
        figures = stored.load()
        stored.store(stored.merged(figures, name, share, stored.Measured(now(), stored.commit(), part.command, found)))
        click.echo(f"{name}: {len(found)} figures")
    table.write(stored.load())
    for row in table.rows(stored.load()):
        if row.verdict != "met":
            click.echo(f"{row.verdict:12} {row.part}: {row.figure}: {row.measured} ({row.aim})")


def _part(name: str) -> Part:
    if name not in PARTS:
        raise click.UsageError(f"there is no part {name!r}; there are {', '.join(PARTS)}")
    return PARTS[name]


if __name__ == "__main__":
    main()
