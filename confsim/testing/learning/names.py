"""Names and values that only one run uses."""

from __future__ import annotations

from typing import Any

from .calls import Call


class Names:
    """Names that only this run uses: each begins with its tag."""

    def __init__(self, tag: str) -> None:
        self.tag = tag
        self._count = self._replays = 0
        self.given: list[str] = []
        #: Values that calls which succeeded had in their parameters and fields, by name.
        self.used: dict[str, list[Any]] = {}
        #: Paths of calls that succeeded, by the names of their parameters.
        self.paths: dict[tuple[str, ...], list[dict[str, str]]] = {}

    def new(self, word: str) -> str:
        """A name that was never given."""
        self._count += 1
        made = f"{self.tag} {word} {self._count}"
        self.given = [*self.given[-5:], made]
        return made

    def go_on(self, other: Names) -> None:
        """Give no name that another has given."""
        self._count, self._replays = other._count, other._replays

    def replay(self) -> int:
        """The number of a replay, which no other has."""
        self._replays += 1
        return self._replays

    def note(self, call: Call) -> None:
        """Note a call that succeeded."""
        body = call.body if isinstance(call.body, dict) else {}
        for name, value in (*call.path.items(), *call.query.items(), *body.items()):
            if isinstance(value, str | int) and not isinstance(value, bool):
                self.used[name] = [*self.used.get(name, [])[-4:], value]
        if len(call.path) > 1:
            key = tuple(call.path)
            self.paths[key] = [*self.paths.get(key, [])[-4:], call.path]
