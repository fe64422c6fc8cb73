"""The drawings of machines."""

from __future__ import annotations

from confsim.inspector import diagrams


def test_a_transition_that_happens_by_itself_is_marked_as_timed():
    """Each trigger stands once at its line, and in the text for screen readers."""
    rows = [
        {"when": "disable", "on": "on | off", "at": "", "then": "off"},
        {"when": "elapse", "on": "on", "at": "lamp", "then": "off"},
    ]
    drawn = diagrams.draw(["on", "off"], "off", rows, "on")
    assert drawn.text == "on to off: disable, elapse (timed); off to off: disable"
    assert [arc.label for arc in drawn.arcs] == ["disable, elapse (timed)", "disable"]
    assert [(box.name, box.initial, box.present) for box in drawn.boxes] == [("on", False, True), ("off", True, False)]
