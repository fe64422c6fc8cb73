"""The clock in the control plane."""

from __future__ import annotations

import pytest

START = 1_769_904_000_000
MINUTE = 60_000


def reserve(sim, handle="Free Handle"):
    """Hold a handle for fifteen minutes: the one timer of these tests."""
    assert sim.call("reserve_handle", "demo-user", body={"handle": handle}).ok


def test_the_clock_tells_what_it_shows(plane):
    """A fixed clock shows its instant and stands."""
    assert plane("GET", "/clock") == (200, {"now": START, "frozen": True, "rate": 1})


def test_advancing_by_a_duration_lets_things_fall_due(plane, sim):
    """What falls due on the way is told with its own instant, and has happened."""
    reserve(sim)
    status, moved = plane("POST", "/clock/advance", {"by": "20m"})
    assert (status, moved["now"]) == (200, START + 20 * MINUTE)
    assert [(each["at"], each["what"]) for each in moved["fired"]] == [(START + 15 * MINUTE, "handle reservation")]


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
    assert [each["now"] for each in seen] == [START + 15 * MINUTE, START + 16 * MINUTE, START + 16 * MINUTE]
    assert [len(each["fired"]) for each in seen] == [1, 1, 0]


@pytest.mark.parametrize("to", [START + MINUTE, "2026-02-01T00:01:00Z", "2026-02-01T01:01:00+01:00"])
def test_the_clock_is_set_in_either_spelling(plane, to):
    """Epoch milliseconds and ISO 8601 with any offset name the same instant."""
    assert plane("POST", "/clock/set", {"to": to}) == (200, {"now": START + MINUTE, "fired": []})


def test_setting_the_clock_forward_fires_and_back_does_not_undo(plane, sim):
    """What fell due stays so when the clock is put back."""
    reserve(sim)
    assert len(plane("POST", "/clock/set", {"to": START + 60 * MINUTE})[1]["fired"]) == 1
    before = sim.service.world
    assert plane("POST", "/clock/set", {"to": START})[1] == {"now": START, "fired": []}
    assert sim.service.world is before


def test_a_clock_runs_after_resume_and_stands_after_freeze(plane, sim):
    """Freezing and resuming keep the instant it shows."""
    plane("POST", "/clock/resume")
    assert plane("GET", "/clock")[1]["frozen"] is False
    assert START <= sim.clock.now < START + MINUTE
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
def test_a_wrong_advance_is_told(plane, body):
    """Unknown durations, words and fields are problems, and the clock stays."""
    status, problem = plane("POST", "/clock/advance", body)
    assert (status, problem["status"]) == (400, 400)
    assert problem["detail"]
    assert plane("GET", "/clock")[1]["now"] == START


@pytest.mark.parametrize("to", [None, "yesterday", "2026-02-01T00:00:00", -5, 1.5, [], True, "9" * 400, 10**400])
def test_a_wrong_instant_is_told(plane, to):
    """An instant without an offset, or that is none, is a problem."""
    assert plane("POST", "/clock/set", {"to": to})[0] == 400


@pytest.mark.parametrize("by", ["9" * 30 + "w", 10**40])
def test_a_duration_beyond_all_time_is_told(plane, by):
    """Durations that lead out of what the clock can show are problems too."""
    assert plane("POST", "/clock/advance", {"by": by})[0] == 400
