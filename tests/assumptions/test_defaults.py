"""What holds under an empty profile, against lists of the tests' own."""

from __future__ import annotations

import tomllib
from enum import Enum
from pathlib import Path
from typing import Any

import confsim.api.catalogue  # noqa: F401 its modules declare entries
from confsim.assumptions.protocol.refusals import CODE, STATUS, Reason
from confsim.assumptions.register import REGISTER

DATA = Path(__file__).parents[1] / "data"
#: Entries that other tests hold against lists: refusals beside this one, gates and routes by operation.
ELSEWHERE = ("status.", "code.", "gate.", "route.")


def plain(value: Any) -> Any:
    """A value as TOML has it."""
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, tuple | list):
        return [plain(each) for each in value]
    return value.value if isinstance(value, Enum) else value


def test_every_default_is_the_one_that_was_chosen_for_its_gap() -> None:
    """So that a test of the alternatives which names the default in its profile has the default itself beside it."""
    groups = tomllib.loads((DATA / "defaults.toml").read_text())
    listed = {f"{group}.{name}": value for group, entries in groups.items() for name, value in entries.items()}
    entries = {id: entry for id, entry in REGISTER.entries.items() if not id.startswith(ELSEWHERE)}
    missing = {id: plain(entry.default) for id, entry in entries.items() if id not in listed}
    assert not missing, f"add {missing} to tests/data/defaults.toml: confsim/EXTENDING.md, “An assumption”"
    assert {id: plain(entry.default) for id, entry in entries.items()} == listed


def test_every_refusal_has_its_status_and_its_code() -> None:
    """The code is the name in lower case; a status that the documents leave open is an entry with this default."""
    statuses = tomllib.loads((DATA / "refusals.toml").read_text())
    listed = {name: int(status) for status, names in statuses.items() for name in names.split()}
    assert {reason.name: reason.value.status for reason in Reason} == listed
    for reason in Reason:
        entry = STATUS[reason]
        assert entry is None or entry.default == listed[reason.name]
        assert CODE[reason].default == reason.name.lower()
