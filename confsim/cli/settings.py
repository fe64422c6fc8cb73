"""The settings of a project: the table ``[tool.confsim]`` in its pyproject.toml; options and environment override it.

A key is the long name of an option: ``port = 9000``; those of ``[tool.confsim.serve]`` apply to one command. The file
is that of the present directory or of the nearest one above it that has a pyproject.toml. Paths are relative to it.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from datetime import datetime
from os.path import isfile
from pathlib import Path
from typing import Any

import click

from confsim.kernel.refusal import Misuse, suggest
from confsim.service.files import reading

from .command import Commands

#: A line that may begin the table or hold it: ``[tool.confsim]``, ``[tool]``, ``tool.confsim.port = 1``, ``tool = {}``.
_MENTIONED = r"""(?m)^\s*\[?\s*["']?tool["']?\s*(\]|=|\.\s*["']?confsim\b)"""
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

    Misuse for a file that cannot be read, for a key that is no option, with the nearest, and for a wrong value.
    """
    if re.search(_MENTIONED, reading.content(file, "settings").decode()) is None:
        return {}
    content = reading.toml(file, "settings")
    table = content.get("tool", {}).get("confsim", {})
    if not isinstance(table, dict):
        raise Misuse(f"{file}: tool.confsim is no table")
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
    """The value of a key; a path is taken from where the file is. Misuse for one that the option does not take."""
    if option.multiple:
        if not isinstance(value, list):
            raise Misuse(f"{where} is to be a list, not {_shown(value)}")
        return [_one(each, option, where) for each in value]
    if key == "clock" and type(value) in (int, datetime):
        value = str(value) if isinstance(value, int) else value.isoformat()
    _one(value, option, where)
    if isinstance(option.type, click.Path) or (key in _NAMES_OR_PLACES and isfile(file.parent / value)):
        return str(file.parent / value)
    return value


def _one(value: Any, option: click.Option, where: str) -> Any:
    """The value, which is one of the option. Misuse for one of another type or out of its bounds."""
    wanted, named = next((types, name) for kinds, types, name in _TYPES if isinstance(option.type, kinds))
    if type(value) not in wanted:
        raise Misuse(f"{where} is to be {named}, not {_shown(value)}")
    try:
        option.type.convert(value, option, None)
    except click.BadParameter as error:
        raise Misuse(f"{where}: {error.message}") from None
    return value


def _shown(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else repr(value)
