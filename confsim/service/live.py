"""The live world: its value, clock and profile, the lock under which they change, and the list of its observers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager
from functools import partial
from inspect import isfunction
from threading import RLock
from types import TracebackType
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from confsim.assumptions.register import ProfileContext
from confsim.kernel.due import Fired, fire_due_timers
from confsim.kernel.refusal import Misuse
from confsim.kernel.timers import Timer
from confsim.kernel.world import Change, FaultSource, World

from .clock import LATEST, Clock
from .waiting import Waiters, after

if TYPE_CHECKING:
    from .entries import JournalEntry

#: Most fired timers that are remembered until they are taken; the oldest are dropped.
FIRED = 1000


class EventObserver:
    """A part that hears of events: a direct subclass has a method for each, and others replace those that concern them.

    ``_events`` has the methods of the direct subclass by name, ``_hears`` the names of those that a class replaces.
    """

    __slots__ = ()

    _events: ClassVar[Mapping[str, Callable[..., Any]]] = {}
    _hears: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if EventObserver in cls.__bases__:
            cls._events = {name: method for name, method in vars(cls).items() if isfunction(method)}
        cls._hears = tuple(name for name, method in cls._events.items() if getattr(cls, name) is not method)


AnyObserver = TypeVar("AnyObserver", bound=EventObserver)
T = TypeVar("T")


class WorldObserver(EventObserver):
    """A part that hears what happens in a world; a subclass has the methods of the events that concern it.

    The methods are called under the lock of the world. Only ``settled`` may change the world. Forks have the observers
    that are ``outside`` the service too, and these do not hear of a scenario that makes a world.
    """

    __slots__ = ()

    outside: ClassVar[bool] = False

    def fired(self, timer: Timer, before: World, change: Change, after: World) -> None:
        """A timer has fired in this change, of which ``changed`` tells next."""

    def changed(self, before: World, change: Change, after: World) -> None:
        """A change is in force; ``after`` is ``before`` if it wrote nothing."""

    def answered(self, entry: JournalEntry, withheld: JournalEntry | None) -> None:
        """A call has its final response. ``withheld`` is the entry that its call had while it was held."""

    def pending(self, world: World) -> bool:  # noqa: ARG002 - whichever it is
        """Return whether ``settled`` would do anything in this world."""
        return False

    def settled(self, now: int) -> Future[None] | None:
        """A call, a timer or a control call is complete, at this instant. Returns the future of what comes later."""

    def replaced(self) -> None:
        """Another world has taken the place of this one."""

    def releasing(self) -> None:
        """The lock is about to be released: other threads see the world as it is."""


class Observers(Generic[AnyObserver]):
    """Observers of a kind in the order in which they joined, each of them once.

    ``of`` has those that hear of an event, by its name.
    """

    __slots__ = ("_kind", "all", "of")

    def __init__(self, kind: type[AnyObserver], *observers: AnyObserver) -> None:
        self._kind = kind
        self._hear(observers)

    def _hear(self, observers: Iterable[AnyObserver]) -> None:
        self.all: tuple[AnyObserver, ...] = ()
        self.of: dict[str, tuple[AnyObserver, ...]] = dict.fromkeys(self._kind._events, ())
        self.add(*observers)

    def add(self, *observers: AnyObserver) -> None:
        """Let these observers hear of later events, too."""
        for observer in observers:
            if observer not in self.all:
                self.all += (observer,)
                for event in observer._hears:
                    self.of[event] += (observer,)

    def remove(self, *observers: AnyObserver) -> None:
        """Let these observers hear of nothing any longer."""
        self._hear([observer for observer in self.all if observer not in observers])

    @contextmanager
    def without(self, observers: tuple[AnyObserver, ...]) -> Iterator[None]:
        """Let these observers hear of nothing during the block."""
        everybody = self.all
        self.remove(*observers)
        try:
            yield
        finally:
            self._hear(everybody)


#: The first observers of every world that is made in this process from now on.
EVERYWHERE = Observers(WorldObserver)


class WorldLock:
    """The lock of a world, which its holder can take again. It tells the observers before others can take it."""

    __slots__ = ("_depth", "_lock", "_observers")

    def __init__(self, observers: Observers[WorldObserver]) -> None:
        self._lock = RLock()
        self._depth = 0
        self._observers = observers

    def __enter__(self) -> None:
        self._lock.acquire()
        self._depth += 1

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if self._depth == 1:
                for observer in self._observers.of["releasing"]:
                    observer.releasing()
        finally:
            self._depth -= 1
            self._lock.release()

    @contextmanager
    def released(self) -> Iterator[None]:
        """Let others take the lock during the block, however often its holder has taken it."""
        for observer in self._observers.of["releasing"]:
            observer.releasing()
        depth, self._depth = self._depth, 0
        for _ in range(depth):
            self._lock.release()
        try:
            yield
        finally:
            for _ in range(depth):
                self._lock.acquire()
            self._depth = depth


def _once_done(result: T, later: Future[None]) -> T:
    """Return the result of what is complete with this future. Raises the error of the future."""
    later.result()
    return result


class LiveWorld:
    """The present value of a world, and the only way to change it. Its ``observers`` hear what happens.

    ``fired`` are the timers with an effect since they were last taken, in order. ``bugs`` collects errors of confsim
    itself, which the fixture raises in the test. ``waiters`` are those who wait for something in the world.
    ``changed`` is the instant of the last change (epoch milliseconds), 0 while the world is as it was put in its place.
    """

    __slots__ = (
        "__weakref__",
        "_faults",
        "bugs",
        "changed",
        "clock",
        "fired",
        "lock",
        "observers",
        "profile",
        "waiters",
        "world",
    )

    def __init__(self, world: World, clock: Clock, profile: Mapping[str, Any]) -> None:
        self.world = world
        self.changed = 0
        self.clock = clock
        self.profile = profile
        self.observers = Observers(WorldObserver, *EVERYWHERE.all)
        self.lock = WorldLock(self.observers)
        self.waiters = Waiters()
        self.bugs: list[BaseException] = []
        self._faults: Callable[[], FaultSource] | None = None
        self.fired: list[Timer] = []

    # Observers

    @property
    def outside(self) -> tuple[WorldObserver, ...]:
        """Return the observers from outside the service."""
        return tuple([observer for observer in self.observers.all if observer.outside])

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

    def inject(self, faults: Callable[[], FaultSource] | None) -> None:
        """Let this function return what decides at the fault points of each change; None for no faults."""
        self._faults = faults

    def faulty_change(self, now: int) -> Change:
        """Return a change of the present world at an instant, with the faults in force; no timer fires."""
        return self._begin(self.world, now)

    def change(self, at: int | None = None) -> Change:
        """Return a change at this instant, after due timers have fired; ``commit`` puts it in force.

        ``at`` (epoch milliseconds) sets another instant; no further timer fires for it.
        """
        now = self.clock.now()
        if self.world.timers.due <= now:
            self.fire_due_timers(now)
        return self._begin(self.world, now if at is None else at)

    def _begin(self, world: World, at: int) -> Change:
        return world.change(at, ProfileContext(self.profile), self._faults and self._faults())

    def put(self, change: Change) -> World:
        """Put a change in force; return the world after it. One of an earlier world (a stale read) is dropped."""
        before = change.world
        after = change.commit() if before is self.world else before
        if after is not before:
            self.world, self.changed = after, change.now
        for observer in self.observers.of["changed"]:
            observer.changed(before, change, after)
        return after

    def settle(self, now: int, result: T) -> T | Future[T]:
        """Let the observers act on a complete change, at its instant; return the result, which may come after that."""
        outcome: T | Future[T] = result
        for observer in self.observers.of["settled"]:
            later = observer.settled(now)
            if later is not None:
                outcome = after(later, partial(_once_done, result))
        return outcome

    def announce(self, entry: JournalEntry, withheld: JournalEntry | None = None) -> None:
        """Tell the observers that a call has its final response; ``withheld`` is the entry of one that was held."""
        for observer in self.observers.of["answered"]:
            observer.answered(entry, withheld)

    def commit(self, change: Change) -> None:
        """Put a complete change in force, and let the observers act on it."""
        self.put(change)
        self.settle(change.now, None)

    def suppose(self, world: World) -> None:
        """Make the next call in another world. No observer is called: all of them follow the old world as before."""
        self.world = world

    def begin(self) -> None:
        """Make the present world the start: what has changed it and fired before is forgotten."""
        self.changed = 0
        self.fired.clear()

    def replace(self, world: World) -> None:
        """Replace the world; changes of the old one are dropped."""
        with self.lock:
            self.world = world
            self.begin()
            for observer in self.observers.of["replaced"]:
                observer.replaced()

    # Time

    def fire_due_timers(self, until: int) -> list[Fired]:
        """Fire the timers that are due by the instant, in order."""
        with self.lock:
            return self._fire(until)

    def _fire(self, until: int, *, once: bool = False) -> list[Fired]:
        world, fired = fire_due_timers(
            self.world, until, self._begin, once=once, failed=self.report_bug, after=self._timer_fired
        )
        if fired or not once:
            self.world = world
        self.fired += (each.timer for each in fired)
        del self.fired[:-FIRED]
        return fired

    def _timer_fired(self, after: World, fired: Fired) -> World:
        """Run the consequences of a timer's change at its due instant; these may schedule timers due meanwhile."""
        change = fired.change
        self.changed = change.now
        for observer in self.observers.of["fired"]:
            observer.fired(fired.timer, change.world, change, after)
        for observer in self.observers.of["changed"]:
            observer.changed(change.world, change, after)
        if not any(observer.pending(after) for observer in self.observers.of["pending"]):
            return after
        self.world = after
        if change.now > self.clock.now():
            self.clock.move(change.now)
        self.settle(change.now, None)
        return self.world

    def take_fired(self) -> tuple[Timer, ...]:
        """Return the timers in ``fired`` and empty it."""
        fired = tuple(self.fired)
        self.fired.clear()
        return fired

    def advance(self, span: int) -> list[Fired]:
        """Move the clock forward by milliseconds and fire the timers due by then."""
        with self.lock:
            return self._show(self.clock.now() + span, back=False)

    def advance_to_next(self) -> list[Fired]:
        """Move the clock to the next timer, if there is one."""
        with self.lock:
            fired = self._fire(self.clock.now())
            found = self._fire(LATEST, once=True)
            if found:
                fired += found + self._show(max(self.clock.now(), found[0].timer.due), back=False)
            return fired

    def show(self, instant: int) -> list[Fired]:
        """Set the clock; due timers fire. When it goes back, nothing is undone."""
        with self.lock:
            return self._show(instant, back=True)

    def _show(self, instant: int, *, back: bool) -> list[Fired]:
        """Set the clock; it goes ``back`` or stays where a receiver or another caller has moved it meanwhile."""
        if instant > LATEST:
            raise Misuse("no clock goes beyond the year 9999")
        fired = self._fire(instant)
        self.clock.move(instant if back else max(instant, self.clock.now()))
        return fired
