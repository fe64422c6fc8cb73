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


#: The one module that declares the entries of each prefix, the part of an id before the first dot.
_HOMES = {
    "assumptions/app_sessions.py": "app-sessions",
    "assumptions/breakout.py": "breakout",
    "assumptions/broadcast.py": "broadcast",
    "assumptions/channels.py": "channels flags friendly-urls ids",
    "assumptions/clients.py": "clients embedding service",
    "assumptions/config.py": "config templates",
    "assumptions/events.py": "events webhooks",
    "assumptions/identity.py": "api-tokens identity invitations levels providers tokens validators",
    "assumptions/media.py": "gateway media",
    "assumptions/members.py": "guests linked-users roles",
    "assumptions/properties.py": "channel-properties properties",
    "assumptions/recordings.py": "recordings",
    "assumptions/refusals.py": "code status",
    "assumptions/runtime.py": "active attendees data lobby populations presence presenters streaming turn",
    "assumptions/sessions.py": "sessions",
    "assumptions/telephony.py": "dial dial-in numbers pins quote",
    "assumptions/terms.py": "terms",
    "assumptions/users.py": "emails handles languages mail users",
    "assumptions/protocol/conventions.py": "delete lists states",
    "assumptions/protocol/durations.py": "duration",
    "assumptions/protocol/images.py": "images",
    "assumptions/protocol/initial.py": "initial",
    "assumptions/protocol/parsing.py": "parse",
    "assumptions/protocol/sizes.py": "size",
    "assumptions/protocol/transport.py": "checks http route time world",
    "assumptions/protocol/units.py": "units",
    "assumptions/protocol/wire.py": "auth encode errors",
    # Each declaration of an operation makes the entries of its own gate and route.
    "contract/operation.py": "gate route.<operation>",
}
HOME = {prefix: module for module, prefixes in _HOMES.items() for prefix in prefixes.split()}


def prefixes_declared():
    """Every call of ``assumption``: the prefix of the id that it gives, and the module that it stands in."""
    for module, tree in TREES.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] == "assumption":
                id = node.args[0]
                if isinstance(id, ast.Constant):
                    yield str(id.value).partition(".")[0], module
                elif isinstance(id, ast.JoinedStr):
                    written = ast.unparse(id)[2:-1].replace("self.name", "operation")
                    prefix = written.partition(".")[0]
                    known = written.replace("{", "<").replace("}", ">")
                    yield known if known in HOME else prefix, module


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


@pytest.mark.parametrize(("prefix", "module"), sorted(set(prefixes_declared())))
def test_a_prefix_belongs_to_one_module(prefix, module):
    """Whoever has an id knows where its entry is declared."""
    assert HOME.get(prefix) == module


def test_every_prefix_of_the_register_has_a_home():
    """The map names all prefixes that there are, and no others."""
    assert {id.partition(".")[0] for id in REGISTER.entries} == {prefix.partition(".")[0] for prefix in HOME}


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
