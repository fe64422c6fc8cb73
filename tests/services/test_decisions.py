"""decisions.toml tells of every field of the styles, with the values that they have."""

from __future__ import annotations

import dataclasses
import json
import re
import tomllib
from pathlib import Path
from typing import Any

from kit.each import each
from services import conferencing
from services.conferencing import STYLES

PACKAGE = Path(conferencing.__file__).parent
TOLD = tomllib.loads((PACKAGE / "decisions.toml").read_text())["decision"]


def value(style: Any, field: str) -> Any:
    """What a style has in a field of decisions.toml."""
    group, _, name = field.partition(".")
    if group == "gates":
        return style.gates[name]
    if field.startswith("errors.kinds."):
        return dataclasses.astuple(style.errors.kinds[field.removeprefix("errors.kinds.")])
    if field.startswith("errors.reasons."):
        return style.errors.reasons[field.removeprefix("errors.reasons.")]
    found = style
    for part in field.split("."):
        found = getattr(found, part)
    return found


def fields() -> set[str]:
    """The names of all fields of a style."""
    style = STYLES["a"]
    names = {"base_path"} | {f"gates.{gate}" for gate in style.gates}
    names |= {f"errors.kinds.{kind}" for kind in style.errors.kinds}
    names |= {f"errors.reasons.{reason}" for reason in style.errors.reasons}
    for group in dataclasses.fields(style):
        part = getattr(style, group.name)
        if dataclasses.is_dataclass(part):
            names |= {f"{group.name}.{field.name}" for field in dataclasses.fields(part)}
    return names - {"errors.kinds", "errors.reasons"}


def test_every_field_is_told_once() -> None:
    """Every field of a style is told in one entry of decisions.toml, and no other field is."""
    told = [entry["field"] for entry in TOLD if "field" in entry]
    assert len(told) == len(set(told))
    assert set(told) == fields()


@each("entry", TOLD, ids=lambda entry: entry["id"])
def test_entry(entry: dict[str, Any]) -> None:
    """Every entry has the values of the styles, lines of the documents, and places of the code that are there."""
    assert set(entry["values"]) == set(STYLES)
    for name, style in STYLES.items():
        if "field" in entry:
            has = json.loads(json.dumps(value(style, entry["field"]), default=dict))
            assert json.loads(entry["raw"][name]) == has
    for reference in entry["document"]:
        assert re.fullmatch(r"Part [12], line [0-9]+", reference)
    for file in re.findall(r"[a-z_/]+\.py", entry["code"]):
        assert (PACKAGE / file).exists(), file
    for file, names in re.findall(r"([a-z_/]+\.py) ([a-z_]+(?:, [a-z_]+)*)", entry["code"]):
        source = (PACKAGE / file).read_text()
        for name in names.split(", "):
            assert f"def {name}(" in source, (file, name)
