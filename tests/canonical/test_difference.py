"""The difference of two worlds in words."""

from __future__ import annotations

from confsim import Simulator
from confsim.canonical.difference import difference
from confsim.canonical.form import FormLevel
from kit import OWNER, ROOM, START, USER, ok


def between(act, level=FormLevel.PASSED):
    """The lines of what acts change in the demo world, there and back."""
    sim = Simulator(clock=START)
    before, then = sim.service.world, sim.service.clock.now()
    act(sim)
    after, now = sim.service.world, sim.service.clock.now()
    there, back = difference(before, after, then, now, level), difference(after, before, now, then, level)
    assert bool(there) is bool(back)
    return there.lines(), back.lines()


def test_the_same_world_has_no_difference():
    """Worlds of two seeds that got the same calls differ in nothing."""
    sims = [Simulator(clock=START, seed=seed) for seed in (1, 2)]
    for sim in sims:
        ok(sim, "create_channel", OWNER, body={"name": "New"})
    one, other = (sim.service for sim in sims)
    found = difference(one.world, other.world, one.clock.now(), other.clock.now())
    assert not found
    assert found.lines() == []


def test_whole_records_come_first_then_fields():
    """Added records are named as people know them, and then the fields that differ, names in words."""

    def act(sim):
        ok(sim, "set_lobby_door", OWNER, uuid=ROOM, state="close")
        ok(sim, "add_operator", OWNER, uuid=ROOM, userId=1004)
        ok(sim, "reserve_handle", USER, body={"handle": "Neo"})

    there, back = between(act)
    assert there == [
        "added: host (channel 'Demo Room', user 'Uma User')",
        "added: reservation 'Neo'",
        "channel 'Demo Room': open was true, is false",
        "user 'Uma User': hosting was none, is operator",
        "timer set: handle reservation of reservation 'Neo', in 0:15:00",
    ]
    assert [line.partition(":")[0] for line in back] == [
        *("removed", "removed", "channel 'Demo Room'", "user 'Uma User'", "timer cancelled"),
    ]


def test_several_that_are_called_alike_stand_once():
    """Two sessions of one room are one line with their number, and ids never show."""

    def act(sim):
        for _ in range(2):
            sim.presence.join(ROOM, USER)
            sim.presence.leave(ROOM, 1004)

    there, _ = between(act)
    assert "added: 2 times session 'Demo Room'" in there
    assert not any(ROOM[:8] in line for line in there)
    assert between(act, FormLevel.PRESENT) == ([], [])


def test_instants_are_past_or_relative():
    """A field that holds an instant says when, from now."""
    sim = Simulator(clock=START)
    ok(sim, "reserve_handle", USER, body={"handle": "Neo"})
    before, then = sim.service.world, sim.service.clock.now()
    sim.clock.advance("5m")
    ok(sim, "reserve_handle", USER, body={"handle": "Neo"})
    found = difference(before, sim.service.world, then, sim.service.clock.now())
    assert not found, found.lines()
    sim.clock.advance("5m")
    found = difference(before, sim.service.world, then, sim.service.clock.now())
    assert "reservation 'Neo': expires was in 0:15:00, is in 0:10:00" in found.lines()
