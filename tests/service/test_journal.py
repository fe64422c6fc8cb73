"""The journal keeps the last calls, and what all of them leaned on."""

from __future__ import annotations

import pytest

URL = {"url": "https://terms.example/new"}


@pytest.fixture
def short(sim):
    """A journal that keeps three entries."""
    sim.requests.most = 3


def test_the_oldest_go_first(sim, short):
    """Ids count on over those that are gone."""
    for _ in range(5):
        sim.call("get_user_terms", "demo-user")
    assert [entry.id for entry in sim.service.journal] == ["r3", "r4", "r5"]


def test_what_they_leaned_on_stays(sim, short):
    """Also of entries that are gone, until the journal is cleared."""
    sim.call("update_terms_url", "demo-api-token", body=URL)
    for _ in range(5):
        sim.call("get_user_terms", "demo-user")
    assert "encode.empty" in sim.assumptions_used
    sim.service.journal.clear()
    assert sim.assumptions_used == []


def test_an_entry_keeps_the_worlds_around_its_call(sim):
    """Before and after; the same world where nothing changed."""
    sim.call("get_user_terms", "demo-user")
    sim.call("update_terms_url", "demo-api-token", body=URL)
    sim.call("update_terms_url", "demo-user", body=URL)
    read, wrote, refused = sim.service.journal
    assert read.before is read.after is wrote.before
    assert wrote.after is refused.before is refused.after is sim.service.world
    assert wrote.before is not wrote.after


def test_iterating_is_not_disturbed_by_new_entries(sim):
    """Whoever reads sees what was there."""
    sim.call("get_user_terms", "demo-user")
    for _ in sim.service.journal:
        sim.call("get_user_terms", "demo-user")
    assert len(sim.service.journal) == 2
