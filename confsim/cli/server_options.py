"""The common options of commands that serve a world."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import click

from .command import F, option, shipped_scenarios, shipped_worlds

_PATH = click.Path()
_NUMBER = click.IntRange(0)

_address = partial(option, section="Address")
_ADDRESS = (
    _address("-H", "--host", default="127.0.0.1", show_default=True, help="Address to bind."),
    _address("--name", multiple=True, help="A further Host name to accept."),
    _address("--public-url", default="", metavar="URL", help="Start of URLs in answers, such as that of a proxy."),
    _address(
        "--allow-origin",
        multiple=True,
        metavar="ORIGIN",
        help="An origin whose web pages may call, such as http://localhost:5173; * for all.",
    ),
    _address("--tls", is_flag=True, help="Speak HTTPS, with a certificate that the server signs itself."),
    _address("--tls-cert", type=_PATH, metavar="FILE", help="Speak HTTPS with this certificate (PEM)."),
    _address("--tls-key", type=_PATH, metavar="FILE", help="Its key, where the file of the certificate has none."),
)

_world = partial(option, section="World")
_WORLD = (
    _world(
        "--world",
        default="demo",
        show_default=True,
        shell_complete=shipped_worlds,
        help="A shipped world by name, or the path of a file.",
    ),
    _world(
        "--scenario",
        shell_complete=shipped_scenarios,
        help="A shipped scenario by name, or an Arazzo file: serve the world as it is after it.",
    ),
    _world("--profile", type=_PATH, help="Profile (TOML) that chooses alternatives of assumptions."),
    _world("--seed", default=0, show_default=True, type=int, help="Seed of ids and tokens."),
    _world("--clock", help="Instant (ISO 8601 or epoch milliseconds) at which the clock starts."),
    _world("--frozen", is_flag=True, help="Freeze the clock."),
)

_limits = partial(option, section="Limits")
_LIMITS = (
    _limits(
        "--allow-webhooks", multiple=True, metavar="HOST", help="A host beside loopback that webhooks may be sent to."
    ),
    _limits("--worlds", type=_NUMBER, metavar="N", help="Limit on worlds beside the first.  [10000]"),
    _limits("--journal", type=_NUMBER, metavar="N", help="Calls that the journal of a world keeps.  [1000]"),
)

_storage = partial(option, section="Storage")
_STORAGE = (
    _storage(
        "--state", type=_PATH, metavar="DIR", help="Store the worlds there; every answered change survives kill -9."
    ),
    _storage("--import", "imported", type=_PATH, metavar="FILE", help="Start from a state file, not a --world."),
    _storage("--export-on-exit", type=_PATH, metavar="FILE", help="Write the state to this file on exit."),
)
_COVERAGE = option(
    "--coverage",
    type=_PATH,
    metavar="FILE",
    help="Count what calls meet of the API, and write the report (JSON) to this file on exit.",
    section="Output",
)


def _port(default: int) -> Callable[[F], F]:
    return _address(
        "-p",
        "--port",
        default=default,
        show_default=True,
        type=click.IntRange(0, 65535),
        help="Port to listen on; 0 takes a free one.",
    )


def of_a_server(port: int) -> Callable[[F], F]:
    """Return the options of a command that serves a world; ``port`` is the default port."""

    def decorate(function: F) -> F:
        host, *address = _ADDRESS
        for each in reversed((host, _port(port), *address, *_WORLD, *_LIMITS, *_STORAGE, _COVERAGE)):
            function = each(function)
        return function

    return decorate
