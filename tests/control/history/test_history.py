"""The history of records, and the timelines of people and rooms."""

from __future__ import annotations

import pytest

from confsim import Misuse, Simulator
from kit import NOTHING, OWNER, ROOM, START, USER, ok


@pytest.fixture
def sim():
    """A world in which a room was used, a call was refused, and a timer has fired."""
    sim = Simulator(clock=START)
    ok(sim, "reserve_handle", USER, body={"handle": "Neo"})
    ok(sim, "rename_channel", OWNER, uuid=ROOM, name="Board daily")
    sim.presence.join(ROOM, 1002)
    ok(sim, "get_channel", OWNER, uuid=ROOM)
    sim.call("remove_operator", OWNER, uuid=ROOM, userId=1004, expect=404)
    sim.presence.leave(ROOM, 1002)
    return sim


def ids(history):
    """The ids of the entries of a history."""
    return [each.id for each in history.entries]


def test_a_history_has_what_changed_a_record_and_what_named_it(sim):
    """With the changes of this record alone; reads and refused calls have none."""
    found = sim.history("channels", ROOM)
    assert (found.label, found.present, found.more) == ("Board daily", True, False)
    assert [(each.id, each.status, len(each.changes)) for each in found.entries] == [
        ("r2", 200, 1),
        ("r3", 200, 0),
        ("r4", 404, 0),
    ]
    assert found.entries[0].text == "Olaf Owner calls rename_channel, Board daily (r2)"
    assert found.entries[0].changes[0].before["name"] == "Demo Room"


def test_a_timeline_has_the_records_that_name_it_too(sim):
    """For a room its presences and sessions, for a person what the person calls."""
    room = sim.history("channel", ROOM, timeline=True)
    assert ids(room) == ["r2", "c1", "r3", "r4", "c2"]
    assert {"presences", "sessions"} <= {change.table for change in room.entries[1].changes}
    person = sim.history("users", 1002, timeline=True)
    assert ids(person) == ["r2", "c1", "r3", "r4", "c2"]
    assert ids(sim.history("users", 1004, timeline=True)) == ["r1", "r4"]


def test_a_removed_record_keeps_its_history(sim):
    """The timer that removed it is the last entry; before, it is the timer that is to come."""
    token = sim.control("list_records", kind="reservations").records[0].id
    before = sim.history("reservations", token)
    assert ([each.text for each in before.timers], ids(before)) == (["The reservation of Neo ends"], ["r1"])
    sim.clock.advance("16m")
    after = sim.history("reservations", token)
    assert (after.label, after.present, after.timers, after.related) == ("Neo", False, [], [])
    (fired,) = [each for each in after.entries if each.kind == "timer"]
    assert (fired.changes[0].after, fired.status) == (None, None)


def test_related_records_are_counted_by_kind(sim):
    """Those that name the record, whichever field does."""
    sim.presence.join(ROOM, 1002)
    room = {each.kind: (each.field, each.total) for each in sim.history("channels", ROOM).related}
    assert room["presences"] == ("channel", 1)
    user = {each.kind: [one.label for one in each.records] for each in sim.history("users", 1004).related}
    assert user["reservations"] == ["Neo"]
    assert user["credentials"] == ["Token of Uma User"]


def test_the_newest_entries_come_first_and_older_ones_are_asked_for(sim):
    """Page by page, by the entry before which they are listed."""
    newest = sim.history("channels", ROOM, timeline=True, limit=2)
    assert (ids(newest), newest.more) == (["r4", "c2"], True)
    older = sim.history("channels", ROOM, timeline=True, limit=9, before="r4")
    assert (ids(older), older.more) == (["r2", "c1", "r3"], False)


@pytest.mark.parametrize(
    ("kind", "id", "more", "message"),
    [
        ("chanels", ROOM, {}, "did you mean 'channels'"),
        ("channels", NOTHING, {}, "there is no record"),
        ("channels", ROOM, {"limit": 501}, "from 0 to 500"),
        ("channels", ROOM, {"before": "r99"}, "there is no request"),
    ],
)
def test_what_there_is_not_is_refused(kind, id, more, message):
    """An unknown kind, record or entry, and too many entries."""
    with pytest.raises(Misuse, match=message):
        Simulator(clock=START).history(kind, id, **more)
