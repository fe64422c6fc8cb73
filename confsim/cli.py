"""The command line. Exit codes: 0 as asked, 1 wrongly used or not possible, 2 drift between what is and what should be.

Everything but click is imported by the command that needs it, so that each starts fast.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from confsim.arazzo.report import Report
    from confsim.control.control import Control
    from confsim.http.serving import Serving
    from confsim.service.clock import Clock
    from confsim.simulator import Simulator

F = TypeVar("F", bound=Callable[..., Any])


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit."""
    from confsim.kernel.refusal import Misuse

    try:
        confsim.main(arguments, prog_name="confsim", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        sys.exit(1)
    except (click.Abort, KeyboardInterrupt):
        sys.exit(1)
    except Misuse as misuse:
        click.echo(f"Error: {misuse}", err=True)
        sys.exit(1)


def _option(*names: str, **attributes: Any) -> Callable[[F], F]:
    """An option with an environment variable: CONFSIM_PORT, or CONFSIM_SERVE_PORT for one command alone."""
    word = next(name for name in names if name.startswith("--")).removeprefix("--").replace("-", "_").upper()

    def decorate(function: F) -> F:
        variables = [f"CONFSIM_{function.__name__.rstrip('_').upper()}_{word}", f"CONFSIM_{word}"]
        return click.option(*names, envvar=variables, show_envvar=True, **attributes)(function)

    return decorate


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="confsim", message="confsim %(version)s")
def confsim() -> None:
    """Simulate a multi-tenant web-conferencing REST API."""


def _of_a_server(port: int) -> Callable[[F], F]:
    """The options of what is served; ``port`` is the one that is taken by default."""
    path = click.Path()
    number = click.IntRange(0)
    options = (
        _option("-H", "--host", default="127.0.0.1", show_default=True, help="Address to bind."),
        _option("-p", "--port", default=port, show_default=True, type=click.IntRange(0, 65535), help="0: a free one."),
        _option("--world", default="demo", show_default=True, help="A shipped world by name, or the path of a file."),
        _option("--scenario", help="A shipped scenario by name, or an Arazzo file: serve the world as it is after it."),
        _option("--profile", type=path, help="Profile (TOML) that chooses alternatives of assumptions."),
        _option("--seed", default=0, show_default=True, type=int, help="Seed of every id and token."),
        _option("--clock", help="Instant (ISO 8601 or epoch milliseconds) at which the clock starts."),
        _option("--frozen", is_flag=True, help="Let the clock stand still."),
        _option("--name", multiple=True, help="A further Host name to answer to."),
        _option("--allow-webhooks", multiple=True, metavar="HOST", help="A host beside loopback that webhooks reach."),
        _option("--worlds", type=number, metavar="N", help="Worlds that there may be beside the first.  [10000]"),
        _option("--journal", type=number, metavar="N", help="Calls that the journal of a world keeps.  [1000]"),
        _option("--state", type=path, metavar="DIR", help="Keep the worlds there: what was answered outlives kill -9."),
        _option("--import", "imported", type=path, metavar="FILE", help="Start from a state file, not a --world."),
        _option("--export-on-exit", type=path, metavar="FILE", help="Write the state to this file when it stops."),
    )

    def decorate(function: F) -> F:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


@confsim.command()
@_of_a_server(8080)
def serve(**told: Any) -> None:
    """Serve a world over HTTP until Ctrl-C or SIGTERM.

    A state directory goes on as it was left, its clock included; it takes the world, seed, scenario and profile that it
    was begun with. State files are what GET /_confsim/state gives. When there are as many --worlds as may be, the one
    that was idle for longest makes room for another, if that was for a minute; else the other is refused.
    """
    with _served(**told) as (simulator, server):
        _run(simulator, server)


@confsim.command("exec", context_settings={"allow_interspersed_args": False})
@_of_a_server(0)
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
def exec_(command: tuple[str, ...], **told: Any) -> None:
    """Run a command beside a server of a world, on a free port, and stop the server with it.

    The command finds the address of the server in CONFSIM_URL, and where the API stands in CONFSIM_BASE_URL. Exit code
    is that of the command: 128 and the number of the signal that ended it, 127 when there is no such command.
    """
    with _served(**told) as (_, server):
        try:
            server.start()
        except OSError as error:
            raise click.ClickException(str(error.strerror or error)) from None
        try:
            code = _attend(command, {"CONFSIM_URL": server.root, "CONFSIM_BASE_URL": server.base_url})
        finally:
            server.stop()
    sys.exit(code)


def _attend(command: Sequence[str], environment: dict[str, str]) -> int:
    """Run a command to its end, and answer its exit code as a shell tells it."""
    import os
    import signal
    import subprocess

    try:
        child = subprocess.Popen(command, env={**os.environ, **environment})
    except OSError as error:
        click.echo(f"Error: {command[0]}: {error.strerror}", err=True)
        return 127 if isinstance(error, FileNotFoundError) else 126
    signal.signal(signal.SIGINT, lambda *_: None)  # Ctrl-C reaches the command too, and is its own affair
    signal.signal(signal.SIGTERM, lambda *_: child.terminate())
    code = child.wait()
    return code if code >= 0 else 128 - code


@contextmanager
def _served(
    *,
    host: str,
    port: int,
    world: str,
    scenario: str | None,
    profile: str | None,
    seed: int,
    clock: str | None,
    frozen: bool,
    name: tuple[str, ...],
    allow_webhooks: tuple[str, ...],
    worlds: int | None,
    journal: int | None,
    state: str | None,
    imported: str | None,
    export_on_exit: str | None,
) -> Iterator[tuple[Simulator, Serving]]:
    """A world and its server, yet to be started; at the end the world is kept as the options say."""
    from confsim.service.state import check_place
    from confsim.simulator import Simulator

    if imported is not None and (scenario is not None or seed or world != "demo"):
        raise click.ClickException("--import brings the whole world: leave --world, --scenario and --seed away")
    if export_on_exit is not None:
        check_place(export_on_exit)
    simulator = Simulator(world if imported is None else "empty", seed, _clock(clock, frozen), profile, scenario)
    if imported is not None:
        simulator.load(imported)
    if worlds is not None:
        simulator.worlds.most = worlds
    if journal is not None:
        simulator.requests.most = journal
    with nullcontext() if state is None else simulator.keep_in(state, scenario or ""):
        yield simulator, simulator.serve(host, port, name, allow_webhooks)
        if export_on_exit is not None:
            simulator.save(export_on_exit)


def _run(simulator: Simulator, server: Serving) -> None:
    import gc

    gc.collect()
    gc.freeze()  # what is there now stays; the collector need not look at it again
    gc.set_threshold(20_000, 20, 100)
    try:
        server.run(lambda: click.echo(_greeting(simulator, server)))
    except OSError as error:
        raise click.ClickException(str(error.strerror or error)) from None


def _clock(at: str | None, frozen: bool) -> Clock:
    from confsim.service.clock import Clock

    clock = Clock() if at is None else Clock(int(at) if at.isdigit() else at)
    if frozen:
        clock.freeze()
    else:
        clock.resume()
    return clock.copy()


def _greeting(simulator: Simulator, server: Serving) -> str:
    """What to know about a world that is served."""
    from confsim.control.info import get_info

    info = get_info(simulator.control)
    lines = [f"confsim {info.version} serves the world {info.world}", ""]
    lines += [f"  API            {server.base_url}", f"  control plane  {server.root}/_confsim"]
    for client in info.clients:
        lines += ["", f"{client.name}  {client.id}"]
        for token, holder in info.tokens.items():
            if holder.clientId == client.id:
                whose = "" if holder.userId is None else f"user {holder.userId}"
                lines.append(f"  {token:22} {holder.role:15} {whose}".rstrip())
    outputs = simulator.outputs
    lines += ["", *(f"  {name:22} {_plain(value)}" for name, value in outputs.items())] if outputs else []
    shown = next((token for token, holder in info.tokens.items() if holder.userId is not None), None)
    if shown is not None:
        lines += ["", f"curl {_presented(simulator, shown)}{server.base_url}/users/me"]
    return "\n".join([*lines, "", "Ctrl-C stops."])


def _presented(simulator: Simulator, token: str) -> str:
    headers, query = simulator.presented(token)
    return "".join(f"-H '{name}: {value}' " for name, value in headers.items()) + "".join(
        f"-G -d '{name}={value}' " for name, value in query.items()
    )


@confsim.command()
@click.argument("scenario", nargs=-1)
@_option("--base-url", help="Run against this server (where its API stands), not in this process.")
@_option("--world", default="demo", show_default=True, help="The world to run in, in this process.")
@_option("--seed", default=0, show_default=True, type=int, help="Seed of every id and token, in this process.")
@_option("--clock", help="Instant (ISO 8601 or epoch milliseconds) at which the clock stands, in this process.")
@_option("--profile", type=click.Path(), help="Profile (TOML): routes and presentation of tokens follow it.")
@click.option("--input", "inputs", multiple=True, metavar="NAME=VALUE", help="An input of the workflows.")
@click.option("-q", "--quiet", is_flag=True, help="Tell only of what failed.")
def run(
    scenario: tuple[str, ...],
    base_url: str | None,
    world: str,
    seed: int,
    clock: str | None,
    profile: str | None,
    inputs: tuple[str, ...],
    quiet: bool,
) -> None:
    """Run scenarios: shipped ones by name, or Arazzo files. Without any, list those that ship.

    Each runs in a world of its own in this process; with --base-url all run on that server, one after the other.
    Exit 0 when all passed, 1 when one failed or cannot be run, 2 when the server's answers differ from what it says.
    """
    if not scenario:
        return _list_scenarios()
    from contextlib import closing

    from confsim.arazzo.remote import Http
    from confsim.arazzo.runner import run as run_plan
    from confsim.control.scenarios import mount, planned, play
    from confsim.service.profiles import read_profile
    from confsim.simulator import Simulator

    chosen = read_profile(profile)
    given = dict(map(_input, inputs))
    plans = [planned(each, chosen) for each in scenario]
    reports: list[Report] = []
    for plan in plans:
        if base_url is None:
            simulator = Simulator(world, seed, int(clock) if clock and clock.isdigit() else clock, chosen)
            report = play(plan, simulator.control, given)
        else:
            with closing(Http(mount(base_url, chosen))) as way:
                report = run_plan(plan, way, given)
        _tell(report, quiet)
        reports.append(report)
    if not all(report.passed for report in reports):
        sys.exit(1 if base_url is None else 2)
    return None


def _list_scenarios() -> None:
    from confsim.arazzo import library

    rows = [(name, library.load(name).info.summary) for name in library.shipped()]
    _table(("scenario", "what it is about"), rows)


def _input(text: str) -> tuple[str, Any]:
    """NAME=VALUE, where the value is JSON, or else a text."""
    import msgspec

    name, mark, value = text.partition("=")
    if not mark:
        raise click.ClickException(f"--input {text!r} is not of the form NAME=VALUE")
    try:
        return name, msgspec.json.decode(value)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return name, value


def _tell(report: Report, quiet: bool) -> None:
    """What came of a scenario: its steps, and in full the one that failed it."""
    if not quiet or not report.passed:
        click.echo(f"{report.name}: {'passed' if report.passed else 'FAILED'}")
    for result in report.results if not quiet else ():
        click.echo(f"  {result.line()}")
    if report.failure is not None:
        click.echo(report.failure.told())
    elif not quiet:
        for name, value in report.outputs.items():
            click.echo(f"  {name} = {_plain(value)}")


@confsim.command()
@_option("--profile", type=click.Path(), help="Profile (TOML) under which to show them.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def operations(profile: str | None, as_json: bool) -> None:
    """List every operation: name, route, source, who may call it, the rules it answers for."""
    from confsim.control.info import list_operations

    found = list_operations(_control(profile))
    if as_json:
        return _json(found)
    rows = [(each.name, f"{each.method} {each.path}", each.source, each.gate, " ".join(each.rules)) for each in found]
    return _table(("name", "route", "source", "gate", "rules"), rows)


@confsim.command()
@_option("--profile", type=click.Path(), help="Profile (TOML) whose choices to show.")
@click.option("--operation", help="Only those that touch this operation.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def assumptions(profile: str | None, operation: str | None, as_json: bool) -> None:
    """List what the documents leave open: id, gaps, statement, what is in force, alternatives."""
    from confsim.control.info import list_assumptions

    found = list_assumptions(_control(profile), operation=operation)
    if as_json:
        return _json(found)
    for each in found:
        click.echo(f"{each.id}  [{' '.join(each.gaps)}]")
        click.echo(f"    {each.statement}")
        click.echo(f"    default {_plain(each.default)}")
        if each.value != each.default:
            click.echo(f"    chosen  {_plain(each.value)}")
        if each.alternatives:
            click.echo(f"    or      {', '.join(map(_plain, each.alternatives))}")
    return None


@confsim.command()
@click.option("--mermaid", metavar="NAME", help="The diagram of this machine, in Mermaid.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def machines(mermaid: str | None, as_json: bool) -> None:
    """Show the state machines as tables."""
    from confsim.api.call import API
    from confsim.kernel.machine import Machine

    API.operations  # noqa: B018  (their modules declare the machines)
    declared = Machine.declared
    if mermaid is not None:
        if mermaid not in declared:
            raise click.ClickException(f"there is no machine {mermaid!r}; there are {', '.join(declared)}")
        return click.echo(declared[mermaid].mermaid())
    if as_json:
        return _json({name: {"title": each.title, "rows": each.table()} for name, each in declared.items()})
    for name, each in declared.items():
        click.echo(f"{name}: {each.title}")
        columns = ("when", "on", "only if", "then", "effect", "source")
        _table(columns, [tuple(row[column] for column in columns) for row in each.table()])
        click.echo()
    return None


@confsim.command()
@click.option("--control", is_flag=True, help="The control plane's document in place of the API's.")
@_option("--profile", type=click.Path(), help="Profile (TOML) under which to describe the API.")
def openapi(control: bool, profile: str | None) -> None:
    """Print the OpenAPI document."""
    from confsim.api.files import api_document
    from confsim.control.info import control_document

    click.echo(control_document() if control else api_document(_control(profile).service.profile))


def _control(profile: str | None) -> Control:
    from confsim.simulator import Simulator

    return Simulator("empty", profile=profile).control


def _json(value: Any) -> None:
    import msgspec

    click.echo(msgspec.json.format(msgspec.json.encode(value, enc_hook=str), indent=2))


def _plain(value: Any) -> str:
    import msgspec

    return msgspec.json.encode(value, enc_hook=str).decode()


def _table(columns: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> None:
    """Print rows in columns as wide as their widest cell; the last takes what it needs."""
    lines = [columns, *rows]
    widths = [max(len(line[place]) for line in lines) for place in range(len(columns) - 1)]
    for line in lines:
        cells = [cell.ljust(width) for cell, width in zip(line, widths, strict=False)]
        click.echo("  ".join([*cells, line[-1]]).rstrip())
