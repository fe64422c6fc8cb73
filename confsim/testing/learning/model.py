"""The model: a world of confsim, whose calls can be tried without being made."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from confsim.kernel.machine import Machine
from confsim.kernel.refusal import Misuse
from confsim.kernel.tables.table import Table
from confsim.kernel.world import Place, World
from confsim.service.clock import Clock
from confsim.service.journal import Entry
from confsim.service.messages import Response
from confsim.service.service import Service
from confsim.simulator import Simulator
from confsim.transport.in_process import perform

from .calls import Call
from .comparison import Reply, reply_of


class Prediction(Struct, frozen=True):
    """The model's answer to a call, the assumptions used, the rows written by place, the worlds around it."""

    reply: Reply
    used: tuple[str, ...]
    touched: tuple[tuple[Place, Any], ...]
    after: World
    before: World

    @property
    def wrote(self) -> tuple[str, ...]:
        """The tables that were written."""
        return tuple(sorted({table for (_, table), _ in self.touched}))

    @property
    def moved(self) -> Iterator[tuple[str, str, str]]:
        """The transitions that the rows written show: machine, state before and after."""
        for (client, name), key in dict.fromkeys(self.touched):
            table = Table.declared[name]
            one, other = (_row(world, client, name, key) for world in (self.before, self.after))
            for machine in Machine.of(table):
                was, is_now = machine.state(one), machine.state(other)
                if was is not is_now:
                    yield machine.name, was.name, is_now.name

    @property
    def effective(self) -> bool:
        """Whether a row is another than before."""
        return any(
            _row(self.before, client, name, key) != _row(self.after, client, name, key)
            for (client, name), key in self.touched
        )

    @property
    def removed(self) -> bool:
        """Whether a row was removed."""
        return any(
            _row(self.before, client, name, key) is not None and _row(self.after, client, name, key) is None
            for (client, name), key in self.touched
        )


class Model:
    """One side: the model. ``profile`` is what it takes for granted of the service."""

    def __init__(self, simulator: Simulator) -> None:
        self.simulator = simulator
        self.service = simulator.service
        self.profile: Mapping[str, Any] = simulator.service.profile
        self.service.journal.limit(1)
        self._scratch = self.service.fork(clock=self.service.clock)
        self._scratch.journal.limit(1)

    @property
    def world(self) -> World:
        """The world in force."""
        return self.service.world

    @property
    def clock(self) -> Clock:
        """The clock."""
        return self.service.clock

    def call(self, call: Call) -> Prediction:
        """Make a call."""
        return call_service(self.service, call)

    def imagine(self, call: Call, world: World | None = None) -> Prediction:
        """Return what a call would do, in a world, by default the one in force, which stays as it is."""
        self._scratch.live.world = self.world if world is None else world
        return call_service(self._scratch, call)

    def soon(self, within: int) -> int | None:
        """The instant at which the first timer falls due within these milliseconds; None for none."""
        due = self.world.timers.due
        return int(due) if due <= self.clock.now() + within else None


def call_service(service: Service, call: Call) -> Prediction:
    """Make a call of a served world. Misuse when it cannot be sent, or when confsim fails."""
    before = service.world
    response: Response = perform(service, call.operation, call.arguments, call.caller, call.body, call.content_type)
    entry: Entry | None = service.journal.last()
    assert entry is not None
    if service.bugs:
        bug = service.bugs.pop()
        raise Misuse(f"the model failed in {call.operation}: {bug!r}") from bug
    return Prediction(reply_of(response), tuple(entry.assumptions), tuple(entry.touched), service.world, before)


def _row(world: World, client: str, name: str, key: Any) -> Any:
    """A record that is stored, None for none."""
    found = world.state(Table.declared[name], client).rows.get(key)
    return None if found is None else found[1]
