"""Everything that one can ask of a world is asked of a crowded, a fresh and a hostile one.

``kit.crowded.asks`` has the table of questions. ``python tests/campaigns crowded`` asks all of them of all worlds, and
opens every page; here what takes longest is left out of the crowded world.
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

#: What is asked here: all but what writes and replays thousands of calls, which the other worlds are asked.
ASKED = [(world, ask) for world in SHARED for ask in ASKS if world != "crowded" or ask not in {"bundles", "exports"}]


@pytest.mark.own_ways
@pytest.mark.parametrize(("world", "ask"), ASKED)
def test_nothing_is_wrong_with_any_answer(world, ask):
    """No crash, no bug, no text that is not well formed, no name of Python's, no total that is not the number."""
    assert judged(world, ask) == ()


@pytest.mark.own_ways
@pytest.mark.parametrize("world", SHARED)
def test_what_only_reads_changes_no_world(world):
    """After all questions a shared world is the one that is built anew, which also is the same each time."""
    for ask in [ask for asked, ask in ASKED if asked == world]:
        judged(world, ask)
    assert SHARED[world]().service.world.digest() == BUILDERS[world]().service.world.digest()


def test_every_command_is_asked():
    """A new command needs a line, or a reason why it is not asked."""
    with TemporaryDirectory() as folder, BUILDERS["fresh"]().serve() as server:
        names = {line[0] for line in lines(server, Path(folder))}
    assert names | LEFT_OUT.keys() == set(commands.list_commands(Context(commands)))
    assert not names & LEFT_OUT.keys()
