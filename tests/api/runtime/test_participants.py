"""Participants of sessions."""

from __future__ import annotations

import pytest

from kit import (
    ADMIN,
    API_TOKEN,
    GUEST,
    OPERATOR,
    OTHER_ADMIN,
    OWNER,
    ROOM,
    USER,
    demo,
)
from kit.things.sessions import ran, session

# Participants


def handles(sim, id):
    """The handles of the participants of a session."""
    return [each["handle"] for each in sim.call("list_session_participants", OWNER, sessionId=id).body]


@pytest.mark.rule("R024", "R290", "R415")
def test_participants_are_a_bare_array(sim, people):
    """Everybody who was inside, once, by first join; who only waited took no part."""
    id = ran(sim, USER, OWNER, end=False)
    sim.presence.leave(ROOM, people[USER])
    sim.presence.join(ROOM, USER)
    sim.call("set_lobby_door", OWNER, uuid=ROOM, state="close")
    sim.presence.join(ROOM, GUEST)
    assert sim.call("list_session_participants", OWNER, sessionId=id).body == [
        {"id": people[USER], "handle": "Uma User"},
        {"id": people[OWNER], "handle": "Olaf Owner"},
    ]


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        ("first-join", ["Uma User", "Olaf Owner"]),
        ("handle", ["Olaf Owner", "Uma User"]),
        ("every-join", ["Uma User", "Olaf Owner", "Uma User"]),
    ],
)
def test_the_order_of_participants_is_assumed(people, choice, expected):
    """By first join, by handle, or one entry for each join."""
    sim = demo(sessions__participants=choice)
    id = ran(sim, USER, OWNER, end=False)
    sim.presence.leave(ROOM, people[USER])
    sim.presence.join(ROOM, USER)
    assert handles(sim, id) == expected


@pytest.mark.parametrize(("choice", "expected"), [("keep", ["Linus"]), ("leave-out", [])])
def test_removed_users_stay_in_history(choice, expected):
    """A linked user who was removed stays under the handle, or is left out."""
    sim = demo(sessions__removed_users=choice)
    linked = sim.call("create_linked_user", OWNER, uuid=ROOM, body={"handle": "Linus"}).body["id"]
    id = sim.presence.join(ROOM, linked).session
    sim.call("unlink_user", OWNER, uuid=ROOM, userId=linked)
    assert "ended" in session(sim, id)
    assert handles(sim, id) == expected


@pytest.mark.rule("R197")
@pytest.mark.parametrize(("choice", "expected"), [("then", "Robert"), ("now", "Robert"), ("last-join", "Bob")])
def test_a_phone_that_is_renamed_is_so_in_history(choice, expected):
    """Under the handle of now, or of the last join; the search finds what is shown."""
    sim = demo(sessions__participant_handle=choice)
    sim.call("set_dial_out_state", ADMIN, uuid=ROOM, state="enable")
    body = {"number": "+12025550147", "name": "Bob"}
    phone = sim.call("dial_unregistered_user", OWNER, uuid=ROOM, body=body).body["id"]
    sim.call("rename_channel_user", OWNER, uuid=ROOM, userId=phone, body={"handle": "Robert"})
    id = sim.call("list_sessions", OWNER, channel=ROOM).body["results"][0]["id"]
    assert (handles(sim, id), participants(sim)) == ([expected], (1, [expected]))
    assert participants(sim, search="rob")[0] == (expected == "Robert")


def participants(sim, **query):
    """The handles of the historical participants of the room."""
    body = sim.call("list_channel_participants", OWNER, uuid=ROOM, **query).body
    return body["total"], [each["handle"] for each in body["results"]]


@pytest.mark.rule("R021", "R290", "R419", "R420")
def test_historical_participants_are_listed_by_last_join(sim, people):
    """Distinct users of all sessions, the latest first, the running session included; paged and searched."""
    ran(sim, USER, OWNER)
    ran(sim, USER, OPERATOR, end=False)
    assert participants(sim) == (3, ["Opal Operator", "Uma User", "Olaf Owner"])
    assert participants(sim, limit=1, offset=1) == (3, ["Uma User"])
    assert participants(sim, search="oL") == (1, ["Olaf Owner"])
    assert participants(sim, search="o") == (2, ["Opal Operator", "Olaf Owner"])
    body = sim.call("list_channel_participants", OWNER, uuid=ROOM, limit=1).body
    assert body == {"total": 3, "results": [{"id": people[OPERATOR], "handle": "Opal Operator"}]}


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        ("distinct", ["Uma User", "Olaf Owner"]),
        ("attendances", ["Uma User", "Olaf Owner", "Uma User"]),
        ("ended", ["Olaf Owner", "Uma User"]),
    ],
)
def test_what_historical_means_is_assumed(choice, expected):
    """Users, joins, or users of ended sessions."""
    sim = demo(channels__participants=choice)
    ran(sim, USER, OWNER)
    ran(sim, USER, end=False)
    assert participants(sim)[1] == expected


@pytest.mark.parametrize(
    ("caller", "status"),
    [(OWNER, 200), (OPERATOR, 200), (ADMIN, 200), (API_TOKEN, 200), (USER, 403), (GUEST, 403), (OTHER_ADMIN, 404)],
)
def test_who_looks_up_participants(sim, caller, status):
    """Hosts and administrators."""
    assert sim.call("list_channel_participants", caller, uuid=ROOM).status == status


@pytest.mark.rule("R290", "R420")
def test_images_of_participants_come_in_the_size_asked_for(sim, people):
    """The size reaches the images of people."""
    sim.call("set_user_image", USER, userId="me", url="https://images.example/uma.png")
    id = ran(sim, USER)
    for operation, path in [
        ("list_session_participants", {"sessionId": id}),
        ("list_channel_participants", {"uuid": ROOM}),
    ]:
        body = sim.call(operation, OWNER, imgSize="large", **path).body
        face = body[0] if isinstance(body, list) else body["results"][0]
        assert face["imageUrl"].endswith("?size=large")
