"""The search for a text in everything."""

from __future__ import annotations

import pytest

from confsim import Misuse, Simulator, demo
from confsim.control.search.operation import PIECE
from kit import START


@pytest.fixture(scope="module")
def sim():
    """A world in which something of everything has happened."""
    sim = Simulator(clock=START, scenario="lobby")
    sim.call("create_channel", demo.OWNER, body={"name": "Zebra"}, expect=200)
    sim.call("create_channel", demo.OWNER, body={"nam": "Okapi"}, expect=400)
    sim.call("set_user_email", demo.USER, userId=1004, body={"email": "uma@example.com"}, expect=200)
    sim.call("reserve_handle", demo.USER, body={"handle": "Quagga"}, expect=200)
    sim.clock.advance("16m")
    sim.faults.add("get_me", do={"status": 503, "body": "Gnu"})
    sim.snapshot("Kudu")
    sim.worlds.add("Eland")
    sim.presence.join(demo.ROOM, 1004)
    return sim


def groups(sim, text, **more):
    """The groups in which something has the text, and the kinds of records."""
    return {each.kind or str(each.group) for each in sim.control("search", text=text, **more).found}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("zebra", {"call", "channels"}),
        ("OKAPI", {"call"}),
        ("uma@example.com", {"call", "mail"}),
        ("quagga", {"call"}),  # the reservation is gone, the call and the timer name it
        ("gnu", {"fault", "call"}),
        ("kudu", {"snapshot", "call"}),
        ("eland", {"world"}),
        ("lobby door", {"name", "machine"}),
        ("handles.reserve-again", {"name", "assumption"}),
        ("create_channel", {"name", "operation", "call", "assumption"}),
        ("presences", set()),
        ("1004", {"presences", "call"}),
        ("r094", {"name", "rule"}),
        ("starts its reservation and answers a", {"rule"}),
        ("which fields have the participants", {"gap"}),
        ("is used or reserved", {"refusal"}),
    ],
)
def test_everything_is_found(sim, text, expected):
    """Whatever its case; what a call changed among it."""
    assert expected <= groups(sim, text)


def test_the_timer_that_ended_something_is_found(sim):
    """By the record that it removed."""
    found = [each for each in sim.control("search", text="Quagga").found if each.id.startswith("t")]
    assert [each.title for each in found] == ["handle reservation"]


def test_what_is_found_is_shown_in_an_excerpt(sim):
    """With what stands around the text, whose case stays."""
    hits = [each for each in sim.control("search", text="zEBRA").found if each.kind == "channels"]
    assert len(hits) == 1
    assert "Zebra" in hits[0].excerpt
    assert len(hits[0].excerpt) < 150


def test_texts_beyond_ascii(sim):
    """Also where JSON has escaped them on its way."""
    sim.client(demo.OWNER).open(
        "/v1_0/channels/create",
        method="POST",
        data=b'{"name": "\\u00dcbung"}',
        headers={"Content-Type": "application/json"},
    )
    assert {"call", "channels"} <= groups(sim, "ÜBUNG")


def test_a_search_in_parts_finds_what_a_whole_one_finds(sim):
    """So many records at a time; each part says where the next begins, the last one that it is the last."""
    whole = {(each.kind, each.id) for each in sim.control("search", text="a", limit=1000).found if each.kind}
    found, start = set(), 0
    while start is not None:
        page = sim.control("search", text="a", limit=1000, look=7, start=start)
        assert page.next is None or page.next == start + 7
        found |= {(each.kind, each.id) for each in page.found if each.kind}
        start = page.next
    assert found == whole


def test_records_are_searched_in_parts(sim):
    """In the order of a whole search."""
    whole = [(each.kind, each.id) for each in sim.control("list_records", search="a", limit=500).records]
    found, start = [], 0
    while start is not None:
        page = sim.control("list_records", search="a", limit=500, look=9, start=start)
        found += [(each.kind, each.id) for each in page.records]
        start = page.next
    assert found == whole


def test_a_group_lists_so_many_and_says_that_there_are_more(sim):
    """And lists the others when more are asked for."""
    few = sim.control("search", text="e", limit=2)
    assert {"call", "operation", "channels"} <= set(few.more)
    assert sum(each.group == "operation" for each in few.found) == 2
    assert sim.control("search", text="e", limit=5000).more == []


def test_nothing_to_search_for_is_refused(sim):
    """As blanks are."""
    with pytest.raises(Misuse, match="nothing to search for"):
        sim.control("search", text="  ")


@pytest.mark.parametrize("wanted", ["gazelle", "gazælle"])
def test_a_large_body_is_searched_where_its_pieces_meet(wanted):
    """It is looked through in pieces, each with the beginning of the next one; the rest of a file is no text."""
    sim, text = Simulator(clock=START), wanted.encode()
    for shift in range(0, len(text) + 2, 3):
        before = b"\xff" * (2 * PIECE - shift)
        sim.call("upload_client_media", demo.CUSTOMER_ADMIN, name="a", body=before + text + b"\xff" * 100, expect=200)
    assert len(sim.control("search", text=wanted).found) == len(sim.requests)
    assert groups(sim, f"{wanted}s") == set()
