"""Commands that print operations, assumptions, machines and the OpenAPI document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from .command import confsim, heading, option, plain, print_json, print_lines, table, terminal_width, wrapped

if TYPE_CHECKING:
    from confsim.simulator import Simulator


@confsim.command()
@option("--profile", type=click.Path(), help="Profile (TOML) that determines routes and gates.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def operations(profile: str | None, as_json: bool) -> None:
    """List the operations: name, route, source, who may call it, rules."""
    found = _simulator(profile).control("list_operations")
    if as_json:
        print_json(found)
        return
    rows = [(each.name, f"{each.method} {each.path}", each.source, each.gate, " ".join(each.rules)) for each in found]
    first, *rest = table(("name", "route", "source", "gate", "rules"), rows, terminal_width())
    sources = Counter(each.source for each in found)
    counts = ", ".join(f"{count} {source}" for source, count in sources.items())
    print_lines([heading(first), *rest, "", f"{len(found)} operations: {counts}"])


@confsim.command()
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
        click.echo(f"no assumption has the text {search!r}" if search is not None else "no assumption concerns it")
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


@confsim.command()
@click.option("--mermaid", metavar="NAME", help="Print the diagram of this machine, in Mermaid.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def machines(mermaid: str | None, as_json: bool) -> None:
    """List the state machines as tables."""
    import confsim.api.catalogue  # noqa: F401 its modules declare the machines
    from confsim.kernel import diagram
    from confsim.kernel.machine import Machine

    declared = Machine.declared
    if mermaid is not None:
        if mermaid not in declared:
            raise click.ClickException(f"there is no machine {mermaid!r}; there are {', '.join(declared)}")
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


@confsim.command()
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
