"""Names and values that no other run uses."""

from __future__ import annotations

from typing import Any

from .calls import ModelCall


class RunNames:
    """Gives names that no other run uses: each begins with the tag of the run."""

    def __init__(self, tag: str) -> None:
        self.tag = tag
        self._count = self._replays = 0
        self.given: list[str] = []
        #: Values of parameters and fields of successful calls, by name.
        self.used: dict[str, list[Any]] = {}
        #: Path values of successful calls, by parameter name.
        self.paths: dict[tuple[str, ...], list[dict[str, str]]] = {}

    def new(self, word: str) -> str:
        """Return a new name."""
        self._count += 1
        made = f"{self.tag} {word} {self._count}"
        self.given = [*self.given[-5:], made]
        return made

    def go_on(self, other: RunNames) -> None:
        """Continue the numbering of another, so that no name is given twice."""
        self._count, self._replays = other._count, other._replays

    def copy(self) -> RunNames:
        """Return another that has the same, and changes by itself."""
        other = RunNames(self.tag)
        other.go_on(self)
        other.given, other.used, other.paths = list(self.given), dict(self.used), dict(self.paths)
        return other

    def replay(self) -> int:
        """Return the number of the next replay."""
        self._replays += 1
        return self._replays

    def note(self, call: ModelCall) -> None:
        """Note the values of a successful call."""
        body = call.body if isinstance(call.body, dict) else {}
        for name, value in (*call.path.items(), *call.query.items(), *body.items()):
            if isinstance(value, str | int) and not isinstance(value, bool):
                self.used[name] = [*self.used.get(name, [])[-4:], value]
        if len(call.path) > 1:
            key = tuple(call.path)
            self.paths[key] = [*self.paths.get(key, [])[-4:], call.path]
