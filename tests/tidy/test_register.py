"""The register of assumptions against the code that asks it and the gaps that it must settle."""

from __future__ import annotations

import ast
from functools import cache

import confsim.api.catalogue  # noqa: F401 its modules declare machines, tables and entries
from confsim.api.catalogue import API
from confsim.assumptions.protocol.refusals import Reason
from confsim.assumptions.register import REGISTER
from confsim.reference import gaps
from kit.source import MODULES, nodes, tree


def declared():
    """The entries that modules declare: name and module."""
    for module, path in MODULES.items():
        for node in tree(path).body:
            value = getattr(node, "value", None)
            if isinstance(value, ast.Call) and ast.unparse(value.func).rpartition(".")[2] == "assumption":
                target = node.targets[0] if isinstance(node, ast.Assign) else node.target
                assert isinstance(target, ast.Name), ast.unparse(node)[:80]
                yield target.id, module


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
    "assumptions/runtime/presence.py": "active attendees lobby populations presence presenters",
    "assumptions/runtime/sessions.py": "sessions",
    "assumptions/runtime/streaming.py": "data streaming turn",
    "assumptions/telephony.py": "dial dial-in numbers pins quote",
    "assumptions/terms.py": "terms",
    "assumptions/users/emails.py": "emails mail",
    "assumptions/users/handles.py": "handles",
    "assumptions/users/users.py": "languages users",
    "assumptions/protocol/conventions.py": "delete lists states",
    "assumptions/protocol/durations.py": "duration",
    "assumptions/protocol/images.py": "images",
    "assumptions/protocol/initial.py": "initial",
    "assumptions/protocol/parsing.py": "parse",
    "assumptions/protocol/refusals.py": "code status",
    "assumptions/protocol/sizes.py": "size",
    "assumptions/protocol/transport.py": "checks http route time world",
    "assumptions/protocol/units.py": "units",
    "assumptions/protocol/wire.py": "auth encode errors",
    # Each declaration of an operation makes the entries of its own gate and route.
    "contract/gates.py": "gate",
    "contract/operation.py": "route.<operation>",
}
HOME = {prefix: module for module, prefixes in _HOMES.items() for prefix in prefixes.split()}


def prefixes_declared():
    """Every call of ``assumption``: the prefix of the id that it gives, and the module that it stands in."""
    for module, path in MODULES.items():
        for node in nodes(path):
            if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] == "assumption":
                id = node.args[0]
                if isinstance(id, ast.Constant):
                    yield str(id.value).partition(".")[0], module
                elif isinstance(id, ast.JoinedStr):
                    written = ast.unparse(id)[2:-1].replace("self.name", "operation")
                    prefix = written.partition(".")[0]
                    known = written.replace("{", "<").replace("}", ">")
                    yield known if known in HOME else prefix, module


@cache
def names_read():
    """Every name and attribute that code reads, with the module that does."""
    return set(_names_read())


def _names_read():
    for module, path in MODULES.items():
        for node in nodes(path):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                yield module, node.id
            elif isinstance(node, ast.Attribute):
                yield module, node.attr


def entries_read():
    """What code reads of the modules of the register: the module and the name, by whatever alias it is imported."""
    for reader, path in MODULES.items():
        modules, names = {}, {}
        for node in nodes(path):
            if not isinstance(node, ast.ImportFrom):
                continue
            source = f"confsim.assumptions.{node.module}" if node.level else str(node.module)
            if source.partition(".assumptions")[0] == "confsim":
                place = source.removeprefix("confsim.").replace(".", "/")
                for alias in node.names:
                    modules[alias.asname or alias.name] = f"{place}/{alias.name}.py"
                    names[alias.asname or alias.name] = (f"{place}.py", alias.name)
        for node in nodes(path):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in modules:
                yield modules[node.value.id], node.attr
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                yield names.get(node.id, (reader, node.id))


def test_every_entry_is_asked_somewhere():
    """An entry that no code reads would settle nothing."""
    read = set(entries_read())
    entries = list(declared())
    assert len(entries) > len(REGISTER.entries) / 3, "gates, routes and the like declare the others themselves"
    assert [f"{name} of {module}" for name, module in entries if (module, name) not in read] == []


def test_a_prefix_belongs_to_one_module():
    """Anyone who has an id knows where its entry is declared."""
    found = set(prefixes_declared())
    assert {prefix for prefix, _ in found} == HOME.keys()
    assert [(prefix, module) for prefix, module in sorted(found) if HOME[prefix] != module] == []


def test_every_prefix_of_the_register_has_a_home():
    """The map names all prefixes that there are, and no others."""
    assert {id.partition(".")[0] for id in REGISTER.entries} == {prefix.partition(".")[0] for prefix in HOME}


def test_every_reason_is_given_somewhere():
    """A refusal that nothing raises has no business in the table."""
    given = {name for module, name in names_read() if module != "assumptions/protocol/refusals.py"}
    assert [reason.name for reason in Reason if reason.name not in given] == []


def test_every_entry_is_well_formed():
    """It names gaps and operations that there are, says something, and takes its own default and alternatives."""
    for entry in REGISTER.entries.values():
        assert entry.gaps, entry.id
        assert set(entry.gaps) <= gaps().keys(), entry.id
        assert entry.statement.endswith("."), entry.id
        assert all(API.find(name) is not None for name in API.concerned(entry)), entry.id
        assert entry.check(entry.default) == entry.default, entry.id
        for alternative in entry.alternatives:
            if not isinstance(alternative, str) or " " not in alternative:
                entry.check(alternative)


def test_every_gap_is_an_assumption():
    """All 597, of whatever weight: an entry that names it says what confsim does, and what else can be chosen."""
    settled = {gap for entry in REGISTER.entries.values() for gap in entry.gaps}
    assert sorted(gaps().keys() - settled) == []
