"""Observations of real calls of each operation: the names of their refusals, and an example.

``refusals`` maps the name of a reason to the assumptions without which no call was refused for it (none for a reason
that the defaults give); ``example`` holds parameters, body and answer, and the assumptions that the call used. Those
that all examples used stand once in the file.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any


@cache
def observed() -> Mapping[str, Any]:
    """The observations, by operation."""
    from importlib.resources import files

    made = json.loads((files(__package__) / "observed.json").read_text("utf-8"))
    found: dict[str, Any] = made["operations"]
    for each in found.values():
        each["example"]["assumptions"] += made["assumptions of all examples"]
    return found
