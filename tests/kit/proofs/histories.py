"""Histories of calls made at the same time, and whether they could have been made one after the other.

A history is judged by the search of Wing and Gong: for a register each order of the calls that keeps to their times is
tried until one explains what was read. Handles are reserved once, rooms deleted once, none is lost, and every call
begins in the world that the one before it left.
"""

from __future__ import annotations

import itertools
import json
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.client import HTTPConnection
from random import Random
from typing import Any, NamedTuple
from unittest import mock

from confsim import Simulator
from confsim.service.live import LiveWorld
from kit import CUSTOMER, START

#: Sends one call: operation, token, arguments; returns status and JSON.
Send = Callable[..., tuple[int, Any]]
_ROUTES = {
    "update_terms_url": ("POST", "/terms"),
    "get_client_terms": ("GET", "/clients/{clientId}/terms"),
    "reserve_handle": ("POST", "/users/handle/reserve"),
    "create_channel": ("POST", "/channels/create"),
    "delete_channel": ("DELETE", "/channels/{uuid}"),
}


class Done(NamedTuple):
    """A call with the instants of its beginning and end on one clock; ``value`` is what was written or read."""

    begun: int
    ended: int
    thread: int
    what: str
    value: Any
    status: int


def linearizable(history: Sequence[Done], initial: Any) -> bool:
    """Whether the writes and reads of a register could have been made one after the other."""
    threads = [[each for each in history if each.thread == one] for one in sorted({each.thread for each in history})]
    seen: set[tuple[tuple[int, ...], Any]] = set()
    pending = [((0,) * len(threads), initial)]
    while pending:
        state = pending.pop()
        if state in seen:
            continue
        seen.add(state)
        places, value = state
        heads = [calls[place] for calls, place in zip(threads, places, strict=True) if place < len(calls)]
        if not heads:
            return True
        first_end = min(each.ended for each in heads)
        for thread, (calls, place) in enumerate(zip(threads, places, strict=True)):
            if place == len(calls) or calls[place].begun > first_end:
                continue
            head = calls[place]
            if head.what == "read" and head.value != value:
                continue
            after = tuple(each + (number == thread) for number, each in enumerate(places))
            pending.append((after, head.value if head.what == "write" else value))
    return False


class Log:
    """The history of one run: each call is noted with its beginning and end, counted on one clock."""

    def __init__(self) -> None:
        self._ticks = itertools.count()
        self.calls: list[Done] = []

    def note(self, thread: int, what: str, value: Any, call: Callable[[], tuple[int, Any]]) -> tuple[int, Any]:
        """Make a call; ``value`` is what it writes, or reads from its answer where it is a function."""
        begun = next(self._ticks)
        status, body = call()
        ended = next(self._ticks)
        self.calls.append(Done(begun, ended, thread, what, value(body) if callable(value) else value, status))
        return status, body


def work(log: Log, send: Send, thread: int, seed: int, calls: int, shared: Sequence[str]) -> None:
    """The calls of one thread: the URL of the terms as a register, handles, rooms of its own and shared ones."""
    random = Random(seed * 1000 + thread)
    own: list[str] = []
    for number in range(calls):
        what = random.choice(("write", "read", "read", "handle", "create", "delete", "shared"))
        if what == "write":
            url = f"https://terms.example/{thread}-{number}"
            log.note(thread, what, url, lambda url=url: send("update_terms_url", "demo-api-token", body={"url": url}))
        elif what == "read":
            log.note(thread, what, lambda body: body["url"], lambda: send("get_client_terms", None, clientId=CUSTOMER))
        elif what == "handle":
            handle = f"handle {random.randrange(4)}"
            caller = ("demo-user", "demo-owner", "demo-operator")[thread % 3]
            log.note(
                thread, what, (handle, caller), lambda h=handle, c=caller: send("reserve_handle", c, body={"handle": h})
            )
        elif what == "create":
            name = {"name": f"Room {thread}-{number}"}
            status, body = log.note(thread, what, None, lambda n=name: send("create_channel", "demo-owner", body=n))
            own += [body["channelUuid"]] if status == 200 else []
        elif what == "delete" and own:
            room = own.pop()
            log.note(thread, what, room, lambda room=room: send("delete_channel", "demo-owner", uuid=room))
        elif what == "shared":
            room = random.choice(shared)
            log.note(thread, what, room, lambda room=room: send("delete_channel", "demo-owner", uuid=room))


def problems(simulator: Simulator, log: Log, initial: str, rooms: int) -> Iterator[str]:
    """What of a history could not have been if its calls had been made one after the other."""
    if not linearizable([each for each in log.calls if each.what in {"write", "read"}], initial):
        yield "register"
    won = {each.value for each in log.calls if each.what == "handle" and each.status == 200}
    wanted = {each.value[0] for each in log.calls if each.what == "handle"}
    if sorted(handle for handle, _ in won) != sorted(wanted):  # one user holds each, who may ask for it again
        yield "handles"
    gone = [each.value for each in log.calls if each.what in {"delete", "shared"} and each.status == 200]
    if len(gone) != len(set(gone)):
        yield "deletes"
    made = sum(each.what == "create" and each.status == 200 for each in log.calls)
    if len(simulator.service.world.state(_channels(), CUSTOMER).rows) != rooms + made - len(gone):
        yield "rooms"
    entries = list(simulator.service.journal)
    if any(one.after is not other.before for one, other in itertools.pairwise(entries)):
        yield "journal"
    if any(each.status >= 500 for each in log.calls) or simulator.service.bugs:
        yield "failures"


def _channels() -> Any:
    from confsim.domain.channels.channels import CHANNELS

    return CHANNELS


# Ways to run threads


class Baton:
    """Runs one thread at a time, and lets another go on at points of the code; which, a seed says."""

    def __init__(self, seed: int, threads: int) -> None:
        self._random = Random(seed)
        self._turns = [threading.Semaphore(0) for _ in range(threads)]
        self._ready = list(range(threads))
        self._here = threading.local()
        self._end = threading.Event()

    def run(self, tasks: Sequence[Callable[[], None]]) -> None:
        """Run the tasks to their ends."""

        def whole(number: int, task: Callable[[], None]) -> None:
            self._here.number = number
            self._turns[number].acquire()
            try:
                task()
            finally:
                self._ready.remove(number)
                self._pass_on() if self._ready else self._end.set()

        threads = [threading.Thread(target=whole, args=each, daemon=True) for each in enumerate(tasks)]
        for each in threads:
            each.start()
        self._pass_on()
        self._end.wait()
        for each in threads:
            each.join()

    def point(self) -> None:
        """Let another thread go on, or the same."""
        number = getattr(self._here, "number", None)
        if number is not None:
            self._pass_on()
            self._turns[number].acquire()

    def _pass_on(self) -> None:
        self._turns[self._random.choice(self._ready)].release()


class _Lock(ABC):
    """A lock as a live world has it."""

    @abstractmethod
    def acquire(self) -> bool:
        """Wait for the lock and hold it."""

    @abstractmethod
    def release(self) -> None:
        """Release the lock."""

    def __enter__(self) -> None:
        self.acquire()

    def __exit__(self, *_: object) -> None:
        self.release()


class BatonLock(_Lock):
    """A lock that can be taken again by its holder; one who waits for it passes the baton on."""

    def __init__(self, baton: Baton) -> None:
        self._baton = baton
        self._holder: int | None = None
        self._depth = 0

    def acquire(self) -> bool:
        """Wait for the lock, and hold it."""
        me = threading.get_ident()
        self._baton.point()
        while self._holder not in (None, me):
            self._baton.point()
        self._holder = me
        self._depth += 1
        return True

    def release(self) -> None:
        """Release the lock once for each time that it was taken."""
        self._depth -= 1
        if not self._depth:
            self._holder = None
        self._baton.point()


class NoLock(_Lock):
    """A lock that locks nothing: the planted race."""

    def acquire(self) -> bool:
        """Hold nothing."""
        return True

    def release(self) -> None:
        """Release nothing."""


class Overlap:
    """Lets calls of different threads overlap: at a point of the code each waits until another has come to one.

    Nobody waits any more once ``over`` is set, nor for longer than ``patience`` seconds.
    """

    def __init__(self, patience: float = 20) -> None:
        self._patience = patience
        self._arrived = 0
        self._condition = threading.Condition()
        self._over = False

    def point(self) -> None:
        """Wait for another thread."""
        with self._condition:
            self._arrived += 1
            mine = self._arrived
            self._condition.notify_all()
            self._condition.wait_for(lambda: self._over or self._arrived > mine, self._patience)

    def end(self) -> None:
        """Let everybody go on."""
        with self._condition:
            self._over = True
            self._condition.notify_all()


@contextmanager
def pauses(pause: Callable[[], object]) -> Iterator[None]:
    """Pause after every world that a call begins with, and before every world that it leaves."""
    change, put = LiveWorld.change, LiveWorld.put

    def begin(self: LiveWorld, at: int | None = None) -> Any:
        found = change(self, at)
        pause()
        return found

    def end(self: LiveWorld, done: Any) -> Any:
        pause()
        return put(self, done)

    with mock.patch.multiple(LiveWorld, change=begin, put=end):
        yield


def _begin() -> tuple[Simulator, list[str], str, int]:
    """A world with rooms that every thread may delete, its register and the number of its rooms."""
    simulator = Simulator(clock=START)
    simulator.requests.most = 100_000
    shared = [
        simulator.call("create_channel", "demo-owner", body={"name": f"Shared {number}"}).body["channelUuid"]
        for number in range(3)
    ]
    initial = simulator.call("get_client_terms", clientId=CUSTOMER).body["url"]
    return simulator, shared, initial, len(simulator.service.world.state(_channels(), CUSTOMER).rows)


def _in_process(simulator: Simulator) -> Send:
    def send(operation: str, token: str | None, **arguments: Any) -> tuple[int, Any]:
        answer = simulator.call(operation, token, **arguments)
        return answer.status, answer.body

    return send


def scheduled(seed: int, threads: int = 3, calls: int = 12, *, race: bool = False) -> list[str]:
    """The problems of a history under a scheduler with this seed: the same seed gives the same history."""
    simulator, shared, initial, rooms = _begin()
    baton, log = Baton(seed, threads), Log()
    simulator.service.live.lock = NoLock() if race else BatonLock(baton)
    tasks = [
        lambda number=number: work(log, _in_process(simulator), number, seed, calls, shared)
        for number in range(threads)
    ]
    with pauses(baton.point):
        baton.run(tasks)
    return list(problems(simulator, log, initial, rooms))


def over_a_socket(seed: int, threads: int = 4, calls: int = 20, *, race: bool = False) -> list[str]:
    """The problems of a history of threads over sockets, and of one in the process of the server beside them.

    With a planted race the calls of the one and of the others overlap for as long as both are made.
    """
    simulator, shared, initial, rooms = _begin()
    log, overlap = Log(), Overlap()
    if race:
        simulator.service.live.lock = NoLock()

    def beside() -> None:
        try:
            work(log, _in_process(simulator), threads - 1, seed, calls, shared)
        finally:
            overlap.end()

    with simulator.serve() as server, pauses(overlap.point if race else lambda: time.sleep(0)):
        running = [
            threading.Thread(target=_client, args=(log, server.port, number, seed, calls, shared), daemon=True)
            for number in range(threads - 1)
        ]
        inside = threading.Thread(target=beside, daemon=True)
        for each in (*running, inside):
            each.start()
        for each in running:
            each.join()
        overlap.end()
        inside.join()
    return list(problems(simulator, log, initial, rooms))


def _client(log: Log, port: int, number: int, seed: int, calls: int, shared: Sequence[str]) -> None:
    connection = HTTPConnection("127.0.0.1", port)

    def send(operation: str, token: str | None, body: Any = None, **arguments: str) -> tuple[int, Any]:
        method, path = _ROUTES[operation]
        headers = {"Content-Type": "application/json"} | ({} if token is None else {"Authorization": f"Bearer {token}"})
        raw = None if body is None else json.dumps(body)
        connection.request(method, "/v1_0" + path.format(**arguments), raw, headers)
        response = connection.getresponse()
        content = response.read()
        return response.status, json.loads(content) if content else None

    work(log, send, number, seed, calls, shared)
    connection.close()
