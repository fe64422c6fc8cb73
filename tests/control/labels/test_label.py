"""What records, timers and calls are called."""

from __future__ import annotations

import pytest

from confsim import Simulator
from confsim.canonical.form import records
from confsim.control.labels.label import Held, label
from confsim.control.labels.timer import SENTENCES
from confsim.kernel.tables.table import Table
from kit import CUSTOMER, NOTHING, OPERATOR, OWNER, ROOM, START, USER, ok
from kit.crowded import crowded_world
from kit.declared import own_timers


@pytest.fixture
def sim():
    """A world in which somebody waits, something is reserved and a session runs."""
    sim = Simulator(clock=START)
    ok(sim, "set_lobby_door", OWNER, uuid=ROOM, state="close")
    sim.presence.join(ROOM, 1002)
    sim.presence.join(ROOM, 1004)
    ok(sim, "reserve_handle", USER, body={"handle": "Neo"})
    return sim


def test_every_record_of_the_crowded_world_has_a_label_without_a_secret():
    """No field that is a secret of its table stands in the label, whatever the record."""
    world = crowded_world().service.world
    change, seen = world.change(0), set()
    for (client, name), state in world.tables():
        table = Table.declared[name]
        for _, record in state.rows.values():
            called = label(change, Held(table, client, record))
            assert 0 < len(called) <= 80
            for field in table.secrets:
                secret = getattr(record, field)
                assert not isinstance(secret, str) or len(secret) < 12 or secret not in called, (name, called)
            seen.add(name)
    assert seen == {table.name for table, _ in records(world)} | {name for (_, name), s in world.tables() if s.rows}


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("users", {"Uma User", "Guest Gwen"}),
        ("presences", {"Uma User in Demo Room", "Olaf Owner in Demo Room"}),
        ("sessions", {"Session in Demo Room"}),
        ("reservations", {"Neo"}),
        ("credentials", {"Token of Uma User", "API token demo"}),
        ("clients", {"Demo Customer"}),
        ("inbound numbers", {"Inbound number +442079460123"}),
    ],
)
def test_a_record_is_called_what_people_call_it(sim, kind, expected):
    """By its own name, else by those of the records that it belongs to."""
    assert expected <= {each.label for each in sim.control("list_records", kind=kind).records}


def test_a_record_lists_the_records_that_it_names(sim):
    """By field, each with its label, so that a page can link it."""
    (presence,) = sim.control("list_records", kind="presences", search='"waiting"').records
    assert {field: [each.label for each in named] for field, named in presence.references.items()} == {
        "client": ["Demo Customer"],
        "channel": ["Demo Room"],
        "user": ["Uma User"],
    }


def test_ids_of_any_kind_have_labels(sim):
    """Ids of nothing are left out; at an earlier moment the label is the one of then."""
    (session,) = sim.control("list_records", kind="sessions").records
    ok(sim, "rename_channel", OWNER, uuid=ROOM, name="Board daily")
    ids = [ROOM, "1004", CUSTOMER, session.id, NOTHING, "99", ""]
    found = sim.control("find_labels", ids=ids).labels
    assert {id: each.label for id, each in found.items()} == {
        ROOM: "Board daily",
        "1004": "Uma User",
        CUSTOMER: "Demo Customer",
        session.id: "Session in Board daily",
    }
    assert found["1004"].kind == "users"
    assert sim.control("find_labels", ids=[ROOM], at="r1").labels[ROOM].label == "Demo Room"


def test_every_kind_of_timer_has_a_sentence():
    """With a blank for its thing."""
    assert set(SENTENCES) == set(own_timers())
    assert all("{}" in sentence for sentence in SENTENCES.values())


def test_a_timer_says_what_happens(sim):
    """Before it fires, in what the clock answers, and in its entry, although its record is gone by then."""
    said = ("The reservation of Neo ends", "Neo", "reservations")
    (timer,) = sim.control("list_timers")
    assert (timer.text, timer.label, timer.kind) == said
    (fired,) = sim.clock.advance("16m")
    assert (fired.text, fired.label, fired.kind) == said
    (entry,) = sim.control("list_requests", kind="timer")
    assert [(each.text, each.label, each.kind) for each in entry.fired] == [said]
    assert entry.about.label == "Neo"
    assert [each.label for each in entry.changes] == ["Neo"]


def test_an_entry_says_what_it_is_about_and_who_called(sim):
    """The record of its path or body; a thing that was not made has its name alone."""
    ok(sim, "get_channel", OPERATOR, uuid=ROOM)
    sim.call("create_channel", USER, body={"name": "Demo Room"}, expect=409)
    entries = [(each.about and each.about.label, each.caller and each.caller.label) for each in sim.requests]
    assert entries == [
        ("Demo Room", "Olaf Owner"),
        ("Neo", "Uma User"),
        ("Demo Room", "Opal Operator"),
        ("Demo Room", "Uma User"),
    ]
    assert [each.about.label for each in sim.requests.between()] == ["Olaf Owner in Demo Room", "Uma User in Demo Room"]


def test_a_client_is_called_by_its_name():
    """Also where a record of its own has the id of the client as its key."""
    sim = Simulator()
    ok(sim, "set_events_state", state="enable")
    record = sim.control("get_record", "users", "1004")
    assert [each.label for each in record.references["client"]] == ["Demo Customer"]
