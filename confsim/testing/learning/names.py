"""Names and values that no other run uses."""

from __future__ import annotations

from typing import Any

from .calls import ModelCall

#: Letters and digits of short names.
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_MARKS = f"{_LETTERS}0123456789"


def short_name(number: int) -> str:
    """Return a name of two characters, the same for the same number; of more from number 936 on."""
    more, last = divmod(number, len(_MARKS))
    return (short_name(more - len(_LETTERS)) if more >= len(_LETTERS) else _LETTERS[more]) + _MARKS[last]


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

    def new(self, word: str, most: int | None = None) -> str:
        """Return a new name, of so many characters at most."""
        self._count += 1
        made = self.within(f"{self.tag} {word} {self._count}", most)
        self.given = [*self.given[-5:], made]
        return made

    def within(self, name: str, most: int | None) -> str:
        """Return a name, another for it that is short if it has more characters than that."""
        return name if most is None or len(name) <= most else short_name(self._count)

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
