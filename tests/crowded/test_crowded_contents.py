"""The crowded world holds everything that there is: a new operation, kind or state has to come into it."""

from __future__ import annotations

from kit.crowded import crowded_world, fresh_world
from kit.crowded.contents import CONTENTS, missing


def test_the_crowded_world_holds_everything_that_there_is():
    """A failure names what was added and is not in it: ``kit.crowded`` is where it is made."""
    assert missing(crowded_world()) == []


def test_a_fresh_world_lacks_something_of_each_sort():
    """Otherwise a row of the table would hold whatever the world is."""
    lacking = {each.partition(":")[0] for each in missing(fresh_world())}
    assert lacking == set(CONTENTS)
