"""Pages that show a part of something say so."""

from __future__ import annotations

import pytest

from confsim import Simulator
from confsim.inspector.pages import time, what_if
from kit import START


@pytest.fixture
def sim():
    """A world with calls that were answered and refused, and a timer that is pending."""
    sim = Simulator(clock=START, scenario="lobby")
    sim.call("get_me", "demo-user")
    sim.call("create_channel", "demo-guest", body={"name": "x"})
    sim.call("create_channel", "demo-owner", body={"name": "Seen"})
    sim.call("reserve_handle", "demo-user", body={"handle": "soon"})
    return sim


def test_a_what_if_question_replays_the_call_that_one_comes_from(sim, browse, monkeypatch):
    """The page says which part of the journal it replayed, and says nothing about the rest."""
    monkeypatch.setattr(what_if, "_REPLAYED", 3)
    refused = next(each.id for each in sim.requests if each.status == 403)
    sim.clock.advance("1h")
    for _ in range(5):
        sim.call("list_channels", "demo-owner")
    question = "id=status.role-missing&value=404"
    links = browse(f"/_confsim/inspector/requests/{refused}").links()
    target = next(each for each in links if "role-missing" in each and "what-if" in each)
    assert f"call={refused}" in target
    calls = [each.id for each in sim.requests]
    newest = browse(f"/_confsim/inspector/what-if?{question}")
    assert "0 of 3 replayed calls" in newest.text
    assert f"Replayed are the calls from {calls[-3]} on; the {len(calls) - 3} before it" in newest.text
    assert "Each call that was compared would be answered with the same bytes." in newest.text
    timer = next(each.id for each in sim.control("list_requests", kind="timer"))
    for path, replayed in (
        (f"{question}&call={refused}", len(calls) - calls.index(refused)),
        (f"{question}&call={timer}", 6),
        (f"{question}&call={refused}&all=true", len(calls)),
    ):
        page = browse(f"/_confsim/inspector/what-if?{path}")
        assert f"of {replayed} replayed calls" in page.text, path
        assert ("Replayed are the calls from" in page.text) is (replayed < len(calls)), path
    assert '"status": 404' in browse(f"/_confsim/inspector/what-if?{question}&call={refused}").text
    assert browse(f"/_confsim/inspector/what-if?{question}&call=r999").status == 404
    sim.requests.most = 2
    assert browse(f"/_confsim/inspector/what-if?{question}&call={refused}").status == 410
    assert f"no longer has the {len(calls) - 2} oldest calls" in browse(f"/_confsim/inspector/what-if?{question}").text


def test_a_page_about_a_part_says_so(sim, browse, monkeypatch):
    """A filter without a match, a journal that has dropped calls, timers beyond the page."""
    monkeypatch.setattr(time, "PAGE", 1)
    sim.call("reserve_handle", "demo-owner", body={"handle": "later"}, expect=200)
    assert "The next 1 timers; there are later ones." in browse("/_confsim/inspector/time").text
    for filter in ("status=499", "path=/nowhere", "text=nowhere", f"before={sim.requests[0].id}"):
        page = browse(f"/_confsim/inspector/requests?{filter}")
        assert "No entry of the journal matches." in page.text, filter
    assert "dropped" not in browse("/_confsim/inspector/requests").text
    dropped = len(sim.requests) - 2
    sim.requests.most = 2
    assert f"The journal has dropped the {dropped} oldest calls." in browse("/_confsim/inspector/requests").text
    sim.requests.clear()
    assert "The journal is empty." not in browse("/_confsim/inspector/requests?kind=call").text
    sim.reset()
    assert "The journal is empty." in browse("/_confsim/inspector/requests").text
