"""The commands that write a journal to a file, and replay it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from .command import confsim
from .options import base_url
from .printing import plain, print_json, progress

if TYPE_CHECKING:
    from confsim.control.bundle.replay import Replayed


@confsim.command(example="confsim bundle -o journal.json --mask")
@base_url()
@click.option("-o", "--output", default="-", metavar="FILE", help="File for the bundle; by default standard output.")
@click.option("--mask", is_flag=True, help="Replace secrets by stand-ins.")
def bundle(base_url: str, output: str, mask: bool) -> None:
    """Write the journal of a served world to one file that ``confsim replay`` plays again anywhere.

    It has the world before the first call, the profile, all calls with their answers, and the versions.
    """
    from confsim.control.export.operation import get_bundle
    from confsim.service.files.writing import replace_file

    from .live.at_server import world_at

    with world_at(base_url) as remote:
        content = remote.control(get_bundle, **({"mask": "true"} if mask else {})).data
    if output == "-":
        click.echo(content.decode(), nl=False)
        return
    replace_file(output, "bundle", [content], private=not mask)
    click.echo(f"{output}: {len(content)} bytes")


@confsim.command(example="confsim replay journal.json")
@click.argument("file")
@click.option("--json", "as_json", is_flag=True, help="Print what it showed as JSON.")
def replay(file: str, as_json: bool) -> None:
    """Replay a bundle, and compare each answer to the byte.

    Exit 0 when all calls that it repeats are answered alike, 2 when one differs.
    """
    from confsim.control.bundle.document import read
    from confsim.control.bundle.replay import replay as play
    from confsim.kernel.refusal import Misuse
    from confsim.version import __version__

    bundle = read(file)
    try:
        with progress(bundle.calls, "calls") as calls:
            replayed = play(bundle, calls)
    except Misuse as misuse:
        raise Misuse(f"bundle {file!r}: {misuse}") from None
    if as_json:
        print_json(replayed)
    else:
        _print(replayed)
        if replayed.parting is not None and bundle.confsim != __version__:
            click.echo(f"it was made by confsim {bundle.confsim}; this is {__version__}")
    if replayed.parting is not None:
        sys.exit(2)


def _print(replayed: Replayed) -> None:
    for each in replayed.left_out:
        click.echo(f"left out: {each}")
    for each in replayed.not_repeated:
        click.echo(f"not repeated: {each}")
    parting = replayed.parting
    calls = "1 call" if replayed.calls == 1 else f"{replayed.calls} calls"
    if parting is None:
        click.echo(f"{calls}: the same to the byte")
        return
    click.echo(f"{calls}: parts at {' '.join(filter(None, (parting.id, parting.call)))}")
    click.echo(f"  {parting.what}")
    click.echo(f"  was {plain(parting.was)}")
    click.echo(f"  got {plain(parting.got)}")
