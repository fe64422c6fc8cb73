"""Every page of the inspector: it is there, its links lead somewhere, nothing in it is more than text."""

from __future__ import annotations

import json
from collections import Counter
from urllib.parse import quote

import pytest

from confsim import Simulator
from confsim.inspector import pages
from confsim.service.deferred import wait_for
from confsim.service.messages import Request
from kit import CUSTOMER, ROOM, START

#: Pages below one path whose links are followed.
MOST = 25
#: Text that would do something if a page did not escape it.
HOSTILE = "\"'><script>alert(1)</script><img src=x onerror=alert(1)>{{7*7}}"
ELEMENTS = {
    *("html", "head", "meta", "title", "link", "script", "body", "a", "header", "p", "span", "form", "label", "input"),
    *("button", "time", "div", "nav", "ul", "li", "main", "h1", "h2", "h3", "section", "article", "dl", "dt", "dd"),
    *("table", "caption", "thead", "tbody", "tr", "th", "td", "code", "pre", "small", "br", "strong", "em", "select"),
    *("option", "datalist", "textarea", "details", "summary", "svg", "defs", "marker", "path", "rect", "text"),
}


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


def test_every_link_of_every_page_leads_to_a_page(browse):
    """From the overview on, at most so many of a kind: no link is dead, no page fails."""
    waiting, seen, kinds = ["/_confsim/"], set(), Counter()
    while waiting:
        path = waiting.pop()
        if path in seen or path.startswith("/w/") or "://" in path:
            continue
        seen.add(path)
        kind = "/".join(path.partition("?")[0].split("/")[:5])
        kinds[kind.rpartition("/")[0]] += 1
        if kinds[kind.rpartition("/")[0]] > MOST:
            continue
        page = browse(path)
        assert page.status == 200, path
        waiting += page.links()
    shown = {path.partition("?")[0].split("/")[3] for path in seen if path.startswith("/_confsim/inspector/")}
    assert shown >= {name for name, _ in pages.MENU if name} | {"search", "what-if"} - {"search", "what-if"}


def test_hostile_names_are_text(sim, browse):
    """Names, mails, paths, queries and JSON of hostile text: pages have no element and no handler of theirs."""
    sim.call("create_channel", "demo-owner", body={"name": HOSTILE[:80]})
    sim.call("set_channel_description", "demo-owner", uuid=ROOM, body={"description": HOSTILE})
    sim.call("set_user_full_name", "demo-user", userId=1004, body={"fullName": HOSTILE})
    sim.client("demo-user").get("/nothing/<script>alert(1)</script>?a=<b>")
    sim.control.with_body("add_fault", {"operation": "get_me", "do": {"status": 503, "body": HOSTILE}})
    newest = sim.requests[-1].id
    visited = [
        "/_confsim/",
        "/_confsim/inspector/requests",
        *(f"/_confsim/inspector/requests/{each.id}" for each in sim.requests),
        "/_confsim/inspector/records?search=script",
        f"/_confsim/inspector/records/channels/{ROOM}?at={newest}",
        "/_confsim/inspector/records/users/1004",
        "/_confsim/inspector/faults",
        "/_confsim/inspector/presence",
        "/_confsim/inspector/search?q=%3Cscript%3Ealert(1)",
        "/_confsim/inspector/assumptions?search=%22%3E%3Cscript%3E",
        "/_confsim/inspector/requests?path=%22%3E%3Cscript%3E",
        "/_confsim/inspector/%3Cscript%3Ealert(1)",
        "/_confsim/inspector/what-if?id=channels.unique-names&value=%3Cscript%3E",
    ]
    shown = 0
    for path in visited:
        page = browse(path)
        shown += "<script>alert(1)" in page.text
        for tag, attrs in page.elements:
            assert tag in ELEMENTS, (path, tag)
            assert not [name for name in attrs if name.startswith("on") or name == "style"], (path, attrs)
            if tag == "script":
                assert attrs == {"src": "/_confsim/inspector/static/inspector.js", "defer": None}
            for name in ("href", "src", "action"):
                assert attrs.get(name, "/").startswith(("/", "#")), (path, attrs)
                assert not attrs.get(name, "/").startswith("//"), (path, attrs)
        assert "49" not in page.text.split("{{7*7}}")[0][-3:]
    assert shown > 5


def test_pages_load_nothing_from_elsewhere(browse):
    """The policy of a page allows its own files alone, and no frame."""
    page = browse("/_confsim/")
    policy = page.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert page.headers["X-Content-Type-Options"] == "nosniff"
    assert browse("/_confsim/inspector/static/style.css").headers["Content-Type"] == "text/css; charset=utf-8"
    assert browse("/_confsim/inspector/static/../app.py").status == 404
    assert browse("/_confsim/inspector/static/%2e%2e%2fapp.py").status == 404


def test_a_browser_is_led_to_the_overview_and_a_program_to_an_index(sim, browse):
    """At the root of each mount, and at that of its control plane."""
    for path, home in (("/", "/_confsim/"), ("/_confsim", "/_confsim/"), ("/w/second/", "/w/second/_confsim/")):
        assert (browse(path).status, browse(path).headers["Location"]) == (302, home), path
        response = wait_for(sim.app(Request("GET", path, "", {"accept": "*/*", "host": "localhost"}, b"")))
        links = json.loads(response.body)
        assert links["inspector"] == f"http://localhost{home}"
        assert links["api"].endswith("/v1_0")
    assert browse("/w/second/_confsim/").status == 200
    assert len(sim.service.journal) == 5  # pages are no calls of the API


def test_a_call_shows_what_it_was_answered_changed_and_assumed(sim, browse):
    """Request, answer, changes, assumptions, and how to make it again."""
    made = next(each for each in sim.requests if each.status == 200 and each.operation == "create_channel")
    page = browse(f"/_confsim/inspector/requests/{made.id}")
    for text in ('"name": "Seen"', made.answer["channelUuid"], "channels.first-owners", "curl ", "def test_"):
        assert text in page.text, text
    assert browse("/_confsim/inspector/requests/r99").status == 404


def test_an_earlier_moment_shows_the_world_as_it_was(sim, browse):
    """By the id of a call; the links move along the journal."""
    sim.call("set_channel_description", "demo-owner", uuid=ROOM, body={"description": "Changed since"})
    last = int(sim.requests[-1].id[1:])
    record = f"/_confsim/inspector/records/channels/{ROOM}"
    assert "Changed since" in browse(record).text
    earlier = browse(f"{record}?at=r{last - 1}")
    assert "Changed since" not in earlier.text
    assert f"{record}?at=r{last}" in earlier.links()
    assert f"{record}?at=r{last - 2}" in earlier.links()


def test_machines_are_drawn_with_the_present_state_marked(browse):
    """Each state is a box, that of the record is marked, and the drawing is told in words."""
    page = browse(f"/_confsim/inspector/records/channels/{ROOM}")
    classes = [attrs.get("class", "") for tag, attrs in page.elements if tag == "rect"]
    machines = len([1 for tag, _ in page.elements if tag == "svg"])
    assert machines > 10
    assert sum("present" in each for each in classes) == machines
    reported = [attrs["aria-label"] for tag, attrs in page.elements if tag == "svg"]
    assert any(each.startswith("lobby door: ") and " to " in each for each in reported)


def test_what_if_shows_both_answers(browse):
    """Of the calls that another alternative would answer otherwise."""
    page = browse("/_confsim/inspector/what-if?id=status.role-missing&value=404")
    assert "1 would be answered otherwise" in page.text
    assert '"status": 403' in page.text
    assert '"status": 404' in page.text
    assert browse("/_confsim/inspector/what-if?id=no.such&value=1").status == 400


@pytest.mark.parametrize("text", ["Seen", "r2", "status.role-missing", "get_me", "uma@example.com", CUSTOMER])
def test_the_search_finds_what_is_shown(browse, text):
    """Records, calls, mails, assumptions and operations."""
    page = browse(f"/_confsim/inspector/search?q={text}")
    assert page.text.count("None.") < 6
    assert text in page.text


def test_bad_places_are_named(browse):
    """An offset that is none, an unknown page, record or machine."""
    for path, status in (
        ("requests?offset=x", 400),
        ("nonsense", 404),
        ("records/channels/none", 404),
        ("machines/none", 404),
        ("operations/none", 404),
        ("records?at=r999", 404),
        ("records/channels/none?at=r999", 404),
    ):
        page = browse(f"/_confsim/inspector/{path}")
        assert (page.status, ("p", {"class": "notice", "role": "alert"}) in page.elements) == (status, True), path


@pytest.mark.parametrize(("id", "value"), [("encode.empty", "204"), ("encode.empty", '"204"'), ("http.head", "405")])
def test_what_if_takes_a_value_as_it_is_offered(sim, browse, id, value):
    """A text that reads as a number is the text, where the assumption takes texts."""
    sim.call("get_me", "demo-owner")
    assert browse(f"/_confsim/inspector/what-if?id={id}&value={quote(value)}").status == 200
