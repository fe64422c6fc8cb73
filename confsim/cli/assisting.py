"""The command that serves a world to coding assistants."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

import click

from .command import confsim, moment, option, shipped_scenarios, shipped_worlds
from .options import base_url

if TYPE_CHECKING:
    from confsim.transport.remote import RemoteTransport


#: Seconds in which a server is to show that it is there before the tools are served.
_PATIENCE = 5


@confsim.command(example="confsim mcp --base-url http://127.0.0.1:8080")
@base_url("Work on a world of this confsim server, not on one in this process.", default=None)
@option(
    "--world",
    default="demo",
    show_default=True,
    shell_complete=shipped_worlds,
    help="A shipped world by name, or the path of a file.",
)
@option(
    "--scenario",
    shell_complete=shipped_scenarios,
    help="A shipped scenario by name, or an Arazzo file: start from the world as it is after it.",
)
@option("--seed", default=0, show_default=True, type=int, help="Seed of ids and tokens.")
@option("--clock", help="Instant (ISO 8601 or epoch milliseconds) at which the clock stands.")
@option("--profile", type=click.Path(), help="Profile (TOML) that chooses alternatives of assumptions.")
def mcp(
    base_url: str | None, world: str, scenario: str | None, seed: int, clock: str | None, profile: str | None
) -> None:
    """Serve a world to a coding assistant: the Model Context Protocol over standard input and output.

    The tools find, describe and call operations, steer the world, and read the journal and the assumptions. Needs the
    extra: pip install 'confsim[mcp]'.
    """
    if find_spec("mcp") is None:
        raise click.ClickException("confsim mcp needs the SDK of the protocol: pip install 'confsim[mcp]'")
    if base_url is not None and (scenario is not None or seed or clock is not None or world != "demo"):
        raise click.ClickException("--base-url names a world that is there: leave --world, --scenario … away")
    from confsim.assistant.server import serve
    from confsim.assistant.tools import Tools
    from confsim.control.scenarios import direct, mount_url
    from confsim.service.files.profile import read_profile
    from confsim.simulator import Simulator
    from confsim.transport.remote import RemoteTransport

    chosen = read_profile(profile)
    if base_url is not None:
        root = mount_url(base_url, chosen)
        transport = RemoteTransport(root)
        _look_for(RemoteTransport(root, timeout=_PATIENCE))
        try:
            serve(Tools(transport, chosen))
        finally:
            transport.close()
    else:
        simulator = Simulator(world, seed, moment(clock), chosen, scenario)
        serve(Tools(direct(simulator.control.context), chosen))


def _look_for(transport: RemoteTransport) -> None:
    """Print on standard error when no server answers at the address of the tools, or none of confsim.

    The tools are served nevertheless, as the server may start later; until then each reports the same.
    """
    from confsim.kernel.refusal import Misuse
    from confsim.service.messages import Request

    try:
        status = transport.exchange(Request("GET", "/_confsim/health")).status
    except Misuse as error:
        click.echo(f"confsim mcp: {error}; tools that need it fail until it can be", err=True)
    else:
        if status != 200:
            url = f"{transport.root}/_confsim/health"
            click.echo(f"confsim mcp: {url} answers {status}: there is no world of confsim at --base-url", err=True)
    finally:
        transport.close()
