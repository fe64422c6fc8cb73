"""The delivery of webhooks: routing, signing and recording of delivery attempts.

The domain decides what is sent and what a response means. After every change of the world, ``settled`` sends what has
become ready, in order, and records the results in the world.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, nullcontext
from enum import StrEnum
from functools import partial
from typing import Any
from weakref import proxy

import msgspec
from msgspec import structs

from confsim.assumptions import events as assumed
from confsim.assumptions.register import ProfileContext, ask, in_force, note
from confsim.domain.events import deliveries, endpoints
from confsim.domain.events.deliveries import DELIVERIES, Delivery, DeliveryState
from confsim.domain.events.endpoints import ENDPOINTS
from confsim.kernel.refusal import Misuse
from confsim.kernel.world import Change, World
from confsim.service.entries import DeliveryNote, DeliveryStep
from confsim.service.faults.interceptor import hits_in
from confsim.service.journal import Journal
from confsim.service.live import LiveWorld, WorldObserver
from confsim.service.worker import in_thread, serves_others
from confsim.values.urls import host_name

from .http_sender import HttpSender
from .receivers import FAILED, DeliveryResult, Message, Receiver, addressed, receiver
from .signatures import SIGNERS


class Route(StrEnum):
    """The route of deliveries: none (they count as delivered), HTTP, or a receiver in this process."""

    LIST = "list"
    HTTP = "http"
    RECEIVER = "receiver"


#: The recorded outcome of a delivery attempt; None when it counted as delivered.
Recorded = Callable[[Delivery], DeliveryNote | None]


#: The states of a delivery before its first attempt.
_NOT_BEGUN = (DeliveryState.WAITING, DeliveryState.READY)


class Webhooks(WorldObserver):
    """The webhooks of one world.

    ``allowed`` are the hosts beside loopback that it may send to, in lower case. ``listed`` says whether deliveries
    count as delivered instead of being sent over HTTP.
    """

    __slots__ = (
        "_age",
        "_instant",
        "_journal",
        "_live",
        "_mark",
        "_quiet",
        "_receiver",
        "_recorded",
        "_sender",
        "_under_way",
        "allowed",
        "listed",
    )

    def __init__(self, live: LiveWorld, journal: Journal, allowed: frozenset[str], listed: bool) -> None:
        # The world holds its observers: held by one in turn, it would wait for the garbage collector.
        self._live: LiveWorld = proxy(live)
        self._journal = journal
        self._receiver: Receiver | None = None
        self._recorded: Recorded | None = None
        self._mark = object()
        self._sender: HttpSender | None = None
        self.listed = listed
        #: While it delivers, the latest instant at which anything was complete.
        self._instant: int | None = None
        self._under_way: set[str] = set()
        self._age = 0
        #: The latest state of the table of deliveries in which none was ready.
        self._quiet: object = None
        self.allowed = allowed

    @property
    def route(self) -> Route:
        """The present route of deliveries."""
        if self._receiver is not None:
            return Route.RECEIVER
        return Route.LIST if self._sender is None or self.listed else Route.HTTP

    def obstacle(self, route: Route) -> str:
        """Return why this route is unavailable, "" when it is available."""
        if self._receiver is not None:
            return "a receiver is set"
        return "the world is not on a live server" if route is Route.HTTP and self._sender is None else ""

    @property
    def waits(self) -> bool:
        """Whether the receiver may wait, or call the service."""
        return self._receiver is not None and self._receiver.waits

    def take_failures(self) -> BaseException | None:
        """Return the failed assertions of its receivers that nobody has taken, several as one group."""
        return FAILED.take(self._mark)

    @property
    def may_wait(self) -> bool:
        """Whether there are any deliveries, which may wait for a retry."""
        return bool(self._live.world.state(DELIVERIES).rows)

    def send_with(self, sender: HttpSender | None) -> None:
        """Send over HTTP with this sender from now on; None stops that.

        None needs no lock: a thread that drops a world may hold the lock of another, and two of them would wait for
        each other.
        """
        if sender is self._sender:
            return
        self.replaced()
        self._sender = sender
        if sender is not None:
            self.send_now()

    def deliver_to(self, target: Any) -> None:
        """Deliver to a receiver in this process; None stops that. Raises Misuse for what cannot be one."""
        self._receiver = None if target is None else receiver(target, self._mark)
        self.send_now()

    def share_quiet(self, other: Webhooks) -> None:
        """Know from another one that nothing is ready in the world that both have, if it knows that."""
        self._quiet = other._quiet

    def repeat(self, recorded: Recorded) -> None:
        """Replay the recorded result of each attempt instead of sending it."""
        self._recorded = recorded

    def report(self, note: DeliveryNote) -> None:
        """Record the result of an attempt that was originally sent."""
        self._sent(note, self._age, DeliveryResult(note.status, note.problem))

    def set_listed(self, listed: bool) -> None:
        """Count deliveries as delivered instead of sending them over HTTP, or send them again."""
        self.listed = listed

    def allow(self, hosts: Iterable[str]) -> None:
        """Allow this world to send to these hosts, beside loopback. Raises Misuse for an invalid host name."""
        self.allowed = frozenset(map(host_name, hosts))

    def signing_time(self, now: int) -> int:
        """Return the instant that a signature carries at ``now`` of the world's clock, both in epoch milliseconds."""
        choice = in_force(self._live.profile, assumed.TIMESTAMP)
        is_own = choice == "world" or (choice == "true-unless-frozen" and self._live.clock.frozen)
        return now if is_own else int(time.time() * 1000)

    def replaced(self) -> None:
        """Ignore the results of attempts under way: the world or the sender was replaced."""
        self._age += 1
        self._under_way.clear()
        self._journal.forget_hits(self._is_undone)

    def _is_undone(self, id: str) -> bool:
        """Return whether a delivery is not in the world, or is there as it was before its first attempt."""
        there = DELIVERIES.seen(self._live.world)
        return id not in there or (there[id].state in _NOT_BEGUN and not there[id].attempts)

    def send_now(self) -> None:
        """Send what is ready at the current instant of the clock."""
        with self._live.lock:
            self.settled(self._live.change().now)

    def pending(self, world: World) -> bool:
        """Return whether there is anything to send that is not under way yet."""
        return any(each.id not in self._under_way for each in deliveries.ready(world))

    def settled(self, now: int) -> Future[None] | None:
        """Send what is ready, and what becomes ready by that. Called under the lock of the world.

        While a receiver that may wait has a message, others have the lock. Their deliveries come after it, at their
        instant or a later one. In a thread that serves others, another one sends: the result is its future.
        """
        live = self._live
        queue = live.world.state(DELIVERIES)
        if self._instant is not None:
            self._instant = max(self._instant, now)
            return None
        if queue is self._quiet:
            return None
        if not deliveries.any_ready(queue):
            self._quiet = queue
            return None
        if self.waits and serves_others():
            return in_thread(self.send_now)
        self._instant = now
        try:
            while (delivery := self._first()) is not None:
                self._attempt(delivery, self._instant)
        except Misuse:  # the state directory cannot be written
            raise
        except Exception as bug:
            bug.add_note("confsim failed while it delivered a webhook")
            live.report_bug(bug)
        finally:
            self._instant = None
        return None

    def _first(self) -> Delivery | None:
        found = deliveries.ready(self._live.world)
        return next((each for each in found if each.id not in self._under_way), None) if found else None

    def _attempt(self, delivery: Delivery, now: int) -> None:
        change = self._live.faulty_change(now)
        copies = deliveries.begin_attempt(change, delivery.id)
        self._live.put(change)
        if hits := hits_in(change):
            self._journal.note_hits(delivery.id, hits)
        if not copies:
            return
        if self._recorded is not None and (note := self._recorded(delivery)) is not None:
            self._repeated(note, now)
        elif self.route is Route.HTTP:
            self._hand_over(delivery, now, copies)
        else:
            result, url = DeliveryResult(200), None
            if self._receiver is not None:
                message = self._message(delivery, now)
                url, result = message.url, self._received(self._receiver, delivery, message, copies)
                self._note(DeliveryStep.ANSWERED, delivery, now, url, result)
            self._answered(delivery.id, now, now, result, url)

    def _received(self, receiver: Receiver, delivery: Delivery, message: Message, copies: int) -> DeliveryResult:
        """Give a message to a receiver in this process; return the first result that is an error, else the last."""
        self._under_way.add(delivery.id)
        try:
            with self._live.lock.released() if receiver.waits else nullcontext():
                results = [receiver.take(message) for _ in range(copies)]
            return next((each for each in results if each.problem is not None), results[-1])
        finally:
            self._under_way.discard(delivery.id)

    def _hand_over(self, delivery: Delivery, now: int, copies: int) -> None:
        """Give a delivery to the sender, if its destination is allowed; the world continues meanwhile."""
        sender = self._sender
        if sender is None:  # the world has just left the server: the next call finds another route
            return
        message = self._message(delivery, now)
        problem = sender.blocked_reason(message.url, self.allowed)
        if problem is not None:
            self._note(DeliveryStep.REFUSED, delivery, now, message.url, DeliveryResult(None, problem))
            self._record(now, partial(deliveries.refuse, id=delivery.id, problem=problem, url=message.url))
            return
        self._under_way.add(delivery.id)
        with self._change(now) as change:
            seconds = ask(change, assumed.TIMEOUT) / 1000
        for _ in range(copies - 1):
            sender.send(message, seconds, lambda result: None)
        note = self._note(DeliveryStep.SENT, delivery, now, message.url, DeliveryResult(None))
        sender.send(message, seconds, partial(self._sent, note, self._age))

    def _repeated(self, note: DeliveryNote, now: int) -> None:
        """Replay the recorded result of an attempt instead of sending it."""
        if note.step is DeliveryStep.SENT:
            self._under_way.add(note.id)
        elif note.step is DeliveryStep.REFUSED:
            self._record(now, partial(deliveries.refuse, id=note.id, problem=note.problem or "", url=note.url))
        else:
            self._answered(note.id, now, now, DeliveryResult(note.status, note.problem), note.url)

    def _sent(self, note: DeliveryNote, age: int, result: DeliveryResult) -> None:
        """Record the result of a sent message; called in a thread of the sender."""
        live = self._live
        with live.lock:
            if age != self._age:
                return
            try:
                self._under_way.discard(note.id)
                now = live.change().now
                known = {"status": result.status, "problem": result.problem}
                self._journal.add_delivery(structs.replace(note, step=DeliveryStep.RESULT, at=now, **known))
                self._answered(note.id, now, note.sent, result, note.url)
                self.settled(now)
            except Exception as bug:
                bug.add_note("confsim failed while it recorded the result of a webhook")
                live.report_bug(bug)

    def _note(self, step: DeliveryStep, delivery: Delivery, now: int, url: str, result: DeliveryResult) -> DeliveryNote:
        """Note the outcome of an attempt in the journal, for replays."""
        number = len(delivery.attempts)
        note = DeliveryNote(0, 0, now, step, delivery.id, number, now, result.status, result.problem, url)
        return self._journal.add_delivery(note)

    def _answered(self, id: str, now: int, at: int, result: DeliveryResult, url: str | None) -> None:
        status, problem = result.status, result.problem
        if result.headers or result.body:
            self._journal.note_answer(id, at, result.headers, result.body)
        self._record(now, partial(deliveries.answered, id=id, at=at, status=status, problem=problem, url=url))

    def _record(self, now: int, write: Callable[[Change], None]) -> None:
        with self._change(now) as change:
            write(change)
            self._live.put(change)

    @contextmanager
    def _change(self, now: int) -> Iterator[Change]:
        """A change at an instant for the block, whose assumptions the journal notes; no fault hits it."""
        change = self._live.world.change(now, ProfileContext(self._live.profile))
        yield change
        self._journal.use(change.carried.used)

    def _message(self, delivery: Delivery, now: int) -> Message:
        """Return the signed message of a delivery."""
        with self._change(now) as change:
            endpoint = ENDPOINTS.of(change, delivery.client)[delivery.endpoint]
            body = msgspec.json.encode(delivery.payload)
            url, authorization = addressed(endpoint.url)
            headers = {"Content-Type": "application/json", "User-Agent": "confsim", **authorization}
            sign = SIGNERS.get(ask(change, assumed.SIGNATURE))
            if sign is not None:
                note(change, assumed.TIMESTAMP)
                secret = endpoints.secret(change, delivery.client)
                headers |= sign(secret, delivery.message, self.signing_time(now), body)
            return Message(url, headers, body)
