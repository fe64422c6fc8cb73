"""Commands that print operations, assumptions, machines, the OpenAPI document and completions for shells."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from .command import confsim, option
from .printing import heading, plain, print_json, print_lines, print_table, table, terminal_width, wrapped

if TYPE_CHECKING:
    from confsim.simulator import Simulator


@confsim.command(example="confsim operations lobby")
@click.argument("word", nargs=-1)
@option("--profile", type=click.Path(), help="Profile (TOML) that determines routes and gates.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def operations(word: tuple[str, ...], profile: str | None, as_json: bool) -> None:
    """List the operations, or those with some words: name, route, source, who may call it, rules.

    A WORD is searched in name, route and description, in any form; the best matches come first. Exit 1 if there is
    none.
    """
    found = _simulator(profile).control("list_operations")
    if word:
        from confsim.api.catalogue import API
        from confsim.assistant.finding import list_matching

        by_name = {each.name: each for each in found}
        found = [by_name[each.name] for _, each in list_matching(" ".join(word), {"api": API}, None, None)]
        if not found:
            raise click.ClickException(f"no operation has {' '.join(word)!r}; `confsim operations` lists all")
    if as_json:
        print_json(found)
        return
    rows = [(each.name, f"{each.method} {each.path}", each.source, each.gate, " ".join(each.rules)) for each in found]
    sources = Counter(each.source for each in found)
    counts = ", ".join(f"{count} {source}" for source, count in sources.items())
    print_table(("name", "route", "source", "gate", "rules"), rows, "", f"{len(found)} operations: {counts}")


@confsim.command(example="confsim assumptions --search lobby")
@option("--profile", type=click.Path(), help="Profile (TOML) whose choices to show.")
@click.option("--operation", help="Only those that concern this operation.")
@click.option("--search", metavar="TEXT", help="Only those with this text in their id, statement or questions.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def assumptions(profile: str | None, operation: str | None, search: str | None, as_json: bool) -> None:
    """List the assumptions: id, statement, open questions, the alternative in force, the others, operations.

    "seen" is a call by which `confsim calibrate` can find the value of a service, "unseen" why none is known.
    """
    import msgspec

    from confsim.testing.calibrating.seeing import seen, unseen

    found = _simulator(profile).control("list_assumptions", operation=operation)
    if search is not None:
        found = [each for each in found if search.lower() in _text_of(each).lower()]
    if as_json:
        ways = {each.id: {"seen": seen().get(each.id), "unseen": unseen().get(each.id)} for each in found}
        return print_json([{**msgspec.structs.asdict(each), **ways[each.id]} for each in found])
    if not found:
        searched = f"has the text {search!r}" if search is not None else f"concerns {operation}"
        raise click.ClickException(f"no assumption {searched}; `confsim assumptions` lists all")
    return print_lines(line for each in found for line in described(each))


def _text_of(entry: Any) -> str:
    from confsim.reference import gaps

    return " ".join([entry.id, entry.statement, *(f"{gap} {gaps()[gap].question}" for gap in entry.gaps)])


def described(entry: Any) -> Iterator[str]:
    """Yield the lines about an assumption, from ``list_assumptions``."""
    from confsim.reference import gaps
    from confsim.testing.calibrating.seeing import seen, unseen

    yield f"{heading(entry.id)}  [{' '.join(entry.gaps)}]"
    yield from _indented("", entry.statement)
    for gap in entry.gaps:
        yield from _indented(gap, gaps()[gap].question)
    yield from _indented("default", plain(entry.default))
    if entry.value != entry.default:
        yield from _indented("chosen", plain(entry.value))
    if entry.alternatives:
        yield from _indented("or", ", ".join(map(plain, entry.alternatives)))
    if entry.operations:
        yield from _indented("for", " ".join(entry.operations))
    if entry.id in seen():
        yield from _indented("seen", seen()[entry.id])
    else:
        yield from _indented("unseen", unseen()[entry.id])


def _indented(word: str, text: str) -> list[str]:
    """Return the lines of a text after a word, wrapped to the terminal and indented."""
    start = f"    {word:7} " if word else "    "
    width = terminal_width()
    if width is None:
        return [start + text]
    from textwrap import wrap

    return wrap(text, max(width, 40), initial_indent=start, subsequent_indent=" " * len(start), break_on_hyphens=False)


@confsim.command(example='confsim machines --mermaid "lobby door"')
@click.option("--mermaid", metavar="NAME", help="Print the diagram of this machine, in Mermaid.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def machines(mermaid: str | None, as_json: bool) -> None:
    """List the state machines as tables."""
    from difflib import get_close_matches

    import confsim.api.catalogue  # noqa: F401 its modules declare the machines
    from confsim.kernel import diagram
    from confsim.kernel.machine import Machine

    declared = Machine.declared
    if mermaid is not None:
        if mermaid not in declared:
            near = [name for name in declared if get_close_matches(mermaid, name.split(), 1)]
            hint = f"; did you mean {', '.join(map(repr, near))}?" if near else f"; there are {', '.join(declared)}"
            raise click.ClickException(f"--mermaid: no machine {mermaid!r}{hint}")
        return click.echo(diagram.mermaid(declared[mermaid]))
    if as_json:
        listed = {name: {"title": each.title, "rows": diagram.in_words(each)} for name, each in declared.items()}
        return print_json(listed)
    columns = ("when", "at", "on", "only if", "then", "effect", "source")
    lines: list[str] = []
    for name, each in declared.items():
        rows = [tuple(row[column] for column in columns) for row in diagram.in_words(each)]
        first, *rest = wrapped(f"{name}: {each.title}")
        title = first.replace(name, heading(name), 1)
        lines += [title, *rest, *table(columns, rows, terminal_width()), ""]
    return print_lines(lines)


@confsim.command(example="confsim openapi > openapi.json")
@click.option("--control", is_flag=True, help="The document of the control plane, not of the API.")
@option("--profile", type=click.Path(), help="Profile (TOML) under which the API is described.")
def openapi(control: bool, profile: str | None) -> None:
    """Print the OpenAPI document."""
    from confsim.service.document import api_document

    simulator = _simulator(profile)
    click.echo(simulator.control("get_control_openapi").data if control else api_document(simulator.service.profile))


def _simulator(profile: str | None) -> Simulator:
    from confsim.simulator import Simulator

    return Simulator("empty", profile=profile)


@confsim.command(example="confsim completion bash > ~/.local/share/bash-completion/completions/confsim")
@click.argument("shell", type=click.Choice(("bash", "zsh", "fish")), metavar="SHELL")
def completion(shell: str) -> None:
    """Print what completes commands, options and names in a shell.

    For bash put it where the example says; for zsh into a file _confsim in a directory of $fpath; for fish into
    ~/.config/fish/completions/confsim.fish.
    """
    from click.shell_completion import get_completion_class

    found = get_completion_class(shell)
    assert found is not None
    click.echo(found(confsim, {}, "confsim", "_CONFSIM_COMPLETE").source())
