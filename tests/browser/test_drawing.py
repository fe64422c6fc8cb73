"""Every page of the inspector as a browser draws it, on all widths, in a crowded, a fresh and a hostile world."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import chain
from typing import Any, NamedTuple

import pytest

from browser.judge import faults_of_drawing, faults_of_words
from browser.visited import paths
from confsim.inspector.pages import PAGES
from kit.crowded import BUILDERS
from kit.crowded.texts import HOSTILE

#: Pages of a kind that are visited in each world, beside those that no other is like.
MOST = {"crowded": 4, "fresh": 2, "hostile": 2}
#: Pages that are the same in every world, so that one world shows all of them.
WHOLE = {"machines/*", "guides/*", "reference/*"}
#: Pages that are about Python.
ABOUT_PYTHON = ("inspector/guides/", "inspector/reference/python")


class Looked(NamedTuple):
    """What is wrong on the pages of a world, each with the page's path: with the drawing, with the words."""

    drawing: list[str]
    words: list[str]


@pytest.fixture(scope="module")
def look(chromium) -> Callable[[str], Looked]:
    """Looks at the pages of a world by its name, on a live server; each page is opened once."""
    return cache(lambda world: _looked(chromium, world))


def _looked(chromium: Any, world: str) -> Looked:
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(HOSTILE, "word", "nobody")  # which is Python's word for that
        sim = BUILDERS[world]()
    chosen = paths(sim, MOST[world], whole=WHOLE if world == "fresh" else ())
    assert {kind.partition("/")[0] for kind in chosen} >= set(PAGES)
    looked = Looked([], [])
    page, root = chromium.new_page(), sim.inspect(browser=False)
    for path in chain.from_iterable(chosen.values()):
        page.goto(root + path)
        words = faults_of_words(page, is_about_python=path.startswith(ABOUT_PYTHON))
        looked.words.extend(f"{path}: {each}" for each in words)
        looked.drawing.extend(f"{path}: {each}" for each in faults_of_drawing(page))
    page.close()
    sim.stop_inspecting()
    return looked


@pytest.mark.parametrize("world", BUILDERS)
def test_pages_are_drawn_well(look, world):
    """No text overlaps another or is cut off, nothing is wider than the page, no word is broken without need."""
    found = look(world).drawing
    assert not found, "\n".join([f"in the {world} world", *found])


@pytest.mark.parametrize("world", [world for world in BUILDERS if world != "hostile"])  # where names are Python's, too
def test_pages_show_no_python(look, world):
    """No page shows a name of Python, but for programs in it and for pages about Python."""
    found = look(world).words
    assert not found, "\n".join([f"in the {world} world", *found])
