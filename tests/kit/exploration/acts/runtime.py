"""Acts in a room: people, lobby, recording, session, and what changes who may come in."""

from __future__ import annotations

from kit import ADMIN, CUSTOMER, OPERATOR, OWNER, PARTNER_ADMIN, ROOM, USER
from kit.exploration.view import View, newest, some

from .act import WAIT, Act, api, control
from .people import NOBODY, NUMBERS, UNKNOWN, admitted, comes, goes, present

_ROOM = "the room"
_GOES_ON = some("sessions", channel=ROOM, state="ongoing")


def _switch(sentence: str, operation: str, caller: str, state: str) -> Act:
    return api(sentence, operation, caller, uuid=ROOM, state=state)


def _old_version(view: View) -> int | None:
    client = view.clients.get(CUSTOMER)
    return None if client is None or client.terms.version < 2 else client.terms.version - 1


def _version(view: View) -> int | None:
    client = view.clients.get(CUSTOMER)
    return None if client is None else client.terms.version


COMING: tuple[Act, ...] = (
    *(comes(who, ROOM, _ROOM) for who in ("owner", "operator", "user", "guest")),
    *(goes(who, ROOM, _ROOM) for who in ("owner", "user", "guest")),
)

PEOPLE: tuple[Act, ...] = (
    *COMING,
    admitted("user", ROOM, _ROOM),
    admitted("guest", ROOM, _ROOM),
    control("a host admits somebody unknown", "admit_to_channel", when=_GOES_ON, channel=ROOM, userId=NOBODY),
    control(
        "the host makes the user presenter",
        "set_presenter",
        when=present(ROOM, NUMBERS["user"], "in"),
        channel=ROOM,
        userId=NUMBERS["user"],
        presenter=True,
    ),
)

DOOR: tuple[Act, ...] = (
    _switch("the owner opens the door", "set_lobby_door", OWNER, "open"),
    _switch("the owner closes the door", "set_lobby_door", OWNER, "close"),
)

DOORS: tuple[Act, ...] = (
    *DOOR,
    _switch("the user opens the door", "set_lobby_door", USER, "open"),
    _switch("the owner lets the door close by itself", "set_lobby_auto_close", OWNER, "enable"),
    _switch("the owner switches guest access off", "set_guest_access", OWNER, "disable"),
    _switch("the owner switches guest access on", "set_guest_access", OWNER, "enable"),
    control("the host makes the room private", "change_record", path=["channel", ROOM], private=True),
    control("the host limits the room to two", "change_record", path=["channel", ROOM], populationLimit=2),
    control("the host lifts the limit of the room", "change_record", path=["channel", ROOM], populationLimit=None),
)

SETTINGS: tuple[Act, ...] = (
    _switch("the operator mutes attendees", "set_attendees_state", OPERATOR, "mute"),
    api("the operator limits presenters to one", "set_presenters_limit", OPERATOR, uuid=ROOM, limit=1),
    control(
        "the host makes the operator presenter",
        "set_presenter",
        when=present(ROOM, NUMBERS["operator"], "in"),
        channel=ROOM,
        userId=NUMBERS["operator"],
        presenter=True,
    ),
    api("the operator lifts the limit on presenters", "remove_presenters_limit", OPERATOR, uuid=ROOM),
    _switch("the user mutes attendees", "set_attendees_state", USER, "mute"),
    _switch("the operator closes the wall", "set_wall_state", OPERATOR, "disable"),
)

RUNS: tuple[Act, ...] = (
    api("the operator records", "start_recording", OPERATOR, uuid=ROOM),
    api("the operator stops recording", "stop_recording", OPERATOR, uuid=ROOM),
    api("the owner ends the session", "end_active_session", OWNER, uuid=ROOM),
    api(
        "the owner ends a session that has ended",
        "end_session",
        OWNER,
        uuid=ROOM,
        sessionId=newest("sessions", channel=ROOM, state="ended"),
    ),
    api(
        "the owner ends the session that goes on",
        "end_session",
        OWNER,
        uuid=ROOM,
        sessionId=newest("sessions", channel=ROOM, state="ongoing"),
    ),
    api("the user ends the session", "end_active_session", USER, uuid=ROOM),
    api(
        "the operator asks for the recording",
        "get_recording_download",
        OPERATOR,
        channelId=ROOM,
        recordingId=newest("recordings", channel=ROOM),
    ),
    api("the user records", "start_recording", USER, uuid=ROOM),
    api("the owner ends an unknown session", "end_session", OWNER, uuid=ROOM, sessionId=UNKNOWN),
)

ROLES: tuple[Act, ...] = (
    api("the owner makes the user operator", "add_operator", OWNER, uuid=ROOM, userId=NUMBERS["user"]),
    api("the owner removes the user as operator", "remove_operator", OWNER, uuid=ROOM, userId=NUMBERS["user"]),
    api("the owner makes the guest operator", "add_operator", OWNER, uuid=ROOM, userId=NUMBERS["guest"]),
    api("the user makes themselves operator", "add_operator", USER, uuid=ROOM, userId=NUMBERS["user"]),
    api("the operator removes the owner as operator", "remove_operator", OPERATOR, uuid=ROOM, userId=NUMBERS["owner"]),
    api("the owner links the user", "link_user", OWNER, uuid=ROOM, userId=NUMBERS["user"]),
    api("the owner unlinks the user", "unlink_user", OWNER, uuid=ROOM, userId=NUMBERS["user"]),
    api("the owner unlinks the guest", "unlink_user", OWNER, uuid=ROOM, userId=NUMBERS["guest"]),
)

#: What may be done to the client, and the end of the room.
SERVICE: tuple[Act, ...] = (
    api("the partner disables the service", "set_client_service_state", PARTNER_ADMIN, clientId=CUSTOMER,
        state="disable"),
    api("the partner enables the service", "set_client_service_state", PARTNER_ADMIN, clientId=CUSTOMER,
        state="enable"),
    api("the customer publishes new terms", "promulgate_terms", ADMIN, body={"url": "https://terms.example/new"},
        when=lambda view: (_version(view) or 9) < 3),
    api("the user accepts the terms", "accept_terms", USER, version=_version),
    api("the owner accepts the terms", "accept_terms", OWNER, version=_version),
    api("the user accepts old terms", "accept_terms", USER, version=_old_version),
    api("the owner deletes the room", "delete_channel", OWNER, uuid=ROOM),
)  # fmt: skip

ACTS: tuple[Act, ...] = (*PEOPLE, *DOORS, *SETTINGS, *RUNS, *ROLES, *SERVICE, WAIT)
