"""The library of documents: the scenarios that ship with confsim, by name, and files."""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any

import msgspec

from confsim.kernel.refusal import Misuse, suggest_near
from confsim.service.files.world_file import fixtures

from .document import ArazzoDocument, read

_SUFFIX = ".arazzo.json"


def folder() -> Path:
    """Return the folder of the shipped scenarios: inside the package, or beside it in a checkout."""
    return fixtures().parent / "scenarios"


@lru_cache(maxsize=1)
def shipped() -> tuple[str, ...]:
    """Return the names of the shipped scenarios."""
    return tuple(sorted(path.name.removesuffix(_SUFFIX) for path in folder().glob(f"*{_SUFFIX}")))


def load(scenario: str | Path) -> ArazzoDocument:
    """Return the document of a shipped scenario by name, or of a file (.json, .yaml). Raises Misuse (404)."""
    path = Path(scenario)
    if path.suffix not in {".json", ".yaml", ".yml"}:
        if str(scenario) not in shipped():
            known = ", ".join(shipped())
            if path.is_file():
                raise Misuse(f"scenario {str(scenario)!r}: a file of one ends with .json, .yaml or .yml")
            meant = suggest_near(scenario, shipped())
            message = f"there is no scenario {str(scenario)!r}{meant}; shipped are {known}; or give the path of a file"
            raise Misuse(message, status=404)
        path = folder() / f"{scenario}{_SUFFIX}"
    try:
        text = path.read_bytes()
    except OSError as error:
        raise Misuse(f"scenario {str(path)!r}: {error.strerror}", status=404) from None
    return read(_decoded(path, text), f"scenario {str(scenario)!r}")


def _decoded(path: Path, text: bytes) -> Any:
    try:
        if path.suffix == ".json":
            return msgspec.json.decode(text)
        yaml = import_module("yaml")
    except ImportError:
        problem = f"scenario {str(path)!r} is YAML, and PyYAML is not installed"
        raise Misuse(f"{problem}: pip install 'confsim[yaml]', or write it as JSON") from None
    except ValueError as error:
        raise Misuse(f"scenario {str(path)!r}: {error}") from None
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise Misuse(f"scenario {str(path)!r}: {error}") from None
