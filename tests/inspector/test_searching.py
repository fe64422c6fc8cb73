"""The search of the inspector."""

from __future__ import annotations

from functools import cache
from urllib.parse import quote

import pytest

from confsim import Simulator
from confsim.inspector.pages import records, searching
from kit import CUSTOMER, START
from kit.each import each


@pytest.fixture
def sim():
    """A world in which much has happened."""
    sim = Simulator(clock=START, scenario="lobby")
    sim.call("get_me", "demo-user")
    sim.call("create_channel", "demo-guest", body={"name": "x"})
    sim.call("create_channel", "demo-owner", body={"name": "Seen"})
    sim.call("set_user_email", "demo-user", userId=1004, body={"email": "uma@example.com"})
    sim.call("reserve_handle", "demo-user", body={"handle": "soon"})
    sim.control.with_body("add_fault", {"operation": "get_me", "do": {"status": 503}})
    sim.snapshot("before")
    sim.worlds.add("second")
    return sim


@pytest.fixture
def status(browse):
    """Answers the status of a page, which is asked for once."""
    return cache(lambda path: browse(path).status)


@each(
    "text, headings",
    [
        ("Seen", {"Journal", "Records"}),
        ("r2", {"Journal"}),
        ("status.role-missing", {"Named so", "Journal", "Assumptions"}),
        ("get_me", {"Named so", "Operations", "Faults", "Guides"}),
        ("uma@example.com", {"Mail", "Journal"}),
        (CUSTOMER, {"Records", "Journal"}),
        ("before", {"Snapshots"}),
        ("second", {"Worlds"}),
        ("lobby door", {"Machines", "Named so"}),
        ("take_snapshot", {"Operations", "Journal"}),
        ("R094", {"Named so", "Rules"}),
        ("handle_taken", {"Refusals"}),
        ("G353", {"Gaps"}),
    ],
)
def test_the_search_finds_what_is_shown(browse, status, text, headings):
    """Records and mails, calls, timers, faults, snapshots, worlds, assumptions, operations, machines, guides, names."""
    page = browse(f"/_confsim/inspector/search?q={quote(text)}")
    assert page.status == 200
    assert headings <= set(page.headings())
    inside = [each for each in page.links() if each.startswith("/_confsim/inspector/")]
    assert set(map(status, inside)) == {200}


def test_the_search_says_when_nothing_is_found(browse):
    """And asks for a text when there is none."""
    assert "Nothing has this text." in browse("/_confsim/inspector/search?q=no+such+text+anywhere").text
    assert "Give a text" in browse("/_confsim/inspector/search?q=+").text


def test_a_search_goes_on_where_it_has_ended(sim, browse, monkeypatch):
    """So that a page looks through so many records, and no more."""
    sim.call("create_channel", "demo-owner", body={"name": "Hypothetical"}, expect=200)
    for page in (searching, records):
        monkeypatch.setattr(page, "LOOK", 3)
    for path, wanted in (("search?q=Hypothetical", "Hypothetical"), ("records?search=Hypothetical", "Hypothetical")):
        found, visited, following = "", 0, f"/_confsim/inspector/{path}"
        while following and visited < 100:
            page = browse(following)
            found += page.text
            visited += 1
            further = [each["href"] for tag, each in page.elements if tag == "a" and "data-further" in each]
            following = further[0] if further else None
        assert following is None
        assert visited > 5
        assert found.count(wanted) > 1
