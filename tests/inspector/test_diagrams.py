"""The drawings of machines."""

from __future__ import annotations

from itertools import combinations

import pytest

import confsim.api.catalogue  # noqa: F401 - declares every machine
from browser.python_names import Shown, python_names
from confsim.inspector import diagrams
from confsim.kernel.diagram import in_words
from confsim.kernel.machine import Machine

#: Pixels that a character of a label takes at most, in the widest of the usual fonts.
CHARACTER = 8


def test_a_transition_that_happens_by_itself_is_marked_as_timed():
    """Each trigger stands once at its line, and in the text for screen readers."""
    rows = [
        {"when": "disable", "on": "on | off", "at": "", "then": "off"},
        {"when": "elapse", "on": "on", "at": "lamp", "then": "off"},
    ]
    drawn = diagrams.draw(["on", "off"], "off", rows, "on")
    assert drawn.text == "on to off: disable, elapse (timed); off to off: disable"
    assert [arc.lines for arc in drawn.arcs] == [["disable, elapse (timed)"], ["disable"]]
    assert [(box.name, box.initial, box.present) for box in drawn.boxes] == [("on", False, True), ("off", True, False)]


def boxes_of_labels(drawn):
    """The rectangle of each label: left, top, right, bottom."""
    for arc in drawn.arcs:
        width = CHARACTER * max(map(len, arc.lines))
        left = arc.x - width if arc.anchor == "end" else arc.x
        top = arc.y - drawn.line_height + 4
        yield left, top, left + width, top + drawn.line_height * len(arc.lines)


def overlap(one, other):
    """Whether two rectangles share an area."""
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


@pytest.mark.parametrize("name", sorted(Machine.declared))
def test_no_label_overlaps_another_or_a_state(name):
    """The labels of every machine have room of their own, and the drawing has room for all of them."""
    machine = Machine.declared[name]
    drawn = diagrams.draw([each.value for each in machine.states], machine.initial.value, in_words(machine))
    labels = list(boxes_of_labels(drawn))
    states = [(each.x, each.y, each.x + drawn.box_width, each.y + drawn.box_height) for each in drawn.boxes]
    assert labels
    assert not [pair for pair in combinations(labels, 2) if overlap(*pair)]
    assert not [label for label in labels if any(overlap(label, each) for each in states)]
    for left, top, right, bottom in labels:
        assert 0 <= left < right <= drawn.width
        assert 0 <= top < bottom <= drawn.height
    for box in drawn.boxes:
        assert len(box.name) * CHARACTER <= drawn.box_width


@pytest.mark.parametrize("name", Machine.declared)
def test_the_words_of_a_transition_table_are_not_pythons(name):
    """The table stands on a page and in an answer for readers of an HTTP API, who need not know Python."""
    words = [text for row in in_words(Machine.declared[name]) for text in row.values()]
    assert list(python_names(map(Shown, words))) == []
