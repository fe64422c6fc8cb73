"""Every page of the inspector: it is there, its links lead somewhere, nothing in it is more than text."""

from __future__ import annotations

import json
import re
from collections import Counter
from urllib.parse import quote

import pytest

from confsim import Simulator
from confsim.control.coverage.collector import Collector
from confsim.inspector import pages
from confsim.inspector.pages import journal as journal_pages, people as people_page
from confsim.service.messages import Request
from confsim.service.waiting import wait_for
from kit import ADMIN, OWNER, ROOM, START, USER

#: Pages below one path whose links are followed.
MOST = 12
#: Text that would do something if a page did not escape it.
HOSTILE = "\"'><script>alert(1)</script><img src=x onerror=alert(1)>{{7*7}}"
ELEMENTS = {
    *(
        "html",
        "head",
        "meta",
        "title",
        "link",
        "script",
        "body",
        "header",
        "nav",
        "main",
        "footer",
        "section",
        "article",
    ),
    *(
        "h1",
        "h2",
        "h3",
        "p",
        "div",
        "span",
        "a",
        "b",
        "i",
        "strong",
        "em",
        "small",
        "code",
        "pre",
        "kbd",
        "mark",
        "bdi",
    ),
    *(
        "ul",
        "ol",
        "li",
        "dl",
        "dt",
        "dd",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "time",
        "br",
        "wbr",
        "del",
        "ins",
    ),
    *("form", "label", "input", "button", "select", "option", "optgroup", "datalist", "textarea", "details", "summary"),
    *("svg", "path", "rect", "bdi", "time"),
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


def test_every_link_of_every_page_leads_to_a_page(sim, browse):
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
        assert page.status == 200, (path, [repr(bug) for bug in sim.service.bugs], page.text)
        waiting += page.links()
    shown = {path.partition("?")[0].split("/")[3] for path in seen if path.startswith("/_confsim/inspector/")}
    assert shown >= {name for name in pages.NAMES if name}


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


def test_webhooks_show_the_state_of_a_delivery_in_its_own_word(sim, browse):
    """A delivery is shown as "waiting", "later" or "delivered", not by the name of a Python class."""
    sim.call("add_events_endpoint", ADMIN, body={"url": "https://hooks.example/"}, expect=200)
    sim.call("set_events_state", ADMIN, state="enable", expect=200)
    sim.faults.put([{"thing": "webhook", "times": "always", "do": {"outcome": "late", "by": "1h"}}])
    sim.call("upload_client_media", ADMIN, name="a.png", body=b"x", expect=200)
    states = {each.state.value for each in sim.webhooks}
    shown = browse("/_confsim/inspector/webhooks").text
    assert states
    assert all(each in shown for each in states)
    assert "DeliveryState" not in shown
    assert "DeliveryState" not in repr([*sim.webhooks])
    assert f"fault {sim.faults[0].id}" in shown


def test_the_journal_shows_faults_that_hit_things(sim, browse, people):
    """An entry of any kind has a mark for a fault that hit a thing in it, and its page has the effect."""
    sim.presence.join(ROOM, OWNER)
    sim.call("set_lobby_door", OWNER, uuid=ROOM, state="close", expect=200)
    sim.presence.join(ROOM, USER)
    assert "fault" not in browse("/_confsim/inspector/requests").text.split()
    sim.faults.put([{"thing": "admission", "do": "ignored"}])
    assert sim.presence.admit(ROOM, people[USER]) == "waiting"
    (entry,) = [each for each in sim.control("list_requests", kind="all") if each.fault]
    assert "fault" in browse("/_confsim/inspector/requests").text.split()
    page = browse(f"/_confsim/inspector/requests/{entry.id}").text
    assert f"Fault {sim.faults[0].id} (within)" in page
    assert "ignored" in page


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
    """By the id of a call; the links move along the journal, also past calls that were forgotten."""
    sim.call("set_channel_description", "demo-owner", uuid=ROOM, body={"description": "Changed since"})
    moments = [each.id for each in sim.control("list_moments")]
    record = f"/_confsim/inspector/records/channels/{ROOM}"
    assert "Changed since" in browse(record).text
    earlier = browse(f"{record}?at={moments[-2]}")
    assert "Changed since" not in earlier.text
    assert f"{record}?at={moments[-1]}" in earlier.links()
    assert f"{record}?at={moments[-3]}" in earlier.links()
    calls = [each for each in moments if each[0] == "r"]
    sim.control("forget_request", calls[-2])
    for path in (f"{record}?at={moments[-1]}", f"/_confsim/inspector/requests/{calls[-1]}"):
        page = browse(path)
        assert page.status == 200
        assert not [each for each in page.links() if calls[-2] in each]
    sim.control("clear_requests")
    assert browse(record).status == 200
    assert browse(f"{record}?at={moments[-1]}").status == 410


def test_machines_are_drawn_with_the_present_state_marked(browse):
    """Each machine of the record is a table with a column for each state, of which that of the record is marked."""
    page = browse(f"/_confsim/inspector/records/channels/{ROOM}")
    drawn = [attrs["aria-label"] for tag, attrs in page.elements if tag == "table" and attrs["class"] == "lane"]
    assert len(drawn) > 10
    assert [attrs.get("class") for tag, attrs in page.elements if tag == "th"].count("state now") == len(drawn)
    assert page.text.count(" (present state)") == len(drawn)
    assert "Machine lobby door: each line leads from one state to another" in drawn


def test_what_if_shows_both_answers(browse):
    """Of the calls that another alternative would answer otherwise."""
    page = browse("/_confsim/inspector/what-if?id=status.role-missing&value=404")
    assert re.search(r"\b1 of \d+ replayed calls would be answered otherwise", page.text)
    assert '"status": 403' in page.text
    assert '"status": 404' in page.text
    assert browse("/_confsim/inspector/what-if?id=no.such&value=1").status == 400


def test_timers_and_control_calls_are_moments(sim, browse):
    """They stand in the journal, have a page each, and the world right after them can be seen."""
    sim.clock.advance("16m")
    noted = {each.kind: each.id for each in sim.control("list_requests", kind="all")}
    journal = browse("/_confsim/inspector/requests")
    assert "The reservation of soon ends" in journal.text
    for kind, id in noted.items():
        assert f"/_confsim/inspector/requests/{id}" in journal.links(), kind
        page = browse(f"/_confsim/inspector/requests/{id}")
        assert page.status == 200
        assert "What it changed" in page.text
        assert f"/_confsim/inspector/records?at={id}" in page.links()
        assert browse(f"/_confsim/inspector/records?at={id}").status == 200
    timer = noted["timer"]
    before = browse(f"/_confsim/inspector/requests/{timer}")
    assert "soon" in before.text
    page = f"/_confsim/inspector/records?kind=reservations&at={timer}"
    assert "0 records" in browse(page).text
    assert ("option", {"value": "reservations", "selected": None}) in browse(page).elements
    assert timer in browse("/_confsim/inspector/requests?kind=timer").text
    assert browse("/_confsim/inspector/requests/t99").status == 404


def test_a_call_shows_its_headers_folded_and_the_essential_first(sim, browse):
    """Request and answer come first; headers, export and the texts of assumptions behind a summary."""
    sim.client("demo-user").get("/v1_0/users/me", headers={"X-Trace": "17"})
    page = browse(f"/_confsim/inspector/requests/{sim.requests[-1].id}")
    for text in ("x-trace: 17", "authorization: ", "X-Confsim-Request-Id: ", "Content-Type: application/json"):
        assert text.lower() in page.text.lower(), text
    places = [
        page.text.index(each)
        for each in ("Answer", "What it changed", "Assumptions it used", "Headers", "Make it again: curl")
    ]
    assert places == sorted(places)


def test_what_a_call_made_is_shown_by_its_name_too(sim, browse):
    """Beside its id, where it was made and on its own page."""
    made = sim.call("create_channel", "demo-owner", body={"name": "Planning"}).json()["channelUuid"]
    page = browse(f"/_confsim/inspector/requests/{sim.requests[-1].id}")
    assert "New channel Planning" in " ".join(page.text.split("What it changed")[1].split())
    assert f"/_confsim/inspector/records/channels/{made}?at={sim.requests[-1].id}" in page.links()
    assert ("bdi", {}) in browse(f"/_confsim/inspector/records/channels/{made}").elements
    assert "Planning" in browse(f"/_confsim/inspector/records/channels/{made}").text


def test_an_assumption_leads_to_the_calls_that_used_it(sim, browse):
    """From the register to the journal."""
    sim.call("get_me", "demo-owner")
    sim.call("list_channels", "demo-owner")
    link = "/_confsim/inspector/requests?assumption=size.page-most"
    assert link in browse("/_confsim/inspector/assumptions?search=size.page-most").links()
    journal = browse(link)
    assert "list_channels" in journal.text
    assert "get_me" not in journal.text


def test_a_call_that_matched_no_route_shows_the_nearest(sim, browse):
    """So that a wrong method, a misspelt path and a missing version are seen at once."""
    for method, path, said in (
        ("put", "/v1_0/users/handle/reserve", "it answers POST"),
        ("post", "/v1_0/user/handle/reserve", "the nearest route is POST /v1_0/users/handle/reserve"),
        ("get", "/user/me", "/v1_0"),
    ):
        getattr(sim.client("demo-user"), method)(path)
        page = browse(f"/_confsim/inspector/requests/{sim.requests[-1].id}")
        assert said in page.text.partition("What decided")[0], path


def test_a_large_start_is_left_out_of_the_test_of_a_call(sim, browse, monkeypatch):
    """A test of a call would hold it: the page says how it is made, and stays small."""
    sim.service.begin()
    sim.call("get_me", "demo-owner")
    monkeypatch.setattr(journal_pages, "_LARGEST_START", 10)
    page = browse(f"/_confsim/inspector/requests/{sim.requests[-1].id}")
    assert "Make it again: curl" in page.text
    assert "Make it again: pytest" not in page.text
    assert "requests/export?as=pytest&ids=" in page.text


def test_a_page_tells_whether_it_has_changed(sim, browse):
    """By its tag: 304 as long as nothing happened, whatever pages were looked at; the page once something has."""

    def tag():
        page = browse("/_confsim/inspector/faults")
        return f'"{next(attrs["data-tag"] for name, attrs in page.elements if name == "body")}"'

    def status(tag):
        return browse("/_confsim/inspector/faults", **{"if-none-match": tag}).status

    for change in (
        lambda: sim.call("get_me", "demo-owner"),
        lambda: sim.clock.advance("1m"),
        lambda: sim.faults.add("get_me", do={"status": 500}),
        lambda: sim.snapshot("another"),
        lambda: sim.worlds.add("third"),
        sim.clock.resume,
        sim.requests.clear,
        sim.reset,
    ):
        known = tag()
        assert (status(known), tag()) == (304, known)
        change()
        assert status(known) == 200


def test_a_page_of_a_world_that_is_gone_is_a_page(sim, browse):
    """For a browser; a program gets the problem as JSON."""
    for path in ("/w/gone/_confsim/", "/w/gone/", "/w/gone/_confsim/inspector/requests"):
        page = browse(path)
        assert page.status == 404
        assert "there is no world 'gone'" in page.text
        assert "/_confsim/" in page.links()
        response = wait_for(sim.app(Request("GET", path, "", {"accept": "*/*", "host": "localhost"}, b"")))
        assert (response.status, json.loads(response.body)["code"]) == (404, "world_unknown")


def test_what_calls_have_met_is_shown_where_it_is_counted(sim, browse):
    """Operations, refusals, transitions and assumptions, and what is missing in their areas; else how it is counted."""
    assert "confsim serve --coverage" in browse("/_confsim/inspector/coverage").text
    collector = Collector()
    collector.attach()
    try:
        other = sim.fork()
        other.call("reserve_handle", "demo-user", body={"handle": "Neo"}, expect=200)
        other.call("create_channel", "demo-guest", body={"name": "x"}, expect=403)
        page = browse("/_confsim/inspector/coverage")
    finally:
        collector.detach()
    assert {"users", "channels"} <= set(page.headings())
    assert "role_missing" in page.text
    assert "reserve: absent -> exists" in page.text
    assert "/_confsim/inspector/operations/reserve_handle" in page.links()
    assert "/_confsim/inspector/machines/handle%20reservation" in page.links()


def test_records_stand_in_the_order_that_the_caption_says(sim, browse):
    """A kind and a client stand together, whose newest record is the first."""
    page = browse("/_confsim/inspector/records?kind=users")
    assert any(
        each[1].get("aria-label") == "Records by kind and client, newest first in each" for each in page.elements
    )
    shown = [int(path.rpartition("/")[2]) for path in page.links() if "/records/users/" in path]
    clients = {client: [*state.rows][::-1] for (client, kind), state in sim.service.world.tables() if kind == "users"}
    assert len(clients) > 1
    assert shown == [user for client in sorted(clients) for user in clients[client]]


def test_presence_says_how_many_it_suggests(sim, browse, monkeypatch):
    """Of more channels and users any can be given; an unknown one is reported."""
    monkeypatch.setattr(people_page, "SUGGESTED", 2)
    page = browse("/_confsim/inspector/presence")
    assert "channels 2 are suggested" in page.text
    other = sim.control("list_records", kind="channels", limit=50).records[-1].id
    assert browse(f"/_confsim/inspector/presence?channel={other}").status == 200
    assert browse("/_confsim/inspector/presence?channel=none").status == 404


def test_people_are_shown_by_their_handles(submit, browse):
    """With their number, as two users may have the same."""
    submit("presence", action="join", channel=ROOM, user=1004)
    page = browse("/_confsim/inspector/presence")
    assert "Leave: Uma User" in page.text
    assert "1004" in page.text


def test_a_refused_call_has_its_reason_in_the_journal(browse):
    """Below it, in a sentence; a call that succeeded has none."""
    page = browse("/_confsim/inspector/requests")
    assert "Guest Gwen is a guest" in page.text
    assert page.elements.count(("p", {"class": "bad"})) == 1


def test_bad_places_are_named(browse):
    """An offset that is none, an unknown page, record or machine."""
    for path, status in (
        ("requests?before=x", 404),
        ("mail?offset=x", 400),
        ("requests?status=abc", 400),
        ("requests?kind=none", 400),
        ("search?q=x&start=y", 400),
        ("nonsense", 404),
        ("records/channels/none", 404),
        ("machines/none", 404),
        ("operations/none", 404),
        ("records?at=r999", 404),
        ("records/channels/none?at=r999", 404),
    ):
        page = browse(f"/_confsim/inspector/{path}")
        assert (page.status, "alert" in [attrs.get("role") for _, attrs in page.elements]) == (status, True), path


@pytest.mark.parametrize(("id", "value"), [("encode.empty", "204"), ("encode.empty", '"204"'), ("http.head", "405")])
def test_what_if_takes_a_value_as_it_is_offered(sim, browse, id, value):
    """A text that reads as a number is the text, where the assumption takes texts."""
    sim.call("get_me", "demo-owner")
    assert browse(f"/_confsim/inspector/what-if?id={id}&value={quote(value)}").status == 200


def test_the_journal_shows_the_calls_of_one_operation(sim, browse):
    """As the link at an operation asks."""
    page = browse("/_confsim/inspector/requests?operation=reserve_handle")
    assert page.status == 200
    assert "reserve_handle" in page.text
    assert "set_user_email" not in page.text
