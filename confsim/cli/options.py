"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import click

from .command import SERVED, F, RealNumber, WholeNumber, option, shipped_scenarios, shipped_worlds, together

_PATH = click.Path()
_NUMBER = WholeNumber(0)

_address = partial(option, section="Address")
_ADDRESS = (
    _address("-H", "--host", default="127.0.0.1", show_default=True, help="Address to bind."),
    _address("--name", multiple=True, help="Further Host name to accept."),
    _address("--public-url", default="", metavar="URL", help="Start of URLs in answers, such as that of a proxy."),
    _address(
        "--allow-origin",
        multiple=True,
        metavar="ORIGIN",
        help="Origin whose web pages may call, such as http://localhost:5173; * for all.",
    ),
    _address(
        "--trust-proxy",
        is_flag=True,
        help="Start URLs in answers as X-Forwarded-Proto, -Host, -Port and -Prefix of a request say.",
    ),
    _address("--tls", is_flag=True, help="Speak HTTPS, with a certificate that the server signs itself."),
    _address("--tls-cert", type=_PATH, metavar="FILE", help="Speak HTTPS with this certificate (PEM)."),
    _address("--tls-key", type=_PATH, metavar="FILE", help="Private key (PEM), if the certificate file has none."),
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
        "--allow-webhooks", multiple=True, metavar="HOST", help="Host beside loopback that webhooks may be sent to."
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
    help="Count what calls cover of the API, and write the report (JSON) to this file on exit.",
    section="Output",
)


def _port(default: int) -> Callable[[F], F]:
    return _address(
        "-p",
        "--port",
        default=default,
        show_default=True,
        type=WholeNumber(0, 65535),
        help="Port to listen on; 0 takes a free one.",
    )


def of_a_server(port: int) -> Callable[[F], F]:
    """Return the options of a command that serves a world; ``port`` is the default port."""
    host, *address = _ADDRESS
    return together(host, _port(port), *address, *_WORLD, *_LIMITS, *_STORAGE, _COVERAGE)


#: What names a world of a server.
_ANY_WORLD = "Server, one of its worlds (/w/NAME), or its API (/v1_0)."


def base_url(text: str = _ANY_WORLD, **attributes: Any) -> Callable[[F], F]:
    """Return the option that names the server of a command: without other ``attributes`` that of ``confsim serve``."""
    chosen = attributes or {"default": SERVED, "show_default": True}
    return option("--base-url", metavar="URL", help=text, section="Server", **chosen)


def caller(**attributes: Any) -> Callable[[F], F]:
    """Return the option that says as whom a command acts."""
    text = "Caller: a role such as owner, a token, or the id of a user."
    return option("--as", "caller", metavar="WHO", help=text, section="Server", **attributes)


_service = partial(option, section="Service")
#: The base URL of a real service, and the accounts there.
SERVICE_URL = "Base URL of the API of the service, which usually ends in /v1_0."
ACCOUNTS = "Accounts file (TOML): [client] id, [tokens] by role."


def of_a_service(*, url: str = "--base-url", is_required: bool = True) -> Callable[[F], F]:
    """Return the options that name a real service; ``url`` is the option of its base URL."""
    more = "" if is_required else " (only for `campaign verify`)"
    return together(
        _service(url, required=is_required, metavar="URL", help=SERVICE_URL.removesuffix(".") + f"{more}."),
        _service("--accounts", required=is_required, type=_PATH, help=ACCOUNTS.removesuffix(".") + f"{more}."),
    )


def of_a_run(examples: int) -> Callable[[F], F]:
    """Return the options of a run that drives journeys through a real service; ``examples`` is their default number."""
    return together(
        option("--examples", default=examples, show_default=True, type=WholeNumber(1), help="Number of journeys."),
        option("--seed", default=0, show_default=True, type=int, help="Seed of the journeys."),
        REPORT,
        option("--max-requests", type=WholeNumber(1), metavar="N", help="Maximum number of requests."),
        option("--rate", type=RealNumber(0, min_open=True), metavar="N", help="Maximum requests per second."),
        click.option("--phones", is_flag=True, help="Let the service call phones, at numbers reserved for fiction."),
        click.option("--dry-run", is_flag=True, help="Show the calls and their accounts; send nothing."),
    )


REPORT = option("--report", type=_PATH, help="File (JSON) for the report.")
