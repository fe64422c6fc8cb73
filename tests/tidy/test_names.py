"""Declarations say everything: no list of names of operations, types, machines or tables stands away from them.

A name that is called, shown or explained is none; one in a list, a table or a comparison is, as a family that joins
would have to be entered there.
"""

from __future__ import annotations

import ast
import re
from functools import cache

from confsim.api.catalogue import API
from confsim.control.catalogue import CONTROL
from confsim.kernel.machine import Machine
from confsim.kernel.tables.table import Table
from kit.each import each
from kit.source import MODULES, nodes, tree, walk

#: Where declarations are, and what is made of them.
ROOMS = ("api/", "assumptions/", "control/operations/", "domain/", "operation_names.py", "reference/")
#: Ordinary words that are names too.
WORDS = {"dial_in", "search", "wait"}
#: The functions and tables that name operations, each with the reason.
EXCEPTIONS = {
    "canonical/meaning.py BELONGS": "what records mean to a form, which a test holds against the declared ones",
    "canonical/meaning.py COUNTED": "what records mean to a form, which a test holds against the declared ones",
    "canonical/meaning.py DRAWN": "what records mean to a form, which a test holds against the declared ones",
    "canonical/meaning.py HISTORY": "what records mean to a form, which a test holds against the declared ones",
    "canonical/meaning.py ONE_OF": "what one record is called, where that is not the table without its last letter",
    "canonical/meaning.py OVER": "what records mean to a form, which a test holds against the declared ones",
    "contract/__init__.py __all__": "what other rooms import from there",
    "control/bundle/masked.py _of_control_call": "the body of one operation is a state document",
    "control/bundle/masked.py _with_key_as_text": "the body of one operation has a key that the world holds as text",
    "canonical/meaning.py BOOKKEEPING": "what records mean to a form, which a test holds against the declared ones",
    "control/labels/timer.py SENTENCES": "what people read of each kind of timer, which a test holds against them",
    "control/bundle/substitution.py call": "the body of one operation is a state document",
    "inspector/forms.py presence": "what the buttons of one form call",
    "inspector/pages/searching.py _HEADINGS": "the headings of one page, beside which all other records have one",
    "service/files/format_2.py document": "the reader of old state files",
    "service/files/format_2.py remove": "the reader of old state files",
    "service/files/format_2.py replace": "the reader of old state files",
    "service/files/formats.py STEPS": "the reader of old state files",
    "testing/environment.py PHONES": "a script: what people do who are no callers of the API",
    "testing/environment.py rules": "a script: what people do who are no callers of the API",
    "testing/journey.py control": "the first call of a journey, which asks who is there",
    "testing/observing/observer.py call": "the call that says whom a token belongs to",
    "testing/populated.py RUNNING": "a script: a world with something of every kind, and what it needs",
    "testing/populated.py __init__": "a script: a world with something of every kind, and what it needs",
    "testing/populated.py recordings": "a script: a world with something of every kind, and what it needs",
    "testing/populated.py roles": "a script: a world with something of every kind, and what it needs",
    "testing/populated.py tenants": "a script: a world with something of every kind, and what it needs",
    "testing/seeds.py seed_recording": "a script: how a recording is made",
    "testing/verifying/sweeping/sweep.py _guests": "a script: how somebody is made who may do little",
    "testing/verifying/themes.py _PREPARED": "a script: calls that prepare a journey, for areas that gain by it",
    "testing/verifying/planning.py journey_calls": "a script: calls that prepare a journey",
}


def names() -> set[str]:
    """The names of operations, of wire types, of machines and of tables that are no ordinary words."""
    types = {part for operation in API for part in re.findall(r"\w+", repr(operation.hints.get("return")))}
    compound = {name for name in types if re.fullmatch(r"([A-Z][a-z]+){2,}", name)}
    spaced = {name for name in (*Machine.declared, *Table.declared) if " " in name}
    return ({*API.operations, *CONTROL.operations} - WORDS) | compound | spaced


NAMES = names()
_LISTS = (ast.Set, ast.List, ast.Tuple, ast.Dict, ast.Compare)


@cache
def lists(module: str) -> set[str]:
    """The functions and tables of a module that hold names in a list, a table or a comparison."""
    found = [node for node in nodes(MODULES[module]) if isinstance(node, _LISTS) and _has_a_name(node)]
    if not found:
        return set()
    holders: dict[ast.AST, str] = {}
    for node in nodes(MODULES[module]):
        if isinstance(node, ast.FunctionDef | ast.Assign | ast.AnnAssign):
            title = node.name if isinstance(node, ast.FunctionDef) else _target(node)
            if isinstance(node, ast.FunctionDef) or node in tree(MODULES[module]).body:
                holders |= dict.fromkeys(walk(node), title)
    return {f"{module} {holders.get(node, '')}" for node in found}


def _has_a_name(node: ast.AST) -> bool:
    return any(isinstance(part, ast.Constant) and part.value in NAMES for part in ast.iter_child_nodes(node))


def _target(node: ast.Assign | ast.AnnAssign) -> str:
    return ast.unparse(node.targets[0] if isinstance(node, ast.Assign) else node.target)


@each("module", [name for name in MODULES if not name.startswith(ROOMS)])
def test_no_list_of_names_stands_away_from_the_declarations(module):
    """It is derived from them, or becomes a word of them."""
    assert lists(module) <= EXCEPTIONS.keys()


def test_the_exceptions_are_there():
    """Each has a list still."""
    found = {place for module in MODULES for place in lists(module)}
    assert EXCEPTIONS.keys() <= found


def test_a_list_of_names_is_found(monkeypatch, tmp_path):
    """A set of operations, a comparison with a machine, a table of types."""
    path = tmp_path / "planted.py"
    path.write_text(
        'LATER = frozenset({"delete_channel"})\n\n\ndef odd(name):\n    return name == "lobby door"\n\n\n'
        'KINDS = {"ChannelDetails": 1}\n\n\ndef even(call):\n    return call("delete_channel")\n'
    )
    monkeypatch.setitem(MODULES, "planted.py", path)
    assert {*lists("planted.py")} == {"planted.py LATER", "planted.py odd", "planted.py KINDS"}
