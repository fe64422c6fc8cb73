"""The moments at which a world can be seen: after each call of the API and the control plane, and each timer."""

from __future__ import annotations

import pytest

from confsim import Misuse, demo


@pytest.fixture
def eventful(sim):
    """The simulator after a call, a snapshot, a timer and a refused call, in this order."""
    sim.call("reserve_handle", demo.USER, body={"handle": "soon"}, expect=200)
    sim.snapshot("here")
    sim.clock.advance("16m")
    sim.call("create_channel", demo.GUEST, body={"name": "x"}, expect=403)
    return sim


def test_moments_are_listed_in_the_order_in_which_they_were(eventful):
    """Each says what it is right after."""
    moments = eventful.control("list_moments")
    assert [(each.kind, each.what, each.status) for each in moments] == [
        ("call", "reserve_handle", 200),
        ("control", "take_snapshot", 200),
        ("timer", "handle reservation", None),
        ("control", "advance_clock", 200),
        ("call", "create_channel", 403),
    ]
    assert [each.at for each in moments] == sorted(each.at for each in moments)
    assert [each.id for each in moments] == [each.id for each in eventful.control("list_requests", kind="all")]


def test_moments_around_one(eventful):
    """So many before it and after it; before now without one."""
    ids = [each.id for each in eventful.control("list_moments")]
    assert [each.id for each in eventful.control("list_moments", at=ids[2], limit=1)] == ids[1:4]
    assert [each.id for each in eventful.control("list_moments", limit=2)] == ids[-2:]


def test_the_world_right_after_each_moment(eventful):
    """The reservation is there until the timer, and gone right after it."""
    counts = {}
    for each in eventful.control("list_moments"):
        counts[each.what] = eventful.control("list_records", kind="reservations", at=each.id).total
        assert eventful.control("get_request", each.id).id == each.id
    assert counts == {
        "reserve_handle": 1,
        "take_snapshot": 1,
        "handle reservation": 0,
        "advance_clock": 0,
        "create_channel": 0,
    }


@pytest.mark.parametrize("id", ["r99", "t99", "c99", "x1", "r", "c", "", "tx"])
def test_a_moment_that_never_was(eventful, id):
    """404."""
    for operation, path in (("get_request", (id,)), ("list_moments", ())):
        with pytest.raises(Misuse, match="there is no request") as refused:
            eventful.control(operation, *path, **({} if path else {"at": id}))
        assert refused.value.status == 404


def test_a_moment_that_is_forgotten(eventful):
    """410, of each kind."""
    ids = [each.id for each in eventful.control("list_moments")]
    eventful.requests.clear()
    assert eventful.control("list_moments") == []
    for id in ids:
        with pytest.raises(Misuse, match="has dropped") as refused:
            eventful.control("list_records", at=id)
        assert refused.value.status == 410


def test_what_is_no_call_cannot_be_exported(eventful):
    """A timer has no request that could be sent again."""
    timer = eventful.control("list_requests", kind="timer")[0].id
    with pytest.raises(Misuse, match="no call of the API"):
        eventful.control("export_requests", as_="curl", ids=timer)


@pytest.mark.parametrize("kind", ["all", "call", "control"])
def test_the_journal_is_listed_in_parts(eventful, kind):
    """So many, after the newest so many."""
    whole = [each.id for each in eventful.control("list_requests", kind=kind)]
    parts = []
    while found := eventful.control("list_requests", kind=kind, limit=2, offset=len(parts)):
        parts = [each.id for each in found] + parts
    assert parts == whole
