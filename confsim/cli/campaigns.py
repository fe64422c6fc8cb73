"""The command that spreads journeys, or verify runs, over a cluster."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from .command import WholeNumber, confsim, ending_in_order, option
from .options import of_a_service

if TYPE_CHECKING:
    from collections.abc import Iterator

    from confsim.testing.campaigning.campaign import Results
    from confsim.testing.campaigning.jobs import JourneyMachine, Verify

#: Most failures whose texts are printed, and most lines of a text; all are stored.
_FAILURES, _LINES = 10, 100


@confsim.command(example="confsim campaign tests/test_contract.py::RoomsJourney --seeds 500")
@click.argument("target", metavar="FILE.py::MACHINE|verify")
@option("--seeds", default=100, show_default=True, type=WholeNumber(1), help="Number of seeds to run.")
@option("--first", default=0, show_default=True, type=WholeNumber(0), help="First seed.")
@option("--steps", default=50, show_default=True, type=WholeNumber(1), help="Calls per journey of a machine.")
@option("--examples", default=10, show_default=True, type=WholeNumber(1), help="Journeys per seed.")
@option("--workers", type=WholeNumber(1), help="Processes on this machine; by default one per core.")
@option("--scheduler", metavar="tcp://HOST:PORT", help="Dask scheduler to use in place of processes on this machine.")
@option("--into", default="campaign", show_default=True, type=click.Path(), help="Directory of the results.")
@option("--profiles", type=click.Choice(["pairs"]), help="Choose other values of assumptions for each seed.")
@of_a_service(is_required=False)
@option(
    "--profile",
    type=click.Path(),
    help="Profile (TOML) that the service is expected to follow (only for `campaign verify`).",
)
@ending_in_order()
def campaign(
    target: str,
    seeds: int,
    first: int,
    steps: int,
    examples: int,
    workers: int | None,
    scheduler: str | None,
    into: str,
    profiles: str | None,
    base_url: str | None,
    accounts: str | None,
    profile: str | None,
) -> None:
    """Make journeys of a state machine, or verify runs, seed after seed, over a Dask cluster.

    A campaign continues an earlier one in its directory; that of another campaign is refused. Each failure is shrunk
    where it occurred, stored once, in failures/, and printed as a test and, of verify, as curl. A job whose worker
    dies is repeated. Exit 0, 1 when it cannot begin or some seeds could not be done, 2 when something failed.
    """
    from confsim.testing.campaigning import campaign as campaigning
    from confsim.testing.campaigning.jobs import Job

    work = (
        _verify(base_url, accounts, profile, examples)
        if target == "verify"
        else _machine(target, steps, examples, into)
    )
    seeded = range(first, first + seeds)
    jobs = [Job(work, seed, campaigning.pair_choices(seed) if profiles else {}) for seed in seeded]
    results = campaigning.Results(into, work, profiles)
    with campaigning.cluster(scheduler, workers) as client:
        try:
            report = campaigning.run(jobs, results, client, lambda line: click.echo(line, err=True))
        except KeyboardInterrupt:
            click.echo("ended early: the same command goes on after the seeds that are done", err=True)
            raise
    for line in _failures(results, report.failures):
        click.echo(line)
    for key, problem in report.problems.items():
        click.echo(f"seed {key} could not be done: {problem}")
    click.echo(
        f"{report.before + report.done - len(report.problems)} of {report.jobs} seeds, {len(report.failures)} failures"
    )
    if report.failures or report.problems:
        sys.exit(2 if report.failures else 1)


def _failures(results: Results, titles: dict[str, str]) -> Iterator[str]:
    """Yield the lines about the stored failures, whose titles are given by name."""
    for place, (name, title) in enumerate(titles.items()):
        yield f"{results.directory / 'failures' / name}.txt: {title}"
        for path, text in results.reproducers(name).items() if place < _FAILURES else ():
            lines = text.splitlines()
            yield from ("", f"{path}:", *lines[:_LINES])
            if len(lines) > _LINES:
                yield f"... {len(lines) - _LINES} more lines"
        yield ""


def _verify(base_url: str | None, accounts: str | None, profile: str | None, examples: int) -> Verify:
    from confsim.service.files.profile import read_profile
    from confsim.testing.campaigning.jobs import Verify
    from confsim.testing.learning.accounts import read_accounts
    from confsim.transport.remote import parsed_root

    if base_url is None or accounts is None:
        raise click.ClickException("campaign verify needs --base-url and --accounts")
    parsed_root(base_url, "https://service.example/v1_0")
    known = read_accounts(accounts)
    return Verify(base_url, known.client, known.tokens, dict(read_profile(profile)), examples)


def _machine(target: str, steps: int, examples: int, into: str) -> JourneyMachine:
    from confsim.service.files import reading
    from confsim.testing.campaigning.jobs import JourneyMachine, machine_of

    file, _, name = target.partition("::")
    if not name:
        raise click.ClickException(f"{target!r} is neither verify nor FILE.py::Machine")
    text = reading.content(file, "machine").decode()
    if not Path(file).stem.isidentifier():
        raise click.ClickException(f"{file!r} cannot be imported by a test: give it the name of a module")
    stored = Path(into).resolve()
    folder = _relative(Path(file).parent.resolve(), stored / "failures")
    work = JourneyMachine(file, text, name, steps, examples, str(stored / "examples"), folder)
    machine_of(work)
    return work


def _relative(folder: Path, start: Path) -> str:
    """Return a folder as a path from another one; on another drive, where there is none, the folder itself."""
    try:
        return Path(os.path.relpath(folder, start)).as_posix()
    except ValueError:
        return folder.as_posix()
