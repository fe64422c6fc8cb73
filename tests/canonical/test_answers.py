"""What answers show of the records: every field of every answer that is read is compared, or left out with a reason."""

from __future__ import annotations

import copy
import typing
from collections.abc import Iterator
from typing import Any

from msgspec import Struct
from msgspec.structs import fields

from confsim.api.catalogue import API
from kit.each import each
from kit.exploration.invariants.reads import CALLERS, READS, disagreements
from kit.exploration.shown import FIELDS, LEFT_OUT, NOT_COMPARED, At
from kit.exploration.starts import BY_NAME
from kit.exploration.view import View

#: Starts with things of many kinds, and an act by which there are more.
WORLDS = ("meeting", "breakout active", "templates", "broadcast", "events and webhooks", "members")


def types_in(declared: Any) -> Iterator[type[Struct]]:
    """Yield the types of the things in an answer, also those in their fields."""
    if isinstance(declared, type) and issubclass(declared, Struct):
        if fields(declared):
            yield declared
        declared = tuple[*(field.type for field in fields(declared))] if fields(declared) else None
    for part in typing.get_args(declared):
        yield from types_in(part)


def answers(start: str) -> Iterator[tuple[Any, At, Any]]:
    """Yield each read in the world of a start that is answered with 200, with what was answered."""
    stage = BY_NAME[start].stage()
    view = View(stage.live.world, stage.live.clock.now())
    for read in READS:
        for arguments in read.arguments(view):
            for caller in CALLERS:
                stage.set(view.world, view.now)
                answer = stage.sim.call(read.operation, caller, **arguments)
                if answer.status == 200 and read.records is not None:
                    seen = View(stage.live.world, view.now)
                    yield read, At(seen, caller, seen.users.get(seen.holders.get(caller)), arguments), answer.body


def things_in(body: Any) -> list[Any]:
    """Return the things of an answer."""
    return body if isinstance(body, list) else body.get("results", body.get("rows", [body]))


def test_every_field_of_an_answer_is_compared_or_left_out():
    """The two lists have all fields of all types in answers that are read, each field in one of them, and no others."""
    types = {type for read in READS for type in types_in(API[read.operation].result)}
    declared = {(type.__name__, field.encode_name) for type in types for field in fields(type)}
    compared = {(type, name) for type, names in FIELDS.items() for name in names}
    assert compared & LEFT_OUT.keys() == set()
    assert declared == compared | LEFT_OUT.keys()
    assert [reason for reason in LEFT_OUT.values() if len(reason) < 20] == []


def test_every_read_is_compared_or_says_why_not():
    """A read names a type of its answer and the records behind it, or stands in the list of those not compared."""
    for read in READS:
        found = {type.__name__ for type in types_in(API[read.operation].result)}
        assert (read.records is None) == (read.operation in NOT_COMPARED), read.operation
        assert not read.type or read.type in found & FIELDS.keys(), read.operation
    assert NOT_COMPARED.keys() <= {read.operation for read in READS}


@each("start", WORLDS, ids=str)
def test_a_field_with_another_value_is_told(start):
    """Each field of each thing is given another value once and taken away once: either is said."""
    tried = 0
    for read, at, body in answers(start):
        assert list(disagreements(read, at, body)) == []
        if not read.type:
            continue
        for place, thing in enumerate(things_in(body)):
            for name in thing.keys() - {name for type, name in LEFT_OUT if type == read.type}:
                for changed in ({name: "another value"}, {name: None}):
                    other = copy.deepcopy(body)
                    things_in(other)[place].update(changed)
                    if other != body:
                        tried += 1
                        assert list(disagreements(read, at, other)) != [], (read.operation, name)
    assert tried > 200


def test_a_thing_too_few_and_a_field_too_many_are_told():
    """So are a total and a plain value that are others."""
    said: set[str] = set()
    for read, at, body in answers("meeting"):
        other = copy.deepcopy(body)
        if not read.type:
            other = ["more"]
        elif isinstance(body, dict) and "total" in body:
            other["total"] += 1
        elif not things_in(body):
            continue
        elif read.all:
            del things_in(other)[0]
        else:
            things_in(other)[0]["more"] = 1
        (told,) = disagreements(read, at, other)
        said.add(told.lstrip("0123456789"))
    assert {"another value than in the records", "total is not the number of things"} < said
    assert "more is a field that nothing is said of" in said
    assert any(told.startswith(" shown, ") for told in said)
