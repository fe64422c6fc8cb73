"""The search for the route most similar to a path that matched none."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from msgspec import Struct

from confsim.api.catalogue import API
from confsim.assumptions.protocol import transport
from confsim.assumptions.register import in_force
from confsim.values.urls import normalised

#: Most characters of a path segment that are compared with routes.
_LONGEST = 80
#: Similarity of any text to a path parameter (1 for equal texts).
_PARAMETER = 0.8
#: Addition to the similarity when the method is the same.
_METHOD = 0.05


class _Route(Struct, frozen=True):
    """A route: its method and path, and the lower-case segments of the path, None for a parameter."""

    method: str
    path: str
    segments: tuple[str | None, ...]


class SimilarRoutes:
    """The routes of the API under a profile."""

    def __init__(self, profile: Mapping[str, Any]) -> None:
        self._prefix = in_force(profile, transport.PREFIX)
        self._routes = [
            _Route(method, path, tuple(None if part.startswith("{") else part.lower() for part in _segments(path)))
            for method, path in (operation.route(profile) for operation in API)
        ]
        self._found: dict[tuple[str, str], str] = {}

    def nearest(self, method: str, target: str) -> str:
        """Return method and path of the route most similar to a request for this target below the mount."""
        found = self._found.get((method, target))
        if found is None:
            below = normalised(target).removeprefix(self._prefix)
            asked = tuple(segment[:_LONGEST].lower() for segment in _segments(below))
            route = self._nearest(method, asked)
            found = self._found[method, target] = f"{route.method} {self._prefix}{route.path}"
        return found

    def _nearest(self, method: str, asked: tuple[str, ...]) -> _Route:
        """Return the first of the most similar routes. Texts are compared only if their characters let a route win."""
        bounds = [(-_similarity(method, asked, route, _bound), place) for place, route in enumerate(self._routes)]
        best, chosen = -1.0, 0
        for bound, place in sorted(bounds):
            if -bound < best:
                break
            similarity = _similarity(method, asked, self._routes[place], _text_similarity)
            if similarity > best or (similarity == best and place < chosen):
                best, chosen = similarity, place
        return self._routes[chosen]


def _segments(path: str) -> list[str]:
    return [segment for segment in path.split("/") if segment]


def _similarity(method: str, asked: tuple[str, ...], route: _Route, compare: Any) -> float:
    segments = route.segments
    alike = sum([
        _PARAMETER if declared is None else 1.0 if given == declared else compare(given, declared)
        for given, declared in zip(asked, segments, strict=False)
    ])  # fmt: skip
    return alike / max(len(asked), len(segments), 1) + (_METHOD if method == route.method else 0.0)


@lru_cache(maxsize=4096)
def _bound(given: str, declared: str) -> float:
    """Return the upper bound of the similarity of two texts with these characters."""
    common = sum([min(given.count(character), number) for character, number in _characters(declared)])
    return 2.0 * common / (len(given) + len(declared))


@lru_cache(maxsize=4096)
def _characters(text: str) -> tuple[tuple[str, int], ...]:
    return tuple((character, text.count(character)) for character in dict.fromkeys(text))


@lru_cache(maxsize=4096)
def _text_similarity(given: str, declared: str) -> float:
    from difflib import SequenceMatcher

    return SequenceMatcher(None, given, declared).ratio()
