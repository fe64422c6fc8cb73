"""The report of a run: every attempt at a step with its request, its response and the criteria that failed."""

from __future__ import annotations

from typing import Any

from msgspec import Struct, field

from .exchange import StepExchange

#: Most bytes of a body that are shown.
SHOWN = 2000


class StepResult(Struct):
    """The result of one attempt at a step. ``failed`` are criteria that do not hold, ``problem`` is what prevented it.

    ``attempt`` counts from 1; ``called`` names the operation or the workflow.
    """

    workflow: str
    step: str
    called: str
    attempt: int
    exchange: StepExchange | None = None
    failed: list[str] = []
    problem: str = ""
    outputs: dict[str, Any] = {}

    @property
    def passed(self) -> bool:
        """Whether all criteria hold."""
        return not self.failed and not self.problem

    @property
    def status(self) -> int | None:
        """The status of the response, None without one."""
        return None if self.exchange is None else self.exchange.response.status

    def summary(self) -> str:
        """Return the step in one line."""
        status = "" if self.status is None else f"  {self.status}"
        again = f"  (attempt {self.attempt})" if self.attempt > 1 else ""
        return f"{'ok    ' if self.passed else 'FAILED'}  {self.step}  {self.called}{status}{again}"

    def details(self) -> str:
        """Return the step with its failed criteria, its request and its response, in several lines."""
        lines = [f"step {self.step!r} of workflow {self.workflow!r} did not go as expected"]
        lines += [f"  criterion  {criterion}" for criterion in self.failed]
        if self.problem:
            lines.append(f"  problem    {self.problem}")
        if self.exchange is not None:
            request, response = self.exchange.call.request, self.exchange.response
            lines.append(f"  request    {request.method} {self.exchange.url}  ({self.called})")
            lines += [f"             {name}: {value}" for name, value in request.headers.items()]
            lines += [f"             {_shown(request.body)}"] if request.body else []
            lines.append(f"  answer     {response.status} {_shown(response.body)}".rstrip())
        return "\n".join(lines)


class Report(Struct):
    """The report of a scenario: the outputs of its workflows, the attempts in order, and the one that failed it.

    ``left_out`` lists the calls without a step: the scenario has not passed then, even if its steps have.
    """

    name: str
    results: list[StepResult] = field(default_factory=list)
    outputs: dict[str, Any] = field(default_factory=dict)
    failure: StepResult | None = None
    left_out: list[str] = []

    @property
    def passed(self) -> bool:
        """Whether every workflow succeeded, and nothing is left out."""
        return self.failure is None and not self.left_out


def _shown(body: bytes) -> str:
    text = body[:SHOWN].decode(errors="replace")
    return f"{text}… ({len(body)} bytes)" if len(body) > SHOWN else text
