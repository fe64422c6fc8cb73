"""Acts of telephony: numbers, PINs, and phones that dial in or are called."""

from __future__ import annotations

from kit import ADMIN, EVENT_ROOM, OPERATOR, OWNER, ROOM, USER
from kit.exploration.view import Finder, View, fewer, newest

from .act import Act, api, control
from .people import NOBODY

_NUMBER, _SECOND = "+12025550123", "+442079460123"
_FEW = fewer("calls", 2)
_RINGING = newest("calls", "user", channel=ROOM, state="ringing")
_ANSWERED = newest("calls", "user", channel=ROOM, state="answered")


def _of_room(field: str) -> Finder:
    def find(view: View) -> object:
        channel = view.channels.get(ROOM)
        return None if channel is None else getattr(channel, field)

    return find


def _dials(sentence: str, **keyed: object) -> Act:
    return control(sentence, "dial_in", when=_FEW, number=_NUMBER, caller="+12025550199", **keyed)


PHONES: tuple[Act, ...] = (
    _dials("a phone dials into the room", meetingId=_of_room("meeting_id")),
    _dials("a phone dials in with the PIN", meetingId=_of_room("meeting_id"), pin="2468"),
    _dials("a phone dials in with the organizer PIN", meetingId=_of_room("meeting_id"), pin="9999"),
    _dials("a phone dials in with a wrong PIN", meetingId=_of_room("meeting_id"), pin="1111"),
    _dials("a phone dials in with the routing code",
           code=newest("number assignments", "code", number=_NUMBER, channel=ROOM)),
    control("a phone dials the second number", "dial_in", when=_FEW, number=_SECOND, caller="+12025550198"),
    control("the called phone answers", "answer_call", userId=_RINGING),
    control("the called phone is busy", "refuse_call", userId=_RINGING),
    control("the call fails", "fail_call", userId=_RINGING),
    control("the phone hangs up", "hang_up", userId=_ANSWERED),
    control("a phone that is not there hangs up", "hang_up", userId=NOBODY),
    control("a host admits the phone", "admit_to_channel", when=lambda view: _ANSWERED(view) in
            {user for _, user in view.waiting}, channel=ROOM, userId=_ANSWERED),
    api("the operator calls a phone", "dial_unregistered_user", OPERATOR, when=_FEW, uuid=ROOM,
        body={"number": "+12025550177", "name": "Phil"}),
    api("the operator calls the user", "dial_registered_user", OPERATOR, when=_FEW, uuid=ROOM,
        body={"number": "+12025550178", "sipUserId": 1004}),
)  # fmt: skip

NUMBERS: tuple[Act, ...] = (
    api("the owner assigns the number", "assign_dial_number", OWNER, uuid=ROOM, number=_NUMBER),
    api("the owner assigns the second number alone", "assign_exclusive_dial_number", OWNER, uuid=ROOM, number=_SECOND),
    api("the owner shares the second number", "assign_dial_number", OWNER, uuid=ROOM, number=_SECOND),
    api("the owner shares the second number with the event room", "assign_dial_number", OWNER, uuid=EVENT_ROOM,
        number=_SECOND),
    api("the owner assigns the second number alone to the event room", "assign_exclusive_dial_number", OWNER,
        uuid=EVENT_ROOM, number=_SECOND),
    api("the owner cancels the second number", "cancel_dial_number_assignment", OWNER, uuid=ROOM, number=_SECOND),
    api("the admin disables the second number", "set_inbound_number_state", ADMIN, number=_SECOND, state="disable"),
    api("the admin enables the second number", "set_inbound_number_state", ADMIN, number=_SECOND, state="enable"),
    api("the admin makes the second number a default", "add_default_dial_number", ADMIN, number=_SECOND),
    api("the admin takes the default from the number", "remove_default_dial_number", ADMIN, number=_NUMBER),
    api("the owner assigns an unknown number", "assign_dial_number", OWNER, uuid=ROOM, number="+12025550000"),
)  # fmt: skip

SWITCHES: tuple[Act, ...] = (
    api("the owner demands a PIN", "add_dial_pin", OWNER, uuid=ROOM, body={"pin": "2468"}),
    api("the owner adds an organizer PIN", "add_dial_pin", OWNER, uuid=ROOM, body={"pin": "9999", "organizer": True}),
    api("the owner deletes the PIN", "delete_dial_pin", OWNER, uuid=ROOM, pin="2468"),
    api("the user deletes the PIN", "delete_dial_pin", USER, uuid=ROOM, pin="2468"),
    api("the owner switches dial-in off", "set_dial_in_state", OWNER, uuid=ROOM, state="disable"),
    api("the admin switches dial-in off", "set_dial_in_state", ADMIN, uuid=ROOM, state="disable"),
    api("the admin switches dial-in on", "set_dial_in_state", ADMIN, uuid=ROOM, state="enable"),
    api("the admin switches dial-out on", "set_dial_out_state", ADMIN, uuid=ROOM, state="enable"),
    api("the admin switches dial-out off", "set_dial_out_state", ADMIN, uuid=ROOM, state="disable"),
    *(
        api(f"the admin switches dial-in {word} for new rooms", "set_client_dial_in_state", ADMIN, state=state)
        for word, state in (("off", "disable"), ("on", "enable"))
    ),
)

ACTS: tuple[Act, ...] = (*PHONES, *NUMBERS, *SWITCHES)
