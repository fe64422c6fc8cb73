"""Commands that explain names, and print the guides and the reference."""

from __future__ import annotations

import re
import sys
from contextlib import suppress
from itertools import groupby
from typing import TYPE_CHECKING

import click

from .command import confsim, option
from .printing import heading, print_json, print_lines, table, terminal_width, wrapped

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from confsim.control.explaining import Explanation
    from confsim.simulator import Simulator


def _names(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the names for shell completion."""
    from click.shell_completion import CompletionItem

    from confsim.control import catalogue  # noqa: F401 its modules declare what has a name
    from confsim.control.explaining import names

    return [CompletionItem(name) for name in names() if name.startswith(incomplete)]


@confsim.command(example="confsim explain reserve_handle")
@click.argument("name", nargs=-1, required=True, shell_complete=_names)
@option("--profile", type=click.Path(), help="Profile (TOML) that determines routes and values.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def explain(name: tuple[str, ...], profile: str | None, as_json: bool) -> None:
    """Explain names: R094, G353, auth.presentation, reserve_handle, handle_taken, lobby door, P1 L236, 409, exit 2.

    A name is that of a rule, a gap, an assumption, an operation, a state machine, a refusal or its code, a place in the
    documents, a status or an exit code. For a part of names it lists those that are near, and exits with 1.
    """
    from confsim.control.explaining import NEAR
    from confsim.simulator import Simulator

    simulator = Simulator("empty", profile=profile)
    found = _explained(simulator, name)
    if as_json:
        print_json(found)
    else:
        lines: list[str] = []
        for each in found:
            lines += [f"{heading(each.name)}: {each.kind}", "", *_wrapped(each.text), ""]
        print_lines(lines[:-1])
    if any(each.kind == NEAR for each in found):
        sys.exit(1)


def _explained(simulator: Simulator, names: tuple[str, ...]) -> list[Explanation]:
    """Return the explanation of each name, or of all of them as the words of one: P1 L236, lobby door."""
    from confsim.control.explaining import NEAR
    from confsim.kernel.refusal import Misuse

    if len(names) > 1:
        with suppress(Misuse):
            whole = simulator.control("get_explanation", " ".join(names))
            if whole.kind != NEAR:
                return [whole]
    return [simulator.control("get_explanation", each) for each in names]


def _wrapped(text: str) -> list[str]:
    """Return the lines of a Markdown text, wrapped to the terminal: tables in columns; code is unchanged."""
    width = terminal_width()
    if width is None:
        return text.splitlines()
    found: list[str] = []
    code = False
    for is_table, lines in groupby(text.splitlines(), lambda line: line.startswith("|")):
        if is_table and not code:
            first, _, *rows = (tuple(_cells(line)) for line in lines)
            begin, *others = table(first, rows, width)
            found += [heading(begin), *others]
            continue
        for line in lines:
            fence = line.startswith("```")
            code = code is not fence
            found += [line] if code or fence else wrapped(line)
    return found


def _cells(row: str) -> list[str]:
    """Return the cells of a row of a Markdown table."""
    return [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", row.strip().strip("|"))]


@confsim.command(example="confsim guide faults")
@click.argument("name", required=False, shell_complete=lambda *given: _guides(given[2]))
def guide(name: str | None) -> None:
    """Print a guide, in Markdown. Without a name, list the guides."""
    from confsim import guides

    if name is None:
        return print_lines(f"{heading(each.name):12}  {each.title}" for each in guides.list_())
    try:
        found = guides.get(name)
    except KeyError as error:
        raise click.ClickException(str(error.args[0])) from None
    return print_lines(_wrapped(found.text))


def _guides(incomplete: str) -> list[str]:
    from confsim import guides

    return [each.name for each in guides.list_() if each.name.startswith(incomplete)]


@confsim.command(example="confsim reference world-files")
@click.argument("name", required=False, shell_complete=lambda *given: _pages(given[2]))
def reference(name: str | None) -> None:
    """Print a page of the reference, in Markdown. Without a name, list the pages.

    Operations, assumptions and machines have commands of their own.
    """
    from confsim.inspector import manual

    if name is None:
        return print_lines(f"{heading(each):15}  {title}" for each, (title, _) in manual.REFERENCE.items())
    return print_lines(_wrapped(manual.reference(name)))


def _pages(incomplete: str) -> list[str]:
    from confsim.inspector import manual

    return [each for each in manual.REFERENCE if each.startswith(incomplete)]
