"""Journeys: Hypothesis state machines whose calls go to several targets side by side, which must agree."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

from hypothesis.stateful import RuleBasedStateMachine

from confsim.service.clock import Clock
from confsim.simulator import Simulator

from .targets import Core, Outcome, Target, Wsgi

#: The instant of the default targets' clocks, which stand still.
START = "2026-02-01T00:00:00Z"


class Journey(RuleBasedStateMachine):
    """Targets called side by side: after every call their status, body and world digest must be equal.

    Subclass it with rules of your own: ``self.call(operation, caller, **arguments)`` calls every target. ``targets()``
    makes the targets, by default the core and the WSGI app, each with its own demo world and a clock that stands still.
    ``digests`` says whether worlds are compared too; ``profile`` is that of the default targets' worlds.
    """

    digests = True
    profile: Mapping[str, Any] = MappingProxyType({})

    def targets(self) -> Iterable[Target]:
        """Return the targets that are called side by side."""
        worlds = [Simulator(clock=Clock(START), profile=self.profile) for _ in range(2)]
        return Core(worlds[0]), Wsgi(worlds[1])

    def __init__(self) -> None:
        super().__init__()
        self.driven = tuple(self.targets())
        if self.digests:
            for target in self.driven:  # answers of webhook receivers over HTTP would make the worlds differ
                target.control("set_webhooks", deliver="list")

    def teardown(self) -> None:
        """Release the resources of the targets."""
        for target in self.driven:
            target.close()

    def call(
        self,
        operation: str,
        caller: str | None = None,
        *,
        body: object = None,
        content_type: str | None = None,
        **arguments: object,
    ) -> Outcome:
        """Call an operation of the API in every target, as ``Simulator.call`` does, and return the common answer.

        Raises AssertionError when the answers differ or have a status of 500 or more.
        """
        outcomes = [
            target.call(operation, caller, body=body, content_type=content_type, **arguments) for target in self.driven
        ]
        about = arguments if body is None else {**arguments, "body": body}
        self._compare(f"{operation} by {caller} with {about}", outcomes)
        assert outcomes[0].status < 500, f"{operation} by {caller} with {about}: {outcomes[0]}"
        return outcomes[0]

    def control(self, operation: str, /, *path: str, **fields: object) -> Outcome:
        """Call a control operation in every target, as ``Simulator.control`` does; the answers must agree."""
        outcomes = [target.control(operation, *path, **fields) for target in self.driven]
        if operation != "get_info":  # it has the address of each target
            self._compare(f"{operation} {' '.join(path)} with {fields}", outcomes)
        return outcomes[0]

    def advance(self, by: str) -> None:
        """Advance the clock of every target by the same time."""
        fired = [target.advance(by) for target in self.driven]
        assert all(each == fired[0] for each in fired), f"after {by} the targets fired {fired}"
        self._compare_worlds(f"advance by {by}")

    def _compare(self, what: str, outcomes: list[Outcome]) -> None:
        for target, outcome in zip(self.driven[1:], outcomes[1:], strict=True):
            assert outcome == outcomes[0], f"{what}: {self.driven[0].name} {outcomes[0]}, {target.name} {outcome}"
        self._compare_worlds(what)

    def _compare_worlds(self, what: str) -> None:
        if self.digests and len(self.driven) > 1:
            digests = {target.digest() for target in self.driven}
            assert len(digests) == 1, (
                f"{what}: the worlds differ between {', '.join(each.name for each in self.driven)}"
            )
