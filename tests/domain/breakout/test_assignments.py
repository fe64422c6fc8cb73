"""Assignments of users to breakout rooms, at the domain's own functions."""

from __future__ import annotations

import pytest

from confsim.assumptions.protocol.refusals import Reason
from confsim.domain.breakout import assignments, breakout_rooms, breakouts
from confsim.domain.members import linked_users
from confsim.domain.runtime import presence
from confsim.domain.users import users
from confsim.domain.users.users import Account
from kit import CUSTOMER, EVENT_ROOM, ROOM, refused
from kit.each import each
from kit.things.breakout import Stage


def assign(stage, place, user):
    """Assign the user to a room."""
    assignments.assign(stage.change, stage.event, stage.breakout, stage.rooms[place], user)


def assigned(stage):
    """The handles of those assigned to each room."""
    return [[user.handle for user in assignments.list_participants(stage.change, room)] for room in stage.rooms]


def visitor(stage, channel):
    """A guest made for the channel."""
    return users.create(stage.change, CUSTOMER, "Vera", Account.GUEST, channel=channel)


@pytest.mark.parametrize(("choice", "rooms"), [("move", [[], ["Uma User"]]), ("refuse", [["Uma User"], []])])
def test_a_user_has_one_room(choice, rooms):
    """Assigned to another, the user is moved, or it is refused; the same room again changes nothing (G428)."""
    stage = Stage({"breakout.second-room": choice})
    user = stage.user("Uma User")
    for _ in range(2):
        assign(stage, 0, user)
        assert assigned(stage) == [["Uma User"], []]
    if choice == "refuse":
        assert refused(assign, stage, 1, user) is Reason.ASSIGNED_ELSEWHERE
    else:
        assign(stage, 1, user)
    assert assigned(stage) == rooms


def test_guests_are_assigned_where_they_belong():
    """Those made for the event room; those of another channel are not found (G429)."""
    stage = Stage()
    assert refused(assign, stage, 0, visitor(stage, ROOM)) is Reason.NOT_FOUND
    assign(stage, 0, visitor(stage, EVENT_ROOM))
    assert assigned(stage) == [["Vera"], []]


@each(
    "choice, found",
    [("client", {"Uma User", "Opal Operator", "Linus"}), ("linked", {"Linus"}), ("present", {"Opal Operator"})],
)
def test_who_can_be_assigned(choice, found):
    """Any user of the client, linked users alone, or those present (G429)."""
    stage = Stage({"breakout.assignable": choice})
    linus = linked_users.create(stage.change, stage.client, stage.event, "Linus", None)
    presence.join(stage.change, stage.client, stage.event, stage.user("Opal Operator"))
    for user in (stage.user("Uma User"), stage.user("Opal Operator"), linus):
        if user.handle in found:
            assign(stage, 0, user)
        else:
            assert refused(assign, stage, 0, user) is Reason.NOT_FOUND
    assert set(assigned(stage)[0]) == found


@pytest.mark.parametrize(("choice", "spread"), [("stay", [0, 0]), ("distribute", [1, 1])])
def test_users_without_a_room_when_it_starts(choice, spread):
    """They stay, or all but hosts are spread over the rooms (G436)."""
    stage = Stage({"breakout.unassigned": choice})
    for user in (stage.user("Olaf Owner"), stage.user("Uma User"), visitor(stage, EVENT_ROOM)):
        presence.join(stage.change, stage.client, stage.event, user)
    breakouts.start(stage.change, stage.event)
    assert [len(handles) for handles in assigned(stage)] == spread
    rooms = [present.room for present in presence.list_present(stage.change, stage.event)]
    assert [rooms.count(room.id) for room in stage.rooms] == spread


@pytest.mark.parametrize("choice", ["stay", "distribute"])
def test_users_stay_where_there_is_no_room(choice):
    """A start without rooms moves nobody (G436)."""
    stage = Stage({"breakout.unassigned": choice})
    for room in stage.rooms:
        breakout_rooms.delete_room(stage.change, stage.breakout, room)
    presence.join(stage.change, stage.client, stage.event, stage.user("Uma User"))
    breakouts.start(stage.change, stage.event)
    assert [present.room for present in presence.list_present(stage.change, stage.event)] == [None]
