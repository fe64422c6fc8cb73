"""The clock, the faults, the people and the start of a world, steered from the command line."""

from __future__ import annotations

import json

import pytest

from kit import OWNER, ROOM, ok
from kit.processes.commands import run

pytestmark = pytest.mark.own_ways


def line(*arguments):
    """Run a command that succeeds, and return its output without the last line end."""
    code, output, errors = run(*arguments)
    assert (code, errors) == (0, "")
    return output.rstrip("\n")


def test_the_clock_is_shown_and_moved(sim):
    """Each action prints the instant after it."""
    assert line("clock") == "2026-02-01T00:00:00.000Z, frozen"
    assert line("clock", "advance", "15m") == "2026-02-01T00:15:00.000Z"
    assert line("clock", "set", "2026-03-01T00:00:00Z") == "2026-03-01T00:00:00.000Z"
    line("clock", "run", "60")
    assert line("clock").endswith(", at rate 60")
    line("clock", "freeze")
    assert sim.clock.frozen
    line("clock", "resume")
    assert json.loads(line("clock", "--json"))["frozen"] is False


def test_timers_that_fire_are_listed(sim):
    """In order, each at its own instant."""
    ok(sim, "reserve_handle", OWNER, body={"handle": "Neo"})
    first, last = line("clock", "next").splitlines()
    assert first.startswith("2026-02-01T00:15:00.000Z  ")
    assert last == "2026-02-01T00:15:00.000Z"


def test_faults_are_added_listed_and_removed(sim):
    """Of operations, of all of them, and of things, with their numbers and properties."""
    assert line("fault") == "no faults"
    line("fault", "add", "create_channel", "status=503", "--times", "2", "--on", "3", "--match", "caller=1002")
    line("fault", "add", "*", "real=10", "--times", "always")
    line("fault", "add", "webhook", "lost")
    line("fault", "add", "recording", "outcome=late", "by=1h")
    assert [(each.operation or each.thing, each.do, each.times, each.on) for each in sim.faults] == [
        ("create_channel", {"status": 503}, 2, 3),
        ("*", {"real": 10}, "always", 1),
        ("webhook", "lost", 1, 1),
        ("recording", {"outcome": "late", "by": "1h"}, 1, 1),
    ]
    assert sim.faults[0].match == {"caller": 1002}
    listed = line("fault").splitlines()
    assert listed[1].split() == ["f1", "create_channel", '{"status":503}', '{"caller":1002}', "0", "of", "2"]
    assert [each["id"] for each in json.loads(line("fault", "--json"))] == ["f1", "f2", "f3", "f4"]
    line("fault", "remove", "f2")
    assert line("fault", "clear") == "no faults"


def test_somebody_joins_a_channel(sim):
    """By role, token or id; the answer says whether they are in or wait."""
    assert json.loads(line("join", ROOM, "--as", "owner"))["state"] == "in"
    assert json.loads(line("join", ROOM, "--as", "1004"))["state"] in ("in", "waiting")
    assert {each.userId for each in sim.control("list_presence", channel=ROOM)} == {1002, 1004}


def test_a_world_is_reset(sim):
    """Its records, its clock and its journal."""
    ok(sim, "create_channel", OWNER, body={"name": "Gone"})
    sim.clock.advance("1h")
    assert line("reset").endswith("is as at its start, 2026-02-01T00:00:00.000Z")
    assert len(sim.requests) == 0
