"""The group of commands, options with environment variables, and functions that print."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])
#: Spaces between two columns, and the least width of a narrowed one.
_GAP, _NARROWEST = 2, 8


#: The exit code of a command whose output nobody reads to its end, as shells report it: 128 plus that of SIGPIPE.
CLOSED_PIPE = 141


@contextmanager
def ending_with_its_reader() -> Iterator[None]:
    """Exit quietly once nobody reads what is printed, as in ``confsim operations | head -1``."""
    try:
        yield
    except BrokenPipeError:
        for each in (sys.stdout, sys.stderr):  # what is left in a buffer has to go somewhere when Python ends
            with suppress(OSError, ValueError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), each.fileno())
        sys.exit(CLOSED_PIPE)


@contextmanager
def ending_in_order() -> Iterator[None]:
    """Raise KeyboardInterrupt in the block at SIGTERM and SIGHUP, as Python does at Ctrl-C.

    A second signal within one second is ignored: who ends a group of processes may send it twice. No effect outside the
    main thread, which alone gets signals.
    """
    import signal
    import threading
    import time

    from confsim.http.live import signals

    last = float("-inf")

    def interrupt(number: int, _: object) -> None:
        nonlocal last
        signals.note(number)
        now = time.monotonic()
        if now - last > 1:
            last = now
            raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, interrupt) for number in signals.ending()}
    try:
        yield
    finally:
        for number, action in before.items():
            if signal.getsignal(number) is not signal.SIG_IGN:  # a SIGHUP that was noted stays ignored
                signal.signal(number, action)


class SectionedOption(click.Option):
    """An option that the help of its command lists in a section."""

    def __init__(self, *arguments: Any, section: str = "Options", **attributes: Any) -> None:
        super().__init__(*arguments, **attributes)
        self.section = section


class SectionedCommand(click.Command):
    """A command whose help lists its options by section, and explains their environment variables once."""

    def format_options(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, those of each section together."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(context):
            record = parameter.get_help_record(context)
            if record is not None:
                sections.setdefault(getattr(parameter, "section", "Options"), []).append(record)
        for name, records in sections.items():
            with formatter.section(name):
                formatter.write_dl(records)
        variables = [each.envvar for each in self.params if isinstance(each.envvar, list)]
        if variables:
            own, shared = variables[0]
            formatter.write_paragraph()
            formatter.write_text(
                f"The environment sets these options too: {shared} for every command, {own} for this one; and "
                "[tool.confsim] of pyproject.toml does."
            )


def option(*names: str, section: str = "Options", **attributes: Any) -> Callable[[F], F]:
    """An option with an environment variable: CONFSIM_PORT, or CONFSIM_SERVE_PORT for one command alone."""
    word = next(name for name in names if name.startswith("--")).removeprefix("--").replace("-", "_").upper()

    def decorate(function: F) -> F:
        variables = [f"CONFSIM_{function.__name__.rstrip('_').upper()}_{word}", f"CONFSIM_{word}"]
        return click.option(*names, cls=SectionedOption, section=section, envvar=variables, **attributes)(function)

    return decorate


class Commands(click.Group):
    """The group of commands, each with sections in its help; the module of a command is imported on first use."""

    command_class = SectionedCommand

    def __init__(self, *arguments: Any, **attributes: Any) -> None:
        super().__init__(*arguments, **attributes)
        self._modules: dict[str, str] = {}

    def declared_in(self, module: str, *names: str) -> None:
        """Note the module that declares these commands, in the order in which they are listed."""
        self._modules.update(dict.fromkeys(names, module))

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """Return the command of this name, None when there is none."""
        if name in self._modules:
            import_module(self._modules[name])
        return super().get_command(context, name)

    def list_commands(self, context: click.Context) -> list[str]:  # noqa: ARG002 - the same in any context
        """Return the sorted names of the commands."""
        return sorted(self._modules)

    def every(self) -> dict[str, click.Command]:
        """Return all commands by their names; imports their modules."""
        for module in dict.fromkeys(self._modules.values()):
            import_module(module)
        return {name: self.commands[name] for name in self._modules}

    def make_context(self, *arguments: Any, **attributes: Any) -> click.Context:
        """The context of a call; help and version are printed here."""
        with ending_with_its_reader():  # before click, which takes a closed pipe for a failure
            return super().make_context(*arguments, **attributes)

    def invoke(self, context: click.Context) -> Any:
        """Run the command that the context names."""
        with ending_with_its_reader():
            return super().invoke(context)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="confsim", message="confsim %(version)s")
def confsim() -> None:
    """Simulate a multi-tenant web-conferencing REST API."""


def shipped_scenarios(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The scenarios that a shell offers: the shipped ones, or files where none begins so."""
    from confsim.arazzo import library

    return _names_or_files(library.SHIPPED, incomplete)


def shipped_worlds(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The worlds that a shell offers: the shipped ones, or files where none begins so."""
    from confsim.service.files import world_file

    return _names_or_files(world_file.SHIPPED, incomplete)


def _names_or_files(names: Iterable[str], incomplete: str) -> list[CompletionItem]:
    """Return the completions for a shell; bash would drop the names if files were completed as well."""
    from click.shell_completion import CompletionItem

    found = [CompletionItem(name) for name in names if name.startswith(incomplete)]
    return found or [CompletionItem(incomplete, type="file")]


def print_json(value: Any) -> None:
    """Print a value as indented JSON."""
    import msgspec

    click.echo(msgspec.json.format(msgspec.json.encode(value, enc_hook=str), indent=2))


def moment(text: str | None) -> int | str | None:
    """Return the instant in an option: epoch milliseconds as a number, any other text unchanged."""
    from confsim.values.plain import whole_number

    number = None if text is None else whole_number(text)
    return text if number is None else number


def plain(value: Any) -> str:
    """Return a value as JSON on one line."""
    import msgspec

    return msgspec.json.encode(value, enc_hook=str).decode()


def printable(text: str) -> str:
    """Return a text of a service in a form that controls no terminal."""
    return "".join(
        each if each.isprintable() or each in "\n\t" else each.encode("unicode_escape").decode() for each in text
    )


def table(columns: tuple[str, ...], rows: Iterable[tuple[str, ...]], width: int | None = None) -> Iterator[str]:
    """Yield the lines of a table whose columns are as wide as their widest cell.

    With a ``width``, the widest columns are narrowed and their cells wrapped.
    """
    lines = [columns, *rows]
    widths = [max(len(line[place]) for line in lines) for place in range(len(columns))]
    room = sys.maxsize if width is None else width - _GAP * (len(columns) - 1)
    while sum(widths) > room and max(widths) > _NARROWEST:
        widths[widths.index(max(widths))] -= 1
    for line in lines:
        broken = [_broken(cell, limit) for cell, limit in zip(line, widths, strict=True)]
        for pieces in zip_longest(*broken, fillvalue=""):
            cells = [piece.ljust(limit) for piece, limit in zip(pieces, widths, strict=True)]
            yield (" " * _GAP).join(cells).rstrip()


def _broken(cell: str, width: int) -> list[str]:
    from textwrap import wrap

    return [cell] if len(cell) <= width else wrap(cell, width, break_on_hyphens=False)


def terminal_width() -> int | None:
    """Return the columns of the terminal at standard output, None when it is no terminal."""
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


def print_table(columns: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> None:
    """Print rows in columns that fit the terminal."""
    first, *rest = table(columns, rows, terminal_width())
    print_lines([heading(first), *rest])
