"""State machines as inline SVG: states in a column, transitions as arcs, the present state marked.

Own code: Mermaid needs a large script in the browser and Graphviz a program; these pages need neither.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

#: Pixels: height of a state, gap below it, width of a state, space for arcs on one side.
_HEIGHT, _GAP, _WIDTH, _SIDE = 34, 40, 190, 250
_STEP = _HEIGHT + _GAP


class Box(Struct, frozen=True):
    """A state: its name, the position of its upper left corner, and whether it is the initial or the present state."""

    name: str
    x: int
    y: int
    initial: bool
    present: bool


class Arc(Struct, frozen=True):
    """A transition: the path of its line, the place of its label and how that is aligned, the names of its triggers."""

    path: str
    x: int
    y: int
    anchor: str
    label: str


class Diagram(Struct, frozen=True):
    """A drawing: its size and its parts. ``text`` is the alternative text for screen readers."""

    width: int
    height: int
    box_width: int
    box_height: int
    boxes: list[Box]
    arcs: list[Arc]
    text: str


def draw(states: Sequence[str], initial: str, rows: Sequence[Mapping[str, str]], present: str | None = None) -> Diagram:
    """Return the drawing of a machine; ``rows`` are those of ``list_machines``, states of ``on`` joined by " | ".

    Triggers that fire by themselves at a deadline are marked as timed.
    """
    moves: dict[tuple[int, int], list[str]] = {}
    for row in rows:
        trigger = f"{row['when']} (timed)" if row["at"] else row["when"]
        for state in row["on"].split(" | "):
            triggers = moves.setdefault((states.index(state), states.index(row["then"])), [])
            if trigger not in triggers:
                triggers.append(trigger)
    boxes = [
        Box(name, _SIDE, place * _STEP + 10, name == initial, name == present) for place, name in enumerate(states)
    ]
    arcs = [_arc(start, end, ", ".join(triggers)) for (start, end), triggers in sorted(moves.items())]
    text = "; ".join(
        f"{states[start]} to {states[end]}: {', '.join(triggers)}" for (start, end), triggers in sorted(moves.items())
    )
    return Diagram(_WIDTH + 2 * _SIDE, len(states) * _STEP, _WIDTH, _HEIGHT, boxes, arcs, text)


def _arc(start: int, end: int, label: str) -> Arc:
    """Return an arc: forward on the right, backward on the left, a loop beside its state; longer arcs are wider."""
    middle = _HEIGHT // 2 + 10
    if start == end:
        x, y = _SIDE + _WIDTH, start * _STEP + middle
        path = f"M {x} {y - 8} C {x + 34} {y - 16}, {x + 34} {y + 16}, {x} {y + 8}"
        return Arc(path, x + 30, y + 4, "start", label)
    right = end > start
    x = _SIDE + _WIDTH if right else _SIDE
    out = (30 + 26 * abs(end - start)) * (1 if right else -1)
    shift = 9 if right else -9
    y1, y2 = start * _STEP + middle + shift, end * _STEP + middle - shift
    label_x = x + out * 3 // 4 + (6 if right else -6)
    path = f"M {x} {y1} C {x + out} {y1}, {x + out} {y2}, {x} {y2}"
    return Arc(path, label_x, (y1 + y2) // 2 + 4, "start" if right else "end", label)


def of_machine(machine: Any, present: str | None = None) -> Diagram:
    """Return the drawing of a machine as ``list_machines`` describes it."""
    return draw(machine.states, machine.initial, machine.rows, present)
