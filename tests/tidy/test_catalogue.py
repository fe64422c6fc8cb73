"""The catalogue against the list of operations, and the refusals against the documents."""

from __future__ import annotations

import ast
import csv
import inspect
from collections import defaultdict
from pathlib import Path

from confsim.api.catalogue import API
from confsim.assumptions.protocol.refusals import Reason
from confsim.contract.operation import Source
from confsim.reference import gaps, rules
from kit.each import by_name, each
from kit.source import MODULES, tree

with (Path(__file__).parents[1] / "data" / "operations.csv").open() as file:
    LISTED = {row["id"]: row for row in csv.DictReader(file)}


@each("operation", list(API), ids=by_name)
def test_an_operation_is_the_one_of_the_list(operation):
    """Method, path, source and area of what is declared are those of its row."""
    row = LISTED[operation.name]
    reported = (operation.method, operation.path, str(operation.source), operation.area)
    assert reported == (row["method"], row["path"], row["source"], row["area"])


def test_how_much_of_the_list_is_declared(record_property):
    """Every operation of the list is declared; the share stands in the report."""
    missing = [name for name in LISTED if name not in API.operations]
    record_property("declared", f"{len(API)} of {len(LISTED)}")
    assert missing == [], f"{len(API)} of {len(LISTED)} are declared"
    assert len(LISTED) == 223


def test_families_are_those_of_the_list():
    """The areas are those of the list."""
    assert {operation.area for operation in API} == {row["area"] for row in LISTED.values()}


def test_the_rules_and_gaps_of_an_operation_exist():
    """The reference has every number that an operation or its gate names."""
    for operation in API:
        assert set(operation.rules) <= rules().keys(), operation.name
        assert {*operation.gaps, *operation.gate.gaps.split()} <= gaps().keys(), operation.name


@each("operation", list(API), ids=by_name)
def test_an_operation_answers_for_something(operation):
    """A documented operation proves rules; one known by name or effect alone names the gaps it fills."""
    assert operation.rules if operation.source is Source.DOCUMENTED else operation.gaps


@each("reason", list(Reason), ids=by_name)
def test_every_status_is_documented_or_assumed(reason):
    """The status of each refusal has a source in the documents or gaps that leave it open, and not both."""
    refused = reason.value
    assert bool(refused.source) is not bool(refused.gaps)
    assert set(refused.gaps.split()) <= gaps().keys()
    assert 400 <= refused.status <= 599


@each("operation", list(API), ids=by_name)
def test_bodies_are_thin(operation):
    """An operation translates between the wire and the domain; rules live in the domain."""
    lines = inspect.getsource(operation.function).splitlines()
    assert len(lines) <= 60


def repeated(module):
    """The words that all operations of a family state alike, each with the family, in the code of a module."""
    families = defaultdict(list)
    for function in module.body:
        for declared in getattr(function, "decorator_list", ()):
            if isinstance(declared, ast.Call) and declared.keywords:
                words = {f"{word.arg}={ast.unparse(word.value)}" for word in declared.keywords}
                families[ast.unparse(declared.func)].append(words)
    return {
        f"{family}: {word}"
        for family, stated in families.items()
        if len(stated) > 1
        for word in set.intersection(*stated)
        if not word.startswith(("rules=", "gaps="))
    }


@each("name", [name for name in MODULES if name.startswith("api/")])
def test_a_family_states_what_all_its_operations_share(name):
    """Rules and gaps are of each; every other word that all state alike is one of the family."""
    assert repeated(tree(MODULES[name])) == set()


def test_a_word_that_all_repeat_is_noticed():
    """The same word with the same value, in each operation of the family."""
    source = "@a('GET /x', gate=G, gaps='G001')\ndef b(): ...\n@a('GET /y', gate=G, gaps='G001')\ndef c(): ..."
    assert repeated(ast.parse(source)) == {"a: gate=G"}
