"""The pipeline of a call: from the incoming call to the final response, which the journal notes.

The stages in order: faults, which may answer instead of the operation; stale reads, which show the operation an earlier
world; rate limit; idempotency keys; the checks and the operation itself. All except faults and checks exist only under
a profile that asks for them. A refused call drops its change, so it leaves no trace except its journal entry.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any

from msgspec.structs import replace

from confsim.api.call import NOWHERE, Address, Call
from confsim.assumptions.protocol import transport
from confsim.assumptions.protocol.refusals import Reason
from confsim.assumptions.register import note
from confsim.domain.identity.credentials import Caller
from confsim.kernel.refusal import NotYet, Refusal
from confsim.kernel.world import UNLIMITED, Change, TooLong, World
from confsim.values.urls import normalised

from .checks.callers import Callers
from .checks.checks import answer, is_refused_first, receive
from .clock import Usage
from .conformance import Conformance
from .entries import JournalEntry
from .errors import refused, told
from .faults.effects import Effect
from .faults.holding import HeldCalls
from .faults.injection import Faults
from .faults.interceptor import Injection, drop, hits_in
from .faults.per_request import HEADER, QUERY
from .incoming import Finish, Incoming
from .journal import Journal
from .live import LiveWorld, WorldObserver
from .masking import Mask
from .messages import Outcome, Request, Response
from .stages.idempotency import IdempotencyKeys
from .stages.off import note_off
from .stages.rate_limit import RateLimit
from .stages.stage import Next, Stage
from .stages.stale_reads import StaleReads
from .worker import Worker

_ID = "X-Confsim-Request-Id"
#: Most steps (of ``Change.steps``) of a call while others wait.
MOST_STEPS = 100
#: How often a call is computed beside others; then it is performed while they wait.
ATTEMPTS = 3
_STAGES: tuple[type[RateLimit | IdempotencyKeys], ...] = (RateLimit, IdempotencyKeys)


class Pipeline:
    """Performs the calls of one world.

    ``address`` is the start of URLs in responses; ``stages`` are those that the profile switches on. ``conformance``,
    if any, checks every answer of an operation against the OpenAPI document, and reports violations as bugs.
    ``callers`` identifies callers.
    """

    def __init__(self, live: LiveWorld, journal: Journal, faults: Faults, held: HeldCalls, usage: Usage) -> None:
        self._live = live
        self._journal = journal
        self._faults = faults
        self.held = held
        self._usage = usage
        self.address: Address = NOWHERE
        self.conformance: Conformance | None = None
        self.callers = Callers()
        self.stages: tuple[Stage, ...] = ()
        #: The stages, which depend on earlier calls and on the world.
        self.observers: tuple[WorldObserver, ...] = ()
        self._long = Worker()
        self._commits_long = False
        self._staged: Next | None = None
        self._stale: StaleReads | None = None
        if live.profile:
            self._follow(live.profile)

    def _follow(self, profile: Mapping[str, Any]) -> None:
        """Chain the stages that a profile asks for before the checks."""
        self.observers = self.stages = tuple(stage() for stage in _STAGES if stage.needed(profile))
        following: Next = lambda call, incoming: answer(call, incoming, self.callers)  # noqa: E731
        for stage in reversed(self.stages):
            following = self._staged = partial(stage, following=following)
        if lag := StaleReads.lag(profile):
            self._stale = StaleReads(lag)
            self.observers = (*self.stages, self._stale)

    def serve_at(self, address: Address) -> None:
        """Set the start of URLs in responses."""
        self.address = address

    def hold_against(self, conformance: Conformance | None) -> None:
        """Check every answer of an operation against an OpenAPI document; None stops that."""
        self.conformance = conformance

    def check_like(self, other: Pipeline) -> None:
        """Check answers as another pipeline does, and identify callers with what it knows of them."""
        self.conformance, self.callers = other.conformance, other.callers

    def restart(self) -> None:
        """Let the stages forget every call."""
        for stage in self.observers:
            stage.replaced()

    def perform(self, incoming: Incoming, injected: Injection | None = None) -> Outcome:
        """Perform a call of an operation; return its final response, or its future.

        ``injected`` are the faults of a call that was held; None means the faults in force. A call that takes long is
        performed by a thread, if the transport serves others meanwhile; what changes something comes after it.
        """
        long = self._long
        if long.queue and (incoming.operation.changes or self._commits_long):
            return long.do(partial(self._perform_in_turn, incoming, injected))
        if incoming.request.worker is None:
            return self._perform(incoming, injected)
        try:
            return self._perform(incoming, injected, MOST_STEPS)
        except TooLong:
            return long.do(partial(self._perform_long, incoming))

    def _perform(self, incoming: Incoming, injected: Injection | None, steps: int = UNLIMITED) -> Outcome:
        """Perform a call under the lock. Raises TooLong, and changes nothing, for one of more steps."""
        live, operation, request = self._live, incoming.operation, incoming.request
        with live.lock:
            faults, injection = self._faults, injected
            query, headers = request.query, request.headers
            if injection is None and (
                faults.on_calls or (query and QUERY in normalised(query)) or (headers and HEADER in headers)
            ):
                injection = faults.inject(incoming)
                if injection is not None and injection.hold == "before":
                    return self.held.hold(self, incoming, injection)
            call = self._begun(incoming, None if injection is None else injection.now)
            change, reason = call.change, None
            try:
                if injection is not None and injection.effect.replaces_operation:
                    response = injection.effect.respond(call)
                else:
                    if incoming.from_request:
                        if injection is None and steps is not UNLIMITED and self._repeatable(change):
                            change.limit(steps)
                        receive(call, incoming)
                    response = (
                        answer(call, incoming, self.callers) if self._staged is None else self._staged(call, incoming)
                    )
                after = live.put(change)
            except Refusal as refusal:
                reason = refusal
                response, after = self._refused(call, refusal)
            except Exception as bug:
                response, after = self._failed(call, request, bug)
            token = None if incoming.from_request else incoming.token
            entry = self._note(
                operation.name,
                request,
                response,
                change,
                after,
                call.caller,
                token,
                injection,
                incoming.finish,
                refusal=reason,
            )
            outcome: Outcome = entry.response
            if after is not change.world:
                outcome = live.settle(change.now, entry.response)
            if injection is not None and injection.hold:
                return self.held.hold(self, incoming, injection, entry)
            return outcome

    def needs_body(self, incoming: Incoming) -> bool:
        """Return whether the answer to a call, given without its body, may depend on the body.

        It does not where the caller is refused first; but faults and stages may decide before that.
        """
        request = incoming.request
        if self._faults.on_calls or self._staged is not None or self._long.queue:
            return True
        if HEADER in request.headers or QUERY in request.query:
            return True
        with self._live.lock:
            call = self._begun(incoming)
            try:
                receive(call, incoming)
            except Refusal:
                return False
            return not is_refused_first(call, incoming, self.callers)

    def _begun(self, incoming: Incoming, at: int | None = None) -> Call:
        """Return the context of a call in a change of the present world, at another instant if one is given."""
        operation = incoming.operation
        change = self._live.change(at)
        if incoming.used:
            change.carried.used.update(incoming.used)
        for assumed in operation.route_entries:
            note(change, assumed)
        note_off(change, incoming, self._journal, self._live.changed)
        if self._stale is not None and not operation.changes:
            change = self._stale.visible(change)
        return Call(operation, change, self.address, incoming.request.headers)

    def _refused(self, call: Call, refusal: Refusal) -> tuple[Response, World]:
        """Return the response to a refused call, and the world after it."""
        note(call.change, transport.CHECKS_ORDER)
        heard = told(call.change, refusal.without_frames())
        return refused(call.change, heard), self._dropped(call.change, refusal)

    def _failed(self, call: Call, request: Request, bug: Exception) -> tuple[Response, World]:
        """Return the response to a call in which confsim failed, and the world after it; report the bug."""
        bug.add_note(f"confsim failed while it answered {request.method} {request.target} ({call.operation.name})")
        self._live.report_bug(bug)
        response = refused(call.change, Refusal(Reason.INTERNAL_ERROR, reference=f"{type(bug).__name__}: {bug}"))
        return response, self._dropped(call.change)

    # Long calls

    def _repeatable(self, change: Change) -> bool:
        """Return whether nothing counts how often a call is computed: neither faults nor a stage."""
        return change.faults is None and self._staged is None and self._stale is None

    def _perform_in_turn(self, incoming: Incoming, injected: Injection | None) -> Outcome:
        """Perform a call that came while a long one was under way."""
        try:
            return self._perform(incoming, injected, MOST_STEPS)
        except TooLong:
            return self._perform_long(incoming)

    def _perform_long(self, incoming: Incoming) -> Outcome:
        """Perform a call that takes long, without the lock except at its beginning and at its end.

        What it changes is put in force as a whole, if the world is still the same; otherwise it is computed once more.
        """
        live = self._live
        for _ in range(ATTEMPTS):
            with live.lock:
                call = self._begun(incoming)
            outcome = self._computed(call, incoming)
            with self._committing():
                if live.world is call.change.world:
                    return self._finish_long(call, incoming, outcome)
        with self._committing():
            call = self._begun(incoming)
            return self._finish_long(call, incoming, self._computed(call, incoming))

    @contextmanager
    def _committing(self) -> Iterator[None]:
        """Hold the lock in the block; every call that comes meanwhile waits, so that no thread waits for the lock."""
        self._commits_long = True
        try:
            with self._live.lock:
                yield
        finally:
            self._commits_long = False

    def _computed(self, call: Call, incoming: Incoming) -> Response | Exception:
        """Return the response to a call, whose change stays its own, or what it raised."""
        try:
            receive(call, incoming)
            return answer(call, incoming, self.callers)
        except Exception as error:
            return error

    def _finish_long(self, call: Call, incoming: Incoming, outcome: Response | Exception) -> Outcome:
        """Put a call that was computed in force and note it; return its response."""
        change, request, reason = call.change, incoming.request, None
        try:
            if isinstance(outcome, Exception):
                raise outcome
            response, after = outcome, self._live.put(change)
        except Refusal as refusal:
            reason = refusal
            response, after = self._refused(call, refusal)
        except Exception as bug:
            response, after = self._failed(call, request, bug)
        name, finish = call.operation.name, incoming.finish
        entry = self._note(name, request, response, change, after, call.caller, finish=finish, refusal=reason)
        return entry.response if after is change.world else self._live.settle(change.now, entry.response)

    def answer_held(
        self, incoming: Incoming, entry: JournalEntry, injection: Injection, effect: Effect | None, *, dropped: bool
    ) -> Response:
        """Answer a call that was held after its operation, and put its final entry in the place of ``entry``.

        ``injection`` are its faults, now that it is held no longer; ``effect``, where there is one, decides its answer.
        """
        response, used = entry.response, entry.assumptions
        if dropped:
            response = replace(response, cut=-1)
        elif effect is not None:
            if effect.replaces_operation:
                response, used = self._replacement(incoming, entry, effect)
            response = effect.altered(response, incoming.request)
        hits = (*injection.hits, *entry.fault[len(injection.hits) :])
        used = self._journal.share(entry.operation, used)
        self._live.announce(replace(entry, response=response, assumptions=used, fault=hits), entry)
        return response

    def _replacement(
        self, incoming: Incoming, entry: JournalEntry, effect: Effect
    ) -> tuple[Response, Mapping[str, None]]:
        """The response of an effect to a call that was performed, and the assumptions that the call has used then."""
        change = self._live.change()
        response = effect.respond(Call(incoming.operation, change, self.address, incoming.request.headers))
        if incoming.finish is not None:
            response = incoming.finish(response, change)
        headers_of_id = [line for line in entry.response.headers if line[0] == _ID]
        return replace(response, headers=[*response.headers, *headers_of_id]), {
            **entry.assumptions,
            **change.carried.used,
        }

    def unrouted(
        self,
        request: Request,
        outcome: Refusal | Response,
        used: Mapping[str, None] | None = None,
        finish: Finish | None = None,
        *,
        handshake: bool = False,
    ) -> Response:
        """Return the final response to a request that reached no operation: a refusal, or an answer of the transport.

        ``handshake`` says that it asked for a websocket. The journal and the refusal have none of its credentials.
        """
        live = self._live
        with live.lock:
            change = live.change()
            if used:
                change.carried.used.update(used)
            mask = Mask(live.profile, live.world)
            reason = mask.refusal(outcome).without_frames() if isinstance(outcome, Refusal) else None
            response = outcome if isinstance(outcome, Response) else refused(change, mask.refusal(outcome))
            noted = mask.response(response)
            shown = mask.request(request)
            final = self._note(
                "", shown, noted, change, change.world, finish=finish, ws=handshake, refusal=reason
            ).response
            if noted is response:
                return final
            location = dict(response.headers)["Location"]
            headers = [(name, location if name == "Location" else value) for name, value in final.headers]
            return replace(final, headers=headers)

    def _dropped(self, change: Change, refusal: Refusal | None = None) -> World:
        """Return the world after a failed call: unchanged, except for a refusal that counts a poll (``NotYet``)."""
        if isinstance(refusal, NotYet):
            return self._live.put(change)
        drop(change)
        return change.world

    def _note(
        self,
        name: str,
        request: Request,
        response: Response,
        change: Change,
        after: World,
        caller: Caller | None = None,
        token: str | None = None,
        injection: Injection | None = None,
        finish: Finish | None = None,
        ws: bool = False,
        refusal: Refusal | None = None,
    ) -> JournalEntry:
        """Finish a response and note the call; for a call that is held, only reserve its place in the journal."""
        live, journal, faults, before = self._live, self._journal, self._faults, change.world
        id = journal.next_id()
        self._usage.count()
        response.headers.append((_ID, id))
        touched = () if after is before else change.touched
        hits = () if change.faults is None else hits_in(change)
        if injection is not None:
            hits = (*injection.hits, *hits)
            response = injection.effect.altered(response, request)
        if self.conformance is not None and (injection is None or not injection.effect.replaces_operation):
            for violation in self.conformance.violations(name, request, response):
                live.report_bug(violation)
        if finish is not None:
            response = finish(response, change)
        fired = live.take_fired() if live.fired else ()
        left = faults.remaining() if faults.on_calls or faults.on_things else None
        at, used = change.now, journal.share(name, change.carried.used)
        entry = JournalEntry(
            id, at, name, request, response, used, touched, before, after, caller, hits, token, fired, left, ws, refusal
        )
        if injection is not None and injection.hold:
            journal.answered(entry, None)  # its place; others hear of it once it is final
        else:
            live.announce(entry)
        return entry
