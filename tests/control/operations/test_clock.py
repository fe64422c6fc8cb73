"""The clock in the control plane."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import freezegun
import pytest
import time_machine

from confsim import Simulator
from confsim.service import clock
from kit import MINUTE, START_MS


def reserve(sim, handle="Free Handle"):
    """Hold a handle for fifteen minutes: the one timer of these tests."""
    assert sim.call("reserve_handle", "demo-user", body={"handle": handle}).ok


def test_the_clock_tells_what_it_shows(plane):
    """A fixed clock shows its instant and stands."""
    assert plane("GET", "/clock") == (200, {"now": START_MS, "frozen": True, "rate": 1})


def test_advancing_by_a_duration_lets_things_fall_due(plane, sim):
    """What falls due on the way is listed with its own instant, and has happened."""
    reserve(sim)
    status, moved = plane("POST", "/clock/advance", {"by": "20m"})
    assert (status, moved["now"]) == (200, START_MS + 20 * MINUTE)
    assert [(each["at"], each["what"]) for each in moved["fired"]] == [(START_MS + 15 * MINUTE, "handle reservation")]


@pytest.mark.rule("R095")
@pytest.mark.parametrize(("by", "fired"), [(15 * MINUTE - 1, 0), (15 * MINUTE, 1)])
def test_a_thing_falls_due_at_its_instant_and_not_before(plane, sim, by, fired):
    """Fifteen minutes are over when they are over, to the millisecond."""
    reserve(sim)
    assert len(plane("POST", "/clock/advance", {"by": by})[1]["fired"]) == fired


def test_advancing_to_the_next_thing_stops_there(plane, sim):
    """The clock moves from one thing to the next, and not at all when nothing is due."""
    reserve(sim, "One")
    plane("POST", "/clock/advance", {"by": "1m"})
    reserve(sim, "Two")
    seen = [plane("POST", "/clock/advance", {"until": "next"})[1] for _ in range(3)]
    assert [each["now"] for each in seen] == [START_MS + 15 * MINUTE, START_MS + 16 * MINUTE, START_MS + 16 * MINUTE]
    assert [len(each["fired"]) for each in seen] == [1, 1, 0]


@pytest.mark.parametrize("by", ["15m", "PT15M", timedelta(minutes=15), 15 * MINUTE])
def test_every_duration_takes_a_timedelta_and_iso_8601(sim, by):
    """The clock, the life of a token, a timeout, and how long a world was idle."""
    reserve(sim)
    assert [each.at for each in sim.clock.advance(by)] == [START_MS + 15 * MINUTE]
    token = sim.token(1003, by)
    sim.clock.advance(15 * MINUTE - 1)
    assert sim.call("get_me", token).status == 200
    sim.clock.advance(1)
    assert sim.call("get_me", token).status == 401
    assert sim.wait(request={"operation": "get_me"}, timeout=timedelta(seconds=5))[0].status == 200
    assert sim.worlds.infos(idle=by) == []
    sim.clock.set(datetime.fromtimestamp(START_MS / 1000, UTC))
    assert sim.clock.now == START_MS


@pytest.mark.parametrize("to", [START_MS + MINUTE, "2026-02-01T00:01:00Z", "2026-02-01T01:01:00+01:00"])
def test_the_clock_is_set_in_either_spelling(plane, to):
    """Epoch milliseconds and ISO 8601 with any offset name the same instant."""
    assert plane("POST", "/clock/set", {"to": to}) == (200, {"now": START_MS + MINUTE, "fired": []})


def test_setting_the_clock_forward_fires_and_back_does_not_undo(plane, sim):
    """What fell due stays so when the clock is put back."""
    reserve(sim)
    assert len(plane("POST", "/clock/set", {"to": START_MS + 60 * MINUTE})[1]["fired"]) == 1
    before = sim.service.world
    assert plane("POST", "/clock/set", {"to": START_MS})[1] == {"now": START_MS, "fired": []}
    assert sim.service.world is before


def test_a_clock_runs_after_resume_and_stands_after_freeze(plane, sim):
    """Freezing and resuming keep the instant it shows."""
    plane("POST", "/clock/resume")
    assert plane("GET", "/clock")[1]["frozen"] is False
    assert START_MS <= sim.clock.now < START_MS + MINUTE
    frozen = plane("POST", "/clock/freeze")[1]["now"]
    assert plane("GET", "/clock")[1] == {"now": frozen, "frozen": True, "rate": 1}


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"by": "15 parsecs"},
        {"by": -1},
        {"by": True},
        {"by": ""},
        {"by": "1m", "until": "next"},
        {"until": "later"},
        {"by": None},
        {"to": "1m"},
        {"by": "15m", "at": 1},
    ],
)
def test_a_wrong_advance_is_reported(plane, body):
    """Unknown durations, words and fields are problems, and the clock stays."""
    status, problem = plane("POST", "/clock/advance", body)
    assert (status, problem["status"]) == (400, 400)
    assert problem["detail"]
    assert plane("GET", "/clock")[1]["now"] == START_MS


@pytest.mark.parametrize("to", [None, "yesterday", "2026-02-01T00:00:00", -5, 1.5, [], True, "9" * 400, 10**400])
def test_a_wrong_instant_is_reported(plane, to):
    """An instant without an offset, or that is none, is a problem."""
    assert plane("POST", "/clock/set", {"to": to})[0] == 400


@pytest.mark.parametrize("by", ["9" * 30 + "w", 10**40])
def test_a_duration_beyond_all_time_is_reported(plane, by):
    """Durations that lead out of what the clock can show are problems too."""
    assert plane("POST", "/clock/advance", {"by": by})[0] == 400


# A multiple of real time


@pytest.fixture
def machine(monkeypatch):
    """The machine's time, which passes when a test lets it: seconds since the epoch."""

    class Machine:
        at = 1_800_000_000.0

        def time(self):
            return self.at

    machine = Machine()
    monkeypatch.setattr(clock, "time", machine)
    return machine


def test_a_clock_runs_at_a_multiple(plane, machine):
    """From the instant it shows, standing or running; the rate is shown, and slow motion is one too."""
    assert plane("POST", "/clock/run", {"rate": 60}) == (200, {"now": START_MS, "fired": []})
    machine.at += 2
    assert plane("GET", "/clock")[1] == {"now": START_MS + 2 * MINUTE, "frozen": False, "rate": 60}
    plane("POST", "/clock/run", {"rate": 0.5})
    machine.at += 2
    assert plane("GET", "/clock")[1] == {"now": START_MS + 2 * MINUTE + 1000, "frozen": False, "rate": 0.5}


def test_it_goes_on_at_its_rate_after_everything_else(plane, machine):
    """Frozen it stands and keeps the rate for when it is resumed; set and advanced it goes on from there."""
    plane("POST", "/clock/run", {"rate": 3600})
    plane("POST", "/clock/freeze")
    machine.at += 5
    assert plane("GET", "/clock")[1] == {"now": START_MS, "frozen": True, "rate": 3600}
    plane("POST", "/clock/resume")
    plane("POST", "/clock/advance", {"by": "1h"})
    machine.at += 1
    assert plane("GET", "/clock")[1]["now"] == START_MS + 120 * MINUTE
    plane("POST", "/clock/set", {"to": START_MS})
    machine.at += 1
    assert plane("GET", "/clock")[1]["now"] == START_MS + 60 * MINUTE


def test_things_fall_due_in_its_time(plane, sim, machine):
    """At sixty times the pace, fifteen minutes are over in fifteen seconds, each thing at its own instant."""
    plane("POST", "/clock/run", {"rate": 60})
    reserve(sim)
    machine.at += 14.75
    assert plane("GET", "/state")[1]["timers"]
    machine.at += 0.25
    assert plane("GET", "/state")[1]["timers"] == []


def test_a_snapshot_keeps_how_the_clock_went(plane, sim, machine):
    """Its instant, whether it stood, its rate; and a reset brings back those of the start."""
    plane("POST", "/snapshots", {"name": "standing"})
    plane("POST", "/clock/run", {"rate": 60})
    plane("POST", "/snapshots", {"name": "running"})
    machine.at += 10
    plane("POST", "/snapshots/standing/restore")
    assert plane("GET", "/clock")[1]["frozen"] is True
    plane("POST", "/snapshots/running/restore")
    machine.at += 1
    assert plane("GET", "/clock")[1] == {"now": START_MS + MINUTE, "frozen": False, "rate": 60}
    assert sim.fork().clock.rate == 60
    plane("POST", "/reset")
    assert plane("GET", "/clock")[1] == {"now": START_MS, "frozen": True, "rate": 1}


@pytest.mark.parametrize("rate", [0, -1, "fast", None, True, [], 1_000_001, 10**400])
def test_what_is_no_rate_is_reported(plane, rate):
    """Above nothing, at most a million; the clock stays as it is."""
    assert plane("POST", "/clock/run", {"rate": rate})[0] == 400
    assert plane("GET", "/clock")[1]["frozen"] is True


def test_no_clock_runs_out_of_time(plane, sim, machine):
    """It stops at the end of the year 9999, and calls are answered there."""
    plane("POST", "/clock/set", {"to": clock.LATEST - 10})
    plane("POST", "/clock/run", {"rate": 1_000_000})
    machine.at += 10
    assert plane("GET", "/clock")[1]["now"] == clock.LATEST
    assert sim.call("reserve_handle", "demo-user", body={"handle": "Late"}).ok


def test_a_clock_that_runs_in_python(sim, machine):
    """The same by name."""
    sim.clock.run(60)
    machine.at += 1
    assert (sim.clock.now, sim.clock.rate, sim.clock.frozen) == (START_MS + MINUTE, 60, False)
    sim.clock.freeze()
    sim.clock.run(1)
    machine.at += 1
    assert sim.clock.now == START_MS + MINUTE + 1000


@pytest.mark.parametrize("freezer", [freezegun.freeze_time, time_machine.travel])
def test_whoever_moves_the_machine_moves_the_clock(freezer):
    """freezegun and time-machine: the default clock at their pace, one at a multiple so many times as far."""
    sim = Simulator()
    fast = Simulator()
    with freezer("2027-01-01T00:00:00Z"):
        assert abs(sim.clock.now - 1_798_761_600_000) < 1000
        fast.clock.run(60)
        before = fast.clock.now
    with freezer("2027-01-01T01:00:00Z"):
        assert abs(sim.clock.now - 1_798_765_200_000) < 1000
        assert abs(fast.clock.now - before - 60 * 60 * MINUTE) < 120_000


def test_what_is_to_happen_is_listed_in_order(sim):
    """Each timer with its instant, its kind and what it concerns; a limit takes the next."""
    sim.call("reserve_handle", "demo-user", body={"handle": "first"})
    sim.clock.advance("1m")
    sim.call("reserve_handle", "demo-owner", body={"handle": "second"})
    timers = sim.control("list_timers")
    assert [each.at for each in timers] == sorted(each.at for each in timers)
    assert len(timers) == 2
    assert timers[1].at - timers[0].at == 60_000
    assert sim.control("list_timers", limit=1) == timers[:1]
    sim.clock.advance("1h")
    assert sim.control("list_timers") == []
