"""Observations of real calls of each operation: the names of their refusals, and an example.

``refusals`` are the names of reasons for which calls were refused, under any profile. ``anonymous`` is set if a call
without a caller can be answered, where a profile makes the operation public. ``example`` has parameters, body and
answer, and the assumptions that the call used. Assumptions used by all examples are in the file once.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

from confsim import shipped


@cache
def observed() -> Mapping[str, Any]:
    """Return the observations, by operation."""
    made = _read("observed.json")
    found: dict[str, Any] = made["operations"]
    for each in found.values():
        each["example"]["assumptions"] += made["assumptions of all examples"]
    return found


@cache
def observed_control() -> Mapping[str, Any]:
    """Return an example of each operation of the control plane, and the statuses of its refusals by their codes.

    Operations that answer whole documents have no example.
    """
    return _read("observed_control.json")


def _read(name: str) -> dict[str, Any]:
    made: dict[str, Any] = json.loads(shipped.text(f"reference/{name}"))
    return made
