"""Values that correspond: pairs are made, and undone."""

from __future__ import annotations

import pytest

from confsim.testing.learning.comparing.correspondence import Correspondence


def test_pairs_are_undone():
    """Those since a count, also of a copy, which stays as it is; the values can be paired anew."""
    known = Correspondence()
    assert known.pair("channels", "a", "x") == ""
    count = known.count
    assert known.pair("channels", "b", "y") == ""
    other = known.copy()
    other.undo(count)
    assert (other.service("channels", "b"), known.service("channels", "b")) == ("b", "y")
    assert other.service("channels", "a") == "x"
    assert other.pair("channels", "c", "y") == ""
    assert known.pair("channels", "c", "y") != ""


@pytest.mark.parametrize("unit", ["epoch-ms", "epoch-s"])
def test_an_instant_as_a_text_is_none_where_it_is_a_number(unit):
    """A client with types reads a number, or a text, and not either."""
    known, now = Correspondence(), 1_769_904_000_000
    known.shift = 0
    assert known.same_instant(unit, now, str(now)) == f"it is no instant as {unit}"
    assert known.same_instant(unit, str(now), str(now)) == ""


def test_a_time_since_a_start_is_the_same_whatever_the_clocks_show():
    """Of two instants in 1970 the clocks are not apart; of two of today they are."""
    known = Correspondence()
    known.shift = 300_000
    assert known.same_instant("epoch-ms", 0, 0) == ""
    assert known.same_instant("epoch-ms", 5_000, 15_000) != ""
    assert known.same_instant("epoch-ms", 1_769_904_000_000, 1_769_904_300_000) == ""
    assert known.same_instant("epoch-ms", 1_769_904_000_000, 1_769_904_000_000) != ""
