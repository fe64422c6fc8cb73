"""The pages by their name in the path."""

from __future__ import annotations

from collections.abc import Mapping

from confsim.inspector.page_request import Page
from confsim.kernel.refusal import Misuse

from . import journal, reading, searching, world
from .common import MENU, problem

__all__ = ["MENU", "PAGES", "find", "problem"]

#: Every page by its name in the path.
PAGES: Mapping[str, Page] = {
    "": world.overview,
    "requests": journal.requests,
    "records": world.records,
    "machines": world.machines,
    "time": world.time,
    "mail": world.mail,
    "webhooks": world.webhooks,
    "presence": world.presence,
    "faults": world.faults,
    "assumptions": reading.assumptions,
    "what-if": journal.what_if,
    "coverage": journal.coverage,
    "worlds": world.worlds,
    "operations": reading.operations,
    "search": searching.search,
    "guides": reading.guides,
    "reference": reading.reference,
    "explain": reading.explain,
}


def get(name: str) -> Page:
    """Return the page of this name. Raises Misuse (404) when there is none."""
    page = PAGES.get(name)
    if page is None:
        raise Misuse(f"there is no page {name!r}", status=404)
    return page
