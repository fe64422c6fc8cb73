"""Acts of events and webhooks, broadcasts, media and app sessions."""

from __future__ import annotations

from kit import ADMIN, CUSTOMER, OPERATOR, OWNER, ROOM, USER
from kit.exploration.view import fewer, first, newest

from .act import Act, api
from .people import NUMBERS, UNKNOWN

_ENDPOINT = newest("events endpoints")
_DESTINATION = newest("broadcast destinations", channel=ROOM)
_APP = newest("app sessions")

EVENTS: tuple[Act, ...] = (
    api("the admin switches events on", "set_events_state", ADMIN, state="enable"),
    api("the admin switches events off", "set_events_state", ADMIN, state="disable"),
    api("the admin adds an endpoint", "add_events_endpoint", ADMIN, when=fewer("events endpoints", 2),
        body={"url": "https://hooks.example/in", "active": True}),
    api("the admin stops the endpoint", "update_events_endpoint", ADMIN, id=_ENDPOINT, body={"active": False}),
    api("the admin resumes the endpoint", "update_events_endpoint", ADMIN, id=_ENDPOINT, body={"active": True}),
    api("the admin removes the endpoint", "remove_events_endpoint", ADMIN, id=_ENDPOINT),
    api("the admin removes an unknown endpoint", "remove_events_endpoint", ADMIN, id=UNKNOWN),
    api("the user adds an endpoint", "add_events_endpoint", USER, body={"url": "https://bad.example/", "active": True}),
    api("the admin renews the secret", "regenerate_events_secret", ADMIN, when=fewer("events secrets", 1)),
)  # fmt: skip

BROADCASTS: tuple[Act, ...] = (
    api("the admin allows broadcasts", "set_broadcast_state", ADMIN, uuid=ROOM, state="enable"),
    api("the admin forbids broadcasts", "set_broadcast_state", ADMIN, uuid=ROOM, state="disable"),
    api("the owner adds a destination", "add_broadcast_destination", OWNER, when=fewer("broadcast destinations", 2),
        channel=ROOM, body={"destination": "rtmp://live.example/app"}),
    api("the owner disables the destination", "set_broadcast_destination_state", OWNER, channel=ROOM,
        destinationId=_DESTINATION, state="disable"),
    api("the owner enables the destination", "set_broadcast_destination_state", OWNER, channel=ROOM,
        destinationId=_DESTINATION, state="enable"),
    api("the operator adds a destination", "add_broadcast_destination", OPERATOR, channel=ROOM,
        body={"destination": "rtmp://live.example/other"}),
    api("the operator starts the broadcast", "start_broadcast", OPERATOR, uuid=ROOM),
    api("the operator stops the broadcast", "stop_broadcast", OPERATOR, uuid=ROOM),
    api("the user starts the broadcast", "start_broadcast", USER, uuid=ROOM),
    api("the operator polls the broadcast", "get_broadcast", OPERATOR, uuid=ROOM,
        broadcastID=newest("broadcasts", channel=ROOM)),
)  # fmt: skip

THINGS: tuple[Act, ...] = (
    api("the owner uploads a file", "upload_channel_media", OWNER, when=fewer("channel media", 2), uuid=ROOM,
        body=b"text", content_type="text/plain", name="note.txt"),
    api("the owner deletes the first file", "delete_channel_media", OWNER, uuid=ROOM, mediaId=first("channel media")),
    api("the admin uploads a file of the client", "upload_client_media", ADMIN, when=fewer("client media", 2),
        body=b"text", content_type="text/plain", name="note.txt"),
    api("the admin deletes the file of the client", "delete_client_media", ADMIN, mediaId=first("client media")),
    api("the owner deletes an unknown file", "delete_channel_media", OWNER, uuid=ROOM, mediaId=UNKNOWN),
    api("the admin registers an app session", "create_app_session", ADMIN, when=fewer("app sessions", 1),
        clientId=CUSTOMER, body={"url": "https://app.example/1", "started": lambda view: view.now}),
    api("the admin links the app session to the room", "link_app_session_to_channel", ADMIN, appSession=_APP,
        channelUuid=ROOM),
    api("the admin links the app session to the user", "link_app_session_to_user", ADMIN, appSession=_APP,
        userId=NUMBERS["user"]),
    api("the admin links the app session to the session", "link_app_session_to_channel_session", ADMIN,
        appSession=_APP, channelUuid=ROOM, channelSession=newest("sessions", channel=ROOM)),
    api("the owner gets a gateway endpoint", "create_gateway_endpoint", OWNER, when=fewer("gateway endpoints", 1),
        userId="me", body={"kind": "RTMP"}),
    api("the owner notes a property of the room", "set_channel_property", OWNER, uuid=ROOM, key="color", body="red"),
    api("the owner removes the property of the room", "delete_channel_property", OWNER, uuid=ROOM, key="color"),
)  # fmt: skip

ACTS: tuple[Act, ...] = (*EVENTS, *BROADCASTS, *THINGS)
