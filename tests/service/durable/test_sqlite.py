"""The files of a state directory: where they are made, and what a failed write leaves."""

from __future__ import annotations

import pytest

from confsim import Misuse
from kit.durable import busy, killed, reported


def test_a_directory_is_made_with_those_above_it(begin, tmp_path):
    """None of them has to be there."""
    place = tmp_path / "a" / "b" / "state"
    sim = begin(place)
    assert repr(sim.durable) == f"<DurableWorlds in state directory {str(place)!r}>"
    busy(sim)
    killed(sim)
    assert reported(begin(place)) == reported(sim)


def test_a_write_that_fails_leaves_nothing_and_the_next_succeeds(begin, place):
    """The record and its documents are written together or not at all."""
    sim = begin(place)
    busy(sim)
    store = sim.durable.store
    number, size = store.number, store.size
    with pytest.raises(Misuse, match="cannot be written") as caught:
        store.append("", 0, "bad", b"{}", {"digest": object()})
    assert caught.value.status == 507
    assert (store.number, store.size) == (number, size)
    sim.snapshot("a")  # a record with a document of its own
    assert store.number == number + 1
    busy(sim)
    killed(sim)
    assert reported(begin(place)) == reported(sim)
