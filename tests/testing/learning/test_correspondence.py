"""Values that correspond: pairs are made, and undone."""

from __future__ import annotations

from confsim.testing.learning.correspondence import Correspondence


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
