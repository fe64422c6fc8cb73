"""The group of commands, options with environment variables, and functions that print."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

F = TypeVar("F", bound=Callable[..., Any])
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


@contextmanager
def noting_the_end() -> Iterator[Callable[[], bool]]:
    """Give the block a function that returns whether Ctrl-C, SIGTERM or SIGHUP came; nothing in it is interrupted.

    A second signal ends the process. No effect outside the main thread.
    """
    import signal
    import threading

    from confsim.http.live import signals

    came: list[int] = []

    def note(number: int, _: object) -> None:
        signals.note(number)
        came.append(number)
        signal.signal(number, signal.SIG_DFL)

    if threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
    before = {number: signal.signal(number, note) for number in (signal.SIGINT, *signals.ending())}
    try:
        yield lambda: bool(came)
    finally:
        for number, action in before.items():
            if signal.getsignal(number) is not signal.SIG_IGN:  # a SIGHUP that was noted stays ignored
                signal.signal(number, action)


#: The address that commands for a running server use unless they are given another: that of ``confsim serve``.
SERVED = "http://127.0.0.1:8080"


class SectionedOption(click.Option):
    """An option that the help of its command lists in a section; its errors name the variable that set it."""

    def __init__(self, *arguments: Any, section: str = "Options", **attributes: Any) -> None:
        super().__init__(*arguments, **attributes)
        self.section = section

    def get_error_hint(self, context: click.Context | None) -> str:
        """Return where a wrong value was given: the names of the option, or the environment variable."""
        variables = self.envvar if isinstance(self.envvar, list) else []
        source = None if context is None else context.get_parameter_source(self.name or "")
        found = next((each for each in variables if os.environ.get(each)), "")
        return found if source is click.core.ParameterSource.ENVIRONMENT and found else super().get_error_hint(context)


class WholeNumber(click.IntRange):
    """A whole number, with bounds, which errors name in words."""

    def convert(self, value: Any, parameter: click.Parameter | None, context: click.Context | None) -> Any:
        """Return the number in a text. Raises BadParameter."""
        try:
            return super().convert(value, parameter, context)
        except click.BadParameter:
            self.fail(f"{value!r} is not a whole number{_bounds(self)}", parameter, context)


class RealNumber(click.FloatRange):
    """A number, with bounds, which errors name in words."""

    def convert(self, value: Any, parameter: click.Parameter | None, context: click.Context | None) -> Any:
        """Return the number in a text. Raises BadParameter."""
        try:
            return super().convert(value, parameter, context)
        except click.BadParameter:
            self.fail(f"{value!r} is not a number{_bounds(self)}", parameter, context)


def _bounds(range_: click.IntRange | click.FloatRange) -> str:
    least = "" if range_.min is None else f"{'above' if range_.min_open else 'from'} {range_.min}"
    return f" {least} to {range_.max}" if range_.max is not None else f" {least}".rstrip()


class SectionedCommand(click.Command):
    """A command whose help shows an example, its options by section, and their environment variables once."""

    def __init__(self, *arguments: Any, example: str = "", **attributes: Any) -> None:
        super().__init__(*arguments, **attributes)
        self.example = example

    def format_help_text(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the description and the example."""
        super().format_help_text(context, formatter)
        if self.example:
            with formatter.section("Example"):
                formatter.write(f"{' ' * formatter.current_indent}{self.example}\n")

    def format_options(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, those of each section together; arguments are in the first line of the help."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(context):
            record = parameter.get_help_record(context) if isinstance(parameter, click.Option) else None
            if record is not None:
                sections.setdefault(getattr(parameter, "section", "Options"), []).append(record)
        for name, records in sections.items():
            with formatter.section(name):
                formatter.write_dl(records)
        variables = [each.envvar for each in self.params if isinstance(each.envvar, list)]
        if variables:
            own, shared, *_ = variables[0]
            formatter.write_paragraph()
            formatter.write_text(
                f"Set options also by environment ({own}, or {shared} for all commands) or [tool.confsim] in "
                "pyproject.toml."
            )


def option(*names: str, section: str = "Options", **attributes: Any) -> Callable[[F], F]:
    """An option with an environment variable: CONFSIM_PORT, or CONFSIM_SERVE_PORT for one command alone.

    The URL of a server is also CONFSIM_URL, which ``confsim exec`` sets for its command.
    """
    word = next(name for name in names if name.startswith("--")).removeprefix("--").replace("-", "_").upper()

    def decorate(function: F) -> F:
        variables = [f"CONFSIM_{function.__name__.rstrip('_').upper()}_{word}", f"CONFSIM_{word}"]
        variables += ["CONFSIM_URL"] if word in ("BASE_URL", "UPSTREAM") else []
        return click.option(*names, cls=SectionedOption, section=section, envvar=variables, **attributes)(function)

    return decorate


def together(*options: Callable[[F], F]) -> Callable[[F], F]:
    """Return a decorator that adds several options, in this order."""

    def decorate(function: F) -> F:
        for each in reversed(options):
            function = each(function)
        return function

    return decorate


class Commands(click.Group):
    """The group of commands, whose help lists them by section; the module of a command is imported on first use."""

    command_class = SectionedCommand

    def __init__(self, *arguments: Any, **attributes: Any) -> None:
        super().__init__(*arguments, **attributes)
        self._modules: dict[str, str] = {}
        self._sections: dict[str, list[str]] = {}

    def declared_in(self, module: str, section: str, *names: str) -> None:
        """Note the module that declares these commands, and the section in which they are listed in this order."""
        self._modules.update(dict.fromkeys(names, module))
        self._sections.setdefault(section, []).extend(names)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """Return the command of this name, None when there is none."""
        if name in self._modules:
            import_module(self._modules[name])
        return super().get_command(context, name)

    def resolve_command(
        self, context: click.Context, arguments: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the named command and its arguments. Raises UsageError, with the nearest name, if there is none."""
        name = arguments[0]
        if not name.startswith("-") and name not in self._modules:
            from confsim.kernel.refusal import suggest

            meant = OTHER_WORDS.get(name.lower())
            context.fail(
                f"no command {name!r}{f'; did you mean {meant!r}?' if meant else suggest(name, self._modules)}"
            )
        return super().resolve_command(context, arguments)

    def list_commands(self, context: click.Context) -> list[str]:  # noqa: ARG002 - the same in any context
        """Return the names of the commands, section after section."""
        return [name for names in self._sections.values() for name in names]

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands, those of each section together, each with the whole first sentence of its help."""
        room = max(map(len, self._modules))
        for section, names in self._sections.items():
            with formatter.section(section):
                rows = [(name.ljust(room), _first_sentence(self.get_command(context, name))) for name in names]
                formatter.write_dl(rows)

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


#: Words that people type for a command, by the command that they mean.
OTHER_WORDS = {
    "events": "listen",
    "init": "serve",
    "logs": "tail",
    "server": "serve",
    "start": "serve",
    "test": "run",
    "time": "clock",
    "webhooks": "listen",
}


def _first_sentence(command: click.Command | None) -> str:
    text = " ".join(((command and command.help) or "").partition("\n\n")[0].split())
    return f"{text.partition('. ')[0].removesuffix('.')}."


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


def moment(text: str | None) -> int | str | None:
    """Return the instant in an option: epoch milliseconds as a number, any other text unchanged."""
    from confsim.values.plain import whole_number

    number = None if text is None else whole_number(text)
    return text if number is None else number
