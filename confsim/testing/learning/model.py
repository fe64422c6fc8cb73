"""The model: a world of confsim in which calls can be tried without a lasting effect."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from threading import local
from typing import Any

from msgspec import Struct

from confsim.kernel.machine import Machine
from confsim.kernel.refusal import Misuse
from confsim.kernel.tables.table import Table
from confsim.kernel.tables.writing import Written
from confsim.kernel.world import Change, World
from confsim.service.clock import Clock
from confsim.service.entries import JournalEntry
from confsim.service.live import WorldObserver
from confsim.service.messages import Response
from confsim.service.service import Service
from confsim.service.waiting import wait_for
from confsim.transport.in_process import perform

from .calls import ModelCall
from .comparing.comparison import Reply, reply_of

#: A row of a machine: its name, and the position in its table.
RowPlace = tuple[str, int]


class _Noting(local):
    """Whether the rows of machines that calls of this thread apply are noted."""

    on = False


_noting = _Noting()


class _AppliedRows(WorldObserver):
    """The rows of machines that are applied in a world, each once."""

    def __init__(self) -> None:
        self.places: dict[RowPlace, None] = {}

    def changed(self, before: World, change: Change, after: World) -> None:  # noqa: ARG002 - the change says enough
        """Note the rows of a change."""
        for row in change.applied:
            machine = row.when.machine
            self.places[machine.name, machine.rows.index(row)] = None


class Prediction(Struct, frozen=True):
    """The model's answer to a call, the assumptions used, the records written, the worlds before and after.

    ``applied`` are the rows of machines that it applied, while they are noted (``machine_rows_noted``).
    """

    reply: Reply
    used: tuple[str, ...]
    touched: tuple[Written, ...]
    after: World
    before: World
    applied: tuple[RowPlace, ...] = ()

    @property
    def wrote(self) -> tuple[str, ...]:
        """Return the names of the tables written."""
        return tuple(sorted({table for _, table, _ in self.touched}))

    @property
    def moved(self) -> Iterator[tuple[str, str, str]]:
        """Yield the transitions in the rows written: machine, state before and after."""
        for client, name, key in dict.fromkeys(self.touched):
            table = Table.declared[name]
            one, other = (_row(world, client, name, key) for world in (self.before, self.after))
            for machine in Machine.of(table):
                was, is_now = machine.state(one), machine.state(other)
                if was is not is_now:
                    yield machine.name, was.name, is_now.name

    @property
    def settled(self) -> tuple[RowPlace, ...]:
        """Return the last row that it applied of each machine."""
        return tuple({place[0]: place for place in self.applied}.values())

    def written(self, machine: Machine[Any, Any]) -> Iterator[tuple[str, str, Any]]:
        """Yield the records of a machine that were written, with the client and the table of each."""
        for client, name, key in dict.fromkeys(self.touched):
            table = Table.declared[name]
            record = _row(self.after, client, name, key) if table.record is machine.record else None
            if record is not None:
                yield client, name, record

    @property
    def effective(self) -> bool:
        """Return whether any row changed."""
        return any(
            _row(self.before, client, name, key) != _row(self.after, client, name, key)
            for client, name, key in self.touched
        )

    @property
    def removed(self) -> bool:
        """Return whether any row was removed."""
        return any(
            _row(self.before, client, name, key) is not None and _row(self.after, client, name, key) is None
            for client, name, key in self.touched
        )


class Model:
    """The model's side. ``profile`` has the values assumed of the service."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.profile: Mapping[str, Any] = service.profile
        self.service.journal.limit(1)
        self._scratch = self.service.fork(clock=self.service.clock)
        self._scratch.journal.limit(1)

    def under(self, profile: Mapping[str, Any], world: World) -> Model:
        """Return another model with the same clock, under a profile and in a world."""
        return Model(self.service.fork(world, profile, self.clock))

    @property
    def world(self) -> World:
        """The current world."""
        return self.service.world

    @property
    def clock(self) -> Clock:
        """The clock of the world."""
        return self.service.clock

    def call(self, call: ModelCall) -> Prediction:
        """Make a call."""
        return call_service(self.service, call)

    def imagine(self, call: ModelCall, world: World | None = None) -> Prediction:
        """Return the prediction for a call in a world (default: the current one), which stays as it is."""
        self._scratch.live.suppose(self.world if world is None else world)
        return call_service(self._scratch, call)

    def changed(self, apply: Callable[[Change], object]) -> World:
        """Return the current world after a change, which stays as it is."""
        self._scratch.live.suppose(self.world)
        change = self._scratch.change()
        apply(change)
        return self._scratch.live.put(change)

    def altered(self, world: World, client: str, table: str, record: Any) -> World | None:
        """Return a world in which a table of a client has this record in place of the one with its key.

        Returns None when another record has what is unique of it.
        """
        self._scratch.live.suppose(world)
        change = self._scratch.change()
        try:
            Table.declared[table].of(change, client).put(record)
        except ValueError:
            return None
        return self._scratch.live.put(change)

    def waited(self, world: World, within: int) -> World:
        """Return a world as it is when the timers have fired that are due within these milliseconds."""
        return after_waiting(self._scratch, world, self.clock.now() + within)

    def soon(self, within: int) -> int | None:
        """Return the instant of the first timer due within these milliseconds; None for none."""
        due = self.world.timers.due
        return int(due) if due <= self.clock.now() + within else None


def call_service(service: Service, call: ModelCall) -> Prediction:
    """Make a call to a served world. Raises Misuse when it cannot be sent, or when confsim fails."""
    before = service.world
    applied, observers = _AppliedRows(), service.live.observers
    if _noting.on:
        observers.add(applied)
    try:
        response: Response = wait_for(
            perform(service, call.operation, call.arguments, call.caller, call.body, call.content_type, warns=False)
        )
    finally:
        observers.remove(applied)
    entry: JournalEntry | None = service.journal.last()
    assert entry is not None
    if service.bugs:
        bug = service.live.take_bugs()[-1]
        raise Misuse(f"the model failed in {call.operation}: {bug!r}") from bug
    return Prediction(
        reply_of(response),
        tuple(entry.assumptions),
        tuple(entry.touched),
        service.world,
        before,
        tuple(applied.places),
    )


@contextmanager
def machine_rows_noted() -> Iterator[None]:
    """Note in predictions of this thread which rows of machines calls apply, until the end of the block."""
    _noting.on = True
    try:
        yield
    finally:
        _noting.on = False


def after_waiting(service: Service, world: World, until: int) -> World:
    """Return a world after its timers that are due by an instant, and those that these set; the service keeps it.

    The clock stays, though webhooks that are sent then move it to their instant.
    """
    service.live.suppose(world)
    if service.world.timers.due > until:
        return service.world
    shown = service.clock.values()
    try:
        while service.world.timers.due <= until:
            service.live.fire_due_timers(until)
    finally:
        service.clock.show(shown)
    return service.world


def _row(world: World, client: str, name: str, key: Any) -> Any:
    """Return a stored record as plain values, None for none."""
    found = world.state(Table.declared[name], client).rows.get(key)
    return None if found is None else found[1]
