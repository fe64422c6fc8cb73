"""The journal as a list: rows, counts, filters and pages."""

from __future__ import annotations

import pytest

from confsim import Misuse, Simulator
from kit import GUEST, OWNER, ROOM, START, USER, ok


def world():
    """A world in which calls succeeded and were refused, a control call was made, and a timer has fired."""
    sim = Simulator(clock=START)
    ok(sim, "reserve_handle", USER, body={"handle": "Neo"})
    sim.call("create_channel", OWNER, body={"name": "Demo Room"}, expect=409)
    sim.call("create_channel", GUEST, body={"name": "Guests only"}, expect=403)
    sim.presence.join(ROOM, 1002)
    sim.call("get_me", None, expect=401)
    sim.clock.advance("16m")
    ok(sim, "get_channel", OWNER, uuid=ROOM)
    return sim


@pytest.fixture
def sim():
    """The same world for each test."""
    return world()


def page(sim, **filters):
    """A page of the journal."""
    return sim.control("get_journal", **filters)


def ids(sim, **filters):
    """The ids of the rows of a page."""
    return [each.id for each in page(sim, **filters).rows]


def test_rows_of_all_kinds_are_newest_first_with_counts_and_callers(sim):
    """A refused call says why; a row has the names of who called and of what."""
    found = page(sim)
    assert [each.id for each in found.rows] == ["r5", "c3", "t2", "r4", "c1", "r3", "r2", "r1"]
    rows = {each.id: each for each in found.rows}
    assert (rows["r5"].caller, rows["r5"].about.label, rows["r5"].status) == ("Olaf Owner", "Demo Room", 200)
    assert rows["r2"].why == "Demo Room exists already, since before the journal begins"
    assert rows["t2"].what == "The reservation of Neo ends"
    assert (found.total, found.more, found.dropped) == (8, False, 0)
    counts = found.counts
    assert (counts.succeeded, counts.refused, counts.control, counts.timers) == (2, 3, 2, 1)
    busiest = found.callers[0]
    assert (busiest.id, busiest.label, busiest.count) == ("1002", "Olaf Owner", 2)
    assert {each.id for each in found.callers} == {"1002", "1004", "1005", "nobody"}


def test_counts_are_those_without_the_filter_by_class(sim):
    """So that the filters can be offered with their numbers."""
    found = page(sim, status="4xx", caller="1002")
    assert ([each.id for each in found.rows], found.total) == (["r2"], 1)
    assert (found.counts.succeeded, found.counts.refused, found.counts.control) == (1, 1, 0)


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"status": "4xx"}, ["r4", "r3", "r2"]),
        ({"status": "409"}, ["r2"]),
        ({"kind": "timer"}, ["t2"]),
        ({"kind": "control"}, ["c3", "c1"]),
        ({"caller": "nobody"}, ["r4"]),
        ({"caller": "1005"}, ["r3"]),
        ({"text": "GUESTS ONLY"}, ["r3"]),
        ({"text": "already"}, ["r2"]),
        ({"text": "handle reservation"}, ["t2"]),
        ({"operation": "create_channel"}, ["r3", "r2"]),
        ({"operation": "join_channel"}, ["c1"]),
        ({"method": "get", "status": "200"}, ["r5"]),
        ({"path": "/v1_0/channels/*"}, ["r5", "r3", "r2"]),
        ({"assumption": "gate.create_channel"}, ["r3", "r2"]),
        ({"before": "r3"}, ["r2", "r1"]),
        ({"before": "t2", "limit": 2}, ["r4", "c1"]),
        ({"before": "t2", "status": "2xx"}, ["c1", "r1"]),
    ],
)
def test_filters_choose(filters, expected):
    """Each by itself, and together."""
    assert ids(world(), **filters) == expected


def test_pages_follow_each_other(sim):
    """By the entry before which the next page begins; together they are all."""
    whole, found, before = ids(sim), [], None
    while True:
        part = page(sim, limit=3, **({} if before is None else {"before": before}))
        found += [each.id for each in part.rows]
        if not part.more:
            break
        before = found[-1]
    assert found == whole


@pytest.mark.parametrize(
    ("filters", "status"),
    [
        ({"status": "6xx"}, 400),
        ({"limit": 501}, 400),
        ({"operation": "make_room"}, 404),
        ({"assumption": "x"}, 404),
        ({"before": "r99"}, 404),
    ],
)
def test_a_filter_that_is_not_valid_is_refused(filters, status):
    """With the status that says whether it is unknown or malformed."""
    with pytest.raises(Misuse) as refused:
        page(Simulator(clock=START), **filters)
    assert refused.value.status == status


def test_calls_in_python_are_found_by_class_caller_and_text(sim):
    """As over HTTP."""
    assert [each.id for each in sim.requests.find(status="4xx", caller=1002)] == ["r2"]
    assert [each.id for each in sim.requests.find(text="guests only")] == ["r3"]
    assert [each["id"] for each in sim.client().get("/_confsim/requests?status=4xx&caller=nobody").json] == ["r4"]


def test_the_token_of_a_caller_is_shown_if_it_never_expires(sim):
    """As the description of the world shows it; of any other only the beginning."""
    token = sim.token(1004, "1h")
    ok(sim, "get_me", token)
    shown = [(each.caller.token, each.caller.expires) for each in sim.requests if each.caller is not None]
    assert shown[0] == (USER, None)
    assert shown[-1] == (f"{token[:4]}…", sim.clock.now + 3_600_000)
