"""One request through the simulated service: its checks, the operation, the answer, the journal.

A refused call drops its change, so it leaves no trace but its journal entry.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from threading import RLock
from typing import TYPE_CHECKING, Any

from confsim.api.call import Call
from confsim.assumptions.protocol import transport, wire
from confsim.assumptions.refusals import Reason
from confsim.assumptions.register import ask, in_force, note
from confsim.contract.encode import encode
from confsim.contract.operation import Operation
from confsim.contract.query import decode_query
from confsim.domain.identity.credentials import Caller
from confsim.kernel.due import Fired, fire_due_timers
from confsim.kernel.refusal import Misuse, NotYet, Refusal
from confsim.kernel.timers import Timer
from confsim.kernel.world import Change, World

from .brought import HEADER, QUERY
from .checks import checked
from .clock import LATEST, Clock
from .credential import presentation
from .errors import refused
from .faults import Faults, Meeting
from .history import Snapshot
from .journal import KEPT, Entry, Journal
from .message import Request, Response
from .repeats import Repeats
from .waiting import steady
from .webhooks import Webhooks

if TYPE_CHECKING:
    from .judge import Judge
    from .keeping import Keeper

#: The host in URLs of answers to a call that names none, as in process.
HOST = "confsim.test"
#: The token is to be read from the request.
FROM_REQUEST = object()
#: What makes the final response, for the journal to note; it notes with the change what it asks of the profile.
Finish = Callable[[Response, Change], Response]


class Service:
    """One world being served: its value, its clock, its profile, its journal.

    ``origin`` is the world that a reset brings back, ``made_from`` what it was made from. ``bugs`` collects what
    confsim itself did wrong, for the fixture to raise in the test. ``mount`` is the path of the world on its server,
    empty at the root, ``host`` how callers in this process reach that server, ``public_url`` what URLs in answers begin
    with, whoever asks, where that was set. ``judge``, where there is one, holds every answer against the OpenAPI
    document. ``outputs`` are those of the scenario that it starts from. ``made`` and ``used`` tell when it was made and
    last called, on a clock that only goes on (seconds), ``calls`` how many calls of the API there were, ``fired`` the
    timers that did something since the last. ``keeper``, if any, records what changed when the ``lock`` is let go.
    """

    def __init__(self, world: World, clock: Clock, profile: Mapping[str, Any], made_from: str = "") -> None:
        self.origin = world
        self.world = world
        self.clock = clock
        self.profile = profile
        self.made_from = made_from
        self.journal = Journal()
        self.bugs: list[BaseException] = []
        self.snapshots: dict[str, Snapshot] = {}
        self.mount = ""
        self.host = HOST
        self.public_url = ""
        self.judge: Judge | None = None
        self.outputs: dict[str, Any] = {}
        self.keeper: Keeper | None = None
        self.lock: AbstractContextManager[object] = RLock()
        self.webhooks = Webhooks(self)
        self.faults = Faults(self)
        self.webhooks.decide = self.faults.plan
        self.token = presentation(in_force(profile, wire.PRESENTATION))
        self._repeats = Repeats() if profile else None
        self.calls = 0
        self.made = self.used = steady()
        self.fired: list[Timer] = []

    def change(self) -> Change:
        """A change at this instant, after everything due has fallen due; ``commit`` puts it in force."""
        now = self.clock.now()
        if self.world.timers.due <= now:
            self.settle(now)
        strike = self.faults.strike
        if strike is not None:
            self.faults.begin()
        return self.world.change(now, self.profile, strike)

    def put(self, change: Change) -> World:
        """Put the change in force. What a reader of the past would set going (G015) is dropped."""
        after = change.commit()
        if after is not change.world:
            if self._repeats is not None and change.world is not self.world:
                return change.world
            self.world = after
            if self.keeper is not None:
                self.keeper.moved(after, change)
            if self._repeats is not None:
                self._repeats.committed(change, after)
        return after

    def commit(self, change: Change) -> None:
        """Put the change in force, and send the webhooks that it makes ready."""
        self.put(change)
        self.webhooks.send(change.now)

    # Time

    def settle(self, until: int) -> list[Fired]:
        """Let everything due by the instant fall due, in order."""
        with self.lock:
            self.world, fired = fire_due_timers(
                self.world,
                until,
                self.profile,
                failed=self.bugs.append,
                after=self._fallen_due,
                faults=self.faults.strike,
            )
            self._remember(fired)
            return fired

    def _remember(self, fired: list[Fired]) -> None:
        """Keep what made something happen, the latest of it, for the journal entry of the next call."""
        if fired:
            self.fired += (each.timer for each in fired)
            del self.fired[:-KEPT]

    def _fallen_due(self, world: World, change: Change) -> World:
        """Send the webhooks that a timer made ready, at its own instant: what becomes of them may fall due yet."""
        if self.keeper is not None:
            self.keeper.moved(world, change)
        if self._repeats is not None:
            self._repeats.committed(change, world)
        if not self.webhooks.has_work(world):
            return world
        self.world = world
        if change.now > self.clock.now():
            self.clock.move(change.now)
        self.webhooks.send(change.now)
        return self.world

    def advance(self, span: int) -> list[Fired]:
        """Move the clock on by so many milliseconds; what falls due by then does."""
        with self.lock:
            return self.show(self.clock.now() + span)

    def advance_to_next(self) -> list[Fired]:
        """Move the clock on to the next instant at which something happens, if there is one."""
        with self.lock:
            fired = self.settle(self.clock.now())
            world, found = fire_due_timers(
                self.world,
                LATEST,
                self.profile,
                once=True,
                failed=self.bugs.append,
                after=self._fallen_due,
                faults=self.faults.strike,
            )
            if found:
                self.world = world
                self._remember(found)
                fired += found + self.show(max(self.clock.now(), found[0].timer.due))
            return fired

    def show(self, instant: int) -> list[Fired]:
        """Let the clock show this instant; what falls due by then does. What has happened stays when it goes back."""
        if instant > LATEST:
            raise Misuse("no clock goes beyond the year 9999")
        with self.lock:
            fired = self.settle(instant)
            self.clock.move(instant)
            return fired

    # The world as a whole

    def replace(self, world: World) -> None:
        """Let this be the world from now on, whatever it was and whatever of it is still under way."""
        with self.lock:
            self.world = world
            self._repeats = None if self._repeats is None else Repeats()
            self.fired.clear()
            self.webhooks.forget()
            self.faults.replaced(world)

    def reset(self) -> None:
        """Bring back world, clock and empty journal of the start, and no faults.

        Snapshots stay, and bugs, to be raised.
        """
        with self.lock:
            self.replace(self.origin)
            if in_force(self.profile, transport.RESET_CLOCK):
                self.clock.restart()
            self.journal = self.journal.fresh()
            self.faults.reset()

    def fork(self, world: World | None = None, profile: Mapping[str, Any] | None = None) -> Service:
        """Another service of the world as it is now, with a clock that shows the same and goes on by itself.

        It may be one of another world or under another profile.
        """
        with self.lock:
            found, clock = self.world, self.clock.copy()
        other = Service(
            found if world is None else world, clock, self.profile if profile is None else profile, self.made_from
        )
        if profile is None:
            other.judge = self.judge
        other.outputs = self.outputs
        hosts, other.faults.by_request, other.journal.most = self.settings
        other.webhooks.allow(hosts)
        return other

    @property
    def settings(self) -> tuple[frozenset[str], bool, int]:
        """What a fork takes over as it is set: hosts of webhooks, faults by request, size of the journal."""
        return self.webhooks.allowed, self.faults.by_request, self.journal.most

    def begin(self) -> None:
        """Let this world and this instant be the start, which a reset brings back; the journal is empty."""
        with self.lock:
            self.origin = self.world
            self.fired.clear()
            self.clock.begin()
            self.journal = self.journal.fresh()
            self._repeats = None if self._repeats is None else Repeats()

    def keep(self, name: str) -> Snapshot:
        """Keep the world, its instant and how its clock goes under a name; an earlier one of this name is replaced."""
        with self.lock:
            change = self.change()
            snapshot = Snapshot(change.world, change.now, self.clock.frozen, self.clock.rate)
            self.snapshots[name] = snapshot
            return snapshot

    def restore(self, name: str) -> Snapshot:
        """Bring the world and the clock of a snapshot back. Misuse (404) when there is none of this name."""
        snapshot = self.snapshots.get(name)
        if snapshot is None:
            raise Misuse(f"there is no snapshot {name!r}", status=404)
        with self.lock:
            self.replace(snapshot.world)
            self.clock.follow(snapshot.now, frozen=snapshot.frozen, rate=snapshot.rate)
            self.webhooks.send(snapshot.now)
        return snapshot

    # Calls

    def perform(
        self,
        operation: Operation,
        path: tuple[str, ...],
        query: str | dict[str, str],
        request: Request,
        token: Any = FROM_REQUEST,
        used: Mapping[str, None] | None = None,
        finish: Finish | None = None,
    ) -> Response:
        """One call of an operation. ``path`` holds the decoded texts of the path parameters in their order.

        ``token`` is the caller's token, None for none; by default it is read from the request. ``used`` names the
        assumptions that the transport leaned on. ``finish`` makes the final response, which the journal notes.
        """
        with self.lock:
            meeting = None
            if self.faults.watching or QUERY in query or HEADER in request.headers:
                meeting = self.faults.meet(operation, path, query, request, token)
            change = self.change() if meeting is None else self._met(meeting)
            if used:
                change.used.update(used)
            if operation.route_entry is not None:
                note(change, operation.route_entry)
            if self._repeats is not None and not operation.changes:
                change = self._repeats.shown(change)
            host = self.public_url or request.headers.get("host", HOST)
            call = Call(operation, change, host + self.mount, change.now, change.profile, change.used)
            after = change.world
            try:
                if meeting is None:
                    response = self._answer(call, path, query, request, token)
                else:
                    response = meeting.answer(call) or self._answer(call, path, meeting.query, request, token)
                after = self.put(change)
            except Refusal as refusal:
                note(call, transport.CHECKS_ORDER)
                response = refused(call, refusal)
                if isinstance(refusal, NotYet):
                    after = self.put(change)
                else:
                    self.faults.dropped()
            except Exception as bug:
                bug.add_note(f"confsim failed while it answered {request.method} {request.target} ({operation.name})")
                response = self._bug(call, bug)
                self.faults.dropped()
            entry = self._note(operation.name, request, response, change, after, call.caller, meeting, finish)
            if token is not FROM_REQUEST:
                entry.token = token
            if after is not change.world:
                self.webhooks.send(change.now)
            return entry.response

    def _met(self, meeting: Meeting) -> Change:
        """The change of a call that meets faults, at the instant that the request asks for."""
        change = self.change()
        if meeting.now is not None:
            change.now = meeting.now
        return change

    def _answer(
        self, call: Call, path: tuple[str, ...], query: str | dict[str, str], request: Request, token: Any
    ) -> Response:
        values = decode_query(call, query) if isinstance(query, str) else query
        if token is FROM_REQUEST:
            token = self._presented(call, request, values)
        if self._repeats is not None:
            earlier = self._repeats.meet(call, request, token)
            if earlier is not None:
                return earlier
        result = checked(call, path, values, request, token)
        response = Response(*encode(call, call.operation, result))
        if self._repeats is not None:
            self._repeats.keep(call, request, token, response)
        return response

    def _presented(self, call: Call, request: Request, values: Mapping[str, str]) -> str | None:
        """The token of the request; on a public call it plays no part, however wrong it is (G023)."""
        if not call.operation.public:
            note(call, wire.PRESENTATION)
        try:
            return self.token(request, values)
        except Refusal:
            if call.operation.public and ask(call, wire.PUBLIC_CREDENTIALS) == "ignored":
                return None
            raise

    def unrouted(
        self,
        request: Request,
        outcome: Refusal | Response,
        used: Mapping[str, None] | None = None,
        finish: Finish | None = None,
    ) -> Response:
        """The response to a request that reached no operation: a refusal, or what the transport answers itself."""
        with self.lock:
            change = self.change()
            if used:
                change.used.update(used)
            response = refused(change, outcome) if isinstance(outcome, Refusal) else outcome
            return self._note("", request, response, change, change.world, finish=finish).response

    def _bug(self, call: Call, bug: Exception) -> Response:
        self.bugs.append(bug)
        return refused(call, Refusal(Reason.INTERNAL_ERROR, reference=f"{type(bug).__name__}: {bug}"))

    def _note(
        self,
        name: str,
        request: Request,
        response: Response,
        change: Change,
        after: World,
        caller: Caller | None = None,
        meeting: Meeting | None = None,
        finish: Finish | None = None,
    ) -> Entry:
        self.calls += 1
        self.used = steady()
        journal, before = self.journal, change.world
        id = journal.next_id()
        response.headers.append(("X-Confsim-Request-Id", id))
        touched = [] if after is before else change.touched
        fault = self.faults.ended() if change.faults is not None else ()
        if meeting is not None:
            fault = (*meeting.hits, *fault)
            meeting.finish(response, request)
        entry = Entry(id, change.now, name, request, response, change.used, touched, before, after, caller, fault)
        if self.fired:
            entry.fired = tuple(self.fired)
            self.fired.clear()
        if self.faults.watching or self.faults.strike is not None:
            entry.left = self.faults.left()
        if self.judge is not None and (meeting is None or not meeting.stands_in):
            self.bugs.extend(self.judge.problems(entry))
        if finish is not None:
            entry.response = finish(response, change)
        journal.add(entry)
        return entry
