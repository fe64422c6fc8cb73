"""A plan of calls, made once beside the true service, and when it detects a mutant."""

from __future__ import annotations

import copy
import os
import pickle
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from zlib import crc32

from msgspec import Struct

from confsim.service.messages import Request, Response
from confsim.testing.learning.calls import ModelCall
from confsim.testing.learning.comparing.comparison import Comparison, Reply, reply_of
from confsim.testing.learning.comparing.correspondence import Correspondence
from confsim.testing.learning.comparing.places import Shapes
from confsim.testing.learning.model import machine_rows_noted
from confsim.testing.learning.run import Run, RunStep
from confsim.testing.verifying.planning import Planner
from confsim.transport.address import address
from confsim.transport.wsgi import WsgiTransport
from kit.beside import AHEAD, Beside

from . import tables, wire
from .mutant import Key, Mutant
from .reach import Reach

#: How many mutants of each kind there are at most.
MOST = 60
#: Seconds of processor time after which a call to a mutant is taken not to end.
ENDLESS = 10.0


class Planned(Struct, frozen=True):
    """A call of the plan: the model's answer, the instant, and what was made where the answer may list other things."""

    call: ModelCall
    reply: Reply
    at: int
    made: frozenset[Key] | None


class Plan(Struct):
    """The calls, the requests sent before the first of them, what is known then, and what could be and was reached."""

    calls: list[Planned]
    first: int
    known: Correspondence
    reached: set[Key]
    made: list[set[Key]]
    differences: list[str]


class _Recording(Run):
    """A run that notes its steps."""

    planned: list[Planned]

    def take(self, call: ModelCall, *, reserved: bool = False) -> RunStep:
        """Make a call, and note it."""
        made = frozenset((each.kind, each.name) for each in self.things) if self.scope.is_open(call) else None
        step = super().take(call, reserved=reserved)
        self.planned.append(Planned(call, step.predicted.reply, step.at, made))
        return step


def make_plan(requests: int, seed: int = 0, beside: Beside | None = None) -> Plan:
    """Plan so many requests beside the true service."""
    beside = beside or Beside()
    beside.known = Correspondence()
    service, reach = beside.service(), Reach()
    run = _Recording(
        service, beside.accounts, {}, beside.known, tag="cvtest", allow_phone_calls=True, clock=beside.clock
    )
    run.planned, first, known = [], service.sent, copy.deepcopy(beside.known)
    differences: list[str] = []
    with reach.watching(run.model, run.things, run.scope), machine_rows_noted():
        list(run.opening())
        planner = Planner(run.model, run.things, run.scope, run.names, seed, run.numbers)
        while service.sent < requests:
            for call in planner.journey_calls():
                run.begin_journey(planner.journey)
                step = run.take(call)
                if step.difference is not None:
                    differences.append(f"{call.operation} {step.difference}")
                    break
                planner.note(call, step.predicted, step.before)
                if service.sent >= requests:
                    break
    return Plan(run.planned, first, known, reach.keys, reach.made, differences)


def families() -> tuple[Iterator[Mutant], ...]:
    """All mutants, by kind."""
    return (
        tables.edges(), tables.guards(), tables.codes(), wire.bodies(), wire.units(), wire.paging(),
        wire.idempotency(), wire.leaks(), wire.partial_writes(), wire.ordering(),
    )  # fmt: skip


def mutants(plan: Plan, seed: int = 0) -> tuple[list[Mutant], int]:
    """The mutants that the plan could reach, at most ``MOST`` of each kind, and how many it could not."""
    found: list[Mutant] = []
    out = 0
    for family in families():
        every = list(family)
        within = [each for each in every if each.key in plan.reached]
        out += len(every) - len(within)
        within.sort(key=lambda each: crc32(f"{seed} {each}".encode()))  # the same ones whatever else is reached
        found += within[:MOST]
    return found, out


def mutated(mutant: Mutant) -> tuple[Beside, WsgiTransport]:
    """The service that is wrong in this way, in this process, which a patch changes for good."""
    if mutant.patch is not None:
        mutant.patch()
    beside = Beside()
    transport = beside.transport()
    if mutant.wrap is not None:
        transport.exchange = mutant.wrap(beside, transport.exchange)  # type: ignore[method-assign]
    return beside, transport


def detected_at(plan: Plan, mutant: Mutant) -> tuple[int | None, str]:
    """The number of the request at which the plan detects the mutant, None for never, and the difference."""
    beside, transport = mutated(mutant)
    beside.latency = 0
    known, shapes = plan.known, Shapes({})
    comparison = Comparison(shapes, known)
    for number, planned in enumerate(plan.calls, plan.first + 1):
        there = planned.call.renamed(known.service)
        asked = address(
            there.declared, there.arguments, {}, body=there.body, content_type=there.content_type, token=there.caller
        )
        try:
            with limited():
                beside.clock.move(planned.at)
                beside.simulator.service.clock.move(planned.at + AHEAD)
                reply = reply_of(transport.exchange(asked.request))
        except _EndlessError:
            return number, f"{planned.call.operation} is not answered"
        difference = comparison.difference(there.declared, planned.reply, reply, planned.made)
        if difference is not None:
            return number, f"{planned.call.operation} {difference}"
    return None, ""


class _EndlessError(BaseException):
    """A service that computes for ever."""


@contextmanager
def limited() -> Iterator[None]:
    """Raise in the block when it has used so much processor time that it will not end."""

    def raise_it(number: int, frame: object) -> None:
        raise _EndlessError

    signal.signal(signal.SIGPROF, raise_it)
    signal.setitimer(signal.ITIMER_PROF, ENDLESS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def in_child(work: Any, *arguments: Any) -> Any:
    """What a function returns in a child of this process, so that what it patches does not stay."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        try:
            try:
                result = pickle.dumps(work(*arguments))
            except BaseException as error:
                result = pickle.dumps(error)
            with os.fdopen(writer, "wb") as pipe:
                pipe.write(result)
        finally:  # also for an error that cannot be pickled: the child must not go on as its parent
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        result = pickle.loads(pipe.read())
    os.waitpid(child, 0)
    return result


def each_detected(plan: Plan, found: list[Mutant]) -> Iterator[tuple[Mutant, int | None, str]]:
    """The request at which the plan detects each of these mutants."""
    for mutant in found:
        result = in_child(detected_at, plan, mutant)
        if isinstance(result, BaseException):
            yield mutant, -1, repr(result)
        else:
            yield mutant, *result


__all__ = ["Plan", "Request", "Response", "detected_at", "each_detected", "in_child", "make_plan", "mutants"]
