"""A served world, composed of its parts."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, NoReturn

from msgspec import Struct
from msgspec.structs import replace

from confsim.api.call import Address
from confsim.api.catalogue import API
from confsim.assumptions.protocol import sizes, transport, wire
from confsim.assumptions.register import REGISTER, ProfileContext, in_force
from confsim.contract.operation import Operation
from confsim.kernel.refusal import Misuse
from confsim.kernel.world import Change, World

from .checks.credentials import presentation
from .clock import Clock, Usage
from .entries import JournalEntry
from .faults.holding import HeldCalls
from .faults.injection import Faults
from .history import History
from .incoming import Finish, Incoming, incoming
from .journal import MOST_CALLS, Journal
from .live import LiveWorld, WorldObserver
from .messages import Outcome, Request
from .pipeline import Pipeline
from .webhooks.sending import Webhooks

if TYPE_CHECKING:
    from .realtime.connections import RealTime

#: Assumptions that are used when a world is put into service; each of its calls or resets depends on them.
_SERVED_UNDER = tuple(
    each.id
    for each in (
        transport.RATE,
        transport.IDEMPOTENCY,
        transport.LAG,
        transport.REQUEST_ID,
        transport.RESET_CLOCK,
        sizes.REQUEST_URL,
        sizes.REQUEST_HEADERS,
        sizes.REQUEST_BODY,
    )
)


class Provenance(Struct, frozen=True):
    """The named source of a world, and the outputs of the scenario that it starts from.

    ``built_on`` has the sorted ids of the assumptions that its records were made by; each is named by the calls that
    show it. ``assumptions`` has those that calls before the start have named, and that of its clock.
    """

    made_from: str = ""
    outputs: Mapping[str, Any] = {}
    assumptions: tuple[str, ...] = ()
    built_on: tuple[str, ...] = ()


class Settings(Struct, frozen=True):
    """The settings that a fork inherits: webhook hosts, faults by request, size of the journal, outside observers.

    ``webhooks_listed`` says whether deliveries are listed instead of being sent over HTTP.
    """

    webhook_hosts: frozenset[str] = frozenset()
    by_request: bool = True
    journal_most: int = MOST_CALLS
    webhooks_listed: bool = False
    observers: tuple[WorldObserver, ...] = ()


_UNKNOWN = Provenance()
_DEFAULTS = Settings()


class OfOneProcess:
    """An object with locks, connections and observers. ``copy`` and ``pickle`` raise Misuse that says what to do."""

    __slots__ = ()

    def __reduce_ex__(self, _protocol: object) -> NoReturn:
        raise Misuse(
            f"{type(self).__name__} cannot be copied or pickled: it is part of a running process. Simulator.fork() "
            "makes an independent copy of its world; another process loads the file that Simulator.save(path) wrote, "
            "or calls the world over HTTP, under Simulator.serve()"
        )


class Service(OfOneProcess):
    """One served world: its parts, and what concerns several of them.

    ``live`` is the world in force, ``clock`` its clock, ``profile`` the chosen alternatives of assumptions, ``history``
    its start and snapshots, ``journal`` its calls, ``faults`` the injected faults, ``webhooks`` the deliveries,
    ``pipeline`` performs calls, ``usage`` says when it was called. ``token_of`` reads the token of a request by the
    presentations in force. ``incoming`` makes a call from a request, ``perform`` performs it.
    """

    def __init__(
        self,
        world: World,
        clock: Clock,
        profile: Mapping[str, Any],
        provenance: Provenance = _UNKNOWN,
        settings: Settings = _DEFAULTS,
    ) -> None:
        live = self.live = LiveWorld(world, clock, profile)
        self.profile = profile
        self.clock = clock
        self.provenance = provenance
        #: The origin of a fork: the start, and the number of assumptions used since.
        self._forked_from: tuple[int, Provenance, Provenance] | None = None
        self.usage = Usage()
        journal = self.journal = Journal(settings.journal_most)
        held = HeldCalls(live)
        faults = self.faults = Faults(live, held, settings.by_request)
        self.history = History(live)
        self.pipeline = Pipeline(live, journal, faults, held, self.usage)
        self.webhooks = Webhooks(live, journal, settings.webhook_hosts, settings.webhooks_listed)
        self.token_of = presentation(in_force(profile, wire.PRESENTATION))
        live.observers.add(journal, *self.pipeline.observers, self.webhooks, *settings.observers)

    # Calls

    def incoming(
        self,
        request: Request,
        operation: Operation,
        path: tuple[str, ...],
        context: ProfileContext,
        finish: Finish | None = None,
    ) -> Incoming:
        """Return the call in a request."""
        return incoming(self.token_of, self.faults.by_request, request, operation, path, context, finish)

    def perform(self, call: Incoming) -> Outcome:
        """Perform a call of an operation; return its final response, or the future of it."""
        return self.pipeline.perform(call)

    def change(self, at: int | None = None) -> Change:
        """Return a change of the world in force, as ``LiveWorld.change`` does."""
        return self.live.change(at)

    # Assumptions

    @property
    def start_assumptions(self) -> frozenset[str]:
        """Return the ids of the assumptions that the world was built on and is served under."""
        return frozenset((*self.provenance.assumptions, *self.provenance.built_on, *_SERVED_UNDER))

    def assumptions_used(self) -> list[str]:
        """The sorted ids of all assumptions used by the world: its start, its calls, timers and deliveries."""
        return sorted({*self.start_assumptions, *self.journal.assumptions()})

    def relied_on(self, entry: JournalEntry) -> list[str]:
        """Return the ids of the assumptions of a call: those it used, and those of the calls before that it shows."""
        used, built_on = entry.assumptions, self.provenance.built_on
        entries = REGISTER.entries
        shown = (id for id in self.provenance.assumptions if entry.operation in API.concerned(entries[id]))
        return [*used, *(id for id in shown if id not in used and id not in built_on)]

    # The live world

    def shut_down(self) -> None:
        """End all pending answers and connections: the world is no longer served."""
        self.pipeline.held.drop_all()
        if "realtime" in vars(self):
            self.realtime.end_all()

    @cached_property
    def realtime(self) -> RealTime:
        """The people connected to its channels by websockets."""
        from .realtime.connections import RealTime  # made with the first websocket

        return RealTime(self.live, self.journal, self.token_of, partial(self.pipeline.unrouted, handshake=True))

    @property
    def world(self) -> World:
        """The world in force."""
        return self.live.world

    @property
    def lock(self) -> AbstractContextManager[object]:
        """The lock under which the world changes."""
        return self.live.lock

    @property
    def bugs(self) -> list[BaseException]:
        """The errors of confsim itself, which the fixture raises in the test."""
        return self.live.bugs

    def commit(self, change: Change) -> None:
        """Put a change in force, and send the webhooks that it makes ready."""
        self.live.commit(change)

    @property
    def address(self) -> Address:
        """The address of the world on its server."""
        return self.pipeline.address

    # The world as a whole

    def started_from(self, provenance: Provenance) -> None:
        """Set the source of the world."""
        self.provenance = provenance

    def reset(self) -> None:
        """Restore world and clock of the start, empty the journal, remove the faults, close held connections.

        Snapshots stay, and so do bugs, which must be raised.
        """
        with self.lock:
            self.pipeline.held.drop_all()
            self.history.reset()
            self.journal.restart()
            self.faults.reset()

    def begin(self) -> None:
        """Make this world and this instant the start of a reset; empty the journal."""
        with self.lock:
            self.provenance = self._provenance()
            self.history.begin()
            self.journal.restart()
            self.pipeline.restart()

    def begin_with(self, world: World, made_from: str) -> None:
        """Put this world in force and make it the start; the other arguments are its source."""
        with self.lock:
            self.live.replace(world)
            self.journal.restart()
            self.provenance = Provenance(made_from, self.provenance.outputs)
            self.begin()

    def _provenance(self) -> Provenance:
        """Return the source of the present world, with the assumptions used since the start."""
        count, known = self.journal.used_count, self.provenance
        if not count:
            return known
        if self._forked_from is None or self._forked_from[:2] != (count, known):
            whole = tuple(sorted({*known.assumptions, *self.journal.assumptions()}))
            self._forked_from = count, known, replace(known, assumptions=whole)
        return self._forked_from[2]

    def fork(
        self,
        world: World | None = None,
        profile: Mapping[str, Any] | None = None,
        clock: Clock | None = None,
        provenance: Provenance | None = None,
    ) -> Service:
        """Return another service of the present world, with an independent clock in the same state.

        The arguments replace the world, profile, clock or provenance.
        """
        with self.live.lock:
            found, copied = self.live.world, self.clock.copy()
        other = Service(
            found if world is None else world,
            copied if clock is None else clock,
            self.profile if profile is None else profile,
            self._provenance() if provenance is None else provenance,
            self.settings,
        )
        other.webhooks.share_quiet(self.webhooks)
        if profile is None:
            other.pipeline.check_like(self.pipeline)
        return other

    @property
    def settings(self) -> Settings:
        """Return the settings that a fork inherits."""
        journal, webhooks = self.journal, self.webhooks
        observers = self.live.outside
        return Settings(webhooks.allowed, self.faults.by_request, journal.most, webhooks.listed, observers)

    @property
    def stored_settings(self) -> Settings:
        """Return the settings that outlive the process: all but the observers."""
        return replace(self.settings, observers=())

    def take_over(self, settings: Settings) -> None:
        """Copy the settings of another service."""
        self.webhooks.allow(settings.webhook_hosts)
        self.faults.allow_by_request(settings.by_request)
        self.journal.limit(settings.journal_most)
        self.live.observers.add(*settings.observers)
        self.webhooks.set_listed(settings.webhooks_listed)
