"""Every page of the inspector as a browser draws it, on all widths, in a crowded, a fresh and a hostile world."""

from __future__ import annotations

from typing import NamedTuple

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
    """A world, and by the name of a page what is wrong on the pages of that name: with the drawing, with the words."""

    world: str
    drawing: dict[str, list[str]]
    words: dict[str, list[str]]


@pytest.fixture(scope="module", params=BUILDERS)
def looked(request, chromium) -> Looked:
    """Each world in turn, on a live server; every page that is visited is opened once."""
    world = request.param
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(HOSTILE, "word", "nobody")  # which is Python's word for that
        sim = BUILDERS[world]()
    chosen = paths(sim, MOST[world], whole=WHOLE if world == "fresh" else ())
    drawing, words = ({name: [] for name in PAGES} for _ in range(2))
    page, root = chromium.new_page(), sim.inspect(browser=False)
    for kind, path in ((kind, path) for kind, alike in chosen.items() for path in alike):
        name = kind.partition("/")[0] if kind.partition("/")[0] in PAGES else ""
        page.goto(root + path)
        of_words = faults_of_words(page, is_about_python=path.startswith(ABOUT_PYTHON))
        words[name] += [f"{path}: {each}" for each in of_words]
        drawing[name] += [f"{path}: {each}" for each in faults_of_drawing(page)]
    page.close()
    sim.stop_inspecting()
    assert {kind.partition("/")[0] for kind in chosen} >= set(PAGES)
    return Looked(world, drawing, words)


@pytest.mark.parametrize("name", PAGES)
def test_pages_are_drawn_well(looked, name):
    """No text overlaps another or is cut off, nothing is wider than the page, no word is broken that could stay whole."""
    assert not looked.drawing[name], "\n".join([f"in the {looked.world} world", *looked.drawing[name]])


@pytest.mark.parametrize("name", PAGES)
def test_pages_show_no_python(looked, name):
    """No page shows a name of Python, but for programs in it and for pages about Python."""
    if looked.world == "hostile":
        pytest.skip("the names in this world are Python, among others")
    assert not looked.words[name], "\n".join([f"in the {looked.world} world", *looked.words[name]])
