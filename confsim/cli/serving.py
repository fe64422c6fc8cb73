"""Commands that serve a world: ``serve`` until it is stopped, ``exec`` beside another command."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

import click

from confsim.version import __version__

from .command import confsim, moment, option
from .options import of_a_server
from .ports import failure
from .printing import plain

if TYPE_CHECKING:
    from ssl import SSLContext

    from confsim.control.holders import ClientInfo, TokenInfo
    from confsim.http.live.serving import Serving
    from confsim.service.clock import Clock
    from confsim.simulator import Simulator


@confsim.command(example="confsim serve --open")
@of_a_server(8080)
@option("-q", "--quiet", is_flag=True, help="Print no line for each call.", section="Output")
@option(
    "-v",
    "--verbose",
    is_flag=True,
    help="Print also calls that only look, queries and all assumptions.",
    section="Output",
)
@option(
    "--log-format",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Form of the lines for calls.",
    section="Output",
)
@option(
    "--watch",
    is_flag=True,
    help="Start again, at the same clock, when a file of profile, world or scenario changes.",
    section="World",
)
@option("--open", "opened", is_flag=True, help="Open the inspector in the browser.", section="Output")
def serve(quiet: bool, verbose: bool, log_format: str, watch: bool, opened: bool, **options: Any) -> None:
    """Serve a world over HTTP until Ctrl-C, SIGTERM or SIGHUP, and print a line for each call.

    A state directory continues where it stopped, with clocks, faults, limits, Host names and the public URL as they
    were; options that are given win, and journals start empty. It must be served with the world, seed, scenario and
    profile that it was created with. State files are those that GET /_confsim/state returns. At the limit on --worlds,
    a new world replaces the one that was idle for longest, if it was idle for a minute; else it is refused.
    """
    if watch and (options["state"] is not None or options["imported"] is not None):
        raise click.ClickException("--watch starts again from files: leave --state and --import away")
    with _served(**options) as (simulator, server, certificate):
        if not quiet:
            _log(server, verbose=verbose, as_json=log_format == "json")
        if watch:
            _watch(simulator, server, options)
        greet = _greeting_as_json if log_format == "json" else _greeting
        try:
            _run(server, lambda: greet(simulator, server, certificate), opened=opened)
        except OSError as error:
            raise failure(error, options["host"], options["port"]) from None


@confsim.command(
    "exec", example="confsim exec -- npx playwright test", context_settings={"allow_interspersed_args": False}
)
@of_a_server(0)
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
def exec_(command: tuple[str, ...], **options: Any) -> None:
    """Run a command beside a server of a world, on a free port, and stop the server with it.

    CONFSIM_URL holds the URL of the server for the command, CONFSIM_BASE_URL that of the API, and under --tls
    CONFSIM_TLS_CERT the path of the certificate. The exit code is that of the command: 128 plus the number of the
    signal that ended it, 127 for an unknown command.
    """
    with _served(**options) as (_, server, certificate):
        try:
            server.start()
        except OSError as error:
            raise failure(error, options["host"], options["port"]) from None
        reported = {"CONFSIM_URL": server.root, "CONFSIM_BASE_URL": server.base_url}
        if certificate is not None:
            reported["CONFSIM_TLS_CERT"] = certificate
        try:
            code = _attend(command, reported)
        finally:
            server.stop()
    sys.exit(code)


def _attend(command: Sequence[str], environment: dict[str, str]) -> int:
    """Run a command and return its exit code, as a shell would."""
    import os
    import signal
    import subprocess

    from confsim.http.live import signals

    child: subprocess.Popen[bytes] | None = None
    is_over = False

    def pass_on(number: int, _: object) -> None:
        nonlocal is_over
        is_over = True
        signals.note(number)
        if child is not None:
            child.send_signal(number)

    signal.signal(signal.SIGINT, lambda *_: None)  # Ctrl-C reaches the command as well
    for number in signals.ending():
        signal.signal(number, pass_on)
    try:
        child = subprocess.Popen(command, env={**os.environ, **environment})
    except OSError as error:
        click.echo(f"Error: {command[0]}: {error.strerror}", err=True)
        return 127 if isinstance(error, FileNotFoundError) else 126
    if is_over:  # the signal came before the command could get it
        child.terminate()
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
    public_url: str,
    allow_origin: tuple[str, ...],
    trust_proxy: bool,
    allow_webhooks: tuple[str, ...],
    worlds: int | None,
    journal: int | None,
    state: str | None,
    imported: str | None,
    export_on_exit: str | None,
    tls: bool,
    tls_cert: str | None,
    tls_key: str | None,
    coverage: str | None,
) -> Iterator[tuple[Simulator, Serving, str | None]]:
    """The world, its server (not started yet), and the certificate to trust if it is self-signed.

    At the end the world is stored as the options say.
    """
    if imported is not None and (scenario is not None or seed or world != "demo"):
        raise click.ClickException("--import brings the whole world: leave out --world, --scenario and --seed")
    if tls_key is not None and tls_cert is None:
        raise click.ClickException("--tls-key requires --tls-cert")
    with ExitStack() as stack:
        keep = stack.enter_context(_collected_by_ourselves())
        from confsim.simulator import Simulator

        if export_on_exit is not None:
            from confsim.service.files.state import FILE
            from confsim.service.files.writing import check_place

            check_place(export_on_exit, FILE)
        if coverage is not None:
            stack.enter_context(_counting(coverage, profile))
        simulator = Simulator(world if imported is None else "empty", seed, _clock(clock, frozen), profile, scenario)
        if imported is not None:
            simulator.load(imported)
        if state is not None:
            stack.enter_context(simulator.keep_in(state, scenario or ""))
        if worlds is not None:
            simulator.worlds.most = worlds
        if journal is not None:
            simulator.requests.most = journal
        with _certificate(tls, tls_cert, tls_key, (host, *name)) as (context, trusted):
            server = simulator.serve(host, port, name, allow_webhooks, public_url, context, allow_origin, trust_proxy)
            keep(server)
            yield simulator, server, trusted
        if export_on_exit is not None:
            simulator.save(export_on_exit)


@contextmanager
def _collected_by_ourselves() -> Iterator[Callable[[Serving], None]]:
    """In the block, garbage is collected by ``Collecting``; the block gets a function that attaches it to a server.

    Hardly any of the imported and loaded objects are garbage: examining them would take a tenth of the start.
    """
    import gc

    def keep(server: Serving) -> None:
        from .collecting import Collecting

        collecting = Collecting(server.worlds)
        gc.freeze()
        server.handle_through(collecting.around)
        server.on_tick(collecting.beat)
        server.worlds.observers.add(collecting)

    gc.disable()
    try:
        yield keep
    finally:
        gc.unfreeze()
        gc.enable()


@contextmanager
def _counting(file: str, profile: str | None) -> Iterator[None]:
    """Count coverage, and write the report at the end. Raises Misuse when it cannot be made or written.

    The report of an earlier run is removed before, so that it never stands for this one.
    """
    import json

    from confsim.control.coverage.collector import Collector
    from confsim.control.coverage.report import at_the_end, document
    from confsim.service.files.profile import read_profile
    from confsim.service.files.writing import remove_outdated, replace_file

    collector, chosen = Collector(), read_profile(profile)
    remove_outdated(file, "--coverage")
    collector.attach()
    try:
        yield
    finally:
        collector.detach()
        found = document(at_the_end(collector.counts, chosen, "--coverage"))
        replace_file(file, "--coverage", [json.dumps(found, indent=2).encode(), b"\n"])


@contextmanager
def _certificate(
    tls: bool, certificate: str | None, key: str | None, names: tuple[str, ...]
) -> Iterator[tuple[SSLContext | None, str | None]]:
    """The TLS context of the options (None without TLS), and the path of a self-signed certificate."""
    if certificate is None and not tls:
        yield None, None
        return
    from pathlib import Path
    from tempfile import TemporaryDirectory

    from confsim.http.live.certificate import context, write_self_signed

    if certificate is not None:
        yield context(certificate, key), None
        return
    with TemporaryDirectory(prefix="confsim-") as directory:
        made, private = write_self_signed(Path(directory), names)
        found = context(made, private)
        private.unlink()
        yield found, str(made)


def _log(server: Serving, *, verbose: bool, as_json: bool) -> None:
    """Print a line for each call of the server."""
    from .call_log import CallLog, terminal, write_line

    server.log_to(CallLog(server, write_line, verbose=verbose, as_json=as_json, **terminal()))


def _watch(simulator: Simulator, server: Serving, options: dict[str, Any]) -> None:
    """Restart the world when one of its files changes."""
    from .watching import Watch

    world, seed, profile, scenario = (options[name] for name in ("world", "seed", "profile", "scenario"))
    watch = Watch(simulator, world, seed, profile, scenario, lambda text: click.echo(text, err=True))
    if not watch.files:
        raise click.ClickException("--watch: neither --profile nor --world nor --scenario is a file; name one")
    server.on_tick(watch)


def _run(server: Serving, greet: Callable[[], str], *, opened: bool) -> None:
    from .call_log import write_line

    def ready() -> None:
        write_line(greet())
        if opened:
            _open_browser(f"{server.root}/_confsim/")

    server.run(ready)


def _open_browser(url: str) -> None:
    """Show a page in the browser, in a thread: some browsers block until they are closed."""
    import threading
    import webbrowser

    threading.Thread(target=webbrowser.open, args=(url,), daemon=True).start()


def _clock(at: str | None, frozen: bool) -> Clock | None:
    """Return the clock of the options; None leaves it to the profile."""
    from confsim.kernel.refusal import Misuse
    from confsim.service.clock import Clock

    if at is None and not frozen:
        return None
    try:
        clock = Clock(moment(at))
    except Misuse as misuse:
        raise Misuse(f"--clock: {misuse}") from None
    if frozen:
        clock.freeze()
    else:
        clock.resume()
    return clock.copy()


def _greeting(simulator: Simulator, server: Serving, certificate: str | None = None) -> str:
    """Return the description of the served world that ``serve`` prints."""
    clients, tokens = _clients_and_tokens(simulator)
    lines = [f"confsim {__version__} serves the world {simulator.service.provenance.made_from}", ""]
    lines += [f"  API            {server.base_url}", f"  control plane  {server.root}/_confsim"]
    lines += [f"  inspector      {server.root}/_confsim/ (in a browser)"]
    lines += [f"  certificate    {certificate}"] if certificate is not None else []
    for client in clients:
        lines += ["", f"{client.name}  {client.id}"]
        for token, holder in tokens.items():
            if holder.clientId == client.id:
                whose = "" if holder.userId is None else f"user {holder.userId}"
                lines.append(f"  {token:22} {holder.role:15} {whose}".rstrip())
    outputs = simulator.outputs
    if outputs:
        lines += ["", "outputs of the scenario"]
        lines += [f"  {name:22} {plain(value)}" for name, value in outputs.items()]
    of_users = [token for token, holder in tokens.items() if holder.userId is not None]
    if of_users:
        trust = f"--cacert {certificate} " if certificate is not None else ""
        lines += ["", f"curl {trust}{_curl_options(simulator, of_users[0])}{server.base_url}/users/me"]
    return "\n".join([*lines, "", "Ctrl-C stops."])


def _greeting_as_json(simulator: Simulator, server: Serving, certificate: str | None = None) -> str:
    """Return the same as one line of JSON, for a log in JSON."""
    clients, tokens = _clients_and_tokens(simulator)
    said = {
        "event": "serving",
        "version": __version__,
        "world": simulator.service.provenance.made_from,
        "api": server.base_url,
        "control": f"{server.root}/_confsim",
        "inspector": f"{server.root}/_confsim/",
        "certificate": certificate,
        "clients": clients,
        "tokens": tokens,
        "outputs": simulator.outputs,
    }
    return plain(said)


def _clients_and_tokens(simulator: Simulator) -> tuple[list[ClientInfo], dict[str, TokenInfo]]:
    from confsim.control.holders import clients_and_tokens

    return clients_and_tokens(simulator.service.change())


def _curl_options(simulator: Simulator, token: str) -> str:
    headers, query = simulator.presented(token)
    return "".join(f"-H '{name}: {value}' " for name, value in headers.items()) + "".join(
        f"-G -d '{name}={value}' " for name, value in query.items()
    )
