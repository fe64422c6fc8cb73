"""The command that runs scenarios."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from .command import confsim, moment, option, shipped_scenarios, shipped_worlds
from .options import base_url
from .printing import plain, print_table, progress

if TYPE_CHECKING:
    from confsim.arazzo.report import Report


@confsim.command(example="confsim run lobby --base-url http://127.0.0.1:8080 --fresh")
@click.argument("scenario", nargs=-1, shell_complete=shipped_scenarios)
@base_url("Run against the API of this server, not in this process.", default=None)
@option(
    "--world",
    default="demo",
    show_default=True,
    shell_complete=shipped_worlds,
    help="The world to run in, in this process.",
)
@option("--seed", default=0, show_default=True, type=int, help="Seed of ids and tokens, in this process.")
@option("--clock", help="Instant (ISO 8601 or epoch milliseconds) at which the clock is frozen, in this process.")
@option("--profile", type=click.Path(), help="Profile (TOML) that determines routes and the presentation of tokens.")
@click.option("--fresh", is_flag=True, help="Run each in a new world of the server, which must be a confsim server.")
@click.option("--input", "inputs", multiple=True, metavar="NAME=VALUE", help="An input of the workflows.")
@click.option("-q", "--quiet", is_flag=True, help="Print only failures.")
def run(
    scenario: tuple[str, ...],
    base_url: str | None,
    world: str,
    seed: int,
    clock: str | None,
    profile: str | None,
    fresh: bool,
    inputs: tuple[str, ...],
    quiet: bool,
) -> None:
    """Run scenarios: shipped ones by name, or Arazzo files. Without arguments, list the shipped ones.

    Each runs in its own world in this process; with --base-url all run in the world of that server, one after the
    other, or with --fresh each in its own world of the server.
    Exit 0 when all passed, 1 when one failed, leaves calls out or cannot be run, 2 when one failed against a server.
    """
    if not scenario:
        return _print_scenarios()
    from contextlib import closing, nullcontext

    from confsim.arazzo import runner
    from confsim.control.scenarios import compile_scenario, mount_url, run_scenario
    from confsim.service.files.profile import read_profile
    from confsim.simulator import Simulator
    from confsim.transport.remote import RemoteTransport

    if fresh and base_url is None:
        raise click.ClickException("--fresh is for a server: give its --base-url")
    chosen = read_profile(profile)
    given = dict(map(_input, inputs))
    scenarios = [compile_scenario(each, chosen) for each in scenario]
    reports: list[Report] = []
    with progress(scenarios, "scenarios") if quiet else nullcontext(scenarios) as shown:
        for compiled in shown:
            if base_url is None:
                simulator = Simulator(world, seed, moment(clock), chosen)
                report = run_scenario(compiled, simulator.control.context, given)
            else:
                root = mount_url(base_url, chosen)
                with (
                    _fresh_world(root) if fresh else nullcontext(root) as root,
                    closing(RemoteTransport(root)) as there,
                ):
                    report = runner.run(compiled, there, given)
            _print_report(report, quiet)
            reports.append(report)
    if not all(report.passed for report in reports):
        drifted = base_url is not None and any(report.failure is not None for report in reports)
        sys.exit(2 if drifted else 1)
    return None


@contextmanager
def _fresh_world(root: str) -> Iterator[str]:
    """Make a world of a confsim server like its root world; the block gets its mount's URL, and its end drops it."""
    from contextlib import closing
    from uuid import uuid4

    from confsim.control.catalogue import CONTROL
    from confsim.kernel.refusal import Misuse
    from confsim.transport.address import address
    from confsim.transport.remote import RemoteTransport

    server, name = re.sub("/w/[^/]*$", "", root), f"run-{uuid4()}"
    with closing(RemoteTransport(server)) as there:
        make = address(CONTROL["make_world"], {}, {}, body={"name": name}, content_type="application/json")
        made = there.send(make)
        if made.status != 200:
            raise Misuse(f"{server} makes no world: {made.status} {made.body[:200].decode(errors='replace')}")
        try:
            yield f"{server}/w/{name}"
        finally:
            there.send(address(CONTROL["drop_world"], {"name": name}, {}))


def _print_scenarios() -> None:
    from confsim.arazzo import library

    rows = [(name, library.load(name).info.summary) for name in library.SHIPPED]
    print_table(("scenario", "summary"), rows)


def _input(text: str) -> tuple[str, Any]:
    """Return name and value in NAME=VALUE, where the value is JSON, else a text."""
    import msgspec

    name, mark, value = text.partition("=")
    if not mark:
        raise click.ClickException(f"--input {text!r} is not of the form NAME=VALUE")
    try:
        return name, msgspec.json.decode(value)
    except (ValueError, RecursionError):
        return name, value


def _print_report(report: Report, quiet: bool) -> None:
    """Print the result of a scenario: its steps, and the failed one in full."""
    if not quiet or not report.passed:
        outcome = "FAILED" if report.failure is not None else "INCOMPLETE" if report.left_out else "passed"
        click.echo(f"{report.name}: {outcome}")
    for result in report.results if not quiet else ():
        click.echo(f"  {result.summary()}")
    for each in report.left_out:
        click.echo(f"  left out  {each}")
    if report.failure is not None:
        click.echo(report.failure.details())
    elif not quiet:
        for name, value in report.outputs.items():
            click.echo(f"  {name} = {plain(value)}")
