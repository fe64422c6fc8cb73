"""The house rules that no linter knows, read off the syntax trees of the modules."""

from __future__ import annotations

import ast
import re
from collections import Counter
from pathlib import Path

from kit.declared import own_tables
from kit.each import each
from kit.source import MODULES, ROOT, nodes, tree, walk

_PURE = {"kernel", "values", "assumptions", "domain", "contract", "canonical", "api"}
BELOW_SERVICE = [name for name in MODULES if name.split("/")[0] in _PURE]

#: Modules and calls that would let chance, time or the machine into a world.
BANNED_MODULES = {"time", "random", "secrets", "os", "sys", "socket", "pathlib", "io", "tempfile", "subprocess"}
#: What may be imported from a banned module: it stays in memory.
ALLOWED_NAMES = {"io": {"BytesIO", "StringIO"}}
BANNED_CALLS = {"open", "input", "print", "exec", "eval"}
BANNED_ATTRIBUTES = {
    "now",
    "utcnow",
    "today",
    "uuid1",
    "uuid4",
    "getenv",
    "environ",
    "urandom",
    "read_text",
    "read_bytes",
}
#: What `now` may be asked of: the change, the call, or anyone who asks for them.
HOLDERS_OF_NOW = {"change", "call", "self", "context"}

#: Registries that declarations fill while modules are imported, and nothing else ever.
REGISTRIES = {
    "contract/decode.py": {"RESOLVERS"},
    "kernel/timers.py": {"ALARMS"},
}
MOST_LINES = 400
TESTS = Path(__file__).parents[1]
MOST_LINES_OF_TESTS = 500


def names_of_calls(path):
    """The names by which a module calls functions."""
    for node in nodes(path):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            yield node.func.id


@each("name", BELOW_SERVICE)
def test_nothing_below_service_asks_the_machine(name):
    """No clock, chance, environment or file: a world's only time is change.now, its only ids come from its seed."""
    found = []
    for node in nodes(MODULES[name]):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names if alias.name.split(".")[0] in BANNED_MODULES]
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            names = {alias.name for alias in node.names}
            banned = (node.module or "").split(".")[0] in BANNED_MODULES
            found += [node.module] if banned and not names <= ALLOWED_NAMES.get(node.module, set()) else []
        elif isinstance(node, ast.Attribute) and node.attr in BANNED_ATTRIBUTES:
            holder = node.value.id if isinstance(node.value, ast.Name) else ast.unparse(node.value).rpartition(".")[2]
            if not (node.attr == "now" and holder in HOLDERS_OF_NOW):
                found.append(ast.unparse(node))
    found += [called for called in names_of_calls(MODULES[name]) if called in BANNED_CALLS]
    assert found == []


@each("name", MODULES)
def test_everything_public_has_a_docstring(name):
    """Modules, public classes and public functions each say what they are."""
    module = tree(MODULES[name])
    assert ast.get_docstring(module), "the module"
    missing = [node.name for node in public_definitions(module) if not ast.get_docstring(node)]
    assert missing == []


def public_definitions(module):
    """Public functions and classes of a module, and the public methods of public classes."""
    kinds = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    for node in module.body:
        if isinstance(node, kinds) and not node.name.startswith("_"):
            yield node
            if isinstance(node, ast.ClassDef) and not protocol(node):
                for each in node.body:
                    if isinstance(each, kinds) and not each.name.startswith("_") and not setter(each):
                        yield each


def protocol(node):
    """Whether the class only names what others have."""
    return any(ast.unparse(base).startswith("Protocol") for base in node.bases)


def setter(node):
    """Whether the function is the other half of a property."""
    return any(ast.unparse(each).endswith((".setter", "overload")) for each in node.decorator_list)


@each("name", MODULES)
def test_no_module_is_long(name):
    """A module that grows beyond this is two modules."""
    assert len(MODULES[name].read_text().splitlines()) <= MOST_LINES


def test_no_module_of_tests_is_long():
    """Tests of one module of the code that outgrow this are parted along its subjects."""
    lengths = {path.relative_to(TESTS).as_posix(): len(path.read_text().splitlines()) for path in TESTS.rglob("*.py")}
    assert len(lengths) > 100
    assert {name: length for name, length in lengths.items() if length > MOST_LINES_OF_TESTS} == {}


#: Folders of tests that mirror no room: what tests share, and what concerns the whole house.
OWN_FOLDERS = {
    *("benchmarks", "browser", "campaigns", "crowded", "data", "downstream", "kit", "properties", "services", "tidy"),
}


def test_tests_stand_where_their_room_does():
    """Folders of tests are those of packages; tests of modules, README and public names stand beside them."""
    places = {path.relative_to(TESTS) for path in TESTS.rglob("test_*.py")}
    folders = {place.parent for place in places if place.parts[0] not in OWN_FOLDERS and len(place.parts) > 1}
    assert len(folders) > 30
    assert [str(folder) for folder in sorted(folders) if not (ROOT / folder).is_dir()] == []
    alone = {place.stem.removeprefix("test_") for place in places if len(place.parts) == 1}
    assert [name for name in sorted(alone - {"public_names", "readme"}) if not (ROOT / f"{name}.py").is_file()] == []


MUTABLE = (ast.Dict, ast.List, ast.Set, ast.DictComp, ast.ListComp, ast.SetComp)
MAKERS = {"dict", "list", "set", "defaultdict", "deque", "Counter", "OrderedDict", "bytearray"}
CHANGES = {
    "append", "add", "update", "setdefault", "pop", "popitem", "clear", "extend", "insert", "remove", "discard",
    "appendleft", "popleft", "sort", "reverse",
}  # fmt: skip


@each("name", MODULES)
def test_no_module_remembers_anything(name):
    """No function writes to what its module holds: state lives in worlds and services, and no test sees another's."""
    held = {target for node in tree(MODULES[name]).body for target in containers(node)} - REGISTRIES.get(name, set())
    written: set[str] = set()
    if not held and not any(isinstance(node, ast.Global) for node in nodes(MODULES[name])):
        return
    for function in nodes(MODULES[name]):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            for node in walk(function):
                written |= {each for each in written_names(node) if each in held}
                if isinstance(node, ast.Global):
                    written |= set(node.names)
    assert written == set()


def containers(node):
    """The names that a statement of a module binds to a mutable container."""
    value = getattr(node, "value", None)
    made = isinstance(value, MUTABLE) or (
        isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id in MAKERS
    )
    if not made:
        return
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    for target in targets:
        if isinstance(target, ast.Name):
            yield target.id


def written_names(node):
    """The names whose contents a node changes."""
    if (
        isinstance(node, ast.Subscript)
        and isinstance(node.ctx, ast.Store | ast.Del)
        and isinstance(node.value, ast.Name)
    ):
        yield node.value.id
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in CHANGES
        and isinstance(node.func.value, ast.Name)
    ):
        yield node.func.value.id


#: Look-ups: ``get`` returns one thing or raises, ``find`` one or None, ``list`` several.
#: What a look-up of each kind may not return, as a pattern of its annotation, and what it must.
NOT_RETURNED = {"get": r"\bNone$", "find": r"^(list|tuple|Iterator|Iterable|Sequence|View|dict|Mapping)\b"}
RETURNED = {"find": r"\bNone$", "list": r"^(list|tuple|Iterator|Iterable|Sequence|View|dict|Mapping|Generator|set)\b"}
#: Functions that others name: places with the reason.
NAMED_BY_OTHERS = {
    "kernel/tables/table.py Table.get": "a table is read like a dict",
    "kernel/tables/table.py Rows.get": "a table is read like a dict",
    "http/clients.py Client.get_cookie": "Werkzeug's client has it",
    "testing/schemathesis.py Tokens.get": "Schemathesis calls it",
    "control/facade/requests.py RequestsFacade.find": "a public method",
    "control/facade/webhooks.py WebhooksFacade.find": "a public method",
    "assistant/server.py server.list_tools": "the MCP SDK calls it",
    "assistant/server.py server.list_resources": "the MCP SDK calls it",
    "cli/command.py Commands.get_command": "click calls it",
}


def lookups(node, prefix=""):
    """Yield the functions named as look-ups, without operations, whose names are public: name, kind, annotation."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        name = prefix + child.name
        if not isinstance(child, ast.ClassDef):
            kind = re.match(r"_*(get|find|list)(_|$)", child.name)
            declared = any(re.search(r"\('[A-Z]+ /", ast.unparse(each)) for each in child.decorator_list)
            if kind and child.returns is not None and not declared:
                yield name, kind[1], ast.unparse(child.returns)
        yield from lookups(child, f"{name}.")


def misnamed(kind, returns):
    """Return whether a look-up of this kind may not have this annotation."""
    never, always = NOT_RETURNED.get(kind), RETURNED.get(kind)
    return bool(never and re.search(never, returns)) or bool(always and not re.search(always, returns))


@each("module", MODULES)
def test_a_lookup_returns_what_its_name_says(module):
    """Look-ups named by others are excepted; each exception is still needed."""
    found = {f"{module} {name}" for name, kind, returns in lookups(tree(MODULES[module])) if misnamed(kind, returns)}
    assert found == {place for place in NAMED_BY_OTHERS if place.split(" ")[0] == module}


def test_a_misnamed_lookup_is_noticed():
    """Each kind, in a class and in a function."""
    source = "class A:\n def get(self) -> A | None: ...\ndef find_a() -> A: ...\ndef list_a() -> A: ..."
    assert [name for name, kind, returns in lookups(ast.parse(source)) if misnamed(kind, returns)] == [
        "A.get",
        "find_a",
        "list_a",
    ]
    assert not misnamed("find", "A | None")
    assert not misnamed("list", "Iterator[A]")
    assert misnamed("find", "list[A] | None")


def test_the_kernel_knows_nothing_of_confsim():
    """It names no table, and cites no rule, gap or line of the API's documents."""
    tables = {table.name for table in own_tables()}
    for name, path in MODULES.items():
        if name.startswith("kernel/"):
            assert not re.findall(r"\b[GR]\d{3}\b|\bP[12] L\d", path.read_text(encoding="utf-8")), name
            texts = {
                node.value for node in nodes(path) if isinstance(node, ast.Constant) and isinstance(node.value, str)
            }
            assert texts & tables == set(), name


def test_what_is_not_there_is_refused_in_one_way():
    """By ``not_found``, or by the table of a machine; nobody raises the reason by hand."""
    by_hand = {name for name, path in MODULES.items() if "Refusal(Reason.NOT_FOUND" in path.read_text(encoding="utf-8")}
    assert by_hand == {"assumptions/protocol/refusals.py"}


LOWER_ROOMS = ("kernel/", "domain/", "contract/", "api/")
#: Forwarders that stay, with the reason.
FORWARDERS = {
    "open_token": "its two reasons for refusals belong to the tokens, which the module keeps",
}


def is_plain(node):
    """Whether an expression is a name, an attribute of one, or a constant."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name | ast.Constant)


def is_forwarder(function):
    """Whether the function consists of one call, with names, attributes and constants for arguments."""
    body = [node for node in function.body if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))]
    if function.decorator_list or len(body) != 1 or not isinstance(body[0], ast.Return | ast.Expr):
        return False
    call = body[0].value
    if not (isinstance(call, ast.Call) and is_plain(call.func)):
        return False
    return all(map(is_plain, (*call.args, *(keyword.value for keyword in call.keywords))))


def names_of(code):
    """How often each name stands in code, and how often as that of what is called."""
    named, called = Counter(), Counter()
    for node in code:
        if isinstance(node, ast.Name | ast.Attribute):
            named[node.id if isinstance(node, ast.Name) else node.attr] += 1
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute):
            called[node.func.id if isinstance(node.func, ast.Name) else node.func.attr] += 1
    return named, called


def test_no_forwarder_has_a_single_caller():
    """Call what it calls; one that is handed on as a value, to a row or an index, is no forwarder."""
    named, called = names_of([node for path in MODULES.values() for node in nodes(path)])
    found = {
        node.name
        for name, path in MODULES.items()
        if name.startswith(LOWER_ROOMS)
        for node in tree(path).body
        if isinstance(node, ast.FunctionDef) and is_forwarder(node) and named[node.name] == called[node.name] == 1
    }
    assert found == set(FORWARDERS)


def test_a_forwarder_is_noticed():
    """It calls one function; one that computes an argument is none."""
    source = "def a(x):\n 'Doc.'\n return b(x.y, z=1)\ndef c(x):\n return d(x + 1)\ndef e(x):\n return x"
    assert [each.name for each in ast.parse(source).body if is_forwarder(each)] == ["a"]
