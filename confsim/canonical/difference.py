"""The difference of two worlds in words: whole records removed and added first, then fields, timers last."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from datetime import timedelta
from enum import Enum
from typing import Any

from msgspec import Struct, to_builtins

from confsim.kernel.tables.table import Table
from confsim.kernel.world import World

from . import meaning
from .form import Colours, FormLevel, Forms, named, records
from .shapes import ShapeReader, name_of

#: A record with its table.
Held = tuple[Table[Any, Any], Any]
#: The name that a record has in each of two worlds.
Pairs = Mapping[str, str]


class Changed(Struct, frozen=True):
    """A field of a record that differs, with both values in words."""

    record: str
    field: str
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.record}: {self.field} was {self.before}, is {self.after}"


class WorldDifference(Struct, frozen=True):
    """The difference from a world to another one in words; false when the two have the same form.

    ``removed`` and ``added`` are records, those that are called alike once with their number; ``timers`` are the timers
    that were set or cancelled.
    """

    removed: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    changed: tuple[Changed, ...] = ()
    timers: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.removed or self.added or self.changed or self.timers)

    def lines(self) -> list[str]:
        """Return one line for each part of the difference, whole records first."""
        return [
            *(f"removed: {record}" for record in self.removed),
            *(f"added: {record}" for record in self.added),
            *map(str, self.changed),
            *self.timers,
        ]


def difference(
    before: World, after: World, then: int, now: int, level: FormLevel = FormLevel.PASSED
) -> WorldDifference:
    """Return the difference between two worlds at their instants (epoch milliseconds).

    Records are the same if they say the same, else if they have the same id, else if people know them by the same name.
    Fields that ``level`` leaves out are not compared.
    """
    forms = Forms(level)
    form, other_form = forms.form(before, then), forms.form(after, now)
    if form.digest == other_form.digest:
        return WorldDifference()
    old, new = _Side(before, then, level, form.colours), _Side(after, now, level, other_form.colours)
    matched = list(_matched(old, new))
    pairs = {name_of(*one): name_of(*other) for one, other in matched}
    met = {id(record) for one, other in matched for _, record in (one, other)}
    changed = [change for one, other in matched for change in _changed(old, new, one, other, pairs)]
    return WorldDifference(
        removed=tuple(_counted(old, (held for held in old.records if id(held[1]) not in met))),
        added=tuple(_counted(new, (held for held in new.records if id(held[1]) not in met))),
        changed=tuple(changed),
        timers=tuple(_timers(old, new)),
    )


class _Side:
    """One of the two worlds, with what its names refer to."""

    def __init__(self, world: World, at: int, level: FormLevel, colours: Colours) -> None:
        self.world = world
        self.at = at
        self.level = level
        self.colours = colours
        self.named = named(world)
        over = {name for name, (table, record) in self.named.items() if _is_over(table, record)}
        held = [
            (table, record)
            for table, record in records(world)
            if level is not FormLevel.PRESENT or not _left_out(table, record, over)
        ]
        self.records = sorted(held, key=lambda one: one[0].name)  # whatever was imported first

    def call(self, table: Table[Any, Any], record: Any) -> str:
        """Return what people would call a record."""
        one = meaning.one_of(table.name)
        known = next((value for name in meaning.KNOWN_BY if (value := getattr(record, name, None)) is not None), None)
        held = {name: value for name in meaning.HOLDERS if (value := getattr(record, name, None)) is not None}
        if known is None or len(held) == len(meaning.HOLDERS) or {"channel", "user"} <= held.keys():
            about = [self.name(f"user {value}" if name == "user" else str(value)) for name, value in held.items()]
            return f"{one} ({', '.join(about)})" if about else one
        return f"{one} {to_builtins(known, enc_hook=str)!r}"

    def name(self, name: str) -> str:
        """Return what people would call the record of a name; "one" of something that is gone."""
        held = self.named.get(name)
        if held is None:
            return "a user who is gone" if name.startswith("user ") else "something gone"
        table, record = held
        return self.call(table, record) if _has_name(record) else meaning.one_of(table.name)

    def fields(self, table: Table[Any, Any], record: Any) -> Iterator[tuple[str, Any, list[str]]]:
        """Yield the fields of a record with what they say, and the names in them."""
        memory = meaning.MEMORY.get(table.name, frozenset()) if self.level is FormLevel.PRESENT else frozenset()
        for field in record.__struct_fields__:
            if field not in memory:
                reader = ShapeReader(table.name, memory=True)
                reader.read(field, getattr(record, field))
                moments = tuple(self._moment(instant) for instant in reader.instants)
                yield field, (tuple(reader.parts), moments), reader.names

    def _moment(self, instant: int) -> int | None:
        if instant <= self.at and self.level is not FormLevel.MOVED:
            return None
        return instant - self.at

    def words(self, table: Table[Any, Any], field: str, value: Any) -> str:
        """Return the value of a field in words."""
        if value is None:
            return "not set"
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, tuple):
            return f"[{', '.join(self.words(table, field, part) for part in value)}]"
        if isinstance(value, Enum):
            return str(value.value)
        if isinstance(value, Struct | dict):
            inner = to_builtins(value, enc_hook=str)
            return f"{{{', '.join(f'{name}: {self.words(table, name, part)}' for name, part in inner.items())}}}"
        if (table.name, field) in meaning.COUNTED:
            return "a number"
        if field in meaning.INSTANTS and isinstance(value, int):
            return _instant(value - self.at)
        if field in meaning.USERS and str(value).isdigit():
            return self.name(f"user {value}")
        text = str(value)
        if text in self.named:
            return self.name(text)
        return "drawn text" if field in meaning.DRAWN.get(table.name, ()) else repr(value)


def _has_name(record: Any) -> bool:
    return any(getattr(record, name, None) is not None for name in meaning.KNOWN_BY)


def _is_over(table: Table[Any, Any], record: Any) -> bool:
    field, values = meaning.OVER.get(table.name, ("", frozenset()))
    return table.name in meaning.HISTORY or (bool(field) and getattr(record, field).value in values)


def _left_out(table: Table[Any, Any], record: Any, over: set[str]) -> bool:
    owner = meaning.BELONGS.get(table.name, "")
    return _is_over(table, record) or (bool(owner) and getattr(record, owner) in over)


def _instant(span: int) -> str:
    """Return an instant in words by its distance from now (milliseconds)."""
    if span <= 0:
        return "past"
    return f"in {timedelta(milliseconds=span)}"


def _matched(old: _Side, new: _Side) -> Iterator[tuple[Held, Held]]:
    """Yield the records of two worlds that are the same one: by form, by id, by what people call them."""
    left, right = list(old.records), list(new.records)

    def by_form(side: _Side, held: Held) -> Any:
        table, record = held
        said = tuple((field, value) for field, value, _ in side.fields(table, record))
        inner = tuple(side.colours.get(name, 0) for _, _, names in side.fields(table, record) for name in names)
        return table.name, said, inner

    for key in (by_form, lambda side, held: (held[0].name, name_of(*held)), lambda side, held: side.call(*held)):
        waiting: dict[Any, list[Held]] = defaultdict(list)
        for held in right:
            waiting[key(new, held)].append(held)
        rest = []
        for held in left:
            found = waiting.get(key(old, held))
            if found:
                yield held, found.pop(0)
            else:
                rest.append(held)
        left, right = rest, [held for several in waiting.values() for held in several]


def _changed(old: _Side, new: _Side, one: Held, other: Held, pairs: Pairs) -> Iterator[Changed]:
    table, record = one
    after = {field: (value, names) for field, value, names in new.fields(*other)}
    for field, value, names in old.fields(table, record):
        value_after, names_after = after[field]
        # A name of something gone is the same if the form says so.
        same = len(names) == len(names_after) and all(
            pairs.get(name, name) == name_after or old.colours.get(name) == new.colours.get(name_after)
            for name, name_after in zip(names, names_after, strict=True)
        )
        if value != value_after or not same:
            yield Changed(
                old.call(table, record),
                field,
                old.words(table, field, getattr(record, field)),
                new.words(table, field, getattr(other[1], field)),
            )


def _counted(side: _Side, held: Iterable[Held]) -> Iterator[str]:
    """Yield what records are called, those that are called alike once with their number."""
    for called, number in Counter(side.call(table, record) for table, record in held).items():
        yield called if number == 1 else f"{number} times {called}"


def _timers(old: _Side, new: _Side) -> Iterator[str]:
    """Yield the timers that only one of the worlds has."""
    both = [
        Counter((timer.kind, side.name(_subject(timer.subject)), timer.due - side.at) for timer in side.world.timers)
        for side in (old, new)
    ]
    for word, kinds in (("cancelled", both[0] - both[1]), ("set", both[1] - both[0])):
        for kind, subject, span in kinds:
            yield f"timer {word}: {kind} of {subject}, {_instant(span)}"


def _subject(subject: str) -> str:
    return f"user {subject}" if subject.isdigit() else subject
