"""A step of the exploration, and the simulator that performs it in any world."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import Any
from unittest.mock import patch

from msgspec import Struct
from msgspec.structs import replace

from confsim import Simulator
from confsim.domain.events.event_log import EVENTS
from confsim.kernel.machine import Trigger
from confsim.kernel.world import World
from confsim.service.conformance import Conformance

from .acts.act import ERROR, Act, Answer, Call
from .view import View, word

#: A machine, the state of the record, and the trigger that was tried.
Tried = tuple[str, str, str]


class Step(Struct, frozen=True, dict=True):
    """An act in a world: the world before, the answer, the world after, the events told, the triggers tried.

    ``bugs`` are the errors of the simulator itself.
    """

    before: View
    act: Act
    call: Call
    answer: Answer
    after: View
    events: tuple[Any, ...]
    tried: frozenset[Tried]
    bugs: tuple[BaseException, ...]

    @cached_property
    def changed(self) -> bool:
        """Whether the world is another one, or the time has moved on."""
        return self.after.now != self.before.now or not self.after.world.holds_the_same(self.before.world)

    @cached_property
    def tables(self) -> frozenset[str]:
        """The tables in which a record may have become another one: those that are not the very same."""
        return self.before.other_tables(self.after)


class Stage:
    """A simulator in which acts are performed in any world; worlds have no event log, so that it holds one step."""

    def __init__(self, sim: Simulator) -> None:
        self.sim = sim
        self.live = sim.service.live
        sim.service.journal.limit(1)
        self._tried: set[Tried] = set()

    @contextmanager
    def traced(self) -> Iterator[None]:
        """Note the triggers that are tried meanwhile."""
        attempt = Trigger.attempt
        tried = self._tried

        def noted(trigger: Trigger[Any, ...], change: Any, record: Any, args: Any, kwargs: Any) -> Any:
            tried.add((trigger.machine.name, str(word(trigger.machine.state(record))), trigger.name))
            return attempt(trigger, change, record, args, kwargs)

        with patch.object(Trigger, "attempt", noted):
            yield

    def step(self, before: View, act: Act) -> Step | None:
        """Perform an act in a world; None where it is not possible."""
        call = act.call(before)
        if call is None:
            return None
        self._tried.clear()
        answer = self.perform(before.world, before.now, act, call)
        after = View(self.live.world, self.live.clock.now())
        bugs = tuple(self.live.take_bugs())
        return Step(before, act, call, answer, after, tuple(after["event log"]), frozenset(self._tried), bugs)

    def perform(self, world: World, now: int, act: Act, call: Call) -> Answer:
        """Make the call of an act in a world; the result is the present world of the simulator.

        An exception that a call of the control plane lets out is a bug, as it is one of a call of the API.
        """
        self.set(world, now)
        try:
            return act.perform(self.sim, call)
        except Exception as error:
            self.live.bugs.append(error)
            return Answer(ERROR)

    def set(self, world: World, now: int) -> None:
        """Make a world and an instant the present ones."""
        self.live.suppose(world)
        self.live.clock.move(now)
        self.live.fired.clear()

    @cached_property
    def conformance(self) -> Conformance:
        """What answers are held against: the API document of the profile."""
        return Conformance(self.sim.service.profile)

    def again(self, world: World, now: int, act: Act) -> tuple[World, int]:
        """Return the world after an act that is possible, without its event log, and its instant."""
        call = act.call(View(world, now))
        assert call is not None, f"{act.sentence} is not possible again"
        self.perform(world, now, act, call)
        self.live.bugs.clear()
        return without_log(self.live.world), self.live.clock.now()


def without_log(world: World) -> World:
    """Return a world without its event log: what is told is looked at in each step."""
    position, tables = EVENTS.position, dict(world.client_tables.items())
    empty = EVENTS.empty_states[position]
    held = {
        client: (*states[:position], empty, *states[position + 1 :]) if position < len(states) else states
        for client, states in tables.items()
    }
    if all(held[client] is states or not states[position].rows for client, states in tables.items()):
        return world
    return replace(world, client_tables=held)
