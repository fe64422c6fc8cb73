"""Delays of work: at once, after a time, after a number of polls."""

from __future__ import annotations

import pytest

from confsim.assumptions.protocol.durations import PLACEMENT
from confsim.assumptions.register import ProfileContext
from confsim.domain import delays
from confsim.domain.delays import NO_POLL_LEFT, NO_WAIT, Wait
from confsim.kernel.tables.table import Record
from confsim.kernel.world import World


class Work(Record):
    """Work with polls left."""

    polls_left: int | None


@pytest.mark.parametrize(
    ("delay", "since", "expected"),
    [
        ("immediate", 10_000, NO_WAIT),
        ("manual(3)", 10_000, Wait(polls_left=3)),
        ("manual(3)", 0, Wait(polls_left=3)),
        ("time(2)", 10_000, Wait(ends=12_000)),
        ("time(2)", 8_001, Wait(ends=10_001)),
        ("time(2)", 8_000, NO_WAIT),
        ("time(2)", 1_000, NO_WAIT),
    ],
)
def test_what_is_left_of_a_delay(delay, since, expected):
    """From the beginning of the work; none once its time is over."""
    change = World().change(10_000, ProfileContext({PLACEMENT.id: delay}))
    found = delays.wait(change, PLACEMENT, since=since)
    assert found == expected
    assert found.over is (expected is NO_WAIT)


def test_polls_are_counted():
    """To none, and not at all where a timer ends the work."""
    change = World().change(0)
    work = Work(polls_left=2)
    seen = []
    for _ in range(3):
        seen.append((work.polls_left, NO_POLL_LEFT.admits(change, work, (), {})))
        work = delays.count_poll(None, work)
    assert seen == [(2, False), (1, False), (0, True)]
    timed = Work(polls_left=None)
    assert delays.count_poll(None, timed) == timed
    assert not NO_POLL_LEFT.admits(change, timed, (), {})
