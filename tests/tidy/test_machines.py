"""Who moves a machine: public functions of its own module and the rows of couplings/, and never the effect of a row."""

from __future__ import annotations

import ast
import dis
import importlib
import inspect
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import confsim.api.catalogue  # noqa: F401 its modules declare the machines
from confsim.domain import conventions
from confsim.domain.breakout import breakouts
from confsim.domain.channels import channels
from confsim.domain.runtime import lobby
from confsim.domain.users import users
from confsim.kernel.machine import Machine, Trigger
from confsim.kernel.rows import ABSENT
from confsim.kernel.tables.table import Table
from kit.each import each
from kit.source import ROOT, nodes, tree, walk

#: The methods of a machine that move it; triggers do, too.
MOVES = {"take_along"}
#: What anybody may ask of a machine, and of a trigger.
READ = {"to", "state", "states", "initial", "holds", "reason", "admits", "on", "of"}
NAMES = [
    ".".join(("confsim", *path.relative_to(ROOT).with_suffix("").parts))
    for room in ("domain", "api", "control", "service", "testing")
    for path in sorted((ROOT / room).rglob("*.py"))
    if path.name != "__init__.py" and "couplings" not in path.parts
]
#: The one effect that runs rows of couplings/ itself: the first step of the removal of a channel.
EXCEPTIONS = {"channel: stop"}


def value_of(node: ast.AST, names: Mapping[str, Any]) -> Any:
    """What a name, or an attribute of a module, stands for; None when that is not known before the code runs."""
    if isinstance(node, ast.Name):
        return names.get(node.id)
    if isinstance(node, ast.Attribute):
        holder = value_of(node.value, names)
        return getattr(holder, node.attr, None) if isinstance(holder, ModuleType) else None
    return None


@cache
def declared_in(module: ModuleType) -> list[Any]:
    """The machines and triggers that statements of the module bind to a name, or to one in a mapping."""
    found: list[Any] = []
    for node in tree(Path(str(module.__file__))).body:
        target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
        if isinstance(target, ast.Name):
            value = vars(module).get(target.id)
            found += value.values() if isinstance(value, Mapping) else [value]
    return [value for value in found if isinstance(value, Machine | Trigger)]


def machines_in(module: ModuleType) -> list[Machine[Any, Any]]:
    """The machines that the module declares."""
    return [held for held in declared_in(module) if isinstance(held, Machine)]


def is_moved(node: ast.AST, names: Mapping[str, Any]) -> bool:
    """Whether code names a machine, or a trigger that is a constant: one that is called like a function is for all."""
    held = value_of(node, names)
    name = node.id if isinstance(node, ast.Name) else getattr(node, "attr", "")
    return isinstance(held, Machine) or (isinstance(held, Trigger) and name.isupper())


def foreign_uses(module: ModuleType, code: Sequence[ast.AST], names: Mapping[str, Any]) -> list[str]:
    """Where the code does more than ask a machine that another module declares, or hand it to a function of that."""
    asked = {id(node.value) for node in code if isinstance(node, ast.Attribute) and node.attr in READ}
    handed = {
        id(argument): value_of(node.func, names)
        for node in code
        if isinstance(node, ast.Call)
        for argument in (*node.args, *(keyword.value for keyword in node.keywords))
    }
    found = []
    for node in code:
        if not is_moved(node, names) or id(node) in asked:
            continue
        machine = value_of(node, names)
        if machine in declared_in(module):
            continue
        taker = handed.get(id(node))
        if not (isinstance(taker, FunctionType) and machine in declared_in(inspect.getmodule(taker))):
            found.append(ast.unparse(node))
    return found


@each("name", NAMES)
def test_a_machine_is_moved_by_its_own_module(name):
    """No other module fires its triggers; the rows of couplings/ do."""
    module = importlib.import_module(name)
    assert foreign_uses(module, nodes(Path(str(module.__file__))), vars(module)) == []


@cache
def calls(function: FunctionType) -> list[ast.expr]:
    """What a function calls."""
    code = ast.parse(textwrap.dedent(inspect.getsource(function)).lstrip("*("))
    return [node.func for node in walk(code) if isinstance(node, ast.Call)]


def moves(function: Callable[..., Any], seen: set[Any]) -> Iterator[str]:
    """The calls by which a function of confsim, or one that it calls, moves a machine."""
    function = getattr(function, "func", function)
    if not isinstance(function, FunctionType) or function in seen or not function.__module__.startswith("confsim."):
        return
    seen.add(function)
    if function.__module__ in {"confsim.kernel.machine", "confsim.kernel.two_states"}:
        return
    for called in calls(function):
        holder = value_of(called.value, function.__globals__) if isinstance(called, ast.Attribute) else None
        if isinstance(called, ast.Attribute) and called.attr in MOVES and isinstance(holder, Machine):
            yield f"{function.__module__}.{function.__qualname__}: {ast.unparse(called)}"
        if isinstance(holder, Trigger) or isinstance(value_of(called, function.__globals__), Trigger):
            yield f"{function.__module__}.{function.__qualname__}: {ast.unparse(called)}"
        yield from moves(value_of(called, function.__globals__), seen)


EFFECTS = [
    (f"{machine.name}: {row.when}", row.effect)
    for machine in Machine.declared.values()
    for row in machine.rows
    if row.effect is not None and row.effect.__name__ != "<lambda>"
]


@each("name, effect", EFFECTS, ids=lambda case: case[0])
def test_an_effect_moves_no_machine(name, effect):
    """It returns the record with its other changes; what follows for others is a row of couplings/."""
    found = list(moves(effect, set()))
    assert bool(found) is (name in EXCEPTIONS), found


def test_a_side_door_is_found():
    """Firing another's machine, handing it on, and moving one through a function that another module has."""
    names = {"users": users, "conventions": conventions}
    code = "users.END(change, user)\nconventions.turn(change, users.END, user, state='x')"
    assert foreign_uses(lobby, list(ast.walk(ast.parse(code))), names) == ["users.END", "users.END"]
    for code in ("users.MACHINE.state(user)", "users.END.admits(change, user)", "users.limit(change, user, 5)"):
        assert foreign_uses(lobby, list(ast.walk(ast.parse(code))), names) == []
    names = {"USERS": users.USERS, "table_of": channels.table_of}
    for code in (
        "USERS.of(c, 'x').put(user)",
        "rows = USERS.of(c, 'x')\nrows.remove(1)",
        "table_of(r).of(c, 'x').put(r)",
    ):
        assert foreign_writes(lobby, list(ast.walk(ast.parse(code))), names)
    assert list(moves(users.create, set())) == []  # it looks its trigger up
    assert list(moves(breakouts.stop, set()))
    assert not list(moves(users.get, set()))


#: Readers of old state files, which write a world as it was stored.
READERS = {"confsim.service.files.format_2", "confsim.service.files.formats"}


@cache
def tables_of(module: ModuleType) -> list[Table[Any, Any]]:
    """The tables that statements of the module bind to a name."""
    assigned = [node for node in tree(Path(str(module.__file__))).body if isinstance(node, ast.Assign | ast.AnnAssign)]
    targets = [node.targets[0] if isinstance(node, ast.Assign) else node.target for node in assigned]
    values = [vars(module).get(target.id) for target in targets if isinstance(target, ast.Name)]
    return [value for value in values if isinstance(value, Table)]


def foreign_writes(module: ModuleType, code: Sequence[ast.AST], names: Mapping[str, Any]) -> list[str]:
    """Where the code puts or removes a record of a table that another module declares, which has no machine of it."""
    moved = {machine.record for machine in machines_in(module)}

    def foreign(rows: ast.AST) -> bool:
        """Whether an expression is ``TABLE.of(…)``, or ``function(…).of(…)`` for one that returns a table."""
        if not (isinstance(rows, ast.Call) and isinstance(rows.func, ast.Attribute) and rows.func.attr == "of"):
            return False
        holder = rows.func.value
        if isinstance(holder, ast.Call):
            function = value_of(holder.func, names)
            return isinstance(function, FunctionType) and function.__module__ != module.__name__
        table = value_of(holder, names)
        return isinstance(table, Table) and table not in tables_of(module) and table.record not in moved

    bound = {
        node.targets[0].id
        for node in code
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and foreign(node.value)
    }
    return [
        ast.unparse(node.func)
        for node in code
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in {"put", "remove"}
        if foreign(rows := node.func.value) or (isinstance(rows, ast.Name) and rows.id in bound)
    ]


@each("name", [name for name in NAMES if name not in READERS])
def test_a_table_is_written_by_its_own_module(name):
    """No other module puts or removes its records: it calls a function of that module, or has a row of couplings/."""
    module = importlib.import_module(name)
    functions = [node for node in nodes(Path(str(module.__file__))) if isinstance(node, ast.FunctionDef)]
    found = [foreign_writes(module, walk(each), vars(module)) for each in functions]
    assert [write for writes in found for write in writes] == []


MOVED = {machine.record for machine in Machine.declared.values()}
CHOOSERS = [machine.table_of for machine in Machine.declared.values()]


def without_a_row(code: Sequence[ast.AST], names: Mapping[str, Any]) -> list[str]:
    """Where the code removes a record that a machine has, or puts another than ``replace`` of one."""

    def moved(rows: ast.AST) -> bool:
        """Whether an expression is ``TABLE.of(…)`` of such a table, or of one that a function chooses for a machine."""
        if not (isinstance(rows, ast.Call) and isinstance(rows.func, ast.Attribute) and rows.func.attr == "of"):
            return False
        holder = rows.func.value
        if isinstance(holder, ast.Call):
            return value_of(holder.func, names) in CHOOSERS
        table = value_of(holder, names)
        return isinstance(table, Table) and table.record in MOVED

    def of_another(record: ast.AST) -> bool:
        return isinstance(record, ast.Call) and ast.unparse(record.func) == "replace"

    bound = {
        node.targets[0].id
        for node in code
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and moved(node.value)
    }
    return [
        ast.unparse(node)
        for node in code
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in {"put", "remove"}
        if moved(rows := node.func.value) or (isinstance(rows, ast.Name) and rows.id in bound)
        if node.func.attr == "remove" or not of_another(node.args[0])
    ]


@each("name", [name for name in NAMES if name not in READERS])
def test_rows_create_and_remove_what_a_machine_has(name):
    """The interpreter puts the first record and removes the last; a function may change its other fields."""
    module = importlib.import_module(name)
    functions = [node for node in nodes(Path(str(module.__file__))) if isinstance(node, ast.FunctionDef)]
    found = [without_a_row(walk(each), vars(module)) for each in functions]
    assert [write for writes in found for write in writes] == []


def test_a_record_without_a_row_is_found():
    """Also through the rows of a table as a variable, and in a table that a function chooses."""
    names = {"USERS": users.USERS, "table_of": channels.table_of}
    for code in (
        "USERS.of(c, 'x').put(User(id=1))",
        "rows = USERS.of(c, 'x')\nrows.remove(1)",
        "table_of(r).of(c, 'x').remove(r.id)",
    ):
        assert without_a_row(list(ast.walk(ast.parse(code))), names)
    assert not without_a_row(list(ast.walk(ast.parse("USERS.of(c, 'x').put(replace(user, name=n))"))), names)
    absent = {machine.record for machine in Machine.declared.values() if ABSENT in machine.states}
    assert absent >= MOVED - {None}


#: Functions outside of a machine that set its field: in a record that they make.
MAKERS = {"confsim.domain.channels.channels.create_room"}


#: Functions that change fields of another module's records by a mapping, with the reason that none holds a state.
MAPPINGS = {
    "confsim.control.operations.records._change_channel": "tests of the control plane hold which fields can be set",
    "confsim.control.operations.records._change_user": "tests of the control plane hold which fields can be set",
    "confsim.domain.identity.registration.register": "the details of a person",
    "confsim.domain.identity.token_exchange._with_details": "the details of a person",
    "confsim.testing.learning.discovering.copying.copy_client": "terms, providers and lists of hosts",
}


@each("name", NAMES)
def test_no_mapping_hides_a_state(name):
    """Where another module's ``update`` takes fields by a mapping, a reason says why no state is among them."""
    module = importlib.import_module(name)
    found = {
        f"{name}.{function.name}"
        for function in nodes(Path(str(module.__file__)))
        if isinstance(function, ast.FunctionDef)
        for node in walk(function)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "update"
        if isinstance(value_of(node.func, vars(module)), FunctionType) and any(not each.arg for each in node.keywords)
    }
    assert found == {place for place in MAPPINGS if place.rpartition(".")[0] == name}


@each("name", NAMES)
def test_the_state_of_a_machine_is_written_by_rows(name):
    """No other module sets the field that holds the state of a record."""
    module = importlib.import_module(name)
    own = {machine.field.name for machine in machines_in(module)}
    fields = {machine.field.name for machine in Machine.declared.values()} - own - {""}
    written = {
        keyword
        for node in nodes(Path(str(module.__file__)))
        if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in {"replace", "update"}
        for keyword in node.keywords
        if keyword.arg in fields
    }
    functions = [node for node in nodes(Path(str(module.__file__))) if written and isinstance(node, ast.FunctionDef)]
    found = [
        f"{name}.{function.name}: {node.arg}"
        for function in functions
        if f"{name}.{function.name}" not in MAKERS
        for node in walk(function)
        if node in written
    ]
    assert found == []


def misspelt(function, record):
    """The attributes of its second parameter, the record, that a function reads and no record has."""
    code = function.__code__
    read = dis.get_instructions(code)
    return [
        then.argval
        for load, then in pairwise(read)
        if load.opname == "LOAD_FAST" and load.argval == code.co_varnames[1] and then.opname.startswith("LOAD_")
        if then.opname in {"LOAD_ATTR", "LOAD_METHOD"} and not hasattr(record, then.argval)
    ]


@each("machine", list(Machine.declared.values()), ids=lambda machine: machine.name)
def test_guards_and_details_read_fields_that_there_are(machine):
    """A type checker does not see into most of them: their arguments are those of the trigger."""
    guards = [row.only_if.test for row in machine.rows if row.only_if is not None]
    details = [trigger.details for trigger in machine.triggers.values() if trigger.details is not None]
    for function in (*guards, *details):
        assert machine.record is not None
        assert misspelt(function, machine.record) == []


def test_a_misspelt_field_is_noticed():
    """In whatever place the record is read."""
    record = Machine.declared["session"].record
    assert misspelt(lambda change, session: session.endd or session.ended, record) == ["endd"]
