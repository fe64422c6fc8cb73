"""Rooms of breakout sessions, at the domain's own functions."""

from __future__ import annotations

import pytest

from confsim.assumptions.protocol.refusals import Reason
from confsim.domain.breakout import breakout_rooms
from confsim.domain.breakout.breakout_rooms import RoomState
from confsim.kernel.refusal import Refusal
from kit import refused
from kit.things.breakout import Stage


def outcome(act, *arguments):
    """None when the function does it, else the reason why not."""
    try:
        act(*arguments)
    except Refusal as refusal:
        return refusal.reason
    return None


@pytest.mark.parametrize(
    ("choice", "editing", "deleting"),
    [
        ("add-and-rename", None, Reason.BREAKOUT_STARTED),
        ("refuse", Reason.BREAKOUT_STARTED, Reason.BREAKOUT_STARTED),
        ("allow", None, None),
    ],
)
def test_rooms_of_an_active_breakout_session(choice, editing, deleting):
    """Adding and renaming are allowed and deleting is not; or all are refused; or all allowed (G426)."""
    stage = Stage({"breakout.rooms-after-start": choice}).start()
    change, breakout = stage.change, stage.breakout
    assert outcome(breakout_rooms.add_room, change, breakout, None) is editing
    assert outcome(breakout_rooms.rename_room, change, breakout, stage.room(0), "Blue") is editing
    assert outcome(breakout_rooms.delete_room, change, breakout, stage.room(1)) is deleting
    names = [room.name for room in breakout_rooms.list_(change, breakout)]
    first = "Room 1" if editing else "Blue"
    assert names == [first, *["Room 2"] * (deleting is not None), *["Room 3"] * (editing is None)]
    assert {room.state for room in breakout_rooms.list_(change, breakout)} == {RoomState.LIVE}


@pytest.mark.rule("R462")
@pytest.mark.parametrize("choice", ["add-and-rename", "refuse", "allow"])
def test_a_room_is_deleted_before_the_start(choice):
    """Whatever is allowed afterwards."""
    stage = Stage({"breakout.rooms-after-start": choice})
    breakout_rooms.delete_room(stage.change, stage.breakout, stage.rooms[0])
    assert [room.id for room in breakout_rooms.list_(stage.change, stage.breakout)] == [stage.rooms[1].id]


@pytest.mark.parametrize(("choice", "before"), [("start", False), ("creation", True)])
def test_when_a_room_gets_its_channel(choice, before):
    """At the start, or when it is made; the session is one of the start (G438)."""
    stage = Stage({"breakout.room-channel": choice})
    assert (stage.room(0).place is not None, stage.room(0).session) == (before, None)
    if before:
        assert (stage.place(0).name, stage.place(0).parent) == ("Room 1", stage.event.id)
    stage.start()
    assert (stage.place(0).name, stage.place(0).parent) == ("Room 1", stage.event.id)
    assert stage.room(0).session is not None


@pytest.mark.rule("R461")
@pytest.mark.parametrize("choice", ["start", "creation"])
def test_the_channel_of_a_room_is_renamed_with_it(choice):
    """Before the start, where there is one, and after it (G438)."""
    stage = Stage({"breakout.room-channel": choice})
    breakout_rooms.rename_room(stage.change, stage.breakout, stage.room(0), "Blue")
    assert stage.room(0).name == "Blue"
    if choice == "creation":
        assert stage.place(0).name == "Blue"
    stage.start()
    assert stage.place(0).name == "Blue"
    breakout_rooms.rename_room(stage.change, stage.breakout, stage.room(0), "Green")
    assert (stage.room(0).name, stage.place(0).name) == ("Green", "Green")


def test_two_rooms_of_one_name():
    """Allowed, or refused; a room may keep its own (G420)."""
    stage = Stage()
    breakout_rooms.rename_room(stage.change, stage.breakout, stage.rooms[1], "Room 1")
    assert [room.name for room in breakout_rooms.list_(stage.change, stage.breakout)] == ["Room 1", "Room 1"]
    stage = Stage({"breakout.room-names": "refuse"})
    rename = breakout_rooms.rename_room
    assert refused(rename, stage.change, stage.breakout, stage.rooms[1], "Room 1") is Reason.ROOM_NAME_TAKEN
    breakout_rooms.rename_room(stage.change, stage.breakout, stage.rooms[1], "Room 2")
    assert stage.room(1).name == "Room 2"
