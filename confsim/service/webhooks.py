"""The webhooks of a world: what its deliveries are handed to, how they are signed, what is told of their fate.

The domain decides what is to be sent and what an answer means. Every change of the world is followed by ``send``,
which hands out what has become ready, in order, and records in the world what became of it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from confsim.assumptions import events
from confsim.assumptions.register import ask
from confsim.domain.events import deliveries, endpoints
from confsim.domain.events.deliveries import DELIVERIES, Delivery
from confsim.domain.events.endpoints import ENDPOINTS
from confsim.kernel.world import Change, World

from .senders import Message, Outcome, Receiver, receiver

if TYPE_CHECKING:
    from .courier import Courier
    from .pipeline import Service


class Way(StrEnum):
    """Where deliveries go: nowhere, taken as delivered; over HTTP; to a receiver in this process."""

    LIST = "list"
    HTTP = "http"
    RECEIVER = "receiver"


class Plan(Struct, frozen=True):
    """What is to become of an attempt.

    The message goes out ``copies`` times, and with 0 is lost; with ``delay`` (milliseconds) it is put off instead, and
    put ``aside`` lets those behind it pass meanwhile.
    """

    copies: int = 1
    delay: int = 0
    aside: bool = False


#: What is to become of each attempt, decided just before it is made.
Decide = Callable[[Delivery], Plan]
_PLAIN = Plan()


def _as_it_is(delivery: Delivery) -> Plan:
    return _PLAIN


class Webhooks:
    """The webhooks of one service.

    ``decide`` is where faults come in. ``kept_in`` keeps the deliveries of a world on a live server in the process.
    ``allowed`` are the hosts beside loopback that this world may send to, in lower case.
    """

    __slots__ = ("_age", "_busy", "_courier", "_receiver", "_service", "_under_way", "allowed", "decide", "kept_in")

    def __init__(self, service: Service) -> None:
        self._service = service
        self._receiver: Receiver | None = None
        self._busy = False
        self._under_way: set[str] = set()
        self._age = 0
        self.decide: Decide = _as_it_is
        self._courier: Courier | None = None
        self.kept_in = False
        self.allowed: frozenset[str] = frozenset()

    @property
    def way(self) -> Way:
        """Where deliveries go at present."""
        if self._receiver is not None:
            return Way.RECEIVER
        return Way.LIST if self._courier is None or self.kept_in else Way.HTTP

    @property
    def may_wait(self) -> bool:
        """Whether there are deliveries at all, which may wait for a retry."""
        return bool(self._service.world.state(DELIVERIES).rows)

    def carried_by(self, courier: Courier | None) -> None:
        """Let deliveries be carried over HTTP from now on; with None no longer.

        None needs no lock: who drops a world may hold that of another, and two of them would wait for each other.
        """
        if courier is self._courier:
            return
        self.forget()
        self._courier = courier
        if courier is not None:
            self.send_now()

    def deliver_to(self, target: Any) -> None:
        """Let deliveries go to a WSGI application, a function or a list of this process; with None no longer."""
        self._receiver = None if target is None else receiver(target)
        self.send_now()

    def allow(self, hosts: Iterable[str]) -> None:
        """Let this world send to these hosts, beside loopback."""
        self.allowed = frozenset(host.lower() for host in hosts)

    def forget(self) -> None:
        """The world is another: nothing that is still under way is recorded in it."""
        self._age += 1
        self._under_way.clear()

    def send_now(self) -> None:
        """Hand out what is ready at the instant that the clock shows."""
        with self._service.lock:
            self.send(self._service.change().now)

    def send(self, now: int) -> None:
        """Hand out what is ready, and what becomes ready by that. To be called under the lock of the service."""
        service = self._service
        if self._busy or not deliveries.ready(service.world):
            return
        self._busy = True
        try:
            while (delivery := self._first()) is not None:
                self._attempt(delivery, now)
        except Exception as bug:
            bug.add_note("confsim failed while it delivered a webhook")
            service.bugs.append(bug)
        finally:
            self._busy = False

    def has_work(self, world: World) -> bool:
        """Whether anything of this world is to be sent and not under way yet."""
        return any(each.id not in self._under_way for each in deliveries.ready(world))

    def _first(self) -> Delivery | None:
        found = deliveries.ready(self._service.world)
        return next((each for each in found if each.id not in self._under_way), None) if found else None

    def _attempt(self, delivery: Delivery, now: int) -> None:
        plan = self.decide(delivery)
        if plan.delay:
            self._record(now, partial(deliveries.postpone, id=delivery.id, delay=plan.delay, bypasses=plan.aside))
        elif not plan.copies:
            self._record(now, partial(deliveries.lose, id=delivery.id))
        elif self.way is Way.HTTP:
            self._hand_over(delivery, now, plan.copies)
        else:
            self._under_way.add(delivery.id)
            outcome = Outcome(200)
            if self._receiver is not None:
                message = self._message(delivery, now)
                for _ in range(plan.copies):
                    outcome = self._receiver(message)
            self._under_way.discard(delivery.id)
            self._answered(delivery.id, now, now, outcome)

    def _hand_over(self, delivery: Delivery, now: int, copies: int) -> None:
        """Let the courier carry it, where it may; the world goes on meanwhile."""
        courier = self._courier
        if courier is None:  # the world has just left the server: the next look at the delivery finds another way
            return
        message = self._message(delivery, now)
        problem = courier.barred(message.url, self.allowed)
        if problem is not None:
            self._record(now, partial(deliveries.refuse, id=delivery.id, problem=problem))
            return
        self._under_way.add(delivery.id)
        seconds = self._asked(now, events.TIMEOUT) / 1000
        for _ in range(copies - 1):
            courier.carry(message, seconds, lambda outcome: None)
        courier.carry(message, seconds, partial(self._carried, delivery.id, now, self._age))

    def _carried(self, id: str, at: int, age: int, outcome: Outcome) -> None:
        """Record what became of a message that was carried; called from a thread of the courier."""
        service = self._service
        with service.lock:
            if age != self._age:
                return
            try:
                self._under_way.discard(id)
                now = service.change().now
                self._answered(id, now, at, outcome)
                self.send(now)
            except Exception as bug:
                bug.add_note("confsim failed while it took what became of a webhook")
                service.bugs.append(bug)

    def _answered(self, id: str, now: int, at: int, outcome: Outcome) -> None:
        found = partial(deliveries.answered, id=id, at=at, status=outcome.status, problem=outcome.problem)
        self._record(now, found)

    def _record(self, now: int, write: Callable[[Change], None]) -> None:
        service = self._service
        change = service.world.change(now, service.profile)
        write(change)
        service.put(change)
        service.journal.leaned.update(change.used)

    def _asked(self, now: int, entry: Any) -> Any:
        change = self._service.world.change(now, self._service.profile)
        value = ask(change, entry)
        self._service.journal.leaned.update(change.used)
        return value

    def _message(self, delivery: Delivery, now: int) -> Message:
        """What is sent: signed as Standard Webhooks says."""
        service = self._service
        change = service.world.change(now, service.profile)
        endpoint = ENDPOINTS.of(change, delivery.client)[delivery.endpoint]
        body = msgspec.json.encode(delivery.payload)
        headers = {"Content-Type": "application/json", "User-Agent": "confsim"}
        if ask(change, events.SIGNATURE) == "standard-webhooks":
            at = now if ask(change, events.TIMESTAMP) == "world" else int(time.time() * 1000)
            headers |= _signed(endpoints.secret(change, delivery.client), delivery.message, at, body)
        service.journal.leaned.update(change.used)
        return Message(endpoint.url, headers, body)


def _signed(secret: str, id: str, now: int, body: bytes) -> dict[str, str]:
    from standardwebhooks import Webhook

    at = datetime.fromtimestamp(now // 1000, UTC)
    key = secret if secret.startswith("whsec_") else secret.encode()
    return {
        "webhook-id": id,
        "webhook-timestamp": str(now // 1000),
        "webhook-signature": Webhook(key).sign(id, at, body.decode()),
    }
