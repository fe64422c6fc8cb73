"""What the two documents of the API state, as data: rules R001 to R562.

Reads ``rules.toml`` beside this module. Imports nothing of confsim, and nothing below ``service/``
imports it.
"""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any, Literal

import msgspec


class Rule(msgspec.Struct, frozen=True, kw_only=True):
    """One rule of the API.

    ``part``, ``section`` and ``lines`` say where it stands, ``also`` gives the lines of the other part. ``basis`` is
    ``stated`` (said outright), ``field`` (said in the notes of a field) or ``derived`` (follows from what is said).
    ``operations`` names the operations it is about, and is empty where these are many. ``gaps`` are the ids of what the
    rule leaves open.
    """

    id: str
    part: Literal["P1", "P2"]
    section: str
    basis: Literal["stated", "field", "derived"]
    statement: str
    lines: str = ""
    also: str = ""
    operations: tuple[str, ...] = ()
    gaps: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Id, place in the documents and statement, as a failing test shows them."""
        about = f"; {', '.join(self.operations)}" if self.operations else ""
        return f"{self.id} ({self.part} {self.section}{about}): {self.statement}"


@cache
def rules() -> dict[str, Rule]:
    """Every rule by its id, in the order of the numbers."""
    return msgspec.convert(_tables("rules.toml"), dict[str, Rule])


def _tables(name: str) -> dict[str, Any]:
    """The tables of a file of this package, each with its own key as ``id``."""
    found = tomllib.loads(files(__package__).joinpath(name).read_text(encoding="utf-8"))
    return {id: {"id": id, **table} for id, table in found.items()}
