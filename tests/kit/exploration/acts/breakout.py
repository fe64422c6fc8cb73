"""Acts in an event room: breakout sessions, their rooms, and who goes where."""

from __future__ import annotations

from typing import Any

from kit import ADMIN, EVENT_ROOM, NOTHING, OPERATOR, OWNER, ROOM, USER
from kit.exploration.view import Finder, View, fewer, matching, newest

from .act import Act, api, control
from .people import NUMBERS, comes, exists, goes

_EVENT = "the event room"
_BREAKOUT = newest("breakout sessions", channel=EVENT_ROOM)


def _room(number: int, field: str = "id") -> Finder:
    """Return the finder of a field of the first or second room of the newest breakout session."""

    def find(view: View) -> object:
        rooms = matching(view, "breakout rooms", {"breakout": _BREAKOUT})
        return getattr(rooms[number - 1], field) if len(rooms) >= number else None

    return find


def _enters(who: str, number: int) -> Act:
    place = _room(number, "place")
    user = NUMBERS[who]

    def possible(view: View) -> bool:
        there = place(view)
        inside = any(each.user == user and each.place == there for each in view["presences"])
        return there is not None and not inside and exists(user)(view)

    return control(f"the {who} enters room {number}", "join_channel", when=possible, channel=place, userId=user)


def _assigns(who: str, number: int) -> Act:
    return api(
        f"the owner assigns the {who} to room {number}",
        "add_breakout_participant",
        OWNER,
        uuid=EVENT_ROOM,
        breakoutSession=_BREAKOUT,
        breakoutRoom=_room(number),
        userId=NUMBERS[who],
    )


def _breakout(sentence: str, operation: str, **values: Any) -> Act:
    return api(sentence, operation, OWNER, uuid=EVENT_ROOM, breakoutSession=_BREAKOUT, **values)


PEOPLE: tuple[Act, ...] = (
    *(comes(who, EVENT_ROOM, _EVENT) for who in ("owner", "operator", "user", "admin")),
    *(goes(who, EVENT_ROOM, _EVENT) for who in ("owner", "user")),
    *(_enters("owner", number) for number in (1, 2)),
    *(_enters("user", number) for number in (1, 2)),
)

BREAKOUTS: tuple[Act, ...] = (
    api(
        "the owner prepares a breakout of ten minutes",
        "create_breakout_session",
        OWNER,
        when=fewer("breakout sessions", 2),
        uuid=EVENT_ROOM,
        body={"name": "Groups", "duration": 10},
    ),
    _breakout(
        "the owner adds a room",
        "create_breakout_room",
        when=lambda view: len(matching(view, "breakout rooms", {"breakout": _BREAKOUT})) < 2,
        body={},
    ),
    *(_assigns("user", number) for number in (1, 2)),
    _assigns("operator", 1),
    _breakout(
        "the owner takes the user out of room 1",
        "remove_breakout_participant",
        breakoutRoom=_room(1),
        userId=NUMBERS["user"],
    ),
    api("the owner starts the breakout", "start_breakout_session", OWNER, uuid=EVENT_ROOM),
    api("the user starts the breakout", "start_breakout_session", USER, uuid=EVENT_ROOM),
    api("the owner stops the breakout", "stop_breakout_session", OWNER, uuid=EVENT_ROOM),
    _breakout("the owner deletes the breakout", "delete_breakout_session"),
    _breakout("the owner shortens the breakout", "update_breakout_session", body={"duration": 5}),
    _breakout("the owner renames room 1", "rename_breakout_room", breakoutRoom=_room(1), body={"name": "First"}),
    _breakout("the owner deletes room 1", "delete_breakout_room", breakoutRoom=_room(1)),
    api(
        "the owner adds a room to an unknown breakout",
        "create_breakout_room",
        OWNER,
        uuid=EVENT_ROOM,
        breakoutSession=NOTHING,
        body={},
    ),
    api(
        "the owner deletes the breakout through another room",
        "delete_breakout_session",
        OWNER,
        uuid=ROOM,
        breakoutSession=_BREAKOUT,
    ),
)

RUNS: tuple[Act, ...] = (
    api("the owner ends the session of the event room", "end_active_session", OWNER, uuid=EVENT_ROOM),
    api("the owner ends the session of room 1", "end_active_session", OWNER, uuid=_room(1, "place")),
    api("the operator records the event room", "start_recording", OPERATOR, uuid=EVENT_ROOM),
    api("the operator stops recording the event room", "stop_recording", OPERATOR, uuid=EVENT_ROOM),
    api("the operator records room 1", "start_recording", OPERATOR, uuid=_room(1, "place")),
    api("the owner switches the event room off", "set_event_room_state", OWNER, uuid=EVENT_ROOM, state="disable"),
    api("the owner closes the door of the event room", "set_lobby_door", OWNER, uuid=EVENT_ROOM, state="close"),
    api("the owner opens the door of the event room", "set_lobby_door", OWNER, uuid=EVENT_ROOM, state="open"),
    api("the owner makes the user operator of the event room", "add_operator", OWNER, uuid=EVENT_ROOM,
        userId=NUMBERS["user"]),
    api("the owner deletes the event room", "delete_channel", OWNER, uuid=EVENT_ROOM),
)  # fmt: skip


def _meeting_id(finder: Finder) -> Finder:
    def find(view: View) -> object:
        channel = view.channels.get(finder(view))
        return None if channel is None else channel.meeting_id

    return find


_FEW_PHONES = fewer("calls", 2)
PHONES: tuple[Act, ...] = (
    control("a phone dials into the event room", "dial_in", when=_FEW_PHONES, number="+12025550123",
            meetingId=_meeting_id(lambda view: EVENT_ROOM), caller="+12025550199"),
    control("a phone dials into room 1", "dial_in", when=_FEW_PHONES, number="+12025550123",
            meetingId=_meeting_id(_room(1, "place")), caller="+12025550198"),
    control("the phone in the event room hangs up", "hang_up",
            userId=newest("calls", "user", channel=EVENT_ROOM, state="answered")),
    *(
        api(f"the admin switches dial-in of the event room {word}", "set_dial_in_state", ADMIN, uuid=EVENT_ROOM,
            state=state)
        for word, state in (("off", "disable"), ("on", "enable"))
    ),
    api("the owner demands a PIN in the event room", "add_dial_pin", OWNER, uuid=EVENT_ROOM, body={"pin": "2468"}),
)  # fmt: skip

ACTS: tuple[Act, ...] = (*PEOPLE, *BREAKOUTS, *RUNS, *PHONES)
