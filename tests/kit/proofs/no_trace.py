"""An exception at any write of any operation leaves the world as it was, to the digest, and the next call works.

Every call that succeeds is made again with a failure at its first write, at its second, and so on: what puts and
removes records, draws ids and counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple
from unittest import mock

from confsim import Simulator
from confsim.api.catalogue import API
from confsim.arazzo import library
from confsim.control.scenarios import compile_scenario, run_scenario
from confsim.kernel.tables.table import Table
from confsim.kernel.timers import Timer
from confsim.kernel.world import Change, World
from confsim.service.live import WorldObserver
from confsim.service.messages import Request
from kit import CUSTOMER, ROOM, START
from kit.catalogue_walk import Step, walk

Act = Callable[[Simulator], object]
#: Whatever writes to a change.
OF_ROWS, OF_CHANGES = ("put", "remove"), ("draw", "uuid", "count")
CALLERS = ("demo-owner", "demo-customer-admin", "demo-api-token", "demo-user", "demo-partner-admin")
#: What may change after the call itself, each delivery in a change of its own.
FOLLOWS = {"webhook deliveries"}


class PlantedError(Exception):
    """The exception at a write."""


class Writes:
    """Counts the writes of everything in a block, and raises at one of them."""

    def __init__(self, fails_at: int = 0) -> None:
        self.fails_at = fails_at
        self.count = 0

    @contextmanager
    def watched(self) -> Iterator[Writes]:
        """Let every write be counted inside the block."""
        rows = {name: self._of(getattr(Table, name)) for name in OF_ROWS}
        changes = {name: self._of(getattr(Change, name)) for name in OF_CHANGES}
        with mock.patch.multiple(Table, **rows), mock.patch.multiple(Change, **changes):
            yield self

    def _of(self, write: Callable[..., Any]) -> Callable[..., Any]:
        def watched(*arguments: Any, **named: Any) -> Any:
            self.count += 1
            if self.count == self.fails_at:
                raise PlantedError(f"at write {self.count}")
            return write(*arguments, **named)

        return watched


class Case(NamedTuple):
    """Something to be done in a world, where it succeeds."""

    world: World
    at: int
    act: Act

    def begin(self) -> Simulator:
        """A simulator of the world, its clock standing at the instant."""
        simulator = Simulator("empty", clock=self.at)
        simulator.service.live.replace(self.world)
        return simulator


def failures(case: Case) -> Iterator[tuple[int, str]]:
    """Let the act fail at each of its writes in turn; yields the number of each write, and what is wrong then.

    The world is to be that of the last change that was complete before the write: none, that of the act itself, or one
    of the deliveries after it.
    """
    whole, puts = case.begin(), [(0, case.world.digest())]
    with Writes().watched() as counted:
        follows = set[str]()

        class Puts(WorldObserver):
            def fired(self, timer: Timer, before: World, change: Change, after: World) -> None:  # noqa: ARG002
                if after is before:
                    puts.append((counted.count, after.digest()))

            def changed(self, before: World, change: Change, after: World) -> None:
                if after is before:
                    return
                if len(puts) > 1:
                    follows.update(table for _, table, _ in change.touched)
                puts.append((counted.count, after.digest()))

        whole.service.live.observers.add(Puts())
        case.act(whole)
    if follows - FOLLOWS:
        yield 0, f"it makes several changes, also of {', '.join(sorted(follows - FOLLOWS))}"
    for number in range(1, counted.count + 1):
        expected = [digest for count, digest in puts if count < number][-1]
        yield number, _failing_at(case, number, expected)


def _failing_at(case: Case, number: int, expected: bytes) -> str:
    """What is wrong when the write of this number fails; empty for nothing."""
    simulator = case.begin()
    with Writes(number).watched() as writes:
        try:
            case.act(simulator)
        except PlantedError as planted:  # as the control plane in process lets it pass
            simulator.service.bugs.append(planted)
    if writes.count < number:
        return "the write was not reached again"
    if not any(isinstance(bug, PlantedError) for bug in simulator.service.bugs):
        return "the failure was lost"
    if simulator.service.world.digest() != expected:
        return "it left a trace"
    simulator.service.live.replace(case.world)
    simulator.service.bugs.clear()
    case.act(simulator)
    return "it fails again, without a failure" if simulator.service.bugs else ""


def of_operations() -> dict[str, Case]:
    """A call of each operation that succeeded, in a walk through the catalogue or in a scenario, by its name."""
    simulator = Simulator(clock=START)
    simulator.requests.most = 100_000
    simulator.presence.join(ROOM, "demo-owner")
    cases: dict[str, Case] = {}
    for step in walk(simulator, CUSTOMER, CALLERS):
        entry = simulator.service.journal.last()
        if step.answer.ok and entry is not None:
            cases.setdefault(step.operation.name, Case(entry.before, entry.at, _calling(step)))
    for name in library.SHIPPED:
        played = Simulator(clock=START)
        played.requests.most = 100_000
        run_scenario(compile_scenario(name, {}), played.control.context)
        for entry in played.service.journal:
            if entry.operation in API.operations and entry.response.status < 400:
                cases.setdefault(entry.operation, Case(entry.before, entry.at, _sending(entry.request)))
    return cases


def _calling(step: Step) -> Act:
    return lambda simulator: simulator.call(step.operation.name, step.caller, **step.arguments.keywords)


def _sending(request: Request) -> Act:
    return lambda simulator: simulator.app(request)


#: Calls of the control plane that write to a world, and what makes timers fire.
COMMANDS: dict[str, Act] = {
    "join_channel": lambda sim: sim.presence.join(ROOM, "demo-user"),
    "make_client": lambda sim: sim.make_client("Made"),
    "make_user": lambda sim: sim.make_user(CUSTOMER, "Made", email="made@example.com"),
    "issue_token": lambda sim: sim.token(1002, "1h"),
    "make_number": lambda sim: sim.make_number(CUSTOMER, "+12025550177"),
    "change_record": lambda sim: sim.change_record("channel", ROOM, star=True),
}


def of_commands() -> dict[str, Case]:
    """Calls of the control plane in the demo world."""
    simulator = Simulator(clock=START)
    return {name: Case(simulator.service.world, simulator.clock.now, act) for name, act in COMMANDS.items()}
