"""Other values of assumptions to try."""

from __future__ import annotations

from confsim.api import catalogue
from confsim.assumptions.register import REGISTER
from confsim.assumptions.register.candidates import SAMPLES, candidates

assert catalogue


def test_every_entry_that_has_alternatives_has_values_to_try():
    """Each is accepted, is not the default, and is there once."""
    for entry in REGISTER.entries.values():
        found = candidates(entry)
        assert all(entry.check(value) == value and value != entry.default for value in found), entry.id
        assert len({repr(value) for value in found}) == len(found), entry.id
        assert found or not entry.alternatives, entry.id


def test_examples_are_of_entries_that_there_are():
    """By id, or by the beginning of ids."""
    for id in SAMPLES:
        assert id in REGISTER.entries or any(each.startswith(id) for each in REGISTER.entries if id.endswith(".")), id
