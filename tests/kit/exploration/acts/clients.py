"""Acts on clients: terms, service, children, and what a client sets for its channels."""

from __future__ import annotations

from kit import ADMIN, CUSTOMER, OTHER, OTHER_ADMIN, OWNER, PARTNER, PARTNER_ADMIN, ROOM
from kit.exploration.view import Finder, View, fewer, first, newest, none

from .act import Act, api, control
from .people import NUMBERS, PARTNER_LEVEL

#: The client below the customer, which acts make.
_CHILD = newest("clients", parent=CUSTOMER)


def _token_of(user: Finder) -> Finder:
    """Return the finder of the first token of a user."""

    def find(view: View) -> object:
        user_id = user(view)
        return next((record.value for record in view["credentials"] if record.user == user_id is not None), None)

    return find


_PETRA, _CHRIS = _token_of(first("users", handle="Petra")), _token_of(newest("users", client=_CHILD))


_CHRIS_ID, _BELOW = newest("users", client=_CHILD), newest("channels", client=_CHILD)


def _version_of(client: Finder) -> Finder:
    def find(view: View) -> object:
        found = view.clients.get(client(view))
        return None if found is None else found.terms.version

    return find


SERVICE: tuple[Act, ...] = (
    control("the customer gets a client below it", "make_client", when=none("clients", parent=CUSTOMER),
            name="Child", parent=CUSTOMER, reseller=False),
    control("the child gets a user", "make_user", when=fewer("users", 9), clientId=_CHILD, handle="Chris",
            registered=True),
    control("the customer gets a Partner Admin", "make_user", when=none("users", handle="Petra"), clientId=CUSTOMER,
            handle="Petra", registered=True, levels=[PARTNER_LEVEL]),
    control("the customer becomes a reseller", "change_record", path=["client", CUSTOMER], reseller=True),
    api("the customer disables the service of the child", "set_client_service_state", ADMIN, clientId=_CHILD,
        state="disable"),
    api("the Partner Admin of the customer disables the child", "set_client_service_state", _PETRA, clientId=_CHILD,
        state="disable"),
    api("the Partner Admin of the customer enables the child", "set_client_service_state", _PETRA, clientId=_CHILD,
        state="enable"),
    api("the partner disables its own service", "set_client_service_state", PARTNER_ADMIN, clientId=PARTNER,
        state="disable"),
    api("another client disables the service", "set_client_service_state", OTHER_ADMIN, clientId=CUSTOMER,
        state="disable"),
    api("the partner creates a client", "create_client", PARTNER_ADMIN, when=fewer("clients", 5),
        body={"name": "Second"}),
    api("the partner disables an unrelated client", "set_client_service_state", PARTNER_ADMIN, clientId=OTHER,
        state="disable"),
    api("the user of the child asks who they are", "get_me", _CHRIS),
    api("the user of the child creates a room", "create_channel", _CHRIS, when=none("channels", client=_CHILD),
        body={"name": "Below"}),
    control("the user of the child joins that room", "join_channel", when=lambda view: (_BELOW(view), _CHRIS_ID(view))
            not in view.inside, channel=_BELOW, userId=_CHRIS_ID),
    api("the user of the child asks the way into that room", "get_streaming_proxy", _CHRIS, uuid=_BELOW),
    api("the user of the child creates a guest", "create_guest", _CHRIS, when=fewer("users", 10), clientId=_CHILD,
        uuid=_BELOW, body={"handle": "Gus"}),
    api("the user of the child reserves Neo", "reserve_handle", _CHRIS, body={"handle": "Neo"}),
)  # fmt: skip

TERMS: tuple[Act, ...] = (
    api("the partner publishes new terms", "promulgate_terms", PARTNER_ADMIN, body={"url": "https://terms.example/p"},
        when=lambda view: (_version_of(lambda _: PARTNER)(view) or 9) < 3),
    api("the partner admin accepts the terms", "accept_terms", PARTNER_ADMIN, version=_version_of(lambda _: PARTNER)),
    api("the admin accepts the terms", "accept_terms", ADMIN, version=_version_of(lambda _: CUSTOMER)),
    api("the customer moves its terms", "update_terms_url", ADMIN, body={"url": "https://terms.example/moved"}),
    control("guests must accept the terms", "change_record", path=["client", CUSTOMER], termsRequired=True),
)  # fmt: skip

DEFAULTS: tuple[Act, ...] = (
    api("the admin switches friendly URLs on", "set_friendly_urls_state", ADMIN, state="enable"),
    api("the admin switches friendly URLs off", "set_friendly_urls_state", ADMIN, state="disable"),
    api("the owner gives the room a friendly URL", "set_channel_friendly_url", OWNER, uuid=ROOM, body={"url": "team"}),
    api("the owner gives the newest room the same friendly URL", "set_channel_friendly_url", OWNER,
        uuid=newest("channels"), body={"url": "team"}),
    api("the owner takes the friendly URL away", "remove_channel_friendly_url", OWNER, uuid=ROOM),
    api("the admin allows one origin", "set_origins", ADMIN, clientId=CUSTOMER, body=["https://app.example"]),
    api("another admin allows one origin", "set_origins", OTHER_ADMIN, clientId=CUSTOMER, body=["https://bad.example"]),
    api("the owner creates a room", "create_channel", OWNER, when=fewer("channels", 4), body={"name": "Second"}),
    api("the owner renames the newest room like the first", "rename_channel", OWNER, uuid=newest("channels"),
        name="Demo Room"),
    api("the owner deletes the newest room", "delete_channel", OWNER, uuid=newest("channels")),
    api("the admin makes the user owner", "add_owner", ADMIN, uuid=ROOM, userId=NUMBERS["user"]),
    api("the admin removes the owner", "remove_owner", ADMIN, uuid=ROOM, userId=NUMBERS["owner"]),
    api("the admin demotes the owner", "demote_owner", ADMIN, uuid=ROOM, userId=NUMBERS["owner"]),
)  # fmt: skip

ACTS: tuple[Act, ...] = (*SERVICE, *TERMS, *DEFAULTS)
