"""Acts of identity: users, invitations, validators, tokens, emails, handles, access levels."""

from __future__ import annotations

from typing import Any

from kit import ADMIN, API_TOKEN, CUSTOMER, GUEST, OTHER_ADMIN, OWNER, ROOM, USER
from kit.exploration.view import Finder, View, fewer, first, newest
from kit.things.identity_tokens import compact

from .act import PUBLIC, Act, api, control
from .people import ADMIN_LEVEL, NOBODY, NUMBERS, PARTNER_LEVEL, UNKNOWN

_PREDEFINED = newest("users", account="predefined")


def _identity(origin: str, key: str, life: int = 60) -> Finder:
    """Return the finder of an identity token that is valid from now on for some seconds."""

    def find(view: View) -> str:
        now = view.now // 1000
        claims = {"sub": origin, "iat": now - 1, "nbf": now - 1, "exp": now + life, "name": "Pia"}
        return compact("HS256", key.encode(), claims)

    return find


def _pending(view: View) -> Any:
    user = view.users.get(NUMBERS["user"])
    return user.pending[-1][1] if user is not None and user.pending else None


_FIRST, _SECOND = "demo-validator-secret-of-32-bytes", "demo-validator-2-secret-of-32-bytes"

LOGINS: tuple[Act, ...] = (
    api("Pia logs in with an identity token", "exchange_identity_token", PUBLIC, clientId=CUSTOMER,
        body={"idToken": _identity("pia", _FIRST)}),
    api("Uma logs in with an identity token", "exchange_identity_token", PUBLIC, clientId=CUSTOMER,
        body={"idToken": _identity("uma-user", _FIRST)}),
    api("Uma logs in with a token of the second validator", "exchange_identity_token", PUBLIC, clientId=CUSTOMER,
        body={"idToken": _identity("uma-user", _SECOND)}),
    api("Uma logs in with an expired identity token", "exchange_identity_token", PUBLIC, clientId=CUSTOMER,
        body={"idToken": _identity("uma-user", _FIRST, life=-600)}),
)  # fmt: skip

USERS: tuple[Act, ...] = (
    api("the admin predefines a user", "create_predefined_user", ADMIN, when=fewer("users", 9),
        body={"name": "Pia", "originId": "pia"}),
    api("the admin invites the predefined user", "create_invitation", ADMIN, userId=_PREDEFINED),
    api("the admin invites somebody who is registered", "create_invitation", ADMIN, userId=NUMBERS["user"]),
    api("the admin invites the user of another client", "create_invitation", OTHER_ADMIN, userId=_PREDEFINED),
    control("the invited user redeems the invitation", "redeem_invitation", code=newest("invitations", "code")),
    control("somebody redeems a made-up invitation", "redeem_invitation", code="made-up"),
    *LOGINS,
    api("the owner creates a guest", "create_guest", OWNER, when=fewer("users", 10), clientId=CUSTOMER, uuid=ROOM,
        body={"handle": "Greta"}),
)  # fmt: skip

VALIDATORS: tuple[Act, ...] = (
    *(
        api(f"the admin {word}s the {which} validator", f"{word}_validator", ADMIN, validatorId=id)
        for word in ("enable", "disable")
        for which, id in (("first", "demo-validator"), ("second", "demo-validator-2"))
    ),
    api("the admin enables an unknown validator", "enable_validator", ADMIN, validatorId="nothing"),
)

TOKENS: tuple[Act, ...] = (
    api("the admin creates an API token", "create_api_token", ADMIN, when=fewer("api tokens", 3),
        body={"label": "second"}),
    api("the admin regenerates the first API token", "regenerate_api_token", ADMIN, tokenId=first("api tokens")),
    api("the admin deletes the newest API token", "delete_api_token", ADMIN, tokenId=newest("api tokens")),
    api("the admin deletes an unknown API token", "delete_api_token", ADMIN, tokenId=UNKNOWN),
    api("the first API token lists API tokens", "list_api_tokens", API_TOKEN),
)  # fmt: skip

EMAILS: tuple[Act, ...] = (
    api("the user sets an email address", "set_user_email", USER, userId="me", body={"email": "uma@new.example"}),
    api("the user verifies the email address", "verify_user_email", USER, userId="me", code=_pending),
    api("the user verifies with a wrong code", "verify_user_email", USER, userId="me", code="000000"),
)

HANDLES: tuple[Act, ...] = (
    api("the user reserves Neo", "reserve_handle", USER, body={"handle": "Neo"}),
    api("the guest reserves Neo", "reserve_handle", GUEST, body={"handle": "Neo"}),
    api("the owner reserves NEO", "reserve_handle", OWNER, body={"handle": "NEO"}),
    api("the user uses the newest reservation", "change_handle_with_reservation", USER,
        nonce=newest("reservations", "token")),
    api("the guest registers with the newest reservation", "create_user", GUEST, token=newest("reservations", "token"),
        body={}),
    api("somebody without token registers", "create_user", PUBLIC, token=first("reservations", "token"), body={}),
    api("the user uses a made-up reservation", "change_handle_with_reservation", USER, nonce="made-up"),
    api("the admin demands unique handles", "set_handle_uniqueness", ADMIN, state="enable"),
    api("the admin allows equal handles", "set_handle_uniqueness", ADMIN, state="disable"),
    api("the admin renames the user to Neo", "set_user_handle", ADMIN, userId=NUMBERS["user"], body={"handle": "Neo"}),
)  # fmt: skip

LEVELS: tuple[Act, ...] = (
    api("the admin makes the user customer admin", "add_access_level", ADMIN, userId=NUMBERS["user"],
        level=ADMIN_LEVEL),
    api("the admin takes the level from the user", "remove_access_level", ADMIN, userId=NUMBERS["user"],
        level=ADMIN_LEVEL),
    api("the admin takes the own level away", "remove_access_level", ADMIN, userId=NUMBERS["admin"],
        level=ADMIN_LEVEL),
    api("the admin makes the user partner admin", "add_access_level", ADMIN, userId=NUMBERS["user"],
        level=PARTNER_LEVEL),
    api("the user makes the owner customer admin", "add_access_level", USER, userId=NUMBERS["owner"],
        level=ADMIN_LEVEL),
    api("the user takes the level from the admin", "remove_access_level", USER, userId=NUMBERS["admin"],
        level=ADMIN_LEVEL),
    api("the admin raises somebody unknown", "add_access_level", ADMIN, userId=NOBODY, level=ADMIN_LEVEL),
)  # fmt: skip

ACTS: tuple[Act, ...] = (*USERS, *VALIDATORS, *TOKENS, *EMAILS, *HANDLES, *LEVELS)
