"""Entries, the one function that asks them, and profiles that choose alternatives."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Generic, Protocol, TypeVar

from confsim.kernel.refusal import Misuse

T = TypeVar("T")

#: The largest number that an entry takes where it does not say: every JSON reader tells an instant so far away exactly.
MOST = 10**15


class Asker(Protocol):
    """Whoever leans on assumptions: a change, a call. Knows the profile and remembers what was asked."""

    @property
    def profile(self) -> Mapping[str, Any]:
        """The alternatives chosen, by id."""

    @property
    def used(self) -> dict[str, None]:
        """The ids of the entries asked so far."""


class Asking:
    """Somebody who asks on behalf of nobody yet: a profile, and what was asked."""

    __slots__ = ("profile", "used")

    def __init__(self, profile: Mapping[str, Any]) -> None:
        self.profile = profile
        self.used: dict[str, None] = {}


class Entry(Generic[T]):
    """One thing the documents leave open.

    ``gaps`` are the G numbers it settles; ``alternatives`` the other values worth choosing, each a value or a line of
    words that describes a family of values; ``operations`` the ids of the operations it touches, empty for all of them.
    ``check`` refuses a value that makes no sense by raising ValueError.
    """

    __slots__ = ("alternatives", "check", "default", "gaps", "id", "operations", "statement")

    def __init__(
        self,
        id: str,
        gaps: str,
        statement: str,
        default: T,
        alternatives: Iterable[object] = (),
        operations: str = "",
        check: Callable[[object], T] | None = None,
    ) -> None:
        self.id = id
        self.gaps = tuple(gaps.split())
        self.statement = statement
        self.default = default
        self.alternatives = tuple(alternatives)
        self.operations = tuple(operations.split())
        self.check = check or _one_of(default, self.alternatives)


class Register:
    """Every entry by id. Entries join it where they are declared; an id is taken once."""

    def __init__(self) -> None:
        self.entries: dict[str, Entry[Any]] = {}

    def add(self, entry: Entry[T]) -> Entry[T]:
        """Take the entry up."""
        if entry.id in self.entries:
            raise ValueError(f"assumption {entry.id!r} is declared twice")
        self.entries[entry.id] = entry
        return entry

    def profile(self, chosen: Mapping[str, Any], origin: str = "profile") -> dict[str, Any]:
        """Check the chosen values, flat or nested by the dots of the ids, and answer them flat.

        Raises Misuse that names every unknown id and every value that an entry refuses.
        """
        wrong: list[str] = []
        checked: dict[str, Any] = {}
        for id, value in self._flat(chosen, ""):
            entry = self.entries.get(id)
            if entry is None:
                wrong.append(f"{id!r} names no assumption{_nearest(id, self.entries)}")
                continue
            try:
                checked[id] = entry.check(value)
            except (ValueError, TypeError) as error:
                wrong.append(f"{id!r}: {error}")
        if wrong:
            raise Misuse(f"{origin}: " + "; ".join(wrong))
        return checked

    def _flat(self, chosen: Mapping[str, Any], prefix: str) -> Iterable[tuple[str, Any]]:
        for name, value in chosen.items():
            id = prefix + name
            if isinstance(value, Mapping) and id not in self.entries:
                yield from self._flat(value, id + ".")
            else:
                yield id, value


REGISTER = Register()


def assumption(
    id: str,
    gaps: str,
    statement: str,
    default: T,
    alternatives: Iterable[object] = (),
    operations: str = "",
    check: Callable[[object], T] | None = None,
) -> Entry[T]:
    """Declare an entry of the register."""
    return REGISTER.add(Entry(id, gaps, statement, default, alternatives, operations, check))


def ask(asker: Asker, entry: Entry[T]) -> T:
    """The value in force for the entry, noted as leaned on."""
    asker.used[entry.id] = None
    profile = asker.profile
    if profile:
        chosen: T = profile.get(entry.id, entry.default)
        return chosen
    return entry.default


def peek(asker: Asker, entry: Entry[T]) -> T:
    """The value in force, not noted: to find out whether the choice matters at all."""
    profile = asker.profile
    if profile:
        chosen: T = profile.get(entry.id, entry.default)
        return chosen
    return entry.default


def in_force(profile: Mapping[str, Any], entry: Entry[T]) -> T:
    """The value of the entry under a profile, where no call asks."""
    chosen: T = profile.get(entry.id, entry.default)
    return chosen


def _one_of(default: T, alternatives: tuple[object, ...]) -> Callable[[object], T]:
    number = whole(0, MOST)

    def check(value: object) -> T:
        if isinstance(default, bool):
            if not isinstance(value, bool):
                raise ValueError(f"{value!r} is neither true nor false")
        elif isinstance(default, int):
            number(value)
        elif value != default and value not in alternatives:
            choices = ", ".join(repr(choice) for choice in (default, *alternatives))
            raise ValueError(f"{value!r} is none of {choices}")
        return value  # type: ignore[return-value]

    return check


def whole(least: int, most: int) -> Callable[[object], int]:
    """The check of an entry that takes a whole number between these."""

    def check(value: object) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            raise ValueError(f"{value!r} is no whole number from {least} to {most}")
        return value

    return check


def any_text(value: object) -> str:
    """The check of an entry that takes any text."""
    if not isinstance(value, str):
        raise ValueError(f"{value!r} is no text")
    return value


def texts(what: str) -> Callable[[object], tuple[str, ...]]:
    """The check of an entry that takes a list of texts; ``what`` they are is told to whoever gives something else."""

    def check(value: object) -> tuple[str, ...]:
        if not isinstance(value, list | tuple) or not all(isinstance(text, str) for text in value):
            raise ValueError(f"{value!r} is no list of {what}")
        return tuple(value)

    return check


def some_of(known: tuple[str, ...]) -> Callable[[object], tuple[str, ...]]:
    """The check of an entry that takes a list of some of these texts, or all, or none."""

    def check(value: object) -> tuple[str, ...]:
        if not isinstance(value, list | tuple) or not set(value) <= set(known):
            raise ValueError(f"{value!r} is no list of {', '.join(known)}")
        return tuple(value)

    return check


def any_status(value: object) -> int:
    """The check of an entry that takes the status of an answer."""
    if not isinstance(value, int) or isinstance(value, bool) or not 200 <= value <= 599:
        raise ValueError(f"{value!r} is no status from 200 to 599")
    return value


def _nearest(id: str, known: Iterable[str]) -> str:
    from difflib import get_close_matches

    close = get_close_matches(id, list(known), 1)
    return f" (did you mean {close[0]!r}?)" if close else ""
