"""Everything that one can ask of a world is asked of a crowded, a fresh and a hostile one.

``kit.crowded.asks`` has the table of questions. ``python tests/campaigns crowded`` opens every page.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from click import Context

from confsim.cli import confsim as commands
from kit.crowded import BUILDERS, SHARED
from kit.crowded.asks import ASKS, judged
from kit.crowded.lines import LEFT_OUT, lines


@pytest.mark.own_ways
@pytest.mark.parametrize("ask", ASKS)
@pytest.mark.parametrize("world", SHARED)
def test_nothing_is_wrong_with_any_answer(world, ask):
    """No crash, no bug, no text that is not well formed, no name of Python's, no total that is not the number."""
    assert judged(world, ask) == ()


@pytest.mark.own_ways
@pytest.mark.parametrize("world", SHARED)
def test_what_only_reads_changes_no_world(world):
    """After all questions a shared world is the one that is built anew, which also is the same each time."""
    for ask in ASKS:
        judged(world, ask)
    assert SHARED[world]().service.world.digest() == BUILDERS[world]().service.world.digest()


def test_every_command_is_asked():
    """A new command needs a line, or a reason why it is not asked."""
    with TemporaryDirectory() as folder, BUILDERS["fresh"]().serve() as server:
        names = {line[0] for line in lines(server, Path(folder))}
    assert names | LEFT_OUT.keys() == set(commands.list_commands(Context(commands)))
    assert not names & LEFT_OUT.keys()
