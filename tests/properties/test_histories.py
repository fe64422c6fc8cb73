"""Calls made at the same time are answered as if they had been made one after the other. More: the campaigns."""

from __future__ import annotations

import pytest

from kit.proofs.histories import Done, linearizable, over_a_socket, scheduled


def call(begun, ended, thread, what, value):
    """One call of a history of a register."""
    return Done(begun, ended, thread, what, value, 200)


@pytest.mark.parametrize(
    ("history", "could_be"),
    [
        ([call(0, 1, 0, "write", "a"), call(2, 3, 1, "read", "a")], True),
        ([call(0, 1, 0, "write", "a"), call(2, 3, 1, "read", "")], False),
        ([call(0, 3, 0, "write", "a"), call(1, 2, 1, "read", "")], True),
        ([call(0, 5, 0, "write", "a"), call(1, 2, 1, "read", "a"), call(3, 4, 1, "read", "")], False),
        ([call(0, 5, 0, "write", "a"), call(1, 2, 1, "read", ""), call(3, 4, 1, "read", "a")], True),
        ([call(0, 9, 0, "write", "a"), call(1, 9, 1, "write", "b"), call(10, 11, 2, "read", "a")], True),
        ([call(0, 1, 0, "write", "a"), call(2, 3, 1, "write", "b"), call(4, 5, 2, "read", "a")], False),
    ],
)
def test_the_search_knows_what_could_have_been(history, could_be):
    """A read sees the last write before it, or one that was under way."""
    assert linearizable(history, "") is could_be


@pytest.mark.parametrize("seed", range(8))
def test_threads_under_a_scheduler(seed):
    """No matter who goes on at each point of the code, nothing is lost, nothing is had twice."""
    assert scheduled(seed) == []


def test_threads_over_sockets_and_in_the_process_of_the_server():
    """The one lock of the world holds for all of them."""
    assert over_a_socket(0) == []


def test_a_planted_race_is_found():
    """Without the lock of the world, in every way that it shows, and the same seed shows the same."""
    found = [scheduled(seed, race=True) for seed in range(8)]
    assert all(found)
    assert {"deletes", "handles", "journal", "register", "rooms"} <= {each for problems in found for each in problems}
    assert scheduled(3, race=True) == found[3]


def test_a_planted_race_is_found_over_sockets():
    """Calls overlap for as long as they come from both sides, so that every seed shows it."""
    assert all("journal" in over_a_socket(seed, race=True) for seed in range(3))
