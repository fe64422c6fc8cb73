"""The analysis of which fields of a record some functions read: their results are unchanged while these fields are."""

from __future__ import annotations

import builtins
import dis
from collections.abc import Callable, Iterable
from enum import Enum
from operator import attrgetter
from types import BuiltinFunctionType, CodeType, FunctionType
from typing import Any

from msgspec import Struct

#: Built-in functions that access attributes whose names are not in the code.
_DYNAMIC = frozenset({"getattr", "vars", "eval", "exec"})


def read_fields(functions: Iterable[Callable[..., Any]], record: type[Struct]) -> tuple[str, ...] | None:
    """Return the sorted fields of a record that the functions may read; None when that cannot be determined.

    They are the names in their code, and in the code of the functions, methods and properties that these names refer
    to.
    """
    names: set[str] = set()
    left, seen = list(functions), set[CodeType]()
    while left:
        function = left.pop()
        if not isinstance(function, FunctionType):
            return None
        if function.__code__ in seen:
            continue
        seen.add(function.__code__)
        used, meant = _names(function.__code__)
        names |= used
        found = [function.__globals__.get(name, vars(builtins).get(name)) for name in meant]
        found += [cell.cell_contents for cell in function.__closure__ or ()]
        own = [getattr(record, name, None) for name in used]
        found += [each.fget if isinstance(each, property) else each for each in own if _is_code(each)]
        left += [each for each in found if isinstance(each, FunctionType)]
        if not all(isinstance(each, FunctionType) or not callable(each) or _is_transparent(each) for each in found):
            return None
    return tuple(sorted(names.intersection(record.__struct_fields__)))


def deciding(fields: tuple[str, ...] | None) -> Callable[[Any], object]:
    """Return a function of a record: these fields, or the record's identity when they are unknown (None).

    Without fields it is the type, the same for all records of a table.
    """
    if fields is None:
        return id
    return attrgetter(*fields) if fields else type


def _names(code: CodeType) -> tuple[set[str], set[str]]:
    """Return the names in a code object, and those of them that are global."""
    attributes, meant = set[str](), set[str]()
    for instruction in dis.get_instructions(code):
        if isinstance(instruction.argval, CodeType):
            inner = _names(instruction.argval)
            attributes |= inner[0]
            meant |= inner[1]
        elif instruction.opname in {"LOAD_GLOBAL", "LOAD_NAME"}:
            meant.add(instruction.argval)
    return attributes | {*code.co_names}, meant


def _is_code(member: object) -> bool:
    return isinstance(member, property | FunctionType)


def _is_transparent(meant: object) -> bool:
    """Return whether a callable reads no attribute beyond those named in the code: a built-in, or an Enum class."""
    if isinstance(meant, type):
        return meant.__module__ == "builtins" or issubclass(meant, Enum)
    return isinstance(meant, BuiltinFunctionType) and meant.__name__ not in _DYNAMIC
