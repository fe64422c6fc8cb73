"""Work in steps, between which others are served."""

from __future__ import annotations

import pytest

from confsim.service import deferred
from confsim.service.deferred import (
    BREATH,
    POLL_INTERVAL,
    SLICE,
    Pending,
    in_slices,
    in_steps,
    newest,
    until_next_poll,
    wait_for_result,
)


def test_each_slice_ends_when_its_time_is_over(monkeypatch):
    """After a slice the result is pending, and what continues it takes the next slice."""
    monkeypatch.setattr(deferred, "SLICE", 0)
    made = []

    def work():
        for number in range(3):
            made.append(number)
            yield
        return "done"

    again, seen = (lambda: in_steps(work())), []
    while True:
        try:
            result = again()
            break
        except Pending as pending:
            seen.append(list(made))
            again = pending.again
    assert seen == [[0], [0, 1], [0, 1, 2]]
    assert result == "done"


def test_work_in_time_is_done_at_once():
    """What takes less than a slice is never pending."""
    assert in_slices(range(5), sum) == 10


def test_work_that_waits_is_pending():
    """A step that yields True ends the slice."""

    def work():
        yield False
        yield True
        return 1

    with pytest.raises(Pending) as pending:
        in_steps(work())
    assert pending.value.again() == 1


def test_what_is_none_is_left_out():
    """Items that are None are looked at, and not part of the result."""
    assert in_slices((each if each % 2 else None for each in range(6)), list) == [1, 3, 5]


def test_each_item_is_a_step(monkeypatch):
    """After each of them others are served, also after one that is left out."""
    monkeypatch.setattr(deferred, "SLICE", 0)
    again, steps = (lambda: in_slices([1, None, 3], list)), 0
    while True:
        try:
            assert again() == [1, 3]
            break
        except Pending as pending:
            steps, again = steps + 1, pending.again
    assert steps == 3


def test_an_error_ends_the_work(monkeypatch):
    """What a step raises is raised by what continues the work."""
    monkeypatch.setattr(deferred, "SLICE", 0)

    def work():
        yield
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        wait_for_result(lambda: in_steps(work()))


@pytest.mark.parametrize(("worked", "seconds"), [(0.0, POLL_INTERVAL), (SLICE, BREATH)])
def test_what_was_at_work_is_polled_soon(monkeypatch, worked, seconds):
    """What waits is polled after the whole interval."""
    monkeypatch.setattr(deferred, "monotonic", lambda: 100.0 + worked)
    assert until_next_poll(100.0) == seconds


@pytest.mark.parametrize(
    ("limit", "offset", "expected", "left"),
    [
        (None, None, [5, 4, 3, 1], []),
        (2, None, [5, 4], [None, 1]),
        (2, 1, [4, 3], []),
        (1, 1, [4], [None, 1]),
        (0, 0, [], [None, 4, 3, None, 1]),
        (9, 3, [1], []),
    ],
)
def test_the_newest_are_chosen(limit, offset, expected, left):
    """So many after so many of those that are not None; what follows the next of them is not read."""
    items = iter([5, None, 4, 3, None, 1])
    assert [each for each in newest(items, limit, offset) if each is not None] == expected
    assert list(items) == left
