"""The difference of two moments, going back to one, and a world from one."""

from __future__ import annotations

import pytest

from confsim import Misuse, Simulator
from confsim.control.bundle.document import decoded
from confsim.control.bundle.replay import replay
from confsim.kernel.tables.table import Table
from kit import OWNER, ROOM, START, USER, ok


@pytest.fixture
def sim():
    """A world in which records were made, changed and removed."""
    sim = Simulator(clock=START)
    ok(sim, "reserve_handle", USER, body={"handle": "Neo"})
    ok(sim, "rename_channel", OWNER, uuid=ROOM, name="Board daily")
    sim.clock.advance("16m")
    sim.presence.join(ROOM, 1002)
    ok(sim, "create_channel", OWNER, body={"name": "Zed"})
    return sim


def test_a_difference_has_what_is_new_removed_and_changed(sim):
    """Each record with its label, with the entry that changed it, and with the names of the ids in it."""
    found = sim.difference("r1")
    by_label = {(each.table, each.label): each for each in found.records}
    renamed = by_label["channels", "Board daily"]
    assert (renamed.before["name"], renamed.after["name"], renamed.entry) == ("Demo Room", "Board daily", "r2")
    gone = by_label["reservations", "Neo"]
    assert (gone.after, gone.entry, gone.entryText) == (None, "t1", "The reservation of Neo ends (t1)")
    presence = by_label["presences", "Olaf Owner in Board daily"]
    assert (presence.before, presence.entry) == (None, "c3")
    assert presence.names["1002"] == "Olaf Owner"
    assert presence.names[ROOM] == "Board daily"
    assert (found.removed, found.more) == (1, False)
    changed = [each for each in found.records if not (each.bookkeeping or None in (each.before, each.after))]
    assert (found.changed, {each.table for each in changed}) == (3, {"channels", "hosts"})
    assert found.added == sum(each.before is None and not each.bookkeeping for each in found.records)
    assert "removed: reservation 'Neo'" in found.words
    assert "channel 'Demo Room': name was 'Demo Room', is 'Board daily'" in found.words


def test_a_difference_lists_every_record_that_differs_and_no_other(sim):
    """As a comparison of the two worlds, record by record, says."""
    before, after = next(iter(sim.service.journal)).after, sim.service.world

    def rows(world):
        return {(c, t, str(key)): row[1] for (c, t), state in world.tables() for key, row in state.rows.items()}

    old, new = rows(before), rows(after)
    expected = {place for place in old.keys() | new.keys() if old.get(place) != new.get(place)}
    found = {(each.client, each.table, each.key) for each in sim.difference("r1", limit=500).records}
    assert {(client, table) for client, table, _ in found} == {(client, table) for client, table, _ in expected}
    assert len(found) == len(expected)
    assert {table for _, table, _ in found} <= set(Table.declared)


def test_a_difference_ends_at_another_moment(sim):
    """And is empty between a moment and itself; bookkeeping comes last and is counted apart."""
    between = [(each.table, each.label) for each in sim.difference("r1", "r2").records]
    assert between[0] == ("channels", "Board daily")
    assert {table for table, _ in between[1:]} == {"hosts"}
    same = sim.difference("r2", "r2")
    assert (same.records, same.words, same.added, same.removed, same.changed) == ([], [], 0, 0, 0)
    order = [each.bookkeeping for each in sim.difference("r1").records]
    assert order == sorted(order)
    assert sim.difference("r1").bookkeeping == sum(order) > 0
    short = sim.difference("r1", limit=1)
    assert (len(short.records), short.more) == (1, True)


def test_an_unknown_moment_is_refused(sim):
    """As elsewhere; so are too many records."""
    for call in (lambda: sim.difference("r99"), lambda: sim.difference("r1", "x"), lambda: sim.go_back("r99")):
        with pytest.raises(Misuse, match="there is no request"):
            call()
    with pytest.raises(Misuse, match="0 to 500"):
        sim.difference("r1", limit=501)


def test_going_back_restores_the_world_and_its_instant(sim):
    """The journal continues, so that one can go forward again."""
    earlier, latest = list(sim.service.journal)[1].after, sim.service.world
    now = sim.clock.now
    sim.go_back("r2")
    assert (sim.service.world, sim.clock.now) == (earlier, now - 16 * 60_000)
    assert [each.id for each in sim.requests] == ["r1", "r2", "r3"]
    assert [each.label for each in sim.control("list_timers")] == ["Neo"]
    sim.go_back("r3")
    assert (sim.service.world, sim.clock.now) == (latest, now)


def test_a_world_is_made_from_a_moment(sim):
    """Of the world that is asked, or of another one; it is independent of it."""
    fork = sim.worlds.add("then", moment="r2")
    assert fork.service.world == list(sim.service.journal)[1].after
    assert fork.clock.now == sim.clock.now - 16 * 60_000
    ok(fork, "create_channel", OWNER, body={"name": "Only there"})
    other = sim.worlds.add("later", "then", moment="r1")
    assert other.service.world == fork.service.world
    assert other.service.world != sim.service.world
    for source in ({"moment": "r99"}, {"moment": "r1", "world": "nowhere"}):
        with pytest.raises(Misuse, match="there is no"):
            sim.control("make_world", **{"from": source})
    with pytest.raises(Misuse, match="a moment has no name"):
        sim.control("make_world", **{"from": {"moment": "r1", "name": "x"}})


def test_a_bundle_with_a_return_to_a_moment_is_replayed(sim):
    """Although its journal has none of the entries: the state is put in its place."""
    sim.go_back("t1")
    ok(sim, "reserve_handle", USER, body={"handle": "Neo"})
    assert replay(decoded(sim.control("get_bundle").data)).parting is None


def test_the_records_of_a_large_table_are_compared_as_the_journal_notes_them(sim, monkeypatch):
    """With the same result; a state that was put is compared in full."""
    whole = sim.difference("r1")
    monkeypatch.setattr("confsim.control.history.moved._LARGE", 0)
    assert sim.difference("r1") == whole
    sim.control("put_state", **sim.state)
    assert [each.key for each in sim.difference("r1").records] == [each.key for each in whole.records]
