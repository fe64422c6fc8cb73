"""Many worlds on one server, called all at once: each is as if it were alone, to the last byte.

Every world has a twin in the process of the caller: a simulator of the same seed, to which nothing but the same calls
happen. In the end world and twin must have the same digest, and the journals the same calls.
"""

from __future__ import annotations

import random
import threading
from http.client import HTTPConnection
from typing import Any

import msgspec

from confsim import Simulator

CLOCK = "2026-02-01T00:00:00Z"
CLIENT = "22222222-2222-4222-8222-222222222222"
TOKEN = {"Authorization": "Bearer demo-api-token", "Content-Type": "application/json"}


class Connection:
    """A connection to the server that the worlds stand on."""

    def __init__(self, port: int) -> None:
        self._connection = HTTPConnection("127.0.0.1", port, timeout=60)

    def ask(self, method: str, path: str, body: object = None) -> Any:
        """One request; answers the JSON of what must be a success."""
        self._connection.request(method, path, None if body is None else msgspec.json.encode(body), TOKEN)
        answer = self._connection.getresponse()
        raw = answer.read()
        if answer.status != 200:
            raise AssertionError(f"{method} {path}: {answer.status} {raw!r}")
        return msgspec.json.decode(raw) if raw else None

    def __enter__(self) -> Connection:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()


class Member:
    """One world: what is asked of it, and how often."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.name = f"w{number}"
        self.chance = random.Random(number)
        self.done: list[tuple[str, str, object]] = []

    def next(self) -> tuple[str, str, object]:
        """The next call, which no other world sees in this order."""
        count = len(self.done)
        call = self.chance.choice(
            (
                ("POST", "/v1_0/channels/create", {"name": f"Room {count} of {self.name}"}),
                ("POST", "/v1_0/terms", {"url": f"https://terms.example/{self.name}/{count}"}),
                ("GET", "/v1_0/channels", None),
                ("POST", "/_confsim/users", {"clientId": CLIENT, "handle": f"Person {count} of {self.name}"}),
                ("POST", "/_confsim/clock/advance", {"by": f"{self.chance.randint(1, 90)}m"}),
                ("POST", "/_confsim/snapshots", {"name": "saved"}),
            )
        )
        self.done.append(call)
        return call

    def check(self, connection: Connection) -> None:
        """The world is as its twin."""
        twin = Simulator(seed=self.number, clock=CLOCK)
        client = twin.client()
        for method, path, body in self.done:
            client.open(path, method=method, json=body, headers=TOKEN)
        mount = f"/w/{self.name}/_confsim"
        theirs = [(each["at"], each["path"].removeprefix(f"/w/{self.name}"), each["answer"]) for each in
                  connection.ask("GET", f"{mount}/requests")]  # fmt: skip
        assert theirs == [(each.at, each.path, each.answer) for each in twin.requests], self.name
        assert connection.ask("GET", f"{mount}/clock")["now"] == twin.clock.now, self.name
        assert connection.ask("GET", f"{mount}/state/digest")["digest"] == twin.service.world.digest(), self.name


def make(port: int, count: int) -> list[Member]:
    """So many worlds, each with a seed of its own."""
    members = [Member(number) for number in range(1, count + 1)]
    with Connection(port) as connection:
        for member in members:
            connection.ask("POST", "/_confsim/worlds", {"name": member.name, "seed": member.number})
    return members


def load(port: int, members: list[Member], calls: int, threads: int) -> int:
    """Call them all from as many threads, in turns that chance gives; answers how many calls there were."""
    failures: list[BaseException] = []

    def work(place: int) -> None:
        turns = [member for member in members[place::threads] for _ in range(calls)]
        random.Random(place).shuffle(turns)
        try:
            with Connection(port) as connection:
                for member in turns:
                    method, path, body = member.next()
                    connection.ask(method, f"/w/{member.name}{path}", body)
        except BaseException as failure:
            failures.append(failure)

    workers = [threading.Thread(target=work, args=(place,)) for place in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    if failures:
        raise failures[0]
    return sum(len(member.done) for member in members)


def check(port: int, members: list[Member]) -> None:
    """Every world is as its twin, and the one at the root as new."""
    with Connection(port) as connection:
        for member in members:
            member.check(connection)
        assert (
            connection.ask("GET", "/_confsim/state/digest")["digest"] == Simulator(clock=CLOCK).service.world.digest()
        )
        assert connection.ask("GET", "/_confsim/requests") == []
