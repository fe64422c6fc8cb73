"""The machines of a connection, as tables."""

from __future__ import annotations

from confsim.http.limits import REFUSALS, Limits, Unread
from confsim.http.live.connection import ROWS
from confsim.http.live.states import READING, ConnectionEvent, Doing, Part, Reading

#: What cannot happen: a response comes where one is awaited, and the side of a client is closed once.
IMPOSSIBLE = {
    **{state: {ConnectionEvent.CAME} for state in (Doing.ANSWERING, Doing.FINISHING)},
    **{
        state: {ConnectionEvent.LATER, ConnectionEvent.LAST_SENT, ConnectionEvent.DROPPED, *more}
        for state, more in ((Doing.WAITING, ()), (Doing.HALF_CLOSED, (ConnectionEvent.CLIENT_ENDED,)))
    },
    Doing.LEAVING: {ConnectionEvent.LATER, ConnectionEvent.CAME, ConnectionEvent.LAST_SENT, ConnectionEvent.DROPPED},
}
IMPOSSIBLE[Doing.FINISHING] = {ConnectionEvent.CAME, ConnectionEvent.CLIENT_ENDED}


def test_every_event_has_a_row_in_every_state_in_which_it_can_happen() -> None:
    """A connection never meets an event that its table does not know."""
    assert ROWS.keys() == {
        (state, event) for state in Doing for event in ConnectionEvent if event not in IMPOSSIBLE[state]
    }


def test_every_state_is_reached_and_who_leaves_does_not_come_back() -> None:
    """From a new connection."""
    reached, found = {Doing.ANSWERING}, {Doing.ANSWERING}
    while found:
        found = {after for (before, _), (after, _) in ROWS.items() if before in found} - reached
        reached |= found
    assert reached == set(Doing)
    assert {after for (before, _), (after, _) in ROWS.items() if before is Doing.LEAVING} == {Doing.LEAVING}
    assert not any(
        after in (Doing.ANSWERING, Doing.WAITING)
        for (before, _), (after, _) in ROWS.items()
        if before in (Doing.HALF_CLOSED, Doing.FINISHING)
    )


def test_a_body_that_is_expected_is_asked_for_once() -> None:
    """Its client sends it at once, or when it is told to."""
    for part in (Part.CONTINUE, Part.BODY):
        assert READING[Reading.EXPECTING, part] is Reading.BODY
    assert {before for before, part in READING if part is Part.CONTINUE} == {Reading.EXPECTING}


def test_every_cause_has_a_refusal() -> None:
    """But for a body that nobody needs: the request is answered without it."""
    assert REFUSALS.keys() == set(Unread)
    assert {cause for cause, refusal in REFUSALS.items() if refusal is None} == {Unread.UNNEEDED}
    for refusal in filter(None, REFUSALS.values()):
        assert str(refusal(Limits(), "a problem"))
