"""Scenarios in this process: the catalogues that their steps name, the way in without HTTP, worlds after a scenario."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from confsim.api.catalogue import API
from confsim.arazzo import check, library, runner
from confsim.arazzo.check import Face, Plan
from confsim.arazzo.document import read
from confsim.arazzo.exchange import Got, Sent
from confsim.arazzo.report import Report
from confsim.assumptions import wire
from confsim.assumptions.register import in_force
from confsim.kernel.refusal import Misuse
from confsim.service.message import Request, Response
from confsim.service.pipeline import HOST, Service
from confsim.service.waiting import arrived, delivered
from confsim.service.worlds import Worlds

from .control import CONTROL, PREFIX, Control
from .perform import perform


def faces(profile: Mapping[str, Any]) -> tuple[Face, ...]:
    """The catalogues that steps may name operations of, under a profile. What is not the control plane is the API."""
    return (
        Face(f"{PREFIX}/openapi.json", CONTROL, PREFIX, {}),
        Face("", API, in_force(profile, wire.PREFIX), profile),
    )


def planned(scenario: str | Path | Mapping[str, Any], profile: Mapping[str, Any]) -> Plan:
    """A scenario by its name, its file or its content, checked. Misuse that names what cannot work."""
    if isinstance(scenario, Mapping):
        return check.plan(read(scenario, "scenario"), faces(profile), "scenario")
    return check.plan(library.load(scenario), faces(profile), f"scenario {str(scenario)!r}")


class Direct:
    """The way in to a world of this process, without HTTP. Whoever is not ``patient`` waits for no answer."""

    def __init__(self, control: Control, *, patient: bool = True) -> None:
        self.patient = patient
        self.service: Service = control.service
        self.worlds: Worlds = control.worlds

    @property
    def root(self) -> str:
        """The address of the mount."""
        return f"http://{HOST}{self.service.mount}"

    def send(self, sent: Sent) -> Got:
        """One request, one answer. Misuse when a fault drops the connection."""
        operation, service = sent.operation, self.service
        path = tuple(sent.parameters[name] for name in operation.placeholders)
        request = Request(
            sent.method, service.mount + sent.target, sent.query, {"host": HOST, **sent.headers}, sent.body
        )
        if operation.catalogue is CONTROL:
            response = self._arrived(perform(service, self.worlds, operation, path, request))
        else:
            response = service.perform(operation, path, sent.query, request)
            if not self.patient:
                response.after = 0.0
            try:
                response = delivered(response)
            except ConnectionResetError as reset:
                raise Misuse(f"{operation.name}: {reset}") from None
        return Got(response.status, {name.lower(): value for name, value in response.headers}, response.body)

    def _arrived(self, response: Response) -> Response:
        if self.patient or response.until is None:
            return arrived(response)
        answer = response.until()
        if answer is None:
            raise Misuse("nothing is waited for while a world is made: what is not there at once does not come", 409)
        return answer

    def wait(self, seconds: float) -> None:
        """Move the clock of the world on."""
        self.service.advance(int(seconds * 1000))


def play(plan: Plan, control: Control, inputs: Mapping[str, Any] | None = None, *, patient: bool = True) -> Report:
    """Run a scenario in a world of this process."""
    return runner.run(plan, Direct(control, patient=patient), inputs)


def start_from(scenario: str | Path | Mapping[str, Any], control: Control, *, patient: bool = True) -> None:
    """Let a world start from what it is after a scenario, with its outputs at hand.

    Misuse when the scenario fails, or waits where nobody is ``patient``, since a server has others to answer.
    """
    service = control.service
    report = play(planned(scenario, service.profile), control, patient=patient)
    if report.failure is not None:
        raise Misuse(f"{report.name}: {report.failure.told()}")
    service.outputs = report.outputs
    service.begin()


def mount(base_url: str, profile: Mapping[str, Any]) -> str:
    """The address of the mount whose API stands at the base URL; the address of the mount itself will do too."""
    return base_url.rstrip("/").removesuffix(in_force(profile, wire.PREFIX))
