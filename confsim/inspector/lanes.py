"""State machines as lanes: a column for each state, a row for each trigger, whose line leads from states to a state."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct


class Crossing(Struct, frozen=True):
    """Where a row crosses the column of a state.

    ``marks`` are what is drawn: "left" and "right", a line to that side; "from", its begin; "in-left" and "in-right",
    its arrow, which comes from that side; "loop", a line from the state to itself. ``is_from`` and ``is_to`` say the
    same to screen readers.
    """

    state: str
    marks: tuple[str, ...]
    is_from: bool
    is_to: bool
    present: bool


class Lane(Struct, frozen=True):
    """A row: its trigger, its guard, the timer that fires it; whether it can fire in the present state."""

    trigger: str
    guard: str
    timer: str
    possible: bool
    cells: list[Crossing]


class Lanes(Struct, frozen=True):
    """A machine as lanes: its name, its states in their order, the present one (None where there is none), its rows."""

    name: str
    states: list[str]
    present: str | None
    rows: list[Lane]


def of_machine(machine: Any, present: str | None = None) -> Lanes:
    """Return a machine as ``list_machines`` describes it as lanes."""
    return Lanes(machine.name, machine.states, present, list(_rows(machine.states, machine.rows, present)))


def _rows(states: Sequence[str], rows: Sequence[Mapping[str, str]], present: str | None) -> Iterator[Lane]:
    """Yield the rows in their order; triggers that lead from the same states to the same one, so guarded, are one."""
    triggers: dict[tuple[str, ...], list[str]] = {}
    for row in rows:
        names = triggers.setdefault((row["on"], row["then"], row["only if"], row["at"]), [])
        if row["when"] not in names:
            names.append(row["when"])
    for (on, then, guard, timer), names in triggers.items():
        begins = on.split(" | ")
        cells = _cells(states, begins, then, present)
        yield Lane(", ".join(names), guard, timer, present in begins, cells)


def _cells(states: Sequence[str], begins: Sequence[str], then: str, present: str | None) -> list[Crossing]:
    places = [states.index(each) for each in begins]
    end = states.index(then)
    first, last = min(*places, end), max(*places, end)
    found = []
    for place, state in enumerate(states):
        drawn = {
            "left": first < place <= last,
            "right": first <= place < last,
            "from": place in places and place != end,
            "in-left": place == end and first < end,
            "in-right": place == end and last > end,
            "loop": place == end and end in places,
        }
        marks = tuple(name for name, is_drawn in drawn.items() if is_drawn)
        found.append(Crossing(state, marks, place in places, place == end, state == present))
    return found
