"""Journeys for the flip test: the scenarios that ship, walks through the catalogue, and what a suite of tests sends."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import msgspec
from msgspec.structs import replace

from confsim import Simulator
from confsim.api.catalogue import API
from confsim.arazzo import library, runner
from confsim.contract.annotations import fields_of, named, struct_of, without_none
from confsim.contract.operation import Operation
from confsim.control.scenarios import compile_scenario
from confsim.http.app import App
from confsim.service.files.profile import plain
from confsim.service.messages import Request, Response
from confsim.testing.populated import Populated, populate
from confsim.testing.samples import Arguments, IdPool, as_text, valid
from confsim.testing.targets import Core
from confsim.transport.address import address
from confsim.transport.wsgi import WsgiTransport
from kit import ADMIN, API_TOKEN, CUSTOMER, GUEST, OPERATOR, OTHER_ADMIN, OWNER, PARTNER, PARTNER_ADMIN, START, USER
from kit.catalogue_walk import walk
from kit.wire.through import through

from .flips import Journey, Start

#: Requests of a journey that are left out: they wait in real time, or keep the journal from being read.
_SKIPPED = ("/_confsim/wait", "/_confsim/clock/run", "/_confsim/clock/resume")


_CALLERS = (API_TOKEN, ADMIN, OWNER, OPERATOR, USER, GUEST, PARTNER_ADMIN, OTHER_ADMIN)


#: Operations that list what a client has.
_LISTS = tuple(each.name for each in API if each.name.startswith("list_") and not each.placeholders)


class Recorder:
    """Notes the requests that apps answer, by app, while it is installed."""

    def __init__(self) -> None:
        self.starts: WeakKeyDictionary[Simulator, Start | None] = WeakKeyDictionary()
        self.journeys: dict[int, tuple[Start, list[Request]]] = {}
        self._apps: list[App] = []

    @contextmanager
    def installed(self) -> Iterator[Recorder]:
        """Note what every app answers while the block runs, and what every simulator starts from."""
        make, answer, attach = Simulator.__init__, App.__call__, Simulator.app.fget
        assert attach is not None

        def made(simulator: Simulator, *given: Any, **named: Any) -> None:
            make(simulator, *given, **named)
            self.starts[simulator] = _start(simulator, *given, **named)

        def app(simulator: Simulator) -> App:
            found = attach(simulator)
            start = self.starts.get(simulator)
            if id(found) not in self.journeys and start is not None and len(simulator.service.journal) == 0:
                self._apps.append(found)
                self.journeys[id(found)] = start, []
            return found

        def answered(app: App, request: Request) -> Response:
            noted = self.journeys.get(id(app))
            if noted is not None and not any(part in request.target for part in _SKIPPED):
                noted[1].append(replace(request, headers=dict(request.headers)))
            return answer(app, request)

        Simulator.__init__, App.__call__, Simulator.app = made, answered, property(app)  # type: ignore
        try:
            yield self
        finally:
            Simulator.__init__, App.__call__, Simulator.app = make, answer, property(attach)  # type: ignore

    def take(self, name: str) -> list[Journey]:
        """The journeys noted so far, and forget them."""
        found = [Journey(name, start, tuple(requests)) for start, requests in self.journeys.values() if requests]
        self.journeys.clear()
        self._apps.clear()
        return found


def _start(
    simulator: Simulator,
    world: Any = "demo",
    seed: int = 0,
    clock: Any = None,
    profile: Any = None,
    scenario: Any = None,
    transport: Any = None,
) -> Start | None:
    """What a simulator starts from; None where no data says it all."""
    del clock, profile, transport
    if isinstance(world, Path) or (scenario is not None and not isinstance(scenario, str)):
        return None
    try:
        chosen = msgspec.json.decode(msgspec.json.encode(plain(simulator.service.profile)))
        return Start(world, seed, simulator.service.clock.now(), chosen, scenario)
    except (TypeError, ValueError, OverflowError):
        return None


def recorded(name: str, play: Callable[[], object]) -> list[Journey]:
    """The journeys of what ``play`` does with simulators, every call sent through their apps."""
    recorder = Recorder()
    with recorder.installed(), through("wsgi"):
        play()
    return recorder.take(name)


def scenario(name: str) -> Journey:
    """A scenario that ships, from the demo world."""

    def play() -> None:
        simulator = Simulator(clock=START)
        report = runner.run(compile_scenario(name, {}), WsgiTransport(simulator.wsgi))
        assert report.passed, report.failure

    (found,) = recorded(f"scenario {name}", play)
    return found


def scenarios() -> Iterator[Journey]:
    """Every scenario that ships."""
    return (scenario(name) for name in library.SHIPPED)


def births() -> Iterator[Journey]:
    """For each scenario that ships, and without one, a journey that looks at the world that begins after it."""
    pool = IdPool(Simulator(clock=START).service.world, CUSTOMER)
    looks = ("state/digest", "state", "mail", "webhooks/deliveries", "timers", "records")
    whole = [Request("GET", f"/_confsim/{look}") for look in looks]
    lists = [_asked(API[name], valid(API[name], pool), ADMIN) for name in _LISTS]
    for name in (None, *library.SHIPPED):
        yield Journey(f"born of {name}", Start(scenario=name), (*whole, *lists))


def catalogue_walk(seed: int) -> Journey:
    """Every operation, called with sample arguments by anyone who may, in the demo world."""

    def play() -> None:
        simulator = Simulator(clock=START, seed=seed)
        for _ in walk(simulator, CUSTOMER if seed % 2 == 0 else PARTNER, _CALLERS, (seed,)):
            pass

    (found,) = recorded(f"walk {seed}", play)
    return found


def by_everybody() -> Iterator[Journey]:
    """For each operation of the API a journey in which everybody calls it, and nobody."""
    pool = IdPool(Simulator(clock=START).service.world, CUSTOMER)
    for operation in API:
        arguments = [valid(operation, pool, sample) for sample in range(2)]
        asked = [_asked(operation, each, caller) for caller in (*_CALLERS, None) for each in arguments]
        yield Journey(f"everybody calls {operation.name}", Start(), tuple(asked))


def by_gates() -> Iterator[Journey]:
    """For each operation whose gate is an assumption a journey in which everybody calls it where it would succeed.

    There is something of every kind in the world, which is restored before each call; in the second half the channels
    are private.
    """
    simulator = Simulator(clock=START)
    known = populate(Core(simulator))
    pool, begin = IdPool(simulator.service.world, CUSTOMER), [*_stored(simulator, "open")]
    for channel in pool.list_ids("channels"):
        simulator.change_record("channel", channel, private=True)
    begin += _stored(simulator, "private")
    states = [Request("POST", f"/_confsim/snapshots/{name}/restore") for name in ("open", "private")]
    for operation in API:
        if operation.gate_entry is not None:
            given = fitting(operation, known, valid(operation, pool))
            calls = [_asked(operation, given, caller) for caller in (*_CALLERS, None)]
            each = [request for state in states for call in calls for request in (state, call)]
            yield Journey(f"everybody calls {operation.name} where it succeeds", Start(), (*begin, *each))


def _stored(simulator: Simulator, name: str) -> Iterator[Request]:
    """The requests that put the world of a simulator into force and keep it by a name."""
    state = simulator.app(Request("GET", "/_confsim/state")).body
    for method, target, body in (
        ("PUT", "/_confsim/state", state),
        ("POST", "/_confsim/snapshots", b'{"name": "%s"}' % name.encode()),
    ):
        yield Request(method, target, headers={"content-type": "application/json"}, body=body)


def _asked(operation: Operation, given: Arguments, caller: str | None) -> Request:
    body = None if given.body is None else given.raw()
    return address(operation, {**given.path, **given.query}, {}, body=body, token=caller).request


def fitting(operation: Operation, known: Populated, given: Arguments) -> Arguments:
    """Arguments that name what an operation needs in a populated world."""

    def text(name: str, kind: str | None, drawn: str) -> str:
        found = known.value(operation.name, name, kind)
        return drawn if found is None else as_text(found)

    kinds = {each.name: each.names for each in (*operation.path_parameters, *operation.query_parameters)}
    path = {name: text(name, kinds[name], drawn) for name, drawn in given.path.items()}
    query = {name: text(name, kinds[name], drawn) for name, drawn in given.query.items()}
    body = given.body
    if isinstance(body, dict) and operation.body is not None:
        struct = struct_of(operation.body.type)
        for field in fields_of(struct) if struct is not None else ():
            found = known.value(operation.name, field.encode_name, named(without_none(field.type))[1])
            if found is not None and field.encode_name in body:
                body[field.encode_name] = [found] if isinstance(body[field.encode_name], list) else found
    elif body is not None and operation.body is not None:
        kind = named(without_none(operation.body.type))[1]
        found = known.value(operation.name, "", kind)
        body = body if found is None else [found] if isinstance(body, list) else found
    return Arguments(path, query, body)


def distinct(journeys: Iterable[Journey]) -> list[Journey]:
    """The journeys without those that send what another does from the same start."""
    found = {
        (repr(each.start), repr([(r.method, r.target, r.query, r.body) for r in each.requests])): each
        for each in journeys
    }
    return list(found.values())


def store(journeys: list[Journey], path: Path) -> None:
    """Add journeys to a file, one a line."""
    with path.open("ab") as file:
        for each in journeys:
            file.write(msgspec.msgpack.encode(each).hex().encode() + b"\n")


def stored(path: Path) -> list[Journey]:
    """The journeys of a file."""
    decoder = msgspec.msgpack.Decoder(Journey)
    return [decoder.decode(bytes.fromhex(line.decode())) for line in path.read_bytes().splitlines()]
