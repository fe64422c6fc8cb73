"""The journal keeps the last calls, and what all of them relied on."""

from __future__ import annotations

import msgspec
import pytest

from confsim.api.catalogue import API
from confsim.pytest_plugin.entries import SeenCalls
from confsim.service import journal
from confsim.service.entries import ControlCall
from confsim.service.journal import Journal
from confsim.service.messages import Request, Response
from confsim.testing.samples import IdPool, valid
from kit import CUSTOMER
from kit.catalogue_walk import call

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
    assert sim.assumptions_used == sorted(sim.service.start_assumptions)


def test_large_bodies_push_the_oldest_out(sim, monkeypatch):
    """Calls of small bodies cost nothing of it; the newest call stays however large it is; orders go likewise."""
    monkeypatch.setattr(journal, "HEAVIEST", 250_000)
    sim.call("update_terms_url", "demo-api-token", body=URL)
    for number in range(2, 6):
        sim.call("get_user_terms", "demo-user")
        sim.call("update_terms_url", "demo-api-token", body=b"x" * 100_000)
        assert next(entry.id for entry in sim.service.journal) == ("r1" if number < 4 else f"r{2 * number - 4}")
    sim.call("update_terms_url", "demo-api-token", body=b"x" * 300_000)
    assert [entry.id for entry in sim.service.journal] == ["r10"]
    assert "encode.empty" in sim.assumptions_used
    for size in (10, 100_000, 100_000, 100_000):
        sim.service.journal.add_control_call(ControlCall(0, 0, "put_state", (), b"x" * size))
    assert [len(each.body) for each in sim.service.journal.control_calls] == [100_000, 100_000]


@pytest.mark.parametrize("name", [each.name for each in API if each.route_entry is not None])
def test_a_call_without_a_documented_route_leans_on_its_route(sim, name):
    """Whether it succeeds or not, over HTTP or not."""
    call(sim, API[name], None, valid(API[name], IdPool(sim.service.world, CUSTOMER)))
    assert f"route.{name}" in sim.service.journal.last().assumptions


@pytest.mark.parametrize(
    ("path", "used", "unused"),
    [
        ("/users/me", {"auth.presentation", "route.prefix", "encode.absent"}, set()),
        ("/languages", {"auth.presentation", "route.prefix"}, {"encode.absent"}),
        (f"/clients/{CUSTOMER}/terms", {"route.prefix"}, {"auth.presentation", "encode.absent"}),
        ("/openapi.json", set(), {"auth.presentation", "route.prefix"}),
    ],
)
def test_what_a_request_uses(sim, path, used, unused):
    """The assumptions about its token, its path, and the text for an option without a value."""
    assert sim.client("demo-user").get(path).status_code == 200
    found = set(sim.service.journal.last().assumptions)
    assert used <= found
    assert not unused & found


def test_an_entry_keeps_the_worlds_around_its_call(sim):
    """Before and after; the same world where nothing changed."""
    sim.call("get_user_terms", "demo-user")
    sim.call("update_terms_url", "demo-api-token", body=URL)
    sim.call("update_terms_url", "demo-user", body=URL)
    read, wrote, refused = sim.service.journal
    assert read.before is read.after is wrote.before
    assert wrote.after is refused.before is refused.after is sim.service.world
    assert wrote.before is not wrote.after


def test_an_entry_is_complete_when_it_is_added(sim):
    """Observers see all of it: timers before it, faults left after it, the final response. It is never changed."""
    entries = []
    sim.service.live.observers.add(SeenCalls(entries))
    sim.faults.add("get_me", times=3, do={"status": 503})
    sim.call("reserve_handle", "demo-user", body={"handle": "somebody"})
    sim.clock.advance("1h")
    sim.client("demo-user").get("/users/me")
    sim.service.pipeline.unrouted(Request("GET", "/streaming/x"), Response(101, []), handshake=True)
    assert entries == list(sim.service.journal)
    seen = [msgspec.structs.asdict(entry) for entry in entries]
    assert [each["handshake"] for each in seen] == [False, False, True]
    assert [len(each["fired"]) for each in seen] == [0, 1, 0]
    assert [[left.times for left in each["remaining_faults"]] for each in seen] == [[3], [2], [2]]
    assert "Date" in dict(seen[1]["response"].headers)
    with pytest.raises(AttributeError, match="immutable"):
        sim.service.journal.last().handshake = False


def test_iterating_is_not_disturbed_by_new_entries(sim):
    """Anyone who reads sees what was there."""
    sim.call("get_user_terms", "demo-user")
    for _ in sim.service.journal:
        sim.call("get_user_terms", "demo-user")
    assert len(sim.service.journal) == 2


def test_a_journal_that_is_empty():
    """It knows no id, has been restarted never, and takes a thousand calls."""
    empty = Journal()
    assert (len(empty), empty.last(), empty.find("r1")) == (0, None, None)
    assert (empty.epoch, empty.count, empty.most) == (0, 0, 1000)
    empty.restart()
    assert empty.epoch == 1
    empty.continue_from(7)
    assert (empty.next_id(), empty.next_id()) == ("r7", "r8")


def test_entries_are_found_and_removed_by_their_ids(sim):
    """What is removed is found no longer; ids that are not there are not counted."""
    for _ in range(4):
        sim.call("get_user_terms", "demo-user")
    entries = {entry.id: entry for entry in sim.service.journal}
    assert all(sim.service.journal.find(id) is entry for id, entry in entries.items())
    assert sim.service.journal.find("r9") is None
    assert sim.service.journal.forget({"r1", "r3", "r9"}) == 2
    assert [entry.id for entry in sim.service.journal] == ["r2", "r4"]
    assert sim.service.journal.find("r3") is None
    assert sim.service.journal.find("r2") is entries["r2"]


def test_large_bodies_of_256_mib_are_stored():
    """Together; one byte more pushes the oldest out. Those of 64 KiB and less are not counted."""
    part, full = bytes(16 << 20), Journal()
    for body in (b"x" * (64 << 10), *[part] * 15, part[: -(64 << 10) - 1]):
        full.add_control_call(ControlCall(0, 0, "put_state", (), body))
    full.add_control_call(ControlCall(0, 0, "put_state", (), b"x" * ((64 << 10) + 1)))
    assert len(full.control_calls) == 18
    full.add_control_call(ControlCall(0, 0, "put_state", (), b"x" * ((64 << 10) + 1)))
    assert len(full.control_calls) == 17


def test_a_journal_knows_how_many_calls_it_has_dropped(sim, short):
    """Calls that were evicted count, by number or by size; calls that somebody removed do not."""
    kept = sim.service.journal
    assert kept.dropped == 0
    for _ in range(5):
        sim.call("get_user_terms", "demo-user")
    assert kept.dropped == 2
    sim.requests.forget("r4")
    assert kept.dropped == 2
    sim.requests.forget("r3")
    assert ([each.id for each in kept], kept.dropped) == (["r5"], 2)
    sim.requests.clear()
    assert kept.dropped == 0
    for _ in range(4):
        sim.call("get_user_terms", "demo-user")
    assert kept.dropped == 1
    sim.requests.most = 0
    sim.call("get_user_terms", "demo-user")
    assert (len(kept), kept.dropped) == (0, 5)
    sim.reset()
    assert kept.dropped == 0
