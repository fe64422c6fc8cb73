"""The command line. Exit codes: 0 success, 1 wrong usage or failure, 2 drift between a server and its expected answers.

All modules but click are imported by the command that needs them, so that each command starts fast.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import click

from . import assisting, campaigns, explaining, learning, listing, replaying, running, serving
from .command import confsim, ending_with_its_reader

__all__ = [
    "assisting",
    "campaigns",
    "confsim",
    "explaining",
    "learning",
    "listing",
    "main",
    "replaying",
    "running",
    "serving",
]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit."""
    from confsim.kernel.refusal import Misuse

    with ending_with_its_reader():
        try:
            confsim.main(arguments, prog_name="confsim", standalone_mode=False, default_map=_settings())
        except click.ClickException as error:
            error.show()
            sys.exit(1)
        except (click.Abort, KeyboardInterrupt):
            sys.exit(1)
        except Misuse as misuse:
            click.echo(f"Error: {misuse}", err=True)
            sys.exit(1)


def _settings() -> dict[str, Any]:
    """Return the defaults in the pyproject.toml of the project. Raises Misuse for a mistake in it."""
    from pathlib import Path

    from . import settings

    file = settings.find(Path.cwd())
    return {} if file is None else settings.defaults(file, confsim)
