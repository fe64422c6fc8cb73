"""Scenarios in this process: the operations that steps can call, the transport, worlds that start after a scenario."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from confsim.api.catalogue import API
from confsim.arazzo import compiler, library, runner
from confsim.arazzo.compiler import CompiledScenario, SourceCatalogue
from confsim.arazzo.document import read
from confsim.arazzo.report import Report
from confsim.assumptions.protocol import transport
from confsim.assumptions.register import in_force
from confsim.contract.operation import Catalogue
from confsim.kernel.refusal import Misuse
from confsim.transport.direct import DirectTransport
from confsim.values.urls import normalised

from .context import ControlContext
from .declare import PREFIX
from .invoke import respond


def _control() -> Catalogue:
    """The catalogue of the control plane, whose operations are the ways into this module."""
    from .catalogue import CONTROL

    return CONTROL


def source_catalogues(profile: Mapping[str, Any]) -> tuple[SourceCatalogue, ...]:
    """Return the catalogues whose operations steps can call: the control plane, and the API under a profile."""
    return (
        SourceCatalogue(f"{PREFIX}/openapi.json", _control(), {}),
        SourceCatalogue("", API, profile),
    )


def compile_scenario(scenario: str | Path | Mapping[str, Any], profile: Mapping[str, Any]) -> CompiledScenario:
    """Return a compiled scenario, by name, path or content. Raises Misuse with its first mistake."""
    if isinstance(scenario, Mapping):
        return compiler.compile_document(read(scenario, "scenario"), source_catalogues(profile), "scenario")
    return compiler.compile_document(library.load(scenario), source_catalogues(profile), f"scenario {str(scenario)!r}")


def direct(context: ControlContext, *, patient: bool = True) -> DirectTransport:
    """Return the transport to a world of this process, without HTTP; it waits for responses only if ``patient``."""
    perform = partial(respond, context.service, context.worlds)
    return DirectTransport(context.service, _control(), perform, patient=patient)


def run_scenario(
    compiled: CompiledScenario,
    context: ControlContext,
    inputs: Mapping[str, Any] | None = None,
    *,
    patient: bool = True,
) -> Report:
    """Run a scenario in a world of this process and return its report."""
    return runner.run(compiled, direct(context, patient=patient), inputs)


def start_from(scenario: str | Path | Mapping[str, Any], context: ControlContext, *, patient: bool = True) -> None:
    """Run a scenario and make the state after it, with its outputs, the start of the world.

    Raises Misuse when the scenario fails, or would have to wait although ``patient`` is not set: waiting would block
    the server for other callers.
    """
    service = context.service
    with service.live.observers.without(service.live.outside):
        report = run_scenario(compile_scenario(scenario, service.profile), context, patient=patient)
    if report.failure is not None:
        raise Misuse(f"{report.name}: {report.failure.details()}")
    service.started_from(replace(service.provenance, outputs=report.outputs))
    service.begin()


def mount_url(base_url: str, profile: Mapping[str, Any]) -> str:
    """Return the URL of the mount whose API has this base URL; the URL of the mount itself is accepted as well."""
    return normalised(base_url).rstrip("/").removesuffix(in_force(profile, transport.PREFIX))
