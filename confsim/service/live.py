"""The live world: its value, clock and profile, and the lock under which they change."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from threading import RLock
from types import TracebackType
from typing import Any, Protocol
from weakref import ref

from confsim.kernel.due import Fired, fire_due_timers
from confsim.kernel.refusal import Misuse
from confsim.kernel.timers import Timer
from confsim.kernel.world import Change, FaultSource, World

from .clock import LATEST, Clock
from .waiting import Waiters

#: Called with every committed change: the world before, the change, the world after.
Observer = Callable[[World, Change, World], object]
#: Most fired timers that are remembered until they are taken; the oldest are dropped.
FIRED = 1000


class Reaction(Protocol):
    """A follower of changes that makes changes of its own, such as the delivery of webhooks."""

    def pending(self, world: World) -> bool:
        """Return whether there is anything to do in this world."""
        ...

    def react(self, now: int) -> None:
        """Do it, at this instant. Called under the lock."""
        ...

    def restart(self) -> None:
        """Forget what is under way, since another world replaces this one."""
        ...


class WorldLock(AbstractContextManager[object], Protocol):
    """A lock that its holder can take again."""

    def acquire(self) -> bool:
        """Wait for the lock and hold it."""
        ...

    def release(self) -> None:
        """Release the lock."""
        ...


class LiveWorld:
    """The present value of a world, and the only way to change it. It does not know its observers.

    ``fired`` are the timers with an effect since they were last taken, in order. ``bugs`` collects errors of confsim
    itself, which the fixture raises in the test. ``waiters`` are those who wait for something in the world.
    """

    __slots__ = (
        "_fault_points",
        "_idle_observers",
        "_observers",
        "_reactions",
        "_replaced",
        "_timer_observers",
        "bugs",
        "clock",
        "fired",
        "lock",
        "profile",
        "waiters",
        "world",
    )

    def __init__(self, world: World, clock: Clock, profile: Mapping[str, Any]) -> None:
        self.world = world
        self.clock = clock
        self.profile = profile
        self.lock: WorldLock = RLock()
        self.waiters = Waiters()
        self.bugs: list[BaseException] = []
        self._observers: tuple[Observer, ...] = ()
        self._replaced: tuple[Callable[[], object], ...] = ()
        self._reactions: tuple[ref[Reaction], ...] = ()
        self._fault_points: Callable[[], FaultSource | None] | None = None
        self.fired: list[Timer] = []
        self._timer_observers: tuple[Observer, ...] = ()
        self._idle_observers: tuple[Observer, ...] = ()

    # Observers

    def observe(self, observer: Observer) -> None:
        """Call the observer with every later change. An observer changes nothing itself."""
        self._observers = (*self._observers, observer)

    def observe_timers(self, observer: Observer) -> None:
        """Call the observer with the change of every timer that fires, even if it writes nothing."""
        self._timer_observers = (*self._timer_observers, observer)

    def observe_idle(self, observer: Observer) -> None:
        """Call the observer with every later change that is complete and leaves the world as it is."""
        self._idle_observers = (*self._idle_observers, observer)

    def stop_observing(self, observer: Observer) -> None:
        """Stop calling the observer."""
        self._observers = tuple(each for each in self._observers if each != observer)

    def when_replaced(self, observer: Callable[[], object]) -> None:
        """Call the observer whenever another world replaces this one."""
        self._replaced = (*self._replaced, observer)

    def react_with(self, reaction: Reaction) -> None:
        """Let this reaction follow every complete change as long as somebody else holds it.

        A reaction holds the live world; a world that is dropped would wait for the garbage collector otherwise.
        """
        self._reactions = (*self._reactions, ref(reaction))

    def fault_points(self, source: Callable[[], FaultSource | None] | None) -> None:
        """Set the function that supplies the faults for the fault points of each change; None for no faults."""
        self._fault_points = source

    def add_barrier(self, flush: Callable[[], None]) -> None:
        """Call ``flush`` before the outermost holder releases the lock: no other thread sees unflushed changes."""
        self.lock = WriteBarrier(self.lock, flush)

    def remove_barrier(self, flush: Callable[[], None]) -> None:
        """Stop calling this ``flush``."""
        if isinstance(self.lock, WriteBarrier) and self.lock.flush == flush:
            self.lock = self.lock.lock

    # Defects

    def report_bug(self, bug: BaseException) -> None:
        """Note a defect of confsim."""
        self.bugs.append(bug)

    def take_bugs(self) -> list[BaseException]:
        """Return the defects in ``bugs``, and clear it."""
        found = list(self.bugs)
        self.bugs.clear()
        return found

    # Changes

    def change(self, at: int | None = None) -> Change:
        """Return a change at this instant, after due timers have fired; ``commit`` puts it in force.

        ``at`` (epoch milliseconds) sets another instant; no further timer fires for it.
        """
        now, source = self.clock.now(), self._fault_points
        if self.world.timers.due <= now:
            self.fire_due_timers(now)
        return self.world.change(now if at is None else at, self.profile, source and source())

    def put(self, change: Change) -> World:
        """Put a change in force; return the world after it. One of an earlier world (a stale read) is dropped."""
        before = change.world
        after = change.commit() if before is self.world else before
        if after is not before:
            self.world = after
            if self._observers:  # an empty loop takes as long as a call
                for observer in self._observers:
                    observer(before, change, after)
        elif self._idle_observers:
            for observer in self._idle_observers:
                observer(before, change, after)
        return after

    def run_reactions(self, now: int) -> None:
        """Call the reactions to a complete change, at its instant."""
        for found in self._reactions:
            if (reaction := found()) is not None:
                reaction.react(now)

    def commit(self, change: Change) -> None:
        """Put a complete change in force and run the reactions."""
        self.put(change)
        self.run_reactions(change.now)

    def suppose(self, world: World) -> None:
        """Make the next call in another world. No observer is called: all of them follow the old world as before."""
        self.world = world

    def replace(self, world: World) -> None:
        """Replace the world; changes of the old one are dropped."""
        with self.lock:
            self.world = world
            self.fired.clear()
            for observer in self._replaced:
                observer()
            for found in self._reactions:
                if (reaction := found()) is not None:
                    reaction.restart()

    # Time

    def fire_due_timers(self, until: int) -> list[Fired]:
        """Fire the timers that are due by the instant, in order."""
        with self.lock:
            return self._fire(until)

    def _fire(self, until: int, *, once: bool = False) -> list[Fired]:
        source = self._fault_points
        world, fired = fire_due_timers(
            self.world,
            until,
            self.profile,
            once=once,
            failed=self.report_bug,
            after=self._timer_fired,
            faults=None if source is None else source(),
        )
        if fired or not once:
            self.world = world
        self.fired += (each.timer for each in fired)
        del self.fired[:-FIRED]
        return fired

    def _timer_fired(self, after: World, change: Change) -> World:
        """Run the consequences of a timer's change at its due instant; these may schedule timers due meanwhile."""
        for observer in (*self._timer_observers, *self._observers):
            observer(change.world, change, after)
        for found in self._reactions:
            if (reaction := found()) is not None and reaction.pending(after):
                self.world = after
                if change.now > self.clock.now():
                    self.clock.move(change.now)
                reaction.react(change.now)
                after = self.world
        return after

    def take_fired(self) -> tuple[Timer, ...]:
        """Return the timers in ``fired`` and empty it."""
        fired = tuple(self.fired)
        self.fired.clear()
        return fired

    def advance(self, span: int) -> list[Fired]:
        """Move the clock forward by milliseconds and fire the timers due by then."""
        with self.lock:
            return self.show(self.clock.now() + span)

    def advance_to_next(self) -> list[Fired]:
        """Move the clock to the next timer, if there is one."""
        with self.lock:
            fired = self._fire(self.clock.now())
            found = self._fire(LATEST, once=True)
            if found:
                fired += found + self.show(max(self.clock.now(), found[0].timer.due))
            return fired

    def show(self, instant: int) -> list[Fired]:
        """Set the clock; due timers fire. When it goes back, nothing is undone."""
        if instant > LATEST:
            raise Misuse("no clock goes beyond the year 9999")
        with self.lock:
            fired = self._fire(instant)
            self.clock.move(instant)
            return fired


class WriteBarrier:
    """A lock that calls ``flush`` before its outermost holder releases it."""

    __slots__ = ("_depth", "flush", "lock")

    def __init__(self, lock: WorldLock, flush: Callable[[], None]) -> None:
        self.lock = lock
        self.flush = flush
        self._depth = 0

    def acquire(self) -> bool:
        """Wait for the lock and hold it."""
        self.lock.acquire()
        self._depth += 1
        return True

    def release(self) -> None:
        """Release the lock, after ``flush`` if nobody holds it any more."""
        try:
            if self._depth == 1:
                self.flush()
        finally:
            self._depth -= 1
            self.lock.release()

    __enter__ = acquire

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()
