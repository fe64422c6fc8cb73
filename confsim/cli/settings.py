"""The settings of a project: the table ``[tool.confsim]`` in its pyproject.toml; options and environment override it.

A key is the long name of an option: ``port = 9000``; those of ``[tool.confsim.serve]`` apply to one command. The file
is that of the present directory or of the nearest one above it that has a pyproject.toml. Paths are relative to it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from datetime import datetime
from difflib import get_close_matches
from os.path import isfile
from pathlib import Path
from typing import Any

import click

from confsim.kernel.refusal import Misuse, suggest, suggest_near
from confsim.service.files import reading

from .command import Commands

#: A line that may begin the table or hold it: ``[tool.confsim]``, ``[tool]``, ``tool.confsim.port = 1``, ``tool = {}``.
_MENTIONED = r"""(?m)^\s*\[?\s*["']?tool["']?\s*(\]|=|\.\s*["']?confsim\b)"""
#: A table whose name may be a misspelt one, and the least similarity of the two (1 for equal ones).
_MISSPELT = r"(?m)^\s*\[\s*tool\s*\.\s*(?!confsim\b)([A-Za-z_-]+)"
_ALIKE = 0.85
#: Variables that no option has: those that `confsim exec` sets.
_OTHER_VARIABLES = frozenset({"CONFSIM_URL", "CONFSIM_BASE_URL", "CONFSIM_TLS_CERT"})
#: Options whose values are paths where there is such a file, and else names of what is shipped.
_NAMES_OR_PLACES = frozenset({"world", "scenario"})
#: By the types of click: the types of TOML that stand for them, and what these are called. Texts are all others.
_TYPES: tuple[tuple[Any, tuple[type, ...], str], ...] = (
    (click.types.BoolParamType, (bool,), "true or false"),
    (click.types.IntParamType, (int,), "a whole number"),
    (click.types.FloatParamType, (int, float), "a number"),
    (click.ParamType, (str,), "a text"),
)


def find(directory: Path) -> Path | None:
    """Return the pyproject.toml of a directory or of the nearest one above it, None when there is none."""
    return next((file for each in (directory, *directory.parents) if (file := each / "pyproject.toml").is_file()), None)


def defaults(file: Path, group: Commands) -> dict[str, dict[str, Any]]:
    """The defaults of the options of each command, as click takes them.

    Raises Misuse for an unreadable file, for an unknown key, with the nearest, and for a wrong value.
    """
    text = reading.content(file, "settings").decode()
    misspelt = re.search(_MISSPELT, text)
    if misspelt is not None and get_close_matches(misspelt[1], ["confsim"], 1, _ALIKE):
        raise Misuse(f"{file}: [tool.{misspelt[1]}] sets nothing; did you mean [tool.confsim]?")
    if re.search(_MENTIONED, text) is None:
        return {}
    content = reading.toml(file, "settings")
    table = content.get("tool", {}).get("confsim", {})
    if not isinstance(table, dict):
        raise Misuse(f"{file}: tool.confsim is not a table; write [tool.confsim] above its options")
    if not table:
        return {}
    options = {name: _options(command) for name, command in group.every().items()}
    shared = {key: value for key, value in table.items() if not (key in options and isinstance(value, dict))}
    everywhere = {key for each in options.values() for key in each}
    found: dict[str, dict[str, Any]] = {name: {} for name in options}
    for key, value in shared.items():
        where = f"{file}: tool.confsim"
        if key not in everywhere and isinstance(value, dict):
            raise Misuse(f"{where} has no {key!r}: there is no such command{suggest(key, sorted(options))}")
        _check(key, everywhere, where)
        for command, known in options.items():
            if key in known:
                found[command][_name(known[key])] = _value(key, value, known[key], file, f"{where}.{key}")
    for command, known in options.items():
        own = table.get(command)
        for key, value in own.items() if isinstance(own, dict) else ():
            where = f"{file}: tool.confsim.{command}"
            _check(key, known, where)
            found[command][_name(known[key])] = _value(key, value, known[key], file, f"{where}.{key}")
    return found


def unknown_variables(environment: Mapping[str, str], group: Commands) -> Iterator[str]:
    """Yield a line for each variable CONFSIM_* that sets no option of any command, with the nearest that does."""
    given = [name for name in environment if name.startswith("CONFSIM_") and name not in _OTHER_VARIABLES]
    if not given:
        return
    known = set(_OTHER_VARIABLES)
    for command in group.every().values():
        for parameter in command.params:
            known.update(parameter.envvar if isinstance(parameter.envvar, list) else ())
    for name in given:
        if name not in known:
            yield f"the variable {name} sets no option{suggest_near(name, sorted(known))}"


def _options(command: click.Command) -> dict[str, click.Option]:
    """The options of a command by their long names."""
    return {
        name.removeprefix("--"): parameter
        for parameter in command.params
        if isinstance(parameter, click.Option) and parameter.name is not None
        for name in parameter.opts
        if name.startswith("--")
    }


def _name(option: click.Option) -> str:
    return option.name or ""


def _check(key: str, known: Collection[str], where: str) -> None:
    if key not in known:
        raise Misuse(f"{where} has no {key!r}{suggest(key, sorted(known))}")


def _value(key: str, value: Any, option: click.Option, file: Path, where: str) -> Any:
    """Return the value of a key; paths are relative to the file. Raises Misuse for an unsuitable value."""
    if option.multiple:
        if not isinstance(value, list):
            raise Misuse(f"{where} must be a list, not {_shown(value)}")
        return [_one(each, option, where) for each in value]
    if key == "clock" and type(value) in (int, datetime):
        value = str(value) if isinstance(value, int) else value.isoformat()
    _one(value, option, where)
    if isinstance(option.type, click.Path) or (key in _NAMES_OR_PLACES and isfile(file.parent / value)):
        return str(file.parent / value)
    return value


def _one(value: Any, option: click.Option, where: str) -> Any:
    """The value, which is one of the option. Raises Misuse for another type or bounds."""
    wanted, named = next((types, name) for kinds, types, name in _TYPES if isinstance(option.type, kinds))
    if type(value) not in wanted:
        raise Misuse(f"{where} must be {named}, not {_shown(value)}")
    try:
        option.type.convert(value, option, None)
    except click.BadParameter as error:
        raise Misuse(f"{where}: {error.message}") from None
    return value


def _shown(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else repr(value)
