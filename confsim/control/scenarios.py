"""Scenarios in this process: the catalogues that their steps name, the way in without HTTP, worlds after a scenario."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from confsim.api.catalogue import API
from confsim.arazzo import check, library, runner
from confsim.arazzo.check import Face, Plan
from confsim.arazzo.document import read
from confsim.arazzo.report import Report
from confsim.assumptions.protocol import transport
from confsim.assumptions.register import in_force
from confsim.kernel.refusal import Misuse
from confsim.transport.direct import DirectTransport

from .context import ControlContext
from .declare import CONTROL, PREFIX
from .invoke import respond


def faces(profile: Mapping[str, Any]) -> tuple[Face, ...]:
    """The catalogues that steps may name operations of, under a profile. What is not the control plane is the API."""
    return (
        Face(f"{PREFIX}/openapi.json", CONTROL, {}),
        Face("", API, profile),
    )


def planned(scenario: str | Path | Mapping[str, Any], profile: Mapping[str, Any]) -> Plan:
    """A scenario by its name, its file or its content, checked. Misuse that names what cannot work."""
    if isinstance(scenario, Mapping):
        return check.plan(read(scenario, "scenario"), faces(profile), "scenario")
    return check.plan(library.load(scenario), faces(profile), f"scenario {str(scenario)!r}")


def direct(context: ControlContext, *, patient: bool = True) -> DirectTransport:
    """The transport to a world of this process, without HTTP; without ``patient`` it waits for no response."""
    perform = partial(respond, context.service, context.worlds)
    return DirectTransport(context.service, CONTROL, perform, patient=patient)


def play(
    plan: Plan, context: ControlContext, inputs: Mapping[str, Any] | None = None, *, patient: bool = True
) -> Report:
    """Run a scenario in a world of this process."""
    return runner.run(plan, direct(context, patient=patient), inputs)


def start_from(scenario: str | Path | Mapping[str, Any], context: ControlContext, *, patient: bool = True) -> None:
    """Let a world start from what it is after a scenario, with its outputs at hand.

    Misuse when the scenario fails, or waits where nobody is ``patient``, since a server has others to answer.
    """
    service = context.service
    report = play(planned(scenario, service.profile), context, patient=patient)
    if report.failure is not None:
        raise Misuse(f"{report.name}: {report.failure.told()}")
    service.outputs = report.outputs
    service.begin()


def mount(base_url: str, profile: Mapping[str, Any]) -> str:
    """The address of the mount whose API stands at the base URL; the address of the mount itself will do too."""
    return base_url.rstrip("/").removesuffix(in_force(profile, transport.PREFIX))
