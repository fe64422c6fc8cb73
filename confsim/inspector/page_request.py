"""The request for a page, and links between pages."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from urllib.parse import quote, urlencode

from msgspec import Struct

from confsim.control.invoke import ControlPlane


class PageRequest(Struct, frozen=True):
    """The request for a page: the control plane of the world, the name of the page, the path after it, the query.

    ``home`` is the path of the overview; links start from it.
    """

    control: ControlPlane
    home: str
    name: str
    path: tuple[str, ...]
    query: Mapping[str, str]


class AnsweredPage(Struct, frozen=True):
    """A page that is answered: its HTML, and its status."""

    html: str
    status: int = 200


Page = Callable[[PageRequest], AnsweredPage]


def link(asked: PageRequest, /, *path: object, **query: object) -> str:
    """Return the path of a page with the query parameters that are not None."""
    given = {name.rstrip("_"): value for name, value in query.items() if value is not None}
    target = asked.home + "/".join(["inspector", *(quote(str(each), safe="") for each in path)] if path else [])
    return f"{target}?{urlencode(given)}" if given else target


def own(asked: PageRequest) -> str:
    """Return the path of the page that is asked for, with its query: forms come back to it."""
    return link(asked, *((asked.name, *asked.path) if asked.name else ()), **asked.query)
