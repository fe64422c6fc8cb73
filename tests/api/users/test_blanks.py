"""Leading and trailing blanks of names and handles."""

from __future__ import annotations

import pytest

from kit import ADMIN, API_TOKEN, CUSTOMER, ROOM, USER, code, demo, ok


@pytest.mark.rule("R160", "R170", "R371")
@pytest.mark.parametrize(
    ("choice", "handle", "again", "renamed"),
    [("removed", "Neo", (409, "channel_name_taken"), "Room"), ("kept", "  Neo ", None, " Room ")],
)
def test_outer_blanks_of_names_and_handles(choice, handle, again, renamed):
    """They are removed wherever a name is given or looked for, or kept, so that names with them differ."""
    sim = demo(parse__outer_blanks=choice)
    ok(sim, "set_handle_uniqueness", state="disable")
    ok(sim, "set_user_handle", USER, userId="me", body={"handle": "  Neo "})
    assert ok(sim, "get_me", USER)["handle"] == handle
    assert ok(sim, "find_user_by_handle", API_TOKEN, handle=" Neo  ") if choice == "removed" else True
    answer = sim.call("create_channel", ADMIN, body={"name": " Demo Room", "description": " kept "})
    assert (None if answer.ok else code(answer)) == again
    if answer.ok:
        assert ok(sim, "get_channel", ADMIN, uuid=answer.body["channelUuid"])["description"] == " kept "
    ok(sim, "rename_channel", "demo-owner", uuid=ROOM, name=" Room ")
    assert ok(sim, "get_channel", ADMIN, uuid=ROOM)["name"] == renamed


def test_a_name_of_blanks_is_refused_and_ids_of_others_keep_theirs():
    """A blank name is none; the id of a user in another system is taken as it is."""
    sim = demo()
    assert code(sim.call("create_channel", ADMIN, body={"name": "  ", "description": "x"})) == (400, "invalid_input")
    ok(sim, "create_predefined_user", body={"name": " Rita ", "originId": " r1 "})
    found = ok(sim, "find_predefined_user", API_TOKEN, originId=" r1 ")["id"]
    assert ok(sim, "get_user", API_TOKEN, userId=found)["handle"] == "Rita"
    guest = ok(sim, "create_guest", None, clientId=CUSTOMER, uuid=ROOM, body={"handle": "Gus\u2003"})["token"]
    assert ok(sim, "get_me", guest)["handle"] == "Gus"
