"""The register: entries, the functions that read the values in force, and profiles that choose alternatives."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping
from datetime import timedelta
from typing import Any, Generic, Protocol, TypeVar

from msgspec import Struct

from confsim.kernel import Misuse, suggest
from confsim.values.plain import check_plain
from confsim.values.spans import span

T = TypeVar("T")

#: The default maximum of numbers in entries: an instant that far ahead is still exact in every JSON reader.
MOST = 10**15
#: Most keys and items of lists of a profile; there are some thousand entries.
MOST_CHOICES = 5000
#: Most mistakes of a profile that are named.
_NAMED = 20


class ProfileContext(Struct, eq=False, gc=False):
    """A profile, and the record of the assumptions used: a context by itself, and what a change carries.

    ``profile`` holds the values chosen, by id of the entry; ``used`` has the ids of the entries used so far, in order
    of first use.
    """

    profile: Mapping[str, Any]
    used: dict[str, None] = {}

    @property
    def carried(self) -> ProfileContext:
        """Return itself."""
        return self

    def collect_in(self, used: dict[str, None]) -> dict[str, None]:
        """Collect the ids of assumptions here from now on; return where they were collected before."""
        before, self.used = self.used, used
        return before


class Context(Protocol):
    """The context of assumptions. Changes and calls are contexts; one that carries nothing gets the default values."""

    @property
    def carried(self) -> ProfileContext | None:
        """The profile, and the record of the assumptions used."""


def context_of(context: Context) -> ProfileContext:
    """Return the profile and the record of a context; a change that carries none gets one of the default values."""
    if context.carried is None:
        change: Any = context
        change.carried = ProfileContext({})
    assert context.carried is not None
    return context.carried


class ProfileKey:
    """A profile as a cache key: equal for equal choices."""

    def __init__(self, profile: Mapping[str, Any]) -> None:
        self.profile = profile
        self._key = tuple(sorted((id, repr(value)) for id, value in profile.items()))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ProfileKey) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)


Refuses = Mapping[str, Container[object] | Callable[[Any, str, Mapping[str, Any]], bool]]


class Assumption(Generic[T]):
    """One assumption: a choice that the documents leave open.

    ``gaps`` are the G numbers that it settles; ``alternatives`` the other values worth choosing, each a value or a
    phrase that describes a family of values; ``operations`` the names of operations concerned, ``decides`` what answers
    show of it (words of ``Operation.shows``), which concerns every operation that shows it; both empty for all
    operations. ``refuses`` maps reasons for refusals (names of ``Reason``) to the values with which the operations
    concerned can refuse for them, or to a function of value, operation and profile; without one of these, of this or
    another entry, they cannot.
    ``check`` returns the value in the form that code expects, and raises ValueError for one that is not acceptable.
    ``samples`` are values of the families that alternatives describe in words, for those who try other values.
    """

    __slots__ = (
        "alternatives", "check", "decides", "default", "gaps", "id", "operations", "refuses", "samples", "statement"
    )  # fmt: skip

    def __init__(
        self,
        id: str,
        gaps: str,
        statement: str,
        default: T,
        alternatives: Iterable[object] = (),
        operations: str = "",
        check: Callable[[object], T] | None = None,
        decides: str = "",
        refuses: Refuses | None = None,
        samples: Iterable[object] = (),
    ) -> None:
        self.id = id
        self.gaps = tuple(gaps.split())
        self.statement = statement
        self.default = default
        self.alternatives = tuple(alternatives)
        self.operations = tuple(operations.split())
        self.decides = tuple(decides.split())
        self.check = check or _one_of(default, self.alternatives)
        self.refuses: Refuses = refuses or {}
        self.samples = tuple(samples)

    def candidates(self) -> tuple[Any, ...]:
        """Return values other than the default, in the form that code expects; none when there is no choice."""
        found = [value for value in self.alternatives if not isinstance(value, str) or self._is_value(value)]
        checked = [self.check(value) for value in (*found, *self.samples)]
        other = {repr(value): value for value in checked if value != self.default}
        return tuple(other.values())

    def _is_value(self, alternative: str) -> bool:
        """Return whether an alternative is a value, and not a phrase that describes values."""
        try:
            self.check(alternative)
        except (ValueError, TypeError):
            return False
        return not alternative.startswith(("any ", "another "))

    def allows_refusal(self, reason: str, operation: str, profile: Mapping[str, Any]) -> bool:
        """Return whether the value under a profile lets an operation concerned refuse for one of ``refuses``."""
        when, value = self.refuses[reason], in_force(profile, self)
        return when(value, operation, profile) if callable(when) else value in when


class Register:
    """All entries by id. Each entry is added by the module that declares it; ids are unique."""

    def __init__(self) -> None:
        self.entries: dict[str, Assumption[Any]] = {}

    def add(self, entry: Assumption[T]) -> Assumption[T]:
        """Add an entry and return it. Raises ValueError if the id is declared already."""
        if entry.id in self.entries:
            raise ValueError(f"assumption {entry.id!r} is declared twice")
        self.entries[entry.id] = entry
        return entry

    def profile(self, chosen: Mapping[str, Any], origin: str = "profile") -> dict[str, Any]:
        """Check chosen values, given flat or nested by the dots of the ids, and return them flat, by id.

        Raises Misuse, beginning with ``origin``, that names the first unknown ids and values that their entries refuse,
        or that there are more than ``MOST_CHOICES`` keys and items of lists.
        """
        check_plain(chosen, origin)
        if _count(chosen) > MOST_CHOICES:
            raise Misuse(f"{origin}: it has more than {MOST_CHOICES:,} keys and list items", most=MOST_CHOICES)
        wrong: list[str] = []
        checked: dict[str, Any] = {}
        for id, value in self._flat(chosen, ""):
            entry = self.entries.get(id)
            if entry is None:
                meant = suggest(id, self.entries) if len(wrong) < _NAMED else ""
                wrong.append(f"{id!r} names no assumption{meant}")
                continue
            try:
                checked[id] = entry.check(value)
            except (ValueError, TypeError) as error:
                wrong.append(f"{id!r}: {error}")
        if wrong:
            more = f"; and {len(wrong) - _NAMED:,} more" if len(wrong) > _NAMED else ""
            raise Misuse(f"{origin}: " + "; ".join(wrong[:_NAMED]) + more)
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
    decides: str = "",
    refuses: Refuses | None = None,
    samples: Iterable[object] = (),
) -> Assumption[T]:
    """Declare an entry: create it and add it to the register."""
    return REGISTER.add(
        Assumption(id, gaps, statement, default, alternatives, operations, check, decides, refuses, samples)
    )


def ask(context: Context, entry: Assumption[T]) -> T:
    """Return the value in force for the entry, and note its use."""
    carried = context.carried or context_of(context)
    carried.used[entry.id] = None
    chosen: T = carried.profile.get(entry.id, entry.default)
    return chosen


def note(context: Context, entry: Assumption[Any]) -> None:
    """Note the use of an entry whose value is known, or that has one value only."""
    carried = context.carried or context_of(context)
    carried.used[entry.id] = None


def value_of(context: Context, entry: Assumption[T]) -> T:
    """Return the value in force without noting its use: the choice may turn out not to matter."""
    carried = context.carried or context_of(context)
    chosen: T = carried.profile.get(entry.id, entry.default)
    return chosen


def in_force(profile: Mapping[str, Any], entry: Assumption[T]) -> T:
    """Return the value of the entry under a profile, outside any context."""
    chosen: T = profile.get(entry.id, entry.default)
    return chosen


def _count(values: object) -> int:
    """Return how many keys and items of lists there are in plain values, those within others included."""
    count, rest = 0, [values]
    while rest and count <= MOST_CHOICES:
        value = rest.pop()
        parts = value.values() if isinstance(value, Mapping) else value if isinstance(value, list | tuple) else ()
        count += len(parts)
        rest += parts
    return count


def _one_of(default: T, alternatives: tuple[object, ...]) -> Callable[[object], T]:
    number = integer(0, MOST)

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


def integer(least: int, most: int) -> Callable[[object], int]:
    """Return the check of an entry that takes an integer from ``least`` to ``most``."""

    def check(value: object) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            raise ValueError(f"{value!r} is no whole number from {least} to {most}")
        return value

    return check


def duration(unit: int = 1, most: int = MOST) -> Callable[[object], int]:
    """Return the check of an entry that takes a duration: a number of ``unit`` (milliseconds), text, or a timedelta."""
    number = integer(0, most)

    def check(value: object) -> int:
        if isinstance(value, str | timedelta):
            try:
                value, rest = divmod(span(value), unit)
            except Misuse as misuse:
                raise ValueError(str(misuse)) from None
            if rest:
                raise ValueError(f"{rest} milliseconds are left over: it is a multiple of {unit}")
        return number(value)

    return check


def text(value: object) -> str:
    """Check of an entry that takes any text."""
    if not isinstance(value, str):
        raise ValueError(f"{value!r} is no text")
    return value


def texts(what: str) -> Callable[[object], tuple[str, ...]]:
    """Return the check of an entry that takes a list of texts; ``what`` names them in the error."""

    def check(value: object) -> tuple[str, ...]:
        if not isinstance(value, list | tuple) or not all(isinstance(item, str) for item in value):
            raise ValueError(f"{value!r} is no list of {what}")
        return tuple(value)

    return check


def subset_of(known: tuple[str, ...]) -> Callable[[object], tuple[str, ...]]:
    """Return the check of an entry that takes a list of any of these texts, empty included."""

    def check(value: object) -> tuple[str, ...]:
        if not isinstance(value, list | tuple) or not set(value) <= set(known):
            raise ValueError(f"{value!r} is no list of {', '.join(known)}")
        return tuple(value)

    return check


def status_code(value: object) -> int:
    """Check of an entry that takes the status of a response."""
    if not isinstance(value, int) or isinstance(value, bool) or not 200 <= value <= 599:
        raise ValueError(f"{value!r} is no status from 200 to 599")
    return value
