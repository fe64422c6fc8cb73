"""Parametrised tests as one test each, where a test for every row would cost more than what it checks."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator
from functools import wraps
from itertools import product
from typing import Any

import pytest

#: Fixtures that a row can share with the others: the world, of which each has a fork, and what is read of it.
SHARED = {"sim", "people"}
#: What a row is called in a failure is cut here.
_LONGEST = 300

Row = dict[str, Any]


def merged(collector: pytest.Collector, name: str, test: Any) -> pytest.Function | None:
    """The rows of a parametrised function as one test, or None where they are to be tests of their own.

    They are where they need other fixtures of one test than ``SHARED``, have marks, or are made while they are read.
    """
    marks = [mark for mark in getattr(test, "pytestmark", ()) if mark.name == "parametrize"]
    if not inspect.isfunction(test) or not marks or hasattr(test, "hypothesis") or not all(map(_plain, marks)):
        return None
    rows = [{name: value for part in parts for name, value in part.items()} for parts in product(*map(_rows, marks))]
    if len(rows) < 2:
        return None
    one: Any = _over(test, rows)
    one.pytestmark = [mark for mark in test.pytestmark if mark.name != "parametrize"]
    item: pytest.Function = pytest.Function.from_parent(collector, name=name, callobj=one)
    return item if all(_shared(item, each) for each in item.fixturenames) else None


def _shared(item: pytest.Function, name: str) -> bool:
    """Whether rows can share a fixture. Those that outlive a test they share anyway."""
    found = item._fixtureinfo.name2fixturedefs.get(name, ())
    if name in SHARED:
        return len(found) == 1  # a fork of one that a module or a folder makes for itself may lack what it prepared
    return name == "request" or (bool(found) and found[-1].scope != "function")


def _plain(mark: pytest.Mark) -> bool:
    """Whether the rows of a mark are values alone, and can be read again."""
    names, rows = mark.args
    marked = isinstance(rows, Iterator) or any(hasattr(row, "marks") and row.marks for row in rows)
    return not marked and not mark.kwargs.keys() - {"ids"} and bool(names)


def _rows(mark: pytest.Mark) -> Iterable[Row]:
    """What a mark gives to each row, by the names of the parameters."""
    names = [each.strip() for each in mark.args[0].split(",")] if isinstance(mark.args[0], str) else [*mark.args[0]]
    for given in mark.args[1]:
        values = given.values if hasattr(given, "marks") else given if len(names) > 1 else (given,)
        yield dict(zip(names, values, strict=True))


def _over(test: Callable[..., None], rows: list[Row]) -> Callable[..., None]:
    """A test that runs the rows, each in a world of its own, and names those that fail."""

    @wraps(test)
    def whole(**fixtures: Any) -> None:
        failed: list[Exception] = []
        skipped: list[pytest.skip.Exception] = []
        for row in rows:
            own = {name: given.fork() if name == "sim" else given for name, given in fixtures.items()}
            try:
                test(**own, **row)
            except pytest.skip.Exception as skip:
                skipped.append(skip)
            except (Exception, pytest.fail.Exception) as error:
                error.add_note(f"row: {str(row)[:_LONGEST]}")
                failed.append(error if isinstance(error, Exception) else AssertionError(str(error)))
        if failed:
            raise ExceptionGroup(f"{len(failed)} of {len(rows)} rows", failed)
        if len(skipped) == len(rows):
            raise skipped[0]

    signature = inspect.signature(test)
    others = [each for name, each in signature.parameters.items() if name not in rows[0]]
    whole.__signature__ = signature.replace(parameters=others)  # type: ignore[attr-defined]
    return whole
