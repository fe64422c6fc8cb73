"""Everything that one can ask of a world is asked of a crowded, a fresh and a hostile one.

``kit.crowded.asks`` has the table of questions. ``python tests/campaigns crowded`` opens every page.
"""

from __future__ import annotations

import re

import pytest

from kit.crowded import BUILDERS, SHARED
from kit.crowded.asks import ASKS, judged

#: Defects that are known, by a pattern of the judge's words. A test fails while one is here that is mended.
KNOWN = {
    r"DeliveryState\.[A-Z]+": "a delivery is shown with the name of an Enum",
    r"pages: .*/operations/get_\w+: 404": "the page of a call links to the page of an operation beside the API",
    r"coverage: (page of )?coverage: 500": "coverage fails once a file was fetched",
    r"what ifs: what-if: says every call": "what-if says every call of the newest hundred",
}


def _found(world: str, ask: str) -> list[str]:
    return [f"{ask}: {problem}" for problem in judged(world, ask)]


@pytest.mark.own_ways
@pytest.mark.parametrize("ask", ASKS)
@pytest.mark.parametrize("world", SHARED)
def test_nothing_is_wrong_with_any_answer(world, ask):
    """No crash, no bug, no text that is not well formed, no name of Python's, no total that is not the number."""
    assert [each for each in _found(world, ask) if not any(re.search(pattern, each) for pattern in KNOWN)] == []


@pytest.mark.own_ways
def test_every_known_defect_is_still_there():
    """What is mended goes from ``KNOWN``, so that it cannot come back unseen."""
    found = [problem for world in SHARED for ask in ASKS for problem in _found(world, ask)]
    assert [why for pattern, why in KNOWN.items() if not any(re.search(pattern, each) for each in found)] == []


@pytest.mark.own_ways
@pytest.mark.parametrize("world", SHARED)
def test_what_only_reads_changes_no_world(world):
    """After all questions a shared world is the one that is built anew, which also is the same each time."""
    for ask in ASKS:
        judged(world, ask)
    assert SHARED[world]().service.world.digest() == BUILDERS[world]().service.world.digest()
