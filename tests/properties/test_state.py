"""Whatever has happened: states go out and in as the same bytes, a reset is complete, and a kill loses nothing."""

from __future__ import annotations

import random
import signal
import tempfile
import threading
from contextlib import contextmanager, suppress
from http.client import HTTPConnection, HTTPException
from pathlib import Path

import msgspec
import pytest
from hypothesis import strategies as st
from hypothesis.stateful import rule, run_state_machine_as_test
from jsonschema import Draft202012Validator

from confsim import Simulator
from confsim.service.durable import recorder
from confsim.service.files import state
from confsim.testing import ApiJourney, api_journey
from confsim.testing.targets import Core, Url, Wsgi
from kit import CUSTOMER, START
from kit.budgets import quick
from kit.processes.commands import serving

pytestmark = pytest.mark.own_ways

NEW = state.document(Simulator().service.world)


def goes_out_and_in(simulator):
    """Export, import and export give the same bytes."""
    first = state.document(simulator.service.world)
    there = state.world_of(msgspec.json.decode(first))
    assert state.document(there) == first
    assert there.digest() == simulator.service.world.digest()


def is_reset(simulator):
    """After a reset the world is a new one to the byte, and the journal is empty."""
    simulator.reset()
    assert state.document(simulator.service.world) == NEW
    assert list(simulator.service.journal) == []


def test_a_world_in_which_a_lot_has_happened(lived):
    """A walk through the whole catalogue leaves something of every kind behind, as the schema of states says."""
    goes_out_and_in(lived)
    document = lived.state
    assert len(document["tables"]) > 20
    Draft202012Validator(msgspec.json.decode(state.schema())).validate(document)
    other = lived.fork()
    other.service.history.recover(lived.service.history.origin, {})
    is_reset(other)


class Crashing(ApiJourney):
    """A journey whose world is stored in a directory, and whose process dies again and again."""

    def targets(self):
        """The core, in a directory of its own."""
        self.folder = tempfile.TemporaryDirectory()
        self.place = Path(self.folder.name)
        return (Core(self.started()),)

    def started(self):
        """A simulator that goes on with what the directory holds."""
        simulator = Simulator(clock=START)
        self.stored = simulator.keep_in(self.place)
        return simulator

    @rule()
    def crash(self):
        """The process dies, and the next goes on as if nothing had been."""
        before = self.driven[0].simulator.service
        self.stored._release()
        self.driven = (Core(self.started()),)
        after = self.driven[0].simulator.service
        assert after.world.digest() == before.world.digest()
        assert after.clock.values() == before.clock.values()

    def teardown(self):
        """What holds after every journey."""
        self.crash()
        goes_out_and_in(self.driven[0].simulator)
        is_reset(self.driven[0].simulator)
        self.crash()
        self.stored._release()
        self.folder.cleanup()
        super().teardown()


def test_journeys_survive_crashes_and_end_in_a_complete_reset(monkeypatch):
    """Random histories over the whole API, with small bases, so that both bases and logs are read."""
    monkeypatch.setattr(recorder, "LEAST", 4000)
    run_state_machine_as_test(api_journey(Crashing), settings=quick(3, stateful_step_count=40))


class Resetting(ApiJourney):
    """A journey side by side in the core, WSGI and a socket, with snapshots, faults and a clock of any pace on the way.

    At its end each way is reset through its own control plane, and gives the state of a new world to the byte.
    """

    def targets(self):
        """The three ways in, each with a world of its own."""
        self.serving = Simulator(clock=START).serve()
        self.serving.start()
        return Core(Simulator(clock=START)), Wsgi(Simulator(clock=START)), Url(self.serving.root)

    @rule(name=st.sampled_from("ab"))
    def keep(self, name):
        """Snapshots stay after a reset, and change nothing of it."""
        self.control("take_snapshot", name=name)

    @rule(name=st.sampled_from("ab"))
    def restore(self, name):
        """Back to one, where there is one."""
        self.control("restore_snapshot", name)

    @rule()
    def let_fail(self):
        """Faults go with a reset."""
        self.control("clear_faults")
        assert self.control("add_fault", operation="*", on=3, do={"status": 503}).ok
        assert self.control("add_fault", thing="mail", times="always", do="lost").ok

    @rule(to=st.sampled_from(["2020-01-01T00:00:00Z", "2030-01-01T00:00:00Z"]))
    def set_clock(self, to):
        """Any instant, before the start of the world too."""
        self.control("set_clock", to=to)

    @rule()
    def reset(self):
        """In the middle of everything."""
        self.is_new()

    def call(self, operation, caller=None, **arguments):
        """A call, which faults may answer with 503."""
        outcomes = [target.call(operation, caller, **arguments) for target in self.driven]
        self._compare(f"{operation} by {caller} with {arguments}", outcomes)
        assert outcomes[0].status in {*range(500), 503}
        return outcomes[0]

    def is_new(self):
        """After a reset: state, clock, journal, faults, mail and deliveries of a new world, whatever there was."""
        for target in self.driven:
            assert target.control("reset_world").ok
            assert msgspec.json.encode(target.control("get_state").body) == msgspec.json.encode(FRESH)
            assert target.control("get_clock").body == {"now": AT, "frozen": True, "rate": 1}
            for empty in ("list_requests", "list_faults", "list_mail", "list_deliveries"):
                assert target.control(empty).body == [], empty

    def teardown(self):
        """What holds after every journey."""
        self.is_new()
        super().teardown()
        self.serving.stop()


FRESH = msgspec.json.decode(NEW)
AT = Simulator(clock=START).clock.now


def test_a_reset_is_complete_over_every_way():
    """Random histories over the whole API and the control plane, in core, WSGI and socket alike."""
    run_state_machine_as_test(api_journey(Resetting), settings=quick(3, stateful_step_count=25))


# A server that is killed under load

KILLS = 3


def step(number):
    """The call of this number, each of which changes the world: method, path and body."""
    turn = number % 5
    if turn == 0:
        return "POST", "/_confsim/clock/advance", {"by": "4m"}
    if turn == 1:
        return "POST", "/v1_0/users/handle/reserve", {"handle": f"Handle {number}"}
    if turn == 2:
        return "POST", "/v1_0/terms", {"url": f"https://terms.example/{number}"}
    if turn == 3:
        return "POST", "/_confsim/users", {"clientId": CUSTOMER, "handle": f"Person {number}"}
    return "POST", "/v1_0/channels/create", {"name": f"Room {number}"}


class Load:
    """One client of one world: it calls step by step, and a twin in this process shows the expected state."""

    def __init__(self, mount):
        self.mount = mount
        self.twin = Simulator(clock=START)
        self.client = self.twin.client()
        self.digest = self.twin.service.world.digest()
        self.next = 0

    def run(self, port):
        """Call until the server dies; the calls that were answered also happen in the twin."""
        connection = HTTPConnection("127.0.0.1", port, timeout=30)
        with suppress(OSError, HTTPException):
            while True:
                method, path, body = step(self.next)
                headers = {"Authorization": "Bearer demo-api-token"}
                connection.request(method, self.mount + path, msgspec.json.encode(body), headers)
                answer = connection.getresponse()
                answer.read()
                self.take()
        connection.close()

    def take(self):
        """Let the next call happen in the twin."""
        method, path, body = step(self.next)
        headers = {"Authorization": "Bearer demo-api-token"}
        assert self.client.open(path, method=method, json=body, headers=headers).status_code == 200
        self.next += 1

    def check(self, port):
        """The world is as after the last answered call, or as after the one that was under way."""
        connection, found = HTTPConnection("127.0.0.1", port, timeout=30), []
        for path in ("clock", "state/digest"):
            connection.request("GET", f"{self.mount}/_confsim/{path}")
            found.append(msgspec.json.decode(connection.getresponse().read()))
        connection.close()
        if found != self.state():
            self.take()
        assert found == self.state()

    def state(self):
        """The clock of the twin, which its world does not have, and the digest of the world."""
        return [self.client.get(f"/_confsim/{path}").json for path in ("clock", "state/digest")]


@contextmanager
def served(place):
    """A server of the directory until it is killed; yields the process and its port."""
    with serving("--state", place, "--clock", START, "--frozen", end=signal.SIGKILL) as (process, _, root):
        yield process, int(root.rpartition(":")[2])


def test_a_server_killed_under_load_loses_no_answered_call(tmp_path):
    """SIGKILL at random moments: each world is as its last answered call left it, or one call further."""
    chance = random.Random(20260201)
    loads = [Load(""), Load("/w/w1")]
    with served(tmp_path) as (_, port):
        connection = HTTPConnection("127.0.0.1", port, timeout=30)
        connection.request("POST", "/_confsim/worlds", b'{"name":"w1"}')
        assert connection.getresponse().status == 200
        connection.close()
    for _ in range(KILLS):
        with served(tmp_path) as (process, port):
            for load in loads:
                load.check(port)
            callers = [threading.Thread(target=load.run, args=(port,)) for load in loads]
            for caller in callers:
                caller.start()
            callers[0].join(chance.uniform(0.01, 0.2))
            process.send_signal(signal.SIGKILL)
            for caller in callers:
                caller.join()
    with served(tmp_path) as (_, port):
        for load in loads:
            load.check(port)
    assert min(load.next for load in loads) > KILLS
