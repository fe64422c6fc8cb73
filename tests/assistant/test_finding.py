"""Operations are found by words as people say them."""

from __future__ import annotations

import pytest

from confsim.assistant.finding import list_matching
from confsim.assistant.operations import PLANES


def names(words, plane=None, area=None):
    """The names of what is found, best first."""
    return [operation.name for _, operation in list_matching(words, PLANES, plane, area)]


@pytest.mark.parametrize(
    ("words", "first"),
    [
        ("handle reserve", "reserve_handle"),
        ("Reserving handles", "reserve_handle"),
        ("resrve a handl", "reserve_handle"),
        ("reserveHandle", "reserve_handle"),
        ("how do I mute the attendees?", "set_attendees_state"),
        ("verification of emails", "verify_user_email"),
        ("move the clock", "advance_clock"),
        ("what mails were sent", "list_mail"),
        ("admitting somebody from the lobby", "admit_to_channel"),
        ("invitations", "create_invitation"),
    ],
)
def test_words_in_any_form(words, first):
    """Of the name, the summary or the path; nearly spelt, too."""
    assert names(words)[0] == first


def test_all_the_words_count_where_they_are_somewhere():
    """Else most of them do; nothing is found by words that are nowhere."""
    assert names("delete a channel")[0] == "delete_channel"
    assert "create_channel" not in names("delete a channel")
    assert (
        names("reserve handle quickly")
        == names("reserve handle quickly please")[: len(names("reserve handle quickly"))]
    )
    assert "reserve_handle" in names("reserve handle quickly")
    assert names("xyzzy") == []


def test_planes_and_areas():
    """All of them, in order, without words."""
    everything = [operation.name for catalogue in PLANES.values() for operation in catalogue]
    assert names("") == everything
    assert names("", "control") == [operation.name for operation in PLANES["control"]]
    assert set(names("state", None, "breakout")) <= {each.name for each in PLANES["api"] if each.area == "breakout"}
    assert names("the") != everything
