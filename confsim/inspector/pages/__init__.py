"""The pages by their name in the path."""

from __future__ import annotations

from collections.abc import Mapping

from confsim.inspector.page_request import Page
from confsim.kernel.refusal import Misuse

from . import journal, people, reading, records, searching, sent, time, what_if, world
from .common import NAMES, problem

__all__ = ["NAMES", "PAGES", "get", "problem"]

#: Every page by its name in the path.
PAGES: Mapping[str, Page] = {
    "": world.overview,
    "requests": journal.requests,
    "records": records.records,
    "machines": world.machines,
    "time": time.time,
    "mail": sent.mail,
    "webhooks": sent.webhooks,
    "presence": people.presence,
    "faults": world.faults,
    "assumptions": reading.assumptions,
    "what-if": what_if.what_if,
    "coverage": what_if.coverage,
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
