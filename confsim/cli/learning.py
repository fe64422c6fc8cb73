"""The commands that learn from a real service by its API."""

from __future__ import annotations

import sys
import time
from contextlib import suppress
from textwrap import indent
from typing import TYPE_CHECKING

import click

from .command import WholeNumber, confsim, ending_in_order, option
from .options import REPORT, of_a_run, of_a_service
from .printing import plain, printable

if TYPE_CHECKING:
    from confsim.testing.calibrating.calibrator import CalibrateReport
    from confsim.testing.calibrating.learner import Contradiction
    from confsim.testing.verifying.findings import VerifyReport


@confsim.command(example="confsim verify --base-url https://api.example/v1_0 --accounts accounts.toml")
@of_a_service()
@option("--profile", type=click.Path(), help="Profile (TOML) that the service is expected to follow.")
@of_a_run(50)
@option(
    "--max-divergences", default=20, show_default=True, type=WholeNumber(1), help="Stop after this many divergences."
)
@ending_in_order()
def verify(
    base_url: str,
    accounts: str,
    profile: str | None,
    examples: int,
    seed: int,
    report: str | None,
    max_requests: int | None,
    rate: float | None,
    max_divergences: int,
    phones: bool,
    dry_run: bool,
) -> None:
    """Drive journeys through a service and a model of it side by side, and report where they differ.

    Only the API is used. Nothing is changed but what the run made itself, which it removes at the end. A divergence is
    shrunk, and printed as curl, as a test, and as the assumption that would explain it. Ctrl-C, SIGTERM or
    SIGHUP ends the run. Exit 0 when they agree, 1 when the run could not be made or ended early, 2 when they differ.
    """
    from confsim.service.files.profile import read_profile
    from confsim.testing.learning.accounts import read_accounts
    from confsim.testing.verifying import session
    from confsim.testing.verifying.findings import encoded

    _check_places(report=report)
    known, chosen = read_accounts(accounts), read_profile(profile)
    if dry_run:
        click.echo("\n".join(session.plan(known, examples=examples, allow_phone_calls=phones)))
        return
    _remove_outdated(report)
    found = session.verify(
        base_url,
        known,
        chosen,
        seed=seed,
        examples=examples,
        most=max_requests,
        rate=rate,
        most_findings=max_divergences,
        allow_phone_calls=phones,
        progress=lambda line: click.echo(line, err=True),
    )
    _print(found)
    if report is not None:
        _write_report(report, encoded(found))
    if found.drifted:
        sys.exit(2)
    if found.interrupted:
        sys.exit(1)


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _print(report: VerifyReport) -> None:
    """Print the findings."""
    for number, each in enumerate(report.divergences, 1):
        click.echo(f"\n{number}. {each.operation} at {each.place or 'its body'}, met {_times(each.count)}")
        click.echo(f"   the model {each.expected!r}, the service {each.got!r}{f' ({each.why})' if each.why else ''}")
        if not each.repeatable:
            click.echo("   it did not come again on fresh things")
        if each.also:
            click.echo(f"   also {', '.join(each.also)}")
        for line in each.steps:
            click.echo(f"   {printable(line)}")
        for question in each.questions or ["no alternative of one assumption explains it"]:
            click.echo(f"   {question}")
        click.echo(f"\n{each.curl}\n\n{each.test}")
    for line in (*report.notes, *(f"left behind: {each}" for each in report.left)):
        click.echo(line)
    if report.interrupted:
        click.echo(f"ended early: {report.interrupted}")
    click.echo(
        f"{report.requests} requests in {report.journeys} journeys, {len(report.operations)} of {report.served} "
        f"operations, {len(report.divergences)} divergences"
    )


@confsim.command(example="confsim calibrate --base-url https://api.example/v1_0 --accounts accounts.toml -o acme.toml")
@of_a_service()
@option("-o", "--output", required=True, type=click.Path(), help="File for the profile (TOML).")
@of_a_run(80)
@ending_in_order()
def calibrate(
    base_url: str,
    accounts: str,
    output: str,
    examples: int,
    seed: int,
    report: str | None,
    max_requests: int | None,
    rate: float | None,
    phones: bool,
    dry_run: bool,
) -> None:
    """Find out which alternative of each assumption a service follows, and write it as a profile.

    Only the API is used. Nothing is changed but what the run made itself, which it removes at the end. A value is
    written only when the answers rule out every other that is known. Ctrl-C, SIGTERM or SIGHUP ends the run.
    Exit 0, 1 when the run could not be made or ended early, 2 when an answer is explained by no alternative.
    """
    from confsim.testing.calibrating import session
    from confsim.testing.learning.accounts import read_accounts
    from confsim.testing.verifying.findings import encoded

    _check_places(output=output, report=report)
    known = read_accounts(accounts)
    if dry_run:
        click.echo("\n".join(session.plan(known, examples=examples, allow_phone_calls=phones)))
        return
    _remove_outdated(report)
    found = session.calibrate(
        base_url,
        known,
        seed=seed,
        journeys=examples,
        most=max_requests,
        rate=rate,
        allow_phone_calls=phones,
        progress=lambda line: click.echo(line, err=True),
    )
    if found.learned or found.assumed or not found.interrupted:
        _write_profile(output, session.profile_text(found.learned, found.assumed))
    else:
        click.echo(f"{output} is left as it was, since nothing was learned before the end")
    if report is not None:
        _write_report(report, encoded(found))
    _print_calibration(found)
    if found.interrupted or found.contradicted:
        sys.exit(1 if found.interrupted else 2)


def _print_calibration(report: CalibrateReport) -> None:
    """Print what was learned, what contradicts every alternative, and what is left."""
    for id, value in report.learned.items():
        click.echo(f"{id} = {plain(value)}")
    for id, value in report.assumed.items():
        click.echo(f"{id} = {plain(value)}, or another value that explains the answers as well")
    _print_contradicted(report.contradicted)
    for line in (*report.notes, *(f"left behind: {each}" for each in report.left)):
        click.echo(line)
    if report.interrupted:
        click.echo(f"ended early: {report.interrupted}")
    click.echo(
        f"{len(report.learned)} learned, {len(report.confirmed)} confirmed, {len(report.undetermined)} undetermined, "
        f"{len(report.contradicted)} contradicted in {report.requests} requests"
    )


def _print_contradicted(contradicted: list[Contradiction]) -> None:
    """Print each answer that no alternative explains, whole, with its request."""
    for each in contradicted:
        click.echo(printable(f"not explained: {each}"))
        for message, mark in ((each.request, "    > "), (each.answer, "    < ")):
            click.echo(indent(printable(message), mark, lambda line: True))


@confsim.command(example="confsim observe --upstream https://api.example/v1_0 --accounts accounts.toml -o acme.toml")
@of_a_service(url="--upstream")
@option("-p", "--port", default=8081, show_default=True, type=WholeNumber(0, 65535), help="Port; 0 takes a free one.")
@option("-o", "--output", type=click.Path(), help="File for the profile (TOML), written at the end.")
@REPORT
@ending_in_order()
def observe(upstream: str, accounts: str, port: int, output: str | None, report: str | None) -> None:
    """Forward traffic to a service, and learn from it which alternatives of assumptions the service follows.

    Nothing is sent that no client sent, and nothing is changed, held back or repeated. Ctrl-C, SIGTERM or SIGHUP ends
    it.
    """
    from confsim.testing.calibrating.session import profile_text
    from confsim.testing.learning.accounts import read_accounts
    from confsim.testing.observing import session
    from confsim.testing.verifying.findings import encoded

    _check_places(output=output, report=report)
    known = read_accounts(accounts)
    _remove_outdated(report)
    observing = session.observe(upstream, known, port=port, say=lambda line: click.echo(line, err=True))
    with observing as (proxy, observer), suppress(KeyboardInterrupt):
        click.echo(f"Base URL   {proxy.base_url}")
        _wait_for_end()
    found = observer.conclude()
    if output is not None and found.followed:
        _write_profile(output, profile_text(found.learned))
    elif output is not None:
        click.echo(f"{output} is left as it was, since no exchange could be followed")
    if report is not None:
        _write_report(report, encoded(found))
    for id, value in found.learned.items():
        click.echo(f"{id} = {plain(value)}")
    _print_contradicted(found.contradicted)
    for why, count in found.unanswered.items():
        click.echo(f"not answered {_times(count)}: {why}")
    click.echo(
        f"{len(found.learned)} learned, {len(found.confirmed)} confirmed by {found.followed} of {found.seen} exchanges"
    )


def _wait_for_end() -> None:
    """Wait for Ctrl-C, SIGTERM or SIGHUP, which raise KeyboardInterrupt."""
    while True:
        time.sleep(1)


def _check_places(**files: str | None) -> None:
    """Raise Misuse for the first file of an option that could not be written, before a run whose findings are lost."""
    from confsim.service.files.writing import check_place

    for name, file in files.items():
        if file is not None:
            check_place(file, f"--{name}")


def _remove_outdated(report: str | None) -> None:
    """Remove the report of an earlier run before the first request."""
    from confsim.service.files.writing import remove_outdated

    if report is not None:
        remove_outdated(report, "--report")


def _write_profile(output: str, text: str) -> None:
    from confsim.service.files.writing import replace_file

    replace_file(output, "--output", [text.encode()])


def _write_report(report: str, content: bytes) -> None:
    """Write a report, which is private: it has answers of a real service."""
    from confsim.service.files.writing import replace_file

    replace_file(report, "--report", [content], private=True)
