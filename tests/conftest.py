"""What every test may use."""

from __future__ import annotations

import pytest

from confsim import Simulator

PARTNER = "11111111-1111-4111-8111-111111111111"
CUSTOMER = "22222222-2222-4222-8222-222222222222"
OTHER = "33333333-3333-4333-8333-333333333333"
ROOM = "aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa"
EVENT_ROOM = "bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb"

#: Ids of the demo world, by the names that tests give them.
IDS = {"partner": PARTNER, "customer": CUSTOMER, "other": OTHER, "room": ROOM, "event_room": EVENT_ROOM}


@pytest.fixture
def sim() -> Simulator:
    """The demo world, its clock standing still."""
    return Simulator(clock="2026-02-01T00:00:00Z")


@pytest.fixture
def ids() -> dict[str, str]:
    """Ids of the demo world."""
    return IDS


@pytest.fixture
def people(sim: Simulator) -> dict[str, int]:
    """User ids of the demo world by token."""
    from confsim.domain.credentials import CREDENTIALS

    credentials = CREDENTIALS.seen(sim.service.world)
    return {each.value: each.user for each in credentials if each.user is not None}
