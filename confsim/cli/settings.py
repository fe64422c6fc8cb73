"""Settings of a project: the table ``[tool.confsim]`` of its pyproject.toml, which options and environment override.

A key is the long name of an option: ``port = 9000``; those of ``[tool.confsim.serve]`` hold for one command. The file
is that of the present directory or of the nearest one above it that has a pyproject.toml. Paths are relative to it.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from confsim.kernel.refusal import Misuse, suggest

#: Options whose values are paths, or names of what is shipped.
_PLACES = frozenset({"profile", "state", "import", "export-on-exit", "tls-cert", "tls-key", "accounts"})
_NAMES_OR_PLACES = frozenset({"world", "scenario"})


def find(directory: Path) -> Path | None:
    """The pyproject.toml of a directory or of the nearest one above it, None when there is none."""
    return next((file for each in (directory, *directory.parents) if (file := each / "pyproject.toml").is_file()), None)


def defaults(file: Path, group: click.Group) -> dict[str, dict[str, Any]]:
    """The defaults of the options of each command, as click takes them.

    Misuse for a file that cannot be read and for a key that is no option, with the nearest.
    """
    import tomllib

    try:
        text = file.read_text(encoding="utf-8")
        content = tomllib.loads(text) if "confsim" in text else {}
    except (OSError, ValueError) as error:
        raise Misuse(f"{file}: {error}") from None
    table = content.get("tool", {}).get("confsim", {})
    if not isinstance(table, dict):
        raise Misuse(f"{file}: tool.confsim is no table")
    options = {name: _options(command) for name, command in group.commands.items()}
    shared = {key: value for key, value in table.items() if not (key in options and isinstance(value, dict))}
    everywhere = {key for each in options.values() for key in each}
    found: dict[str, dict[str, Any]] = {name: {} for name in options}
    for key, value in shared.items():
        _check(key, everywhere, f"{file}: tool.confsim")
        for command, known in options.items():
            if key in known:
                found[command][known[key]] = _value(key, value, file)
    for command, known in options.items():
        own = table.get(command)
        for key, value in own.items() if isinstance(own, dict) else ():
            _check(key, known, f"{file}: tool.confsim.{command}")
            found[command][known[key]] = _value(key, value, file)
    return found


def _options(command: click.Command) -> dict[str, str]:
    """The parameters of a command by the long names of their options."""
    return {
        name.removeprefix("--"): parameter.name
        for parameter in command.params
        if isinstance(parameter, click.Option) and parameter.name is not None
        for name in parameter.opts
        if name.startswith("--")
    }


def _check(key: str, known: Mapping[str, object] | set[str], where: str) -> None:
    if key not in known:
        raise Misuse(f"{where} has no {key!r}{suggest(key, sorted(known))}")


def _value(key: str, value: Any, file: Path) -> Any:
    """The value of a key; a path is taken from where the file is."""
    if key in _PLACES and isinstance(value, str):
        return str(file.parent / value)
    if key in _NAMES_OR_PLACES and isinstance(value, str) and (file.parent / value).is_file():
        return str(file.parent / value)
    return value
