"""The file of the figures that were measured: parts, each with its shares."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

PATH = Path(__file__).with_name("figures.json")


class Measured(Struct, frozen=True):
    """Figures of a part, or of a share of it: the day, the commit, the command, the figures by name."""

    day: str
    commit: str
    command: str
    figures: dict[str, Any]


#: What was measured, by part and by share; the share of a part that was measured at once is empty.
Stored = dict[str, dict[str, Measured]]


def load(path: Path = PATH) -> Stored:
    """What is stored."""
    return msgspec.json.decode(path.read_bytes(), type=Stored) if path.exists() else {}


def store(stored: Stored, path: Path = PATH) -> None:
    """Write what is stored, in the order of the names."""
    ordered = {name: dict(sorted(shares.items())) for name, shares in sorted(stored.items())}
    path.write_bytes(msgspec.json.format(msgspec.json.encode(ordered), indent=1) + b"\n")


def merged(stored: Stored, part: str, share: str, measured: Measured) -> Stored:
    """What is stored with a part, or a share of it, measured anew; shares of another number of shares go."""
    number = share.partition("/")[2]
    others = {
        each: found for each, found in stored.get(part, {}).items() if each.partition("/")[2] == number and number
    }
    return {**stored, part: {**others, share: measured}}


def missing(shares: Mapping[str, Measured]) -> int:
    """How many shares of a part are not measured yet."""
    number = next(iter(shares), "").partition("/")[2]
    return int(number) - len(shares) if number else 0


def figures(shares: Mapping[str, Measured]) -> dict[str, Any]:
    """The figures of a part: those of its shares added up, numbers as numbers, lists as lists, and counts by name."""
    whole: dict[str, Any] = {}
    for measured in shares.values():
        whole = _added(whole, measured.figures)
    return whole


def _added(whole: dict[str, Any], more: dict[str, Any]) -> dict[str, Any]:
    added = dict(whole)
    for name, figure in more.items():
        if name in whole and isinstance(figure, dict):
            added[name] = _added(whole[name], figure)
        elif name in whole and isinstance(figure, int | float | list) and not isinstance(figure, bool):
            added[name] = whole[name] + figure
        else:
            added[name] = figure
    return added


def commit() -> str:
    """The commit that is checked out, in short; with a plus where files differ from it."""
    command = ["git", "describe", "--always", "--dirty=+", "--exclude=*"]
    return subprocess.run(command, cwd=PATH.parent, capture_output=True, text=True, check=True).stdout.strip()
