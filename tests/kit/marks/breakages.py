"""Breakages of rules: small changes of what the sources say that a rule is about.

They are derived from where a rule is named, not from tests: rows of machines and influences that cite it, functions
whose docstring or comment does, and the operations that answer for it. Of an operation only the aspects count that the
statement of the rule is about: its gate, a parameter or field that the statement names.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from enum import Enum
from functools import cache, wraps
from importlib import import_module
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, NamedTuple, get_args
from unittest import mock

import msgspec
from msgspec import Struct

from confsim.api.catalogue import API
from confsim.contract.annotations import fields_of, struct_of
from confsim.contract.decode import PathParameter
from confsim.contract.gates import Gate, Grant
from confsim.contract.operation import Operation
from confsim.kernel.machine import Machine
from confsim.kernel.refusal import Refusal
from confsim.reference import Rule, rules
from confsim.service import pipeline
from confsim.service.checks import checks
from kit.mutation import table_mutants
from kit.mutation.operators import Mutant, mutants
from kit.mutation.patch import Functions
from kit.mutation.sample import ROOT
from kit.source import MODULES, tree

from .written import WRITTEN

#: Puts a breakage into force inside a block.
Block = Callable[[Functions], AbstractContextManager[Any]]

#: A rule, or a range of rules, in a text.
_CITED = re.compile(r"R(\d{3})(?:-R(\d{3}))?")
#: Words of statements that are about who may call.
_WHO = re.compile(
    r"\b(only|alone|may|admin\w*|owners?|operators?|hosts?|roles?|public|permissions?|anyone|anybody|everybody|"
    r"callers?|allowed|forbidden)\b",
    re.I,
)
#: Words of statements that name the holders of a grant.
_HOLDERS = {
    Grant.SELF: "own|self|itself|themselves",
    Grant.API_TOKEN: "API tokens?|administrat\\w*",
    Grant.CUSTOMER_ADMIN: "admin\\w*",
    Grant.PARTNER_ADMIN: "partner|admin\\w*",
    Grant.ACCESS: "access",
    Grant.OPERATOR: "operators?|hosts?",
    Grant.OWNER: "owners?|hosts?",
    Grant.REGISTERED: "registered",
}
_LIMITS = re.compile(
    r"\b(long|length|characters|limit|most|least|blank|empty|absolute|URL|valid|form\w*|digits)\b", re.I
)
_SERVICE = re.compile(r"\b(disabled|enabled|service|runtime)\b", re.I)
#: Changes of an operation's own function that break every call of it, whatever it is about.
_BLUNT = {"return None"}
#: Changes that leave what a function decides alone.
_TRIFLES = {"text", "argument default"}


class Breakage(NamedTuple):
    """One change, and the rules whose behaviour it may remove."""

    name: str
    kind: str
    rules: frozenset[str]
    in_force: Block


def cited(text: str | None) -> set[str]:
    """The rules that a text names."""
    found = set()
    for first, last in _CITED.findall(text or ""):
        found |= {f"R{number:03}" for number in range(int(first), int(last or first) + 1)}
    return found & rules().keys()


def every() -> list[Breakage]:
    """All breakages, those nearest to their rules first."""
    near, declared = [*of_writing(), *of_tables(), *of_functions(), *of_constants()], list(of_operations())
    own = {rule for each in near for rule in each.rules}
    found = [*near, *declared, *of_callees(own)]
    reached = {rule for each in found for rule in each.rules}
    return [*found, *of_operations(anything_of=rules().keys() - reached)]


def of_writing() -> Iterator[Breakage]:
    """Those that are written for one rule."""
    for name, (rule, block) in WRITTEN.items():
        yield Breakage(name, "written", frozenset({rule}), _without_functions(block))


# Rows and influences


def of_tables() -> Iterator[Breakage]:
    """Rows dropped, sent elsewhere or robbed of their guard or effect, influences dropped, where they cite rules."""
    for mutant in table_mutants.every():
        found = _cited_by(mutant)
        if found:
            yield Breakage(mutant.key, mutant.kind, frozenset(found), _without_functions(mutant.in_force))


def _cited_by(mutant: table_mutants.TableMutant) -> set[str]:
    """The rules that the row or the influence of a mutant cites."""
    machine = Machine.declared[mutant.machine]
    kind, _, number = mutant.subject.rpartition(": ")[2].partition(" ")
    if kind == "row":
        return cited(machine.rows[int(number)].source)
    kinds = {each.__name__: each for each in (table_mutants.Coupling, table_mutants.Need)}
    if kind in kinds:
        return cited(table_mutants._every(machine, kinds[kind])[int(number)].source)
    return set()


def _without_functions(block: Callable[[], AbstractContextManager[Any]]) -> Block:
    return lambda _: block()


# Functions


def of_functions(paths: Iterable[Path] = tuple(MODULES.values())) -> Iterator[Breakage]:
    """Mutants of the functions of these modules whose docstring or comment names rules."""
    for path in paths:
        if path.is_relative_to(ROOT / "confsim" / "reference"):
            continue
        places = dict(_scopes(tree(path), path.read_text().splitlines()))
        if not any(places.values()):
            continue
        for mutant in _mutants(path.relative_to(ROOT).as_posix()):
            found = places.get(mutant.scope, frozenset())
            if found and mutant.deferred and mutant.operator not in _TRIFLES:
                yield Breakage(str(mutant), mutant.operator, found, _changed(mutant))


def _scopes(node: ast.AST, lines: list[str], scope: str = "") -> Iterator[tuple[str, frozenset[str]]]:
    """The functions below a node by their qualified names, each with the rules that it names."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.ClassDef):
            name = f"{scope}.{child.name}" if scope else child.name
            if isinstance(child, ast.FunctionDef) and not _declares(child):
                comments = " ".join(line.partition("#")[2] for line in lines[child.lineno - 1 : child.end_lineno])
                yield name, frozenset(cited(ast.get_docstring(child)) | cited(comments))
            yield from _scopes(child, lines, name)


def _declares(function: ast.FunctionDef) -> bool:
    """Whether a function is an operation."""
    return any("operation" in ast.unparse(each) for each in function.decorator_list)


def of_constants() -> Iterator[Breakage]:
    """Entries of the tables of modules whose comment names rules: numbers one more, others left out."""
    for name, path in MODULES.items():
        lines = path.read_text().splitlines()
        for node in tree(path).body:
            found = cited(lines[node.lineno - 2]) if lines[node.lineno - 2].startswith("#") else set()
            if found and isinstance(node, ast.Assign) and isinstance(node.value, ast.Dict):
                module = import_module("confsim." + name.removesuffix(".py").replace("/", "."))
                table = getattr(module, ast.unparse(node.targets[0]))
                for key, value in table.items():
                    changed = {**table, key: value + 1} if isinstance(value, int) else {**table}
                    if not isinstance(value, int):
                        del changed[key]
                    yield Breakage(f"{name}: {key}", "entry", frozenset(found), _filled(table, changed))


def _filled(table: dict[Any, Any], changed: dict[Any, Any]) -> Block:
    return lambda _: mock.patch.dict(table, changed, clear=True)


@cache
def _mutants(path: str) -> list[Mutant]:
    return mutants(path, (ROOT / path).read_text())


def _changed(mutant: Mutant) -> Block:
    @contextmanager
    def block(functions: Functions) -> Iterator[None]:
        functions.change(functions.changed(mutant))  # for good: a breakage is in force in a process of its own
        yield

    return block


# Operations


def of_operations(anything_of: Iterable[str] = ()) -> Iterator[Breakage]:
    """What the declaration of an operation says, broken where it is what the statement of a rule is about.

    For the rules of ``anything_of`` everything else.
    """
    whole = set(anything_of)
    for operation in API:
        named = [rules()[id] for id in operation.rules if not whole or id in whole]
        for kind, what, block, about in _aspects(operation) if named else ():
            found = frozenset(rule.id for rule in named if whole or about(rule))
            if found:
                yield Breakage(f"{operation.name}: {kind} {what}".rstrip(), kind, found, block)


Aspect = tuple[str, str, Block, Callable[[Rule], bool]]


def _aspects(operation: Operation) -> Iterator[Aspect]:
    def who(rule: Rule) -> bool:
        return bool(_WHO.search(rule.statement))

    grants = operation.gate.grants
    more = (Grant.SIGNED_IN,) if Grant.SIGNED_IN not in grants else (Grant.PUBLIC,)
    if Grant.PUBLIC in grants:
        yield "gate closed", "", _gate(operation, (Grant.SIGNED_IN,)), who
    else:
        yield "gate opened", f"to {more[0]}", _gate(operation, (*grants, *more)), who
    for grant in grants if len(grants) > 1 else ():
        rest = tuple(each for each in grants if each is not grant)
        yield "grant dropped", grant, _gate(operation, rest), _says(_HOLDERS.get(grant, "users?"))
    yield (
        "runtime turned",
        "",
        _set(operation, runtime=not operation.runtime),
        lambda rule: bool(_SERVICE.search(rule.statement)),
    )
    if operation.for_client:
        without = operation.query_names - {"for_client"}
        yield (
            "for_client ignored",
            "",
            _set(operation, for_client=False, query_names=without),
            lambda rule: "for_client" in rule.statement or "child" in rule.statement,
        )
    yield from _of_input(operation)
    for status in (200, 204, 400, 401, 403, 404, 409):
        yield "status changed", str(status), _other_status(operation, status), _says(str(status))
    for name in sorted(_answered(operation.result)):
        yield "left out of the answer:", name, _left_out(operation, name), _names(name)
    for mutant in _of_function(operation.function):
        if mutant.operator not in _BLUNT:
            yield "changed:", str(mutant), _changed(mutant), lambda rule: True


def _of_input(operation: Operation) -> Iterator[Aspect]:
    """What an operation takes: parameters of the query and of the path, fields of the body."""
    for parameter in operation.query_parameters:
        yield "parameter ignored", parameter.name, _ignored(operation, parameter.name), _names(parameter.name)
    for parameter in operation.path_parameters:
        if isinstance(parameter.wire, type) and issubclass(parameter.wire, Enum):
            words = [str(each.value) for each in parameter.wire]
            says = _says("|".join(map(re.escape, [*words, "words?"])))
            yield "any word taken", parameter.name, _lenient(parameter), says
    if operation.body is not None and operation.body.is_json:
        for field in fields_of(struct) if (struct := struct_of(operation.body.type)) else ():
            yield "field ignored", field.encode_name, _altered(operation, field), _names(field.encode_name)
        if operation.body.checks:
            yield "limits removed", "", _unlimited(operation), lambda rule: bool(_LIMITS.search(rule.statement))


def _says(words: str) -> Callable[[Rule], bool]:
    """Whether a statement has one of the words."""
    pattern = re.compile(rf"\b({words})\b", re.I)
    return lambda rule: bool(pattern.search(rule.statement))


def _names(field: str) -> Callable[[Rule], bool]:
    """Whether a statement names a parameter or a field: itself, or each word of it."""
    words = [word.lower()[:5] for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+", field)]
    telling = [word for word in words if word not in {"id", "is", "uuid", "url"}]
    itself = _says(re.escape(field))

    def about(rule: Rule) -> bool:
        text = rule.statement.lower()
        return itself(rule) or (bool(telling) and all(re.search(rf"\b{word}", text) for word in telling))

    return about


def _set(thing: Any, **values: Any) -> Block:
    return lambda _: mock.patch.multiple(thing, **values)


def _gate(operation: Operation, grants: tuple[Grant, ...]) -> Block:
    return _set(operation, gate=Gate(*grants), gate_entry=None, public=Grant.PUBLIC in grants)


def _ignored(operation: Operation, name: str) -> Block:
    arguments = checks.arguments

    def without(context: Any, called: Any, values: Any) -> Any:
        if called is operation:
            values = {key: value for key, value in values.items() if key != name}
        return arguments(context, called, values)

    return lambda _: mock.patch.object(checks, "arguments", without)


def _lenient(parameter: PathParameter) -> Block:
    """A word that the parameter does not have is taken for its first."""
    read = parameter.read

    def lenient(context: Any, where: str, text: str) -> Any:
        try:
            return read(context, where, text)
        except Refusal:
            return next(iter(parameter.wire))

    return lambda _: mock.patch.object(parameter, "read", lenient)


def _altered(operation: Operation, field: Any) -> Block:
    """The field of the body has its default, or where it is required another value."""
    function = operation.function

    @wraps(function)
    def other(*things: Any, **named: Any) -> Any:
        body = named.get("body")
        if isinstance(body, Struct):
            value = getattr(body, field.name)
            named["body"] = msgspec.structs.replace(body, **{field.name: _another(field, value)})
        return function(*things, **named)

    return lambda _: mock.patch.object(operation, "function", other)


def _another(field: Any, value: Any) -> Any:
    if field.default is not msgspec.NODEFAULT:
        return field.default
    if field.default_factory is not msgspec.NODEFAULT:
        return field.default_factory()
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, str) and type(value) is str:
        return f"{value}x"
    return type(value)() if isinstance(value, list | dict) else value


def _unlimited(operation: Operation) -> Block:
    return lambda _: mock.patch.object(operation.body, "checks", ())


def _answered(type_: Any, seen: frozenset[Any] = frozenset()) -> set[str]:
    """The names of the fields of an answer, at any depth."""
    if type_ in seen:
        return set()
    struct = struct_of(getattr(type_, "__origin__", type_) or type_)
    found = set()
    for field in fields_of(struct) if struct is not None else ():
        found |= {field.encode_name, *_answered(field.type, seen | {type_})}
    for part in get_args(type_):
        found |= _answered(part, seen | {type_}) if not isinstance(part, str) else set()
    return found


def _left_out(operation: Operation, name: str) -> Block:
    encode = checks.encode

    def without(call: Any, contract: Any, result: Any) -> Any:
        status, headers, body = encode(call, contract, result)
        if call.operation is operation and body[:1] in (b"{", b"["):
            body = msgspec.json.encode(_pruned(msgspec.json.decode(body), name))
        return status, headers, body

    return lambda _: mock.patch.object(checks, "encode", without)


def _other_status(operation: Operation, status: int) -> Block:
    encode, refused = checks.encode, pipeline.refused

    def encoded(context: Any, called: Any, result: Any) -> Any:
        given, headers, body = encode(context, called, result)
        return given + (called is operation and given == status), headers, body

    def reported(context: Any, refusal: Any) -> Any:
        response = refused(context, refusal)
        if getattr(context, "operation", None) is operation and response.status == status:
            response.status += 1
        return response

    @contextmanager
    def other(_: object) -> Iterator[None]:
        with mock.patch.object(checks, "encode", encoded), mock.patch.object(pipeline, "refused", reported):
            yield

    return other


def _pruned(value: Any, name: str) -> Any:
    if isinstance(value, dict):
        return {key: _pruned(each, name) for key, each in value.items() if key != name}
    return [_pruned(each, name) for each in value] if isinstance(value, list) else value


def _of_function(function: FunctionType) -> list[Mutant]:
    """The mutants of a function."""
    path = function.__code__.co_filename.removeprefix(f"{ROOT}/")
    return [
        mutant
        for mutant in _mutants(path)
        if mutant.deferred and mutant.scope == function.__qualname__ and mutant.operator not in _TRIFLES
    ]


# What operations call


def of_callees(own: Iterable[str]) -> Iterator[Breakage]:
    """Mutants of the functions that operations call, for rules with no place of their own."""
    owned = set(own)
    called: dict[FunctionType, set[str]] = {}
    for operation in API:
        left = set(operation.rules) - owned
        for function in _called(operation.function, 2) if left else ():
            called.setdefault(function, set()).update(left)
    for function, found in called.items():
        for mutant in _of_function(function):
            yield Breakage(str(mutant), f"callee: {mutant.operator}", frozenset(found), _changed(mutant))


def _called(function: FunctionType, depth: int) -> set[FunctionType]:
    """The functions of confsim below the service that a function calls by name, and what these call."""
    found = set()
    for name in ast.walk(_tree_of(function)):
        target: Any = None
        if isinstance(name, ast.Name):
            target = function.__globals__.get(name.id)
        elif isinstance(name, ast.Attribute) and isinstance(name.value, ast.Name):
            module = function.__globals__.get(name.value.id)
            target = getattr(module, name.attr, None) if isinstance(module, ModuleType) else None
        if isinstance(target, FunctionType) and target.__module__.startswith(("confsim.domain", "confsim.api")):
            found.add(target)
    if depth:
        for each in list(found):
            found |= _called(each, depth - 1)
    return found


@cache
def _tree_of(function: FunctionType) -> ast.AST:
    path = MODULES[function.__code__.co_filename.removeprefix(f"{ROOT}/confsim/")]
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.FunctionDef) and node.name == function.__name__:
            first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            if first <= function.__code__.co_firstlineno <= node.lineno:
                return node
    return ast.Module([], [])
