"""The statements and the gaps of the two documents of the API, as data: rules R001 to R562, gaps G001 to G597.

Reads ``rules.json``, ``gaps.json`` and ``choices.toml`` beside this module. Imports nothing of confsim, and nothing
below ``service/`` imports it.
"""

from __future__ import annotations

from functools import cache
from typing import Literal

import msgspec

from confsim import shipped


class Rule(msgspec.Struct, frozen=True, kw_only=True):
    """One rule of the API.

    ``part``, ``section`` and ``lines`` give its place, ``also`` the lines of the other part. ``basis`` is ``stated``
    (said outright), ``field`` (said in the notes of a field) or ``derived`` (follows from other statements).
    ``operations`` has the operations that it is about, none if these are many. ``gaps`` are the ids of the gaps that
    the rule leaves.
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
        """Return id, place in the documents and statement, as a failing test shows them."""
        about = f"; {', '.join(self.operations)}" if self.operations else ""
        return f"{self.id} ({self.part} {self.section}{about}): {self.statement}"


class Gap(msgspec.Struct, frozen=True, kw_only=True):
    """A place where the documents are silent or contradict themselves.

    ``section``, ``lines`` and ``also`` give the nearest place in them, if any. ``weight`` is the importance for a
    client: H (high), M (medium) or L (low). ``default`` and ``alternatives`` are the obvious answers; the assumptions
    that name the gap say what confsim does. ``rules`` are the ids of the rules that it touches.
    """

    id: str
    part: Literal["P1", "P2"]
    topic: str
    weight: Literal["H", "M", "L"]
    question: str
    default: str
    alternatives: tuple[str, ...]
    section: str = ""
    lines: str = ""
    also: str = ""
    rules: tuple[str, ...] = ()


class Choices(msgspec.Struct, frozen=True):
    """The choices of the alternatives of gaps.

    ``choices`` has, by id of a gap and in the order of its alternatives, "entry = value" of a profile (TOML), or a word
    of ``reasons``: the reason why nothing chooses the alternative.
    """

    reasons: dict[str, str]
    choices: dict[str, tuple[str, ...]]


@cache
def rules() -> dict[str, Rule]:
    """Return every rule by its id, in the order of the numbers."""
    return {each.id: each for each in msgspec.json.decode(_read("rules.json"), type=list[Rule])}


@cache
def gaps() -> dict[str, Gap]:
    """Return every gap by its id, in the order of the numbers."""
    return {each.id: each for each in msgspec.json.decode(_read("gaps.json"), type=list[Gap])}


@cache
def choices() -> Choices:
    """Return the choices of the alternatives of gaps: of all gaps of high and medium weight, and some of low weight."""
    return msgspec.toml.decode(_read("choices.toml"), type=Choices)


def _read(name: str) -> str:
    """Return the text of a file of this package."""
    return shipped.text(f"reference/{name}")
