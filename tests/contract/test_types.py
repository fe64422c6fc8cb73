"""Marks of types, which say what a value is under a profile."""

from __future__ import annotations

from confsim.assumptions.terms import VERSION
from confsim.contract.types import Numbering


def test_a_number_is_an_instant_by_one_value_alone():
    """A version of terms that is the second of its instant; others are counted."""
    mark = Numbering(VERSION, "timestamp")
    assert mark.unit_under({VERSION.id: "timestamp"}) == "epoch-s"
    assert mark.unit_under({}) == ""
