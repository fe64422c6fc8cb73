"""Acts on the members of a room: linked users, guests, owners and operators."""

from __future__ import annotations

from kit import ADMIN, CUSTOMER, GUEST, OPERATOR, OTHER_ADMIN, OWNER, ROOM, USER
from kit.exploration.view import View, fewer, newest, word

from .act import PUBLIC, Act, api, control
from .people import NUMBERS, UNKNOWN


def _linked(view: View) -> int | None:
    return next((user.id for user in reversed(view["users"]) if word(user.account) == "linked"), None)


LINKS: tuple[Act, ...] = (
    api("the owner creates a linked user", "create_linked_user", OWNER, when=fewer("users", 9), uuid=ROOM,
        body={"handle": "Lina"}),
    api("the admin invites the linked user", "create_invitation", ADMIN, userId=_linked),
    api("the linked user exchanges the invitation", "exchange_identity_token", PUBLIC, clientId=CUSTOMER,
        body={"idToken": newest("invitations", "code")}),
    control("the linked user joins the room", "join_channel",
            when=lambda view: (ROOM, _linked(view)) not in view.inside, channel=ROOM, userId=_linked),
    api("the owner unlinks the linked user", "unlink_user", OWNER, uuid=ROOM, userId=_linked),
    api("the owner makes the linked user operator", "add_operator", OWNER, uuid=ROOM, userId=_linked),
    api("the user unlinks the linked user", "unlink_user", USER, uuid=ROOM, userId=_linked),
)  # fmt: skip

HOSTS: tuple[Act, ...] = (
    api("the owner makes the operator owner", "add_owner", OWNER, uuid=ROOM, userId=NUMBERS["operator"]),
    api("the owner demotes themselves", "demote_owner", OWNER, uuid=ROOM, userId=NUMBERS["owner"]),
    api("the owner removes themselves", "remove_owner", OWNER, uuid=ROOM, userId=NUMBERS["owner"]),
    api("the operator removes the owner", "remove_owner", OPERATOR, uuid=ROOM, userId=NUMBERS["owner"]),
    api("the owner removes the operator", "remove_operator", OWNER, uuid=ROOM, userId=NUMBERS["operator"]),
    api("the owner makes the guest owner", "add_owner", OWNER, uuid=ROOM, userId=NUMBERS["guest"]),
    api("the owner makes somebody operator of an unknown room", "add_operator", OWNER, uuid=UNKNOWN,
        userId=NUMBERS["user"]),
    api("the owner renames the room", "rename_channel", OWNER, uuid=ROOM, name="Renamed"),
    api("the operator renames the guest", "rename_channel_user", OPERATOR, uuid=ROOM, userId=NUMBERS["guest"],
        body={"handle": "Gina"}),
    api("the user renames the guest", "rename_channel_user", USER, uuid=ROOM, userId=NUMBERS["guest"],
        body={"handle": "Bad"}),
    api("the operator renames the user", "rename_channel_user", OPERATOR, uuid=ROOM, userId=NUMBERS["user"],
        body={"handle": "Bad"}),
    api("another admin makes the user owner", "add_owner", OTHER_ADMIN, uuid=ROOM, userId=NUMBERS["user"]),
    api("the guest changes the handle", "set_user_handle", GUEST, userId="me", body={"handle": "Gwen"}),
)  # fmt: skip

ACTS: tuple[Act, ...] = (*LINKS, *HOSTS)
