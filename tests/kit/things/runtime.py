"""Short ways to set and to read the runtime of a channel."""

from __future__ import annotations

from kit import ADMIN, API_TOKEN, GUEST, OPERATOR, OWNER, ROOM, USER

#: Every switch: operation, its words with the state of the flag, the field of the settings, who may turn it.
SWITCHES = [
    ("set_wall_state", {"enable": False, "disable": True}, "disableWall", {OWNER, OPERATOR, API_TOKEN}),
    ("set_lobby_door", {"open": True, "close": False}, "open", {OWNER, OPERATOR, API_TOKEN}),
    ("set_lobby_auto_close", {"enable": True, "disable": False}, "autoClose", {OWNER, OPERATOR, API_TOKEN}),
    ("set_attendees_state", {"mute": True, "unmute": False}, "muteAttendees", {OWNER, OPERATOR, API_TOKEN}),
    ("set_speech2text_state", {"enable": True, "disable": False}, "speech2text", {ADMIN, API_TOKEN}),
    ("set_midi_state", {"enable": True, "disable": False}, "midi", {OWNER}),
    ("set_event_room_state", {"enable": True, "disable": False}, "eventRoom", {OWNER}),
]
ABLE = {operation: min(callers - {API_TOKEN}) for operation, _, _, callers in SWITCHES}
CALLERS = (OWNER, OPERATOR, USER, GUEST, ADMIN, API_TOKEN)


def settings(sim, uuid=ROOM):
    """The settings of the channel."""
    return sim.call("get_channel_settings", OWNER, uuid=uuid).body


def states(sim, uuid=ROOM):
    """Where everybody is."""
    return {each.userId: each.state for each in sim.presence(uuid)}
