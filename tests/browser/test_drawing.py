"""Every page of the inspector as a browser draws it, on all widths, in a crowded, a fresh and a hostile world."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from browser.judge import faults_of_drawing, faults_of_words
from browser.visited import paths
from confsim.inspector.pages import PAGES
from kit.crowded import BUILDERS
from kit.crowded.texts import HOSTILE

#: Pages of a kind that are visited in each world, beside those that no other is like.
MOST = {"crowded": 5, "fresh": 2, "hostile": 4}
#: Pages that are the same in every world, so that one world shows all of them.
WHOLE = {"machines/*", "guides/*", "reference/*"}
#: Pages that are about Python.
ABOUT_PYTHON = ("inspector/guides/", "inspector/reference/python")


class Opened(NamedTuple):
    """A world, a window of the browser, the address of the overview, and the paths to visit by the page's name."""

    world: str
    page: Any
    root: str
    paths: dict[str, list[str]]


@pytest.fixture(scope="module", params=BUILDERS)
def opened(request, chromium) -> Iterator[Opened]:
    """Each world in turn, on a live server."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(HOSTILE, "word", "nobody")  # elsewhere it is Python's word for that
        sim = BUILDERS[request.param]()
    by_kind = paths(sim, MOST[request.param], whole=WHOLE if request.param == "fresh" else ())
    by_name = {name: [] for name in PAGES}
    for kind, chosen in by_kind.items():
        name = kind.partition("/")[0]
        by_name[name if name in PAGES else ""] += chosen
    page = chromium.new_page()
    yield Opened(request.param, page, sim.inspect(browser=False), by_name)
    page.close()
    sim.stop_inspecting()


@pytest.mark.parametrize("name", PAGES)
def test_pages_are_drawn_well(opened, name):
    """No text overlaps another or is cut off, nothing is wider than the page, no word is broken that could stay whole."""
    assert opened.paths[name]
    found = []
    for path in opened.paths[name]:
        opened.page.goto(opened.root + path)
        found += [f"{path}: {each}" for each in faults_of_drawing(opened.page)]
    assert found == [], f"in the {opened.world} world:\n" + "\n".join(found)


@pytest.mark.parametrize("name", PAGES)
def test_pages_show_no_python(opened, name):
    """No page shows a name of Python, but for programs in it and for pages about Python."""
    if opened.world == "hostile":
        pytest.skip("the names in this world are Python, among others")
    found = []
    for path in opened.paths[name]:
        opened.page.goto(opened.root + path)
        words = faults_of_words(opened.page, is_about_python=path.startswith(ABOUT_PYTHON))
        found += [f"{path}: {each}" for each in words]
    assert found == [], f"in the {opened.world} world:\n" + "\n".join(found)
