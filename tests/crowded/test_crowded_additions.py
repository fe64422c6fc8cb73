"""Whatever is added is covered: an operation, a machine, a stored field, a refusal. A failure says what to add where.

The alternatives of assumptions are noted while the whole suite runs (``kit.chosen``). How each thing is added is shown
in ``confsim/EXTENDING.md``.
"""

from __future__ import annotations

import csv
import tomllib
import typing
from collections.abc import Iterator

from msgspec import NODEFAULT
from msgspec.structs import fields

from confsim import OperationName
from confsim.api.catalogue import API
from confsim.assumptions.protocol.refusals import CODE, Reason
from confsim.canonical.form import records
from confsim.contract.openapi.reasons import reasons_of
from confsim.contract.operation import Operation
from confsim.reference.observed import observed
from kit.crowded import crowded_world
from kit.declared import own_machines, own_tables
from kit.each import by_name, each
from kit.growth.successes import SUCCESSES
from kit.tables import DATA, golden

GUIDE = "confsim/EXTENDING.md shows each step"
LISTED = {row["id"] for row in csv.DictReader((DATA / "operations.csv").read_text().splitlines())}
DECLARED = tomllib.loads((DATA / "declarations.toml").read_text())
#: Fields that the crowded world need not have with another value than their default, each with the reason.
AS_MADE: dict[tuple[str, str], str] = {
    ("clients", "default_provider"): "no call sets it; the world that models a real service copies it",
    ("channels", "parent"): "only channels of breakout rooms have one, and these have a table of their own",
    ("client media", "channel"): "only media of channels have one",
    ("invitations", "provider"): "the name of the provider of a login, which the control plane does not take",
    ("recordings", "polls_left"): "only under duration.recording-ready = manual(times)",
    ("calls", "place"): "only of a phone in a breakout room",
    **dict.fromkeys(
        (("room channels", field) for field in ("number", "creator", "friendly_url")),
        "a breakout room has no meeting id, no creator and no friendly URL of its own",
    ),
    **dict.fromkeys(
        (("recording assets", field) for field in ("user", "group", "receiver")),
        "only individual streams have them, under recordings.assets",
    ),
}


def steps(operation: Operation) -> Iterator[str]:
    """What an operation still needs, each with the place where it is added."""
    name = operation.name
    if name not in LISTED:
        yield "its row in tests/data/operations.csv"
    if name not in typing.get_args(OperationName):
        yield "its name in confsim/operation_names.py"
    if name not in DECLARED:
        yield "what it declares, in tests/data/declarations.toml"
    if name not in SUCCESSES:
        yield "a call that succeeds, in tests/kit/growth/successes.py"
    if name not in observed():
        yield "an example for its page: PYTHONPATH=.:tests python -m kit.observations.api"


@each("operation", list(API), ids=by_name)
def test_an_operation_is_covered(operation):
    """An operation has all that its tests and its page are made of."""
    missing = list(steps(operation))
    assert not missing, f"{operation.name} needs {'; '.join(missing)}. {GUIDE}, under “An operation”."


@each("machine", own_machines(), ids=by_name)
def test_a_machine_has_a_table_of_the_tests(machine):
    """The rows of a machine are held against a table that was written from the documents."""
    assert machine.name in golden(), (
        f"the machine {machine.name!r} needs its table in tests/data/machines. {GUIDE}, under “A row of a machine”."
    )


def unchanged() -> list[tuple[str, str]]:
    """The stored fields with a default that no record of the crowded world has with another value."""
    changed = {
        (table.name, field)
        for table, record in records(crowded_world().service.world)
        for field in record.__struct_fields__
        if getattr(record, field) != _default(type(record), field)
    }
    return [
        (table.name, field.name)
        for table in own_tables()
        for field in fields(table.record)
        if (field.default, field.default_factory) != (NODEFAULT, NODEFAULT) and (table.name, field.name) not in changed
    ]


def _default(record: type, name: str) -> object:
    (field,) = (field for field in fields(record) if field.name == name)
    return field.default if field.default_factory is NODEFAULT else field.default_factory()


def test_a_stored_field_has_another_value_somewhere():
    """What is exported, stored and compared is tried with each field of each record as it is not made by default."""
    missing = [each for each in unchanged() if each not in AS_MADE]
    assert not missing, (
        f"no record of the crowded world has another value than the default in {missing}. Set one in "
        f"tests/kit/crowded/standing.py, or give the reason in AS_MADE. {GUIDE}, under “A stored field”."
    )
    assert AS_MADE.keys() <= set(unchanged()), "AS_MADE has fields that do have another value"


def test_a_refusal_of_the_crowded_world_is_listed():
    """Every refusal that a call of the crowded world met is one that the OpenAPI document lists for its operation."""
    codes = {entry.id: reason for reason, entry in CODE.items()}
    service = crowded_world().service
    unlisted = {
        (entry.operation, reason.name)
        for entry in service.journal
        if entry.operation in API.operations and not entry.fault
        for reason in (codes[id] for id in entry.assumptions if id in codes)
        if reason is not Reason.INTERNAL_ERROR
        and reason not in reasons_of(API[entry.operation], observed().get(entry.operation, {}), service.profile)
    }
    assert not unlisted, (
        f"the document does not list {sorted(unlisted)}. Write them to a file, one tuple on each line, and run: "
        "PYTHONPATH=.:tests python -m kit.observations.api FILE"
    )
