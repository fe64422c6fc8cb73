"""State machines as inline SVG: states in a column, transitions as arcs, the present state marked.

Own code: Mermaid needs a large script in the browser and Graphviz a program; these pages need neither.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

#: Pixels: height of a state, gap below it, space above the first, least width of a state.
_HEIGHT, _GAP, _ABOVE, _WIDTH = 34, 40, 10, 190
_STEP = _HEIGHT + _GAP
#: Pixels by which an arc stands out of the column, and by how much more for each state that it passes.
_OUT, _MORE = 30, 26
#: Pixels of a line of a label: its height, the space between labels, and the most that a character takes.
_LINE, _BETWEEN, _CHARACTER = 15, 4, 8
#: Most characters of a line of a label; a longer trigger has a longer line.
_COLUMNS = 30


class Box(Struct, frozen=True):
    """A state: its name, the position of its upper left corner, and whether it is the initial or the present state."""

    name: str
    x: int
    y: int
    initial: bool
    present: bool


class Arc(Struct, frozen=True):
    """A transition: the path of its line, the names of its triggers in lines, where the first begins, the alignment."""

    path: str
    x: int
    y: int
    anchor: str
    lines: list[str]


class Diagram(Struct, frozen=True):
    """A drawing: its size and its parts. ``text`` is the alternative text for screen readers."""

    width: int
    height: int
    box_width: int
    box_height: int
    line_height: int
    boxes: list[Box]
    arcs: list[Arc]
    text: str


class _Move(Struct):
    """A transition to draw: the places of its states, its triggers in lines, and where the label begins."""

    start: int
    end: int
    lines: list[str]
    top: int = 0

    @property
    def backward(self) -> bool:
        return self.end < self.start

    @property
    def out(self) -> int:
        return _OUT + _MORE * abs(self.end - self.start)

    @property
    def height(self) -> int:
        return _LINE * len(self.lines)

    @property
    def reach(self) -> int:
        return self.out + 6 + _CHARACTER * max(map(len, self.lines))


def draw(states: Sequence[str], initial: str, rows: Sequence[Mapping[str, str]], present: str | None = None) -> Diagram:
    """Return the drawing of a machine; ``rows`` are those of ``list_machines``, states of ``on`` joined by " | ".

    Triggers that fire by themselves at a deadline are marked as timed. No label overlaps another or a state.
    """
    triggers: dict[tuple[int, int], list[str]] = {}
    for row in rows:
        trigger = f"{row['when']} (timed)" if row["at"] else row["when"]
        for state in row["on"].split(" | "):
            found = triggers.setdefault((states.index(state), states.index(row["then"])), [])
            if trigger not in found:
                found.append(trigger)
    moves = [_Move(start, end, _lines(names)) for (start, end), names in sorted(triggers.items())]
    left, right = [each for each in moves if each.backward], [each for each in moves if not each.backward]
    for side in left, right:
        _place(side)
    width = max([_WIDTH, *(_CHARACTER * len(name) + 30 for name in states)])
    x = max((each.reach for each in left), default=0) + 10
    boxes = [Box(name, x, _STEP * at + _ABOVE, name == initial, name == present) for at, name in enumerate(states)]
    text = "; ".join(
        f"{states[start]} to {states[end]}: {', '.join(names)}" for (start, end), names in sorted(triggers.items())
    )
    return Diagram(
        width=x + width + max((each.reach for each in right), default=0) + 10,
        height=max([len(states) * _STEP, *(each.top + each.height for each in moves)]),
        box_width=width,
        box_height=_HEIGHT,
        line_height=_LINE,
        boxes=boxes,
        arcs=[_arc(each, x if each.backward else x + width) for each in moves],
        text=text,
    )


def _lines(names: Sequence[str]) -> list[str]:
    """Return the names, separated by commas, in lines that end between two names."""
    lines = [names[0]]
    for name in names[1:]:
        if len(lines[-1]) + len(name) + 2 <= _COLUMNS:
            lines[-1] += f", {name}"
        else:
            lines[-1] += ","
            lines.append(name)
    return lines


def _place(side: Sequence[_Move]) -> None:
    """Give the labels of a side their tops: each beside the middle of its arc, moved as little as keeps them apart."""
    stacks: list[list[_Move]] = []
    for move in sorted(side, key=lambda each: (each.start + each.end, each.out)):
        stacks.append([move])
        while len(stacks) > 1 and _top(stacks[-1]) < _top(stacks[-2]) + _tall(stacks[-2]):
            stacks[-2:] = [stacks[-2] + stacks[-1]]
    for stack in stacks:
        top = _top(stack)
        for move in stack:
            move.top = top
            top += move.height + _BETWEEN


def _tall(stack: Sequence[_Move]) -> int:
    return sum(each.height + _BETWEEN for each in stack)


def _top(stack: Sequence[_Move]) -> int:
    """Return where labels that stand on each other begin: in the middle of their arcs, but not above the drawing."""
    middles = [(_middle(each.start) + _middle(each.end)) // 2 for each in stack]
    return max(2, sum(middles) // len(middles) - _tall(stack) // 2)


def _middle(place: int) -> int:
    return place * _STEP + _ABOVE + _HEIGHT // 2


def _arc(move: _Move, x: int) -> Arc:
    """Return an arc from an edge of the column at x: forward on the right, backward on the left, past its label."""
    sign = -1 if move.backward else 1
    shift = 8 if move.start == move.end else -9 * sign
    begin, finish, apex = _middle(move.start) - shift, _middle(move.end) + shift, move.top + move.height // 2
    out = x + sign * move.out
    path = (
        f"M {x} {begin} C {out} {begin}, {out} {(begin + apex) // 2}, {out} {apex} "
        f"C {out} {(finish + apex) // 2}, {out} {finish}, {x} {finish}"
    )
    return Arc(path, out + 6 * sign, move.top + _LINE - 4, "end" if move.backward else "start", move.lines)


def of_machine(machine: Any, present: str | None = None) -> Diagram:
    """Return the drawing of a machine as ``list_machines`` describes it."""
    return draw(machine.states, machine.initial, machine.rows, present)
