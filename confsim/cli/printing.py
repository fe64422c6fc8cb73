"""The output of commands: JSON, tables, long texts through a pager, progress."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

import click

T = TypeVar("T")


def print_json(value: Any) -> None:
    """Print a value as indented JSON."""
    import msgspec

    click.echo(msgspec.json.format(msgspec.json.encode(value, enc_hook=str), indent=2))


def plain(value: Any) -> str:
    """Return a value as JSON on one line."""
    import msgspec

    return msgspec.json.encode(value, enc_hook=str).decode()


def printable(text: str) -> str:
    """Return a text of a service in a form that controls no terminal."""
    return "".join(
        each if each.isprintable() or each in "\n\t" else each.encode("unicode_escape").decode() for each in text
    )


def table(columns: tuple[str, ...], rows: Iterable[tuple[str, ...]], width: int | None = None) -> list[str]:
    """Return the lines of a table, its heading first.

    With a ``width`` (in characters), the widest column is wrapped between words; no word is ever broken. Where that is
    not enough, each row becomes a block of lines: its first cell, and below it every other cell after its column.
    """
    from rich import measure, table as tables
    from rich.console import Console
    from rich.text import Text

    rows = list(rows)
    cells = [list(map(Text, row)) for row in (columns, *rows)]
    widest = max(range(len(columns)), key=lambda place: max(row[place].cell_len for row in cells))
    shown = tables.Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="")
    for place, title in enumerate(cells[0]):
        whole = place != widest
        words = ([row[place]] if whole else row[place].split() for row in cells)
        least = max((word.cell_len for found in words for word in found), default=0)
        shown.add_column(title, no_wrap=whole, min_width=least)
    for row in cells[1:]:
        shown.add_row(*row)
    console = Console(width=sys.maxsize, color_system=None, legacy_windows=False)
    needed = measure.Measurement.get(console, console.options, shown)
    if width is not None and width < needed.minimum:
        return [line for row in rows for line in _block(columns, row, width)]
    console.width = needed.maximum if width is None else width
    with console.capture() as captured:
        console.print(shown)
    return [line.rstrip() for line in captured.get().splitlines()]


def _block(columns: tuple[str, ...], row: tuple[str, ...], width: int) -> list[str]:
    """Return a row of a table as lines: the first cell, and each other cell that is not empty after its column."""
    from textwrap import wrap

    indent = max(map(len, columns[1:]), default=0) + 4
    lines = [row[0]]
    for column, cell in zip(columns[1:], row[1:], strict=True):
        start = f"  {column}".ljust(indent)
        lines += wrap(
            cell,
            max(width, 40),
            initial_indent=start,
            subsequent_indent=" " * indent,
            break_long_words=False,
            break_on_hyphens=False,
        )
    return lines


def terminal_width() -> int | None:
    """Return the columns of the terminal at standard output, None when it is not a terminal."""
    from shutil import get_terminal_size  # it imports archives of every kind

    return get_terminal_size().columns if sys.stdout.isatty() else None


def wrapped(line: str) -> list[str]:
    """A line, broken where the terminal ends; styled ones are to be styled after it."""
    from textwrap import wrap

    width = terminal_width()
    return [line] if width is None or not line else wrap(line, max(width, 40), break_on_hyphens=False)


def print_lines(lines: Iterable[str]) -> None:
    """Print lines; through a pager when they do not fit the terminal."""
    if not sys.stdout.isatty():
        for line in lines:
            click.echo(line)
        return
    from shutil import get_terminal_size

    found = list(lines)
    if len(found) < get_terminal_size().lines:
        click.echo("\n".join(found))
    else:
        os.environ.setdefault("LESS", "-R")  # keep colours
        click.echo_via_pager("\n".join(found) + "\n")


@contextmanager
def progress(items: Sequence[T], label: str) -> Iterator[Iterable[T]]:
    """Yield the items and show the progress on standard error, if that is a terminal."""
    if len(items) < 2 or not sys.stderr.isatty():
        yield items
        return
    with click.progressbar(items, label=label, file=sys.stderr) as bar:
        yield bar


def heading(text: str) -> str:
    """Return a text highlighted for a terminal."""
    return click.style(text, bold=True) if sys.stdout.isatty() and "NO_COLOR" not in os.environ else text


def print_table(columns: tuple[str, ...], rows: Iterable[tuple[str, ...]], *below: str) -> None:
    """Print rows in columns that fit the terminal, and the lines ``below`` them."""
    first, *rest = table(columns, rows, terminal_width())
    print_lines([heading(first), *rest, *below])
