"""The library of documents: the scenarios that ship with confsim, by name, and files."""

from __future__ import annotations

from importlib import import_module
from os.path import isfile
from pathlib import Path
from typing import Any

import msgspec

from confsim import shipped
from confsim.kernel.refusal import Misuse, suggest_near
from confsim.service.files import reading
from confsim.values.plain import DEEPEST, shown

from .document import ArazzoDocument, read

#: Names of the shipped scenarios.
SHIPPED = (
    "api-token-rotation",
    "app-session-logging",
    "breakout-session",
    "broadcast",
    "channel-configuration",
    "email-verification",
    "events",
    "friendly-url-and-embedding",
    "gateway-endpoint",
    "guest-joins-an-open-room",
    "handle-reservation",
    "invitations",
    "lobby",
    "media-library",
    "onboarding-a-tenant",
    "phones",
    "properties",
    "recording-to-download",
    "roles-and-operators",
    "running-a-meeting",
    "service-suspension",
    "single-sign-on",
    "terms-renewal",
    "user-profile",
)
#: Most bytes of a scenario in YAML, which is read a hundred times slower than JSON.
_MOST_YAML = 2 * 2**20


def values_of(name: str) -> Any:
    """Return the content of the file of a shipped scenario."""
    return msgspec.json.decode(shipped.read(f"scenarios/{name}.arazzo.json"))


def load(scenario: str | Path) -> ArazzoDocument:
    """Return the document of a shipped scenario by name, or of a file (.json, .yaml). Raises Misuse (404)."""
    if not isinstance(scenario, str | Path):
        raise Misuse(f"a scenario is a name or a path, not {shown(scenario)}")
    name = f"scenario {str(scenario)!r}"
    path = Path(scenario)
    if path.suffix == ".json":
        return read(reading.json(path, "scenario"), name)
    if path.suffix in {".yaml", ".yml"}:
        return read(_yaml(reading.content(path, "scenario"), name), name)
    if str(scenario) in SHIPPED:
        return read(values_of(str(scenario)), name)
    if isfile(scenario):
        raise Misuse(f"{name}: a file of one ends with .json, .yaml or .yml")
    meant, known = suggest_near(scenario, SHIPPED), ", ".join(SHIPPED)
    message = f"there is no {name}{meant}; shipped are {known}; or give the path of a file"
    raise Misuse(message, status=404)


def _yaml(text: bytes, name: str) -> Any:
    """Return the values of a YAML document. Raises Misuse with the place of the mistake."""
    try:
        yaml = import_module("yaml")
    except ImportError:
        problem = f"{name} is YAML, and PyYAML is not installed"
        raise Misuse(f"{problem}: pip install 'confsim[yaml]', or write it as JSON") from None
    if len(text) > _MOST_YAML:
        raise Misuse(
            f"{name}: it is larger than {_MOST_YAML >> 20} MiB, the most that is read of YAML; write it as JSON"
        )

    class Loader(yaml.SafeLoader):  # type: ignore[name-defined, misc]  # a module without types
        """The safe loader, which refuses deep nesting where it starts: functions that call themselves read it."""

        depth = 0

        def compose_node(self, parent: Any, index: Any) -> Any:
            if self.depth > DEEPEST:
                mark = self.peek_event().start_mark
                raise yaml.composer.ComposerError(None, None, f"nested deeper than {DEEPEST} levels", mark)
            self.depth += 1
            try:
                return super().compose_node(parent, index)
            finally:
                self.depth -= 1

    try:
        return yaml.load(text, Loader)
    except yaml.MarkedYAMLError as error:
        problem = ": ".join(filter(None, (error.context, error.problem)))
        mark = error.problem_mark
        where = "" if mark is None else f" (line {mark.line + 1}, column {mark.column + 1})"
    except (yaml.YAMLError, ValueError) as error:  # ValueError: the 30th of February, a number of thousands of digits
        problem, where = " ".join(str(error).split()), ""
    raise Misuse(f"{name}: it is not valid YAML: {problem}{where}")
