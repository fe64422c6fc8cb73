"""Probes: calls of the API of which the last shows values of assumptions, as found beside a service under the defaults.

``probes.json`` is made by ``kit.probes`` of the tests: ``making``, ``journeys``, ``written``. Missing is what needs
time, people in a room, a phone, a key that only the makers of a service have, an unreachable state, or is not found.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import msgspec

from confsim import shipped


class ProbeCall(msgspec.Struct, frozen=True, omit_defaults=True):
    """A call with symbols for what it names: ``{channels a17.0}`` is the first of the channels in the answer to a17.

    ``{users owner}``, ``{clients own}`` and ``{tokens owner}`` are of the accounts, ``{tag}`` begins the run's names.
    ``number`` tells the call from those of other probes; ``data`` is a body that is no JSON. The last byte or
    character of the body is repeated until it has ``length`` of them.
    """

    number: str
    operation: str
    caller: str = ""
    path: dict[str, str] = {}
    query: dict[str, str] = {}
    body: Any = None
    data: bytes | None = None
    content_type: str | None = None
    length: int = 0


class Probe(msgspec.Struct, frozen=True):
    """Calls, the values that the last tells from the defaults, by the id of the assumption, and its answer in words."""

    calls: tuple[ProbeCall, ...]
    tells: dict[str, list[str]]
    seen: str


@cache
def probes() -> tuple[Probe, ...]:
    """Return all probes, those that tell most by few calls first."""
    return msgspec.json.decode(shipped.read("reference/probes.json"), type=tuple[Probe, ...])


@cache
def distinguished() -> frozenset[str]:
    """Return the values that a probe distinguishes from the default, each as ``id=value``."""
    return frozenset(f"{id}={value}" for probe in probes() for id, values in probe.tells.items() for value in values)


@cache
def seen_in_calls() -> Mapping[str, str]:
    """Return, by the id of the assumption, the operation, the caller and the status of a call that shows its value."""
    found: dict[str, str] = {}
    for probe in probes():
        for id in probe.tells:
            found.setdefault(id, probe.seen)
    return dict(sorted(found.items()))
