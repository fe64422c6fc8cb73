"""What came of a run: every step with its request and its answer, and the criteria that did not hold."""

from __future__ import annotations

from typing import Any

from msgspec import Struct, field

from .exchange import Exchange

#: Bytes of a body that are told.
TOLD = 2000


class Result(Struct):
    """What came of a step. ``failed`` are the criteria that do not hold, ``problem`` what kept it from being tried.

    ``attempt`` counts from 1; ``called`` names the operation or the workflow.
    """

    workflow: str
    step: str
    called: str
    attempt: int
    exchange: Exchange | None = None
    failed: list[str] = []
    problem: str = ""
    outputs: dict[str, Any] = {}

    @property
    def passed(self) -> bool:
        """Whether it went as expected."""
        return not self.failed and not self.problem

    @property
    def status(self) -> int | None:
        """The status of the answer, None for a step without one."""
        return None if self.exchange is None else self.exchange.response.status

    def line(self) -> str:
        """The step in one line."""
        status = "" if self.status is None else f"  {self.status}"
        again = f"  (attempt {self.attempt})" if self.attempt > 1 else ""
        return f"{'ok    ' if self.passed else 'FAILED'}  {self.step}  {self.called}{status}{again}"

    def told(self) -> str:
        """The step, the criteria that it failed, its request and its answer."""
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
    """What came of a scenario. ``outputs`` are those of its workflows, ``results`` the steps as they were tried."""

    name: str
    results: list[Result] = field(default_factory=list)
    outputs: dict[str, Any] = field(default_factory=dict)
    failure: Result | None = None

    @property
    def passed(self) -> bool:
        """Whether every workflow came to a good end."""
        return self.failure is None


def _shown(body: bytes) -> str:
    text = body[:TOLD].decode(errors="replace")
    return f"{text}… ({len(body)} bytes)" if len(body) > TOLD else text
