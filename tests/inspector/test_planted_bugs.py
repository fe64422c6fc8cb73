"""Bugs of clients, each of which the landing page tells with a link to what can be done."""

from __future__ import annotations

import pytest

from confsim import Simulator
from kit import ROOM, START
from kit.crowded import planted

#: By the name of the bug: the tile, the row, the page that its link leads to, and what that page says and offers.
FOUND = {
    "a_reservation_not_renewed": (
        "Calls refused 1 of ",
        "404 The reservation of “Trinity” ran out 1 min before",
        "requests/r",
        ("The reservation of Trinity ends", "Try it again with other input"),
    ),
    "webhooks_out_of_order": (
        "Deliveries not made 0 of 4 All arrived. 1 arrived out of order.",
        "channel.created: Board daily arrived after a later event.",
        "webhooks/",
        ("4 delivered, 1 out of order", "It happened as 2, and arrived as 3 of 4.", "Remove the fault"),
    ),
    "a_dead_endpoint": (
        "Deliveries not made 12 of 12 12 to 127.0.0.1:22211/hooks/billing.",
        "127.0.0.1:22211/hooks/billing: Nothing listens at 127.0.0.1:22211",
        "webhooks/",
        ("Nothing listens at 127.0.0.1:22211", "Send again"),
    ),
    "a_user_in_the_lobby": (
        "People waiting 1 Uma User for 24 min",
        "Uma User waits in Demo Room for 24 min; the door is closed, Olaf Owner is inside",
        f"presence?channel={ROOM}",
        ("Uma User", "Admit"),
    ),
    "a_browser": (
        "1 asked by a browser before a call: no client allows its page.",
        "CORS No client allows web pages of http://localhost:5173, so the browser does not send their POST",
        "requests/r",
        ('set_origins with ["http://localhost:5173"] allows them', "Allow the page by set_origins"),
    ),
}


@pytest.fixture(params=planted.PLANTED)
def bug(request):
    """The name of a bug."""
    return request.param


@pytest.fixture
def sim(bug):
    """A world in which the client with the bug has run."""
    sim = Simulator(clock=START)
    planted.PLANTED[bug](sim)
    return sim


def shown(page):
    """The text of a page without spaces, since what stands in two elements has none between."""
    return squeezed(page.text)


def squeezed(text):
    """A text without spaces."""
    return "".join(text.split())


def test_the_landing_page_tells_a_planted_bug(bug, browse):
    """It is the one thing that needs a look; the page behind its link says how it came to it and what can be done."""
    tile, row, target, told = FOUND[bug]
    page = browse("/_confsim/")
    text = shown(page)
    for each in ("One thing needs a look", tile, row):
        assert squeezed(each) in text, each
    links = [each for each in page.links() if each.startswith(f"/_confsim/inspector/{target}")]
    behind = [shown(browse(each)) for each in links]
    assert any(all(squeezed(each) in text for each in told) for text in behind), behind
