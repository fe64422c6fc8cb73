"""Instants, and the clock of a world."""

from __future__ import annotations

import time
from datetime import datetime

import pytest

from confsim import Clock, Misuse
from confsim.service.clock import LATEST, instant, rate
from kit import START, START_MS


@pytest.mark.parametrize(
    "value", [datetime.fromisoformat(START), START_MS, START, "2026-02-01T02:00:00+02:00", "2026-02-01 00:00:00Z"]
)
def test_instants(value):
    """Epoch milliseconds, or ISO 8601 with an offset."""
    assert instant(value) == START_MS


@pytest.mark.parametrize(
    "value",
    ["", "now", "2026-02-01", "2026-02-01T00:00:00", datetime(2026, 2, 1), -1, True, None, 1.5, "2026-13-01T00:00:00Z"],
)
def test_what_is_no_instant(value):
    """Without an offset nobody knows which instant it is."""
    with pytest.raises(Misuse, match="no instant"):
        instant(value)


@pytest.mark.parametrize("value", ["1969-12-31T23:59:59Z", "0001-01-01T00:00:00+01:00", LATEST + 1, 10**400])
def test_what_no_clock_shows(value):
    """Before 1970 and after 9999, in either spelling, at its start too."""
    with pytest.raises(Misuse, match="1970 to 9999"):
        Clock(value)
    assert instant(LATEST) == LATEST


@pytest.mark.parametrize(("given", "read"), [(1, "1"), (2.0, "2"), (0.5, "0.5"), (10**6, "1000000"), (1e-9, "1e-09")])
def test_rates(given, read):
    """As they are, whole ones as integers."""
    assert repr(rate(given)) == read


@pytest.mark.parametrize("given", [0, -1, 10**6 + 1, True, "2", None, float("nan")])
def test_what_is_no_rate(given):
    """With the bounds of one."""
    with pytest.raises(Misuse, match="is no rate: a number above 0, at most 1000000"):
        rate(given)


def test_a_clock_follows_the_machine():
    """By default, plus what it was advanced by."""
    clock = Clock()
    before = int(time.time() * 1000)
    assert before <= clock.now() <= int(time.time() * 1000)
    clock.move(clock.now() + 1000)
    assert clock.now() >= before + 1000
    assert not clock.frozen


def test_a_fixed_clock_stands_until_it_is_moved():
    """And stands again where it was moved to."""
    clock = Clock(START)
    assert (clock.now(), clock.frozen) == (START_MS, True)
    clock.move(START_MS + 5)
    assert clock.now() == START_MS + 5


def test_resumed_and_frozen_again():
    """It runs on from what it showed, and stands at what it shows."""
    clock = Clock(START_MS)
    clock.resume()
    assert START_MS <= clock.now() < START_MS + 10_000
    clock.freeze()
    shown = clock.now()
    time.sleep(0.003)
    assert clock.now() == shown
    clock.resume()
    clock.resume()
    time.sleep(0.003)
    assert clock.now() > shown


def test_a_copy_goes_on_by_itself():
    """What happens to one, the other does not notice; each comes back to its own start."""
    clock = Clock(START_MS)
    clock.move(START_MS + 100)
    copy = clock.copy()
    copy.move(START_MS + 200)
    fresh = clock.fresh()
    assert (clock.now(), copy.now(), fresh.now()) == (START_MS + 100, START_MS + 200, START_MS)
    for each in (clock, copy, fresh):
        each.restart()
    assert (clock.now(), copy.now(), fresh.now()) == (START_MS, START_MS + 100, START_MS)


def test_a_running_clock_restarts_with_the_machine():
    """Moved and frozen, it comes back to the machine's time."""
    clock = Clock()
    clock.move(START_MS)
    clock.freeze()
    clock.restart()
    assert abs(clock.now() - time.time() * 1000) < 10_000
