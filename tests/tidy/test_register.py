"""The register of assumptions against the code that asks it and the gaps that it must settle."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import confsim.api.catalogue  # noqa: F401 its modules declare machines, tables and entries
from confsim.api.catalogue import API
from confsim.assumptions.refusals import Reason
from confsim.assumptions.register import REGISTER
from confsim.reference import gaps

ROOT = Path(__file__).parents[2] / "confsim"
TREES = {path.relative_to(ROOT).as_posix(): ast.parse(path.read_text()) for path in sorted(ROOT.rglob("*.py"))}


def declared():
    """The entries that modules declare by name: id, name, module."""
    for module, tree in TREES.items():
        for node in tree.body:
            value = getattr(node, "value", None)
            if isinstance(value, ast.Call) and ast.unparse(value.func).rpartition(".")[2] == "assumption":
                target = node.targets[0] if isinstance(node, ast.Assign) else node.target
                assert isinstance(target, ast.Name), ast.unparse(node)[:80]
                yield pytest.param(target.id, module, id=str(ast.literal_eval(value.args[0])))


def names_read():
    """Every name and attribute that code reads, with the module that does."""
    for module, tree in TREES.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                yield module, node.id
            elif isinstance(node, ast.Attribute):
                yield module, node.attr


READ = set(names_read())


@pytest.mark.parametrize(("name", "module"), list(declared()))
def test_every_entry_is_asked_somewhere(name, module):
    """An entry that no code reads would settle nothing."""
    assert any(read == name for _, read in READ), f"{name} of {module}"


@pytest.mark.parametrize("reason", list(Reason), ids=lambda reason: reason.name)
def test_every_reason_is_given_somewhere(reason):
    """A refusal that nothing raises has no business in the table."""
    assert any(read == reason.name and module != "assumptions/refusals.py" for module, read in READ)


@pytest.mark.parametrize("entry", list(REGISTER.entries.values()), ids=lambda entry: entry.id)
def test_every_entry_is_well_formed(entry):
    """It names gaps and operations that there are, says something, and takes its own default and alternatives."""
    assert entry.gaps
    assert set(entry.gaps) <= gaps().keys()
    assert entry.statement.endswith(".")
    assert all(API.get(name) is not None for name in entry.operations), entry.operations
    assert entry.check(entry.default) == entry.default
    for alternative in entry.alternatives:
        if not isinstance(alternative, str) or " " not in alternative:
            entry.check(alternative)


def test_every_weighty_gap_is_an_assumption():
    """What the documents leave open and a client would notice has an entry that names it."""
    settled = {gap for entry in REGISTER.entries.values() for gap in entry.gaps}
    assert {gap.id for gap in gaps().values() if gap.weight in {"H", "M"}} - settled == set()
