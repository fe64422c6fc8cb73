"""The word search for operations: in names, summaries, paths and descriptions, with forms of words and typos.

Own code: a few English endings are enough for some hundreds of short texts, without an index or a stemmer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from functools import lru_cache

from msgspec import Struct

from confsim.contract.operation import Catalogue, Operation

#: Words of a question that do not describe an operation.
_COMMON = frozenset(
    re.findall(
        r"\w+",
        "a an and any api are as at be by call can do does for from get has have how i in into is it its me my of on "
        "one operation or our set so some that the their them there this to want way what when where which who with",
    )
)
#: Endings, longest first, with their replacement in the stem.
_ENDINGS = (
    *(("ications", "y"), ("ication", "y"), ("ations", ""), ("ation", ""), ("ising", ""), ("izing", "")),
    *(("ings", ""), ("ions", ""), ("ies", "y"), ("ing", ""), ("ion", ""), ("ers", ""), ("ied", "y")),
    *(("ed", ""), ("er", ""), ("es", ""), ("al", ""), ("or", ""), ("s", ""), ("e", "")),
)
#: Weights of a word: in the name, in path or summary, in the description, and similar to one in the name.
_IN_NAME, _IN_SUMMARY, _IN_DESCRIPTION, _NEAR = 8, 4, 1, 2
_SHORTEST = 3
#: The least similarity of two words that may be the same (1 for equal ones).
_ALIKE = 0.75


class _Words(Struct, frozen=True):
    """The stems of an operation's texts."""

    name: tuple[str, ...]
    summary: frozenset[str]
    description: frozenset[str]


def list_matching(
    words: str, planes: Mapping[str, Catalogue], plane: str | None, area: str | None
) -> Iterator[tuple[str, Operation]]:
    """Yield operations with the words, best first; if none has all words, those with most of them.

    A word counts most in the name, then in path and summary, then in the description, in any form; in the name, typing
    errors are tolerated. Without words, returns all of the plane and the area, in order.
    """
    wanted = _stems(words)
    meaningful = [stem for stem in wanted if stem not in _STEMS_OF_COMMON] or wanted
    found: list[tuple[int, int, str, Operation]] = []
    for place, catalogue in planes.items():
        for operation in catalogue if plane in (None, place) else ():
            if area in (None, operation.area):
                counts = [_count(stem, _words_of(operation)) for stem in meaningful]
                found.append((sum(map(bool, counts)), sum(counts), place, operation))
    most = max((each[0] for each in found), default=0)
    least = most if most == len(meaningful) else max(most, (len(meaningful) + 1) // 2)
    chosen = [each for each in found if each[0] >= least]
    if meaningful:
        chosen.sort(key=lambda each: (-each[1], len(_words_of(each[3]).name)))
    for _, _, place, operation in chosen:
        yield place, operation


def _count(stem: str, words: _Words) -> int:
    """Return the weight of a word for an operation; 0 when it is not in its texts."""
    if stem in words.name:
        return _IN_NAME
    if stem in words.summary:
        return _IN_SUMMARY
    if any(each.startswith(stem) for each in (*words.name, *words.summary)) and len(stem) >= _SHORTEST:
        return _IN_SUMMARY - 1
    if stem in words.description:
        return _IN_DESCRIPTION
    return _NEAR if get_close_matches(stem, words.name, 1, _ALIKE) else 0


@lru_cache(maxsize=1024)
def _words_of(operation: Operation) -> _Words:
    return _Words(
        tuple(_stems(operation.name)),
        frozenset(_stems(f"{operation.path} {operation.summary}")),
        frozenset(_stems(operation.description)),
    )


def _stems(text: str) -> list[str]:
    """Return the stems of the words of a text; camelCase is several words."""
    parted = re.sub(r"([a-z])([A-Z])", r"\1 \2", text)
    return [_stem(word) for word in re.findall(r"[a-z0-9]+", parted.lower())]


def _stem(word: str) -> str:
    for ending, instead in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST:
            stem = word[: -len(ending)] + instead
            return stem[:-1] if len(stem) > _SHORTEST and stem[-1] == stem[-2] else stem
    return word


_STEMS_OF_COMMON = frozenset(map(_stem, _COMMON))
