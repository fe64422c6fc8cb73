"""Which pages of the inspector are looked at: all there are, and of those that are alike the ones that differ most."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from html.parser import HTMLParser

from confsim import Simulator
from confsim.inspector.pages import PAGES
from confsim.service.messages import Request
from confsim.service.waiting import wait_for

_HOME = "/_confsim/"
#: Pages of a kind whose links are followed; pages of a kind of which those to be visited are chosen.
_FOLLOWED, _READ = 8, 24
#: Characters of a page: longer ones are left out, since others are made alike.
_LONGEST = 500_000
#: Pages that no link leads to, or none of a fresh world.
_MORE = (
    "inspector/search",
    "inspector/search?q=customer",
    "inspector/search?q=nowhere-to-be-found",
    "inspector/requests?path=/nothing",
    "inspector/records?search=nowhere-to-be-found",
    "inspector/assumptions?search=nowhere-to-be-found",
    "inspector/what-if?id=channels.unique-names&value=allow",
    "inspector/what-if?id=channels.unique-names&value=nonsense",
    "inspector/requests?status=4yy",
    "inspector/time?place=0",
    "inspector/records/users/1004?timeline=true",
    "inspector/requests/r999999",
    "inspector/nothing",
)


class _Read(HTMLParser):
    """What choosing looks at: where a page's links lead, and its features."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.features: set[object] = set()
        self.size = len(text)
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a link, and that there is such an element."""
        given = dict(attrs)
        if tag == "a":
            self.links.append(given.get("href") or "")
        self.features.add((tag, given.get("class")))

    def handle_data(self, data: str) -> None:
        """Note by its order of magnitude how long a text and its longest word are."""
        longest = max((len(each) for each in data.split()), default=0)
        self.features |= {("word", longest.bit_length()), ("text", len(data).bit_length())}


def kind(path: str) -> str:
    """What pages that are alike have in common: the page's name, and the depth of the path below it."""
    name, *below = path.partition("?")[0].removeprefix("inspector/").split("/")
    return "/".join([name, *("*" for _ in below)])


def paths(sim: Simulator, most: int, *, whole: Iterable[str] = ()) -> dict[str, list[str]]:
    """Return the paths to visit, by kind: those of the table of pages, and ``most`` that links lead to.

    Of the kinds in ``whole`` they are all that links lead to.
    """
    read: dict[str, _Read] = {}
    table = ["", *(f"inspector/{name}" for name in PAGES if name), *_MORE]
    waiting, known = list(table), defaultdict[str, list[str]](list)
    seen = set(waiting)
    for path in waiting:
        known[kind(path)].append(path)
        if len(known[kind(path)]) <= _FOLLOWED:
            new = [each for each in dict.fromkeys(_links(_read(sim, path, read))) if each not in seen]
            seen.update(new)
            waiting += new
    chosen = {}
    for name, alike in known.items():
        further = [each for each in alike if each not in table]
        picked = further if name in whole else _most_different(sim, further, most, read)
        chosen[name] = [*(each for each in alike if each in table), *picked]
    return chosen


def _read(sim: Simulator, path: str, read: dict[str, _Read]) -> _Read:
    if path not in read:
        place, _, query = path.partition("?")
        headers = {"accept": "text/html", "host": "localhost"}
        read[path] = _Read(wait_for(sim.app(Request("GET", _HOME + place, query, headers, b""))).body.decode())
    return read[path]


def _links(page: _Read) -> Iterator[str]:
    for link in page.links:
        path = re.sub("#.*", "", link)
        if path.startswith(_HOME) and "all=true" not in path:  # a replay of all calls shows the words of all answers
            yield path.removeprefix(_HOME)


def _most_different(sim: Simulator, alike: list[str], most: int, read: dict[str, _Read]) -> Iterator[str]:
    """Yield the first, and then what shows most that the others do not show; the list is read at even distances."""
    left = [each for each in alike[:: max(len(alike) // _READ, 1)][:_READ] if _read(sim, each, read).size < _LONGEST]
    shown: set[object] = set()
    for _ in range(min(most, len(left))):
        best = max(left, key=lambda path: len(_read(sim, path, read).features - shown)) if shown else left[0]
        shown |= _read(sim, best, read).features
        left.remove(best)
        yield best
