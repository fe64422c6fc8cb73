"""Print the speed of confsim as ratios measured in one run: ``python tests/benchmarks [NAME ...]``."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import click
import msgspec

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import growing  # noqa: E402
import in_process  # noqa: E402
import inspector_pages  # noqa: E402
import memory  # noqa: E402
import openings  # noqa: E402
import operations as of_operations  # noqa: E402
import over_http  # noqa: E402
import pauses  # noqa: E402
import report  # noqa: E402

from kit.growth.variants import CALLS  # noqa: E402

Benchmark = Callable[[], Iterator[tuple[str, str]]]

BENCHMARKS: tuple[Benchmark, ...] = (
    *(in_process.wsgi, in_process.durable, in_process.forks, in_process.makings, in_process.pages, in_process.imports),
    *(over_http.servers, over_http.starts, over_http.rates, over_http.worlds),
    *(growing.grows, pauses.pauses, openings.openings, memory.things, inspector_pages.inspector),
)


@click.group(chain=True, invoke_without_command=True)
@click.option("--json", "file", type=click.Path(path_type=Path), help="Write what was measured to this file.")
@click.pass_context
def main(context: click.Context, file: Path | None) -> None:
    """Run the benchmarks that are named; without a name all but that of the operations."""
    results: dict[str, Any] = {}
    context.obj = results

    def write() -> None:
        if file is not None:
            file.write_text(json.dumps(results, indent=1))

    context.call_on_close(write)
    with_bytecode(context)
    if context.invoked_subcommand is None:
        for benchmark in BENCHMARKS:
            run(benchmark, results)


def with_bytecode(context: click.Context) -> None:
    """Let the processes that are started keep compiled modules, as those of users do, in a place of their own."""
    if os.environ.pop("PYTHONDONTWRITEBYTECODE", None) is not None:
        place = context.with_resource(tempfile.TemporaryDirectory(prefix="confsim-benchmarks-"))
        os.environ["PYTHONPYCACHEPREFIX"] = place


def run(benchmark: Benchmark, results: dict[str, Any]) -> None:
    """Run one benchmark and print its lines."""
    lines = results.setdefault(benchmark.__name__, [])
    for what, result in benchmark():
        click.echo(f"{what:38} {result}")
        lines.append({"what": what, "result": result})


def command(benchmark: Benchmark) -> click.Command:
    """The subcommand of a benchmark."""
    return click.Command(
        benchmark.__name__, callback=click.pass_obj(lambda results: run(benchmark, results)), help=benchmark.__doc__
    )


for each in BENCHMARKS:
    main.add_command(command(each))


@main.command()
@click.option("--sizes", default="100,10000,100000", show_default=True, help="How many things of a kind there are.")
@click.option(
    "--kinds", default="*", show_default=True, help="Patterns of kinds of things, parted by commas; '' for none."
)
@click.option(
    "--part", default="1/1", show_default=True, metavar="I/N", help="Of these kinds the I-th of N parts, one by one."
)
@click.option("--only", default="*", show_default=True, help="Patterns of operations, parted by commas.")
@click.option("--list-kinds", is_flag=True, help="List the kinds of things.")
@click.option(
    "--keep",
    type=click.Path(path_type=Path),
    help="Keep the figures in this file, kind by kind; those that it has are not taken again.",
)
@click.pass_obj
def operations(
    results: dict[str, Any], sizes: str, kinds: str, part: str, only: str, list_kinds: bool, keep: Path | None
) -> None:
    """Call every operation, in the demo world and in worlds grown by things of one kind at a time.

    All kinds take long: they can be measured in parts, and with --keep a run that was ended is continued. The table is
    that of all figures that are stored. Exits with 1 when a call is above a bound without a reason, or a reason is no
    longer needed.
    """
    if list_kinds:
        for kind in of_operations.KINDS:
            click.echo(kind.name)
        return
    chosen = [call for call in CALLS if _matches(call.operation, only)]
    first, number = map(int, part.split("/"))
    grown = of_operations.chosen_kinds(lambda name: _matches(name, kinds))[first - 1 :: number]
    found = [] if keep is None or not keep.exists() else of_operations.read(keep.read_bytes())
    for figures in of_operations.figures(chosen, grown, [int(size) for size in sizes.split(",")], tuple(found), _tell):
        found += figures
        if keep is not None:
            keep.write_bytes(msgspec.json.encode(found))
    for line in (*report.table(found), "", *report.summary(found)):
        click.echo(line)
    results["operations"] = report.as_json(found)
    unneeded = report.unneeded(found)
    for reason in unneeded:
        click.echo(f"no longer needed: {reason}")
    unexplained = [growth for growth in report.growths(found) if report.above(growth) and not growth.reason]
    if unneeded or unexplained:
        sys.exit(1)


def _matches(name: str, patterns: str) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns.split(","))


def _tell(what: str) -> None:
    click.echo(f"... {what}", err=True)


if __name__ == "__main__":
    main()
