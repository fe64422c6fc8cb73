"""Commands that print operations, assumptions, machines and the OpenAPI document."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import click

from .command import confsim, option, plain, print_json, print_table

if TYPE_CHECKING:
    from confsim.simulator import Simulator


@confsim.command()
@option("--profile", type=click.Path(), help="Profile (TOML) that determines routes and gates.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def operations(profile: str | None, as_json: bool) -> None:
    """List the operations: name, route, source, who may call it, rules."""
    from confsim.api.catalogue import KNOWN

    found = _simulator(profile).control("list_operations")
    if as_json:
        print_json(found)
        return
    rows = [(each.name, f"{each.method} {each.path}", each.source, each.gate, " ".join(each.rules)) for each in found]
    print_table(("name", "route", "source", "gate", "rules"), rows)
    sources = Counter(each.source for each in found)
    counts = ", ".join(f"{count} {source}" for source, count in sources.items())
    click.echo(f"\n{len(found)} of {KNOWN} operations: {counts}")


@confsim.command()
@option("--profile", type=click.Path(), help="Profile (TOML) whose choices to show.")
@click.option("--operation", help="Only those that concern this operation.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def assumptions(profile: str | None, operation: str | None, as_json: bool) -> None:
    """List the assumptions: id, statement, open questions, the alternative in force, the others, operations."""
    from confsim.reference import gaps

    found = _simulator(profile).control("list_assumptions", operation=operation)
    if as_json:
        return print_json(found)
    for each in found:
        click.echo(f"{each.id}  [{' '.join(each.gaps)}]")
        click.echo(f"    {each.statement}")
        for gap in each.gaps:
            click.echo(f"    {gap}    {gaps()[gap].question}")
        click.echo(f"    default {plain(each.default)}")
        if each.value != each.default:
            click.echo(f"    chosen  {plain(each.value)}")
        if each.alternatives:
            click.echo(f"    or      {', '.join(map(plain, each.alternatives))}")
        if each.operations:
            click.echo(f"    for     {' '.join(each.operations)}")
    return None


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
    for name, each in declared.items():
        click.echo(f"{name}: {each.title}")
        columns = ("when", "at", "on", "only if", "then", "effect", "source")
        print_table(columns, [tuple(row[column] for column in columns) for row in diagram.in_words(each)])
        click.echo()
    return None


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
