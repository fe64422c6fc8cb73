"""The lists of channels."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from confsim import Simulator
from confsim.kernel.tables.views import View
from kit import START
from kit.budgets import quick
from kit.things.channels import PNG, listed, make, read, room

SECONDS = 1769904000


# Listing


@pytest.mark.rule("R384", "R275", "R278", "R279", "R265")
def test_a_list_item_agrees_with_the_details(sim):
    """A page of items, each with the fields of the table and the values of the details; created is in seconds."""
    made = make(sim, who="demo-user")
    sim.call("set_channel_friendly_url", "demo-user", uuid=made, body={"url": "hall"})
    sim.call("set_channel_image", "demo-user", uuid=made, body=PNG)
    answer = sim.call("list_channels", "demo-user").body
    details = read(sim, made, "demo-user")
    same = {
        name: details[name]
        for name in ("name", "urlName", "friendlyURL", "isOwner", "isOpen", "guestAccess", "imageUrl")
    }
    assert answer == {"total": 1, "results": [{**same, "channelUuid": made, "created": SECONDS}]}


@pytest.mark.rule("R275", "R277")
def test_options_of_a_list_item_are_left_out(sim):
    """IsOwner is there for operators only, and distinguishes owners from plain operators (G326)."""
    item = sim.call("list_channels", "demo-api-token").body["results"][0]
    assert set(item) == {"name", "urlName", "channelUuid", "isOpen", "guestAccess", "created"}
    assert sim.call("list_channels", "demo-owner").body["results"][0]["isOwner"] is True
    assert sim.call("list_channels", "demo-operator").body["results"][0]["isOwner"] is False


@pytest.mark.rule("R385", "R386")
@pytest.mark.parametrize(
    ("who", "seen"),
    [
        ("demo-owner", 2),
        ("demo-operator", 2),
        ("demo-user", 1),
        ("demo-guest", 0),
        ("demo-customer-admin", 3),
        ("demo-api-token", 3),
        ("demo-other-admin", 0),
    ],
)
def test_callers_see_the_channels_they_operate_and_administrators_all(sim, who, seen):
    """Nothing for who operates nothing (G323), all of the client for administrators and API tokens (G324)."""
    make(sim, who="demo-user")
    answer = sim.call("list_channels", who).body
    assert (answer["total"], len(answer["results"])) == (seen, seen)


@pytest.mark.rule("R280", "R387", "R019")
def test_the_newest_channel_comes_first(sim):
    """The default order is created, descending; asking for the defaults gives the same."""
    for name in ("one", "two"):
        make(sim, name)
    assert listed(sim)[:2] == ["two", "one"]
    assert listed(sim, sort="created", order="desc") == listed(sim)
    assert listed(sim, order="asc") == listed(sim)[::-1]


@pytest.mark.rule("R027", "R028", "R387")
def test_the_list_is_sorted_by_name(sim):
    """Without letter case, in both directions; other columns and directions are refused (G084, G087)."""
    for name in ("b", "A", "c"):
        make(sim, name)
    by_name = listed(sim, sort="name", order="asc")
    assert by_name == ["A", "b", "c", "Demo Event Room", "Demo Room"]
    assert listed(sim, sort="name") == by_name[::-1]
    assert sim.call("list_channels", "demo-owner", sort="title").status == 400
    assert sim.call("list_channels", "demo-owner", order="up").status == 400


@pytest.mark.rule("R388", "R023")
def test_search_filters_by_name(sim):
    """Anywhere in the name, without case (G092); total counts what matches."""
    make(sim, "Quarterly Review")
    assert listed(sim, search="REVIEW") == ["Quarterly Review"]
    assert sim.call("list_channels", "demo-owner", search="demo", limit=1).body["total"] == 2
    assert sim.call("list_channels", "demo-customer-admin", search="nothing").body == {"total": 0, "results": []}
    assert listed(sim, search="") == listed(sim)


@pytest.mark.rule("R020", "R022")
@pytest.mark.parametrize("who", ["demo-owner", "demo-customer-admin"])
def test_pages_cut_the_list(sim, who):
    """Limit and offset are numbers in text; total stays the same on every page."""
    for number in range(3):
        make(sim, str(number))
    whole = listed(sim, who)
    pages = [sim.call("list_channels", who, limit="2", offset=str(start)).body for start in range(0, 6, 2)]
    assert [item["name"] for page in pages for item in page["results"]] == whole
    assert {page["total"] for page in pages} == {5}
    assert sim.call("list_channels", who, limit="x").status == 400


def test_rooms_are_not_listed(sim):
    """A channel with a parent is in no list, for administrators neither (G325)."""
    room(sim)
    for who in ("demo-owner", "demo-api-token"):
        assert sim.call("list_channels", who).body["total"] == 2


def test_the_default_page_looks_at_no_more_than_it_shows(sim, monkeypatch):
    """An administrator's page of the newest is cut from the table: its cost does not grow with the table."""
    for number in range(300):
        make(sim, str(number))
    looked = []
    cut, every = View.__getitem__, View.__iter__

    def cutting(view, place):
        found = cut(view, place)
        if not isinstance(place, slice):  # a slice is iterated
            looked.append(found)
        return found

    def iterating(view):
        for record in every(view):
            looked.append(record)
            yield record

    monkeypatch.setattr(View, "__getitem__", cutting)
    monkeypatch.setattr(View, "__iter__", iterating)
    answer = sim.call("list_channels", "demo-api-token", limit=10).body
    assert (answer["total"], len(answer["results"]), len(looked)) == (302, 10, 10)


@quick(15)
@given(
    st.lists(st.sampled_from(["a", "B", "b", "É", "e", "10", "9"]), max_size=7, unique=True),
    st.sampled_from(["created", "name"]),
)
def test_descending_is_ascending_reversed(names, sort):
    """Ties included (G086)."""
    sim = Simulator(clock=START)
    for name in names:
        make(sim, name)
    assert listed(sim, sort=sort, order="asc") == listed(sim, sort=sort, order="desc")[::-1]
