"""How assumptions can be seen, and why some cannot."""

from __future__ import annotations

from confsim.testing.calibrating.seeing import seen, unseen, why_not_called


def test_a_call_that_was_refused_shows_no_route():
    """Only one that succeeded, of the operation itself."""
    routes = {id: how for id, how in seen().items() if id.startswith("route.") and how.count(": ")}
    assert len(routes) > 40
    for id, how in routes.items():
        assert how.startswith(f"{id.removeprefix('route.')} as "), id
        assert int(how.rpartition(": ")[2]) < 400, id


def test_an_operation_that_rings_is_called_where_phones_may_ring():
    """It is no reason there."""
    assert why_not_called("dial.letters") == "it needs a phone"
    assert why_not_called("dial.letters", allow_phone_calls=True) == ""


def test_a_refusal_that_no_call_met_needs_no_phone():
    """Of no operation it is known that it is refused so."""
    assert unseen()["status.host-unknown"].startswith("no known call is refused so: ")
    assert why_not_called("status.host-unknown") == ""
