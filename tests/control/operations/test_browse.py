"""Listing the records of a world, now and at an earlier moment."""

from __future__ import annotations

import pytest

from confsim import Simulator
from confsim.kernel.tables.table import Table
from kit import CUSTOMER, ROOM, START


def test_every_record_is_listed_once(sim):
    """Page by page, each record of the state document appears exactly once, under its kind and its client."""
    sim.call("create_channel", "demo-owner", body={"name": "One more"})
    first = sim.control("list_records", limit=3)
    pages, offset = [*first.records], 3
    while (page := sim.control("list_records", limit=3, offset=offset)).records:
        pages += page.records
        offset += 3
    found = [(each.kind, each.client, each.id) for each in pages]
    stored = [
        (name, client, row)
        for (client, name), state in sim.service.world.tables()
        for row in state.rows
        if Table.declared[name]
    ]
    assert len(found) == len(set(found)) == first.total == len(stored)
    assert {(each.kind, each.client): each.count for each in first.kinds} == {
        (kind, client): sum(1 for one, other, _ in found if (one, other) == (kind, client)) for kind, client, _ in found
    }


def test_records_of_a_kind_are_newest_first_with_the_states_of_their_machines(plane, sim):
    """A kind and a client narrow the list; each record shows its fields and where its machines stand."""
    made = sim.call("create_channel", "demo-owner", body={"name": "Newest"}).body["channelUuid"]
    status, page = plane("GET", f"/records?kind=channels&client={CUSTOMER}&limit=1")
    assert (status, page["total"], page["more"]) == (200, 3, True)
    (record,) = page["records"]
    assert (record["id"], record["record"]["name"]) == (made, "Newest")
    states = {each["machine"]: each["state"] for each in record["machines"]}
    assert (states["lobby door"], states["channel"]) == ("closed", "exists")
    sim.call("set_lobby_door", "demo-owner", uuid=made, state="open")
    _, record = plane("GET", f"/records/channels/{made}")
    assert {"machine": "lobby door", "state": "open"} in record["machines"]


@pytest.mark.parametrize("text", ["demo room", "DEMO ROOM", "Räume"])
def test_a_search_finds_text_in_any_field(text):
    """Whatever the case of the letters; a search counts no total."""
    sim = Simulator()
    sim.call("set_channel_description", "demo-owner", uuid=ROOM, body={"description": "räume"})
    page = sim.control("list_records", kind="channels", search=text)
    assert [(each.kind, each.id) for each in page.records] == [("channels", ROOM)]
    assert (page.total, page.more) == (None, False)
    assert sim.control("list_records", search="no such text").records == []


def test_an_earlier_moment_is_the_world_right_after_a_call(plane, sim):
    """``at`` names a call of the journal; what came later is not there."""
    sim.call("get_me", "demo-user")
    sim.call("rename_channel", "demo-owner", uuid=ROOM, name="Later")
    assert plane("GET", f"/records/channels/{ROOM}?at=r1")[1]["record"]["name"] == "Demo Room"
    assert plane("GET", f"/records/channels/{ROOM}?at=r2")[1]["record"]["name"] == "Later"
    assert plane("GET", "/records?kind=channels&search=Later&at=r1")[1]["records"] == []


def test_moments_that_the_journal_has_dropped_are_gone(plane, sim):
    """410 for a call that was; 404 for one that never was."""
    for _ in range(3):
        sim.call("get_me", "demo-user")
    sim.control("set_journal", most=1)
    assert plane("GET", "/records?at=r1")[0] == 410
    assert plane("GET", f"/records/channels/{ROOM}?at=r2")[0] == 410
    assert plane("GET", "/records?at=r3")[0] == 200
    for unknown in ("r4", "r0", "x1", "r", "r99999999999999999999"):
        assert plane("GET", f"/records?at={unknown}")[0] == 404, unknown


def test_a_file_shows_its_size_and_not_its_bytes(sim):
    """The content of an asset is not part of its description, nor of what a search looks at."""
    sim.call(
        "upload_channel_media", "demo-owner", uuid=ROOM, name="a.txt", body=b"secret text", content_type="text/plain"
    )
    (asset,) = sim.control("list_records", kind="channel media").records
    assert (asset.size, "data" in asset.record) == (11, False)
    assert sim.control("list_records", search="secret text").records == []


def test_records_with_compound_keys_and_numbers_are_found_by_the_id_that_the_list_shows():
    """Every record of a busy world can be fetched by its kind and id."""
    sim = Simulator(clock=START, scenario="breakout-session")
    page = sim.control("list_records", limit=500)
    assert not page.more
    for each in page.records:
        assert sim.control("get_record", each.kind, each.id).record == each.record, (each.kind, each.id)


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/records?kind=nonsense", 404),
        ("/records?client=nobody", 404),
        ("/records?limit=501", 400),
        ("/records?limit=-1", 400),
        ("/records?offset=-1", 400),
        ("/records/nonsense/1", 404),
        ("/records/users/999", 404),
        ("/records/channels/1 2", 404),
    ],
)
def test_what_cannot_be_found_is_named(plane, path, status):
    """Unknown kinds, clients and records, and pages that are none."""
    found, problem = plane("GET", path.replace(" ", "%20"))
    assert found == status
    assert problem["detail"]


@pytest.fixture
def rooms(sim):
    """Three rooms, of which the newest has a host limit, an id for meetings and a small letter."""
    for name in ("Beta", "Alpha", "gamma"):
        sim.call("create_channel", "demo-owner", body={"name": name}, expect=200)
    return lambda **given: [each.label for each in sim.control("list_records", kind="channels", **given).records]


def test_records_are_sorted_by_a_field(sim, rooms):
    """By a field, the label or the state, in either direction, page by page; equal ones are newest first."""
    names = sorted(rooms(), key=str.casefold)
    assert rooms(sort="name") == rooms(sort="label") == names
    assert rooms(sort="-name") == names[::-1]
    assert rooms(sort="name", limit=2) + rooms(sort="name", offset=2) == names
    assert rooms(sort="-name", search="demo", client=CUSTOMER) == ["Demo Room", "Demo Event Room"]
    records = sim.control("list_records", kind="channels").records
    states = {each.label: each.machines[0].state for each in records}
    assert rooms(sort="state") == sorted([each.label for each in records], key=states.get)
    ids = [each.record["number"] for each in sim.control("list_records", kind="channels", sort="-number").records]
    assert ids == sorted(ids, reverse=True)


def test_records_without_a_value_are_last(sim):
    """In both directions."""
    sim.call("set_user_email", "demo-user", userId=1004, body={"email": "Zoe@example.com"}, expect=200)
    for sort in ("email", "-email"):
        values = [each.record["email"] for each in sim.control("list_records", kind="users", sort=sort).records]
        given = [each for each in values if each]
        assert given == sorted(given, key=str.casefold, reverse=sort.startswith("-"))
        assert values == given + [None] * (len(values) - len(given))
        assert None in values


def test_a_look_bounds_what_is_sorted(sim, rooms):
    """The newest ones are in order; the answer says where the others begin."""
    page = sim.control("list_records", kind="channels", sort="name", look=3)
    assert ([each.label for each in page.records], page.next) == (["Alpha", "Beta", "gamma"], 3)
    page = sim.control("list_records", kind="channels", sort="name", look=3, start=3)
    assert ([each.label for each in page.records], page.next) == (rooms()[3:], None)


def test_every_kind_can_be_sorted_by_each_of_its_fields(sim):
    """Whatever the type of the field, every record is in the list."""
    sim = Simulator(clock=START, scenario="breakout-session")
    for kind in {each.kind for each in sim.control("list_records", limit=0).kinds}:
        every = sim.control("list_records", kind=kind, limit=500).records
        for name in ("label", *every[0].record, *(["state"] if every[0].machines else [])):
            found = sim.control("list_records", kind=kind, limit=500, sort=name).records
            assert sorted(each.id for each in found) == sorted(each.id for each in every), (kind, name)


@pytest.mark.parametrize(
    ("path", "problem"),
    [
        ("/records?sort=name", "sort needs a kind"),
        ("/records?kind=channels&sort=nam", "did you mean 'name'"),
        ("/records?kind=channels&sort=", "is not a field of channels"),
    ],
)
def test_a_sort_that_cannot_be_is_reported(plane, path, problem):
    """It says what is missing."""
    status, found = plane("GET", path)
    assert status == 400
    assert problem in found["detail"]
