"""How values are shown."""

from __future__ import annotations

import pytest

from confsim import Simulator, guides
from confsim.domain.events.deliveries import DeliveryState
from confsim.inspector import render


def test_what_was_searched_for_is_marked():
    """In any case, wherever it stands; everything else is text."""
    assert render.marked("a <b> and A", "a") == "<mark>a</mark> &lt;b&gt; <mark>a</mark>nd <mark>A</mark>"
    assert render.marked("1 < 2", "<") == "1 <mark>&lt;</mark> 2"
    assert render.marked("(.*)", ".*") == "(<mark>.*</mark>)"
    assert render.marked("<i>", "") == "&lt;i&gt;"


def test_lines_of_paths_and_json_end_at_their_parts():
    """A line can end after a comma and before a slash, not after a hyphen or within :// or </; the text stays."""
    assert render.breakable("/a/<b></b>,c") == "/a<wbr>/&lt;b&gt;&lt;/b&gt;,<wbr>c"
    assert render.breakable("http://b//c") == "http://b<wbr>//c"
    assert render.breakable("a, b-c  <d>") == 'a, <span class="whole">b-c</span>  &lt;d&gt;'
    assert render.marked("the partner-admin,you", "admin,Y") == (
        'the <span class="whole">partner-<mark>admin,</mark></span><wbr><mark>y</mark>ou'
    )


def test_no_value_is_shown_by_its_python_name():
    """An enumeration shows its value, a truth value yes or no, nothing an empty text; in JSON as elsewhere."""
    template = render._environment().from_string("{{ state }}|{{ nothing }}|{{ yes }}|{{ no }}|{{ text }}|{{ 0 }}")
    shown = template.render(state=DeliveryState.WAITING, nothing=None, yes=True, no=False, text="None")
    assert shown == "waiting||yes|no|None|0"
    assert render.short({"state": DeliveryState.WAITING}) == '{"state": "waiting"}'
    assert render.pretty([DeliveryState.WAITING]) == '[\n  "waiting"\n]'
    assert render.around({"state": DeliveryState.WAITING}, "wait") == '{"state": "waiting"}'


def test_rules_and_gaps_lead_to_what_they_say():
    """Their numbers alone, in a text that is escaped."""
    shown = render.numbered("<i> R094, G353; XR094 P2", lambda *path: "/" + "/".join(path))
    assert shown == '&lt;i&gt; <a href="/explain/R094">R094</a>, <a href="/explain/G353">G353</a>; XR094 P2'


@pytest.mark.parametrize(
    ("value", "shown"),
    [(1_769_936_400_000, "2026-02-01 09:00:00.000"), (1004, ""), (True, ""), ("1769936400000", ""), (10**13, "")],
)
def test_an_instant_is_shown_as_a_date(value, shown):
    """A number of milliseconds of our time; other numbers are left alone."""
    assert render.date(value) == shown


def test_the_other_values_of_an_assumption_can_be_chosen():
    """Each is a value, none a phrase that describes some; the default is among them where it is not in force."""
    sim = Simulator(profile={"channels.unique-names": "allow", "status.role-missing": 404})
    entries = {each.id: each for each in sim.control("list_assumptions")}
    assert render.others(entries["channels.unique-names"]) == ["refuse", "number", "refuse-everywhere"]
    assert "403" in render.others(entries["status.role-missing"])
    assert "another status" not in render.others(entries["status.role-missing"])
    assert render.others(entries["active.rooms"]) == ["true"]


def test_each_guide_says_in_the_list_what_it_is_about(sim, browse):
    """With its first sentence, without the marks of Markdown."""
    page = browse("/_confsim/inspector/guides")
    assert "The service sends mail: codes that verify an address, invitations, notices." in page.text
    assert all(each.title in page.text for each in guides.list_())
    assert "`" not in page.text
    assert "**" not in page.text
