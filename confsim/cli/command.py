"""The group of commands, options with environment variables, and functions that print."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])


def option(*names: str, **attributes: Any) -> Callable[[F], F]:
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


def print_json(value: Any) -> None:
    """Print a value as indented JSON."""
    import msgspec

    click.echo(msgspec.json.format(msgspec.json.encode(value, enc_hook=str), indent=2))


def moment(text: str | None) -> int | str | None:
    """Parse the instant of an option: epoch milliseconds as a number, any other text unchanged."""
    return int(text) if text is not None and text.isdecimal() and text.isascii() else text


def plain(value: Any) -> str:
    """A value as JSON on one line."""
    import msgspec

    return msgspec.json.encode(value, enc_hook=str).decode()


def print_table(columns: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> None:
    """Print rows in columns as wide as their widest cell."""
    lines = [columns, *rows]
    widths = [max(len(line[place]) for line in lines) for place in range(len(columns) - 1)]
    for line in lines:
        cells = [cell.ljust(width) for cell, width in zip(line, widths, strict=False)]
        click.echo("  ".join([*cells, line[-1]]).rstrip())
