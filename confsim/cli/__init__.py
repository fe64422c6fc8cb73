"""The command line. Exit codes: 0 success, 1 wrong usage or failure, 2 drift between a server and its expected answers.

All modules but click are imported by the command that needs them, and the module of a command when it is called, so
that each command starts fast.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Any

import click

from .command import confsim, ending_with_its_reader

__all__ = ["confsim", "main"]

#: The modules of commands and what they declare, by the section of the help that lists them.
_SECTIONS = {
    "Serve a world": {"serving": "serve exec"},
    "Use a running server": {
        "live.calling": "call",
        "live.following": "tail",
        "live.steering": "clock fault join reset",
        "live.listening": "listen",
    },
    "Scenarios and recordings": {"running": "run", "replaying": "bundle replay"},
    "Look up": {"listing": "operations assumptions machines openapi", "explaining": "explain guide reference"},
    "Learn from a real service": {"learning": "verify calibrate observe", "campaigns": "campaign"},
    "Tools": {"assisting": "mcp", "listing": "completion"},
}
for _section, _modules in _SECTIONS.items():
    for _module, _names in _modules.items():
        confsim.declared_in(f"{__name__}.{_module}", _section, *_names.split())


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit."""
    from confsim.kernel.refusal import Misuse

    with ending_with_its_reader():
        try:
            confsim.main(arguments, prog_name="confsim", standalone_mode=False, default_map=_settings())
        except click.MissingParameter as error:
            _with_help(error).show()
            sys.exit(1)
        except click.ClickException as error:
            error.show()
            sys.exit(1)
        except (click.Abort, KeyboardInterrupt):
            sys.exit(1)
        except Misuse as misuse:
            click.echo(f"Error: {misuse}", err=True)
            sys.exit(1)


def _with_help(error: click.MissingParameter) -> click.MissingParameter:
    """Return the error for a missing option with its help, and for a missing argument with the example."""
    example = getattr(error.ctx and error.ctx.command, "example", "")
    text = getattr(error.param, "help", None) or f"For example: {example}"
    return click.MissingParameter(text, error.ctx, error.param, error.param_hint, error.param_type)


def _settings() -> dict[str, Any]:
    """Return the defaults in the pyproject.toml of the project. Raises Misuse for a mistake in it."""
    from pathlib import Path

    from . import settings

    for line in settings.unknown_variables(os.environ, confsim):
        click.echo(f"Warning: {line}", err=True)
    try:
        here = Path.cwd()
    except OSError:  # it was removed
        return {}
    file = settings.find(here)
    return {} if file is None else settings.defaults(file, confsim)
