"""The table of the truth is what the service's own tables and calls show."""

from __future__ import annotations

from typing import Any

import pytest

from confsim.assumptions.register import REGISTER
from confsim.service.files.profile import read_profile
from kit.exam import truth
from services.calls import truths, truths_of_areas  # noqa: F401  (which derives more)
from services.calls.client import Api
from services.conferencing import STYLES


def test_the_derived_part_is_up_to_date() -> None:
    """Gates, codes and statuses are as the tables of the service have them: ``python -m kit.exam.truth`` was run."""
    derived = truth.derived()
    assert {id: told for id, told in truth.table().items() if id in derived} == derived


def test_every_value_is_one_of_the_register() -> None:
    """Each entry is one of the register, and each value one that the register takes."""
    assert truth.table().keys() <= REGISTER.entries.keys()
    for style in STYLES:
        assert read_profile(truth.values(style)).keys() == truth.values(style).keys()


@pytest.mark.parametrize("style", ["a", "b", "c"])
def test_calls_show_the_values(style: str) -> None:
    """Raw requests show the value that is told, and none of the register's where another behaviour is told."""
    wrong: dict[str, Any] = {}
    for id, shown in truths.values(lambda: Api(style)):
        told = truth.table()[id].get(style)
        if isinstance(told, dict):
            told = told.get("value", shown if "mixed" in told else None)
        if shown != told:
            wrong[id] = (shown, told)
    assert wrong == {}


def test_how_many_entries_calls_show() -> None:
    """Of the entries that are told, these many are read off calls: gates in a test of their own, the others here."""
    read = [id for id in truth.table() if id not in truth.derived()]
    assert len(truths.DERIVED.keys() & set(read)) >= 90
