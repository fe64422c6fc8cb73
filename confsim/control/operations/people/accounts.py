"""Clients, users, tokens and logins, which no call of the API creates."""

from __future__ import annotations

from typing import Annotated, ClassVar

from confsim.assumptions.protocol import wire
from confsim.assumptions.register import note
from confsim.contract.types import Handle, Int, Long, Name, Wire
from confsim.control.context import ControlContext, get_client, get_user
from confsim.control.declare import CommandBody, operation
from confsim.control.fields import Duration, one_of
from confsim.domain.channels.channels import CHANNELS
from confsim.domain.clients import clients
from confsim.domain.clients.clients import CLIENTS, Client
from confsim.domain.identity import api_tokens, credentials, invitations
from confsim.domain.identity.invitations import INVITATIONS
from confsim.domain.users import emails, handles, users
from confsim.domain.users.users import Account, Level, User
from confsim.kernel.refusal import Misuse
from confsim.kernel.world import Change
from confsim.values.spans import span


class Token(Wire):
    """A token. ``expires`` is the instant at which it expires, null for never."""

    token: Annotated[str, "The token."]
    expires: Annotated[int | None, "The instant of its expiry, in epoch milliseconds; null for never."]


class IssueToken(CommandBody):
    """Either ``userId``, or ``clientId`` with ``kind`` "api". ``ttl`` is a duration: "15m", or milliseconds."""

    ONE_OF: ClassVar = ("userId", "clientId")

    userId: Annotated[Long | None, "The user of the token."] = None
    clientId: Annotated[str | None, "The client that an API token is for."] = None
    kind: Annotated[Annotated[str, one_of("api", "user")] | None, "The kind of token, as the others imply."] = None
    ttl: Annotated[Duration, "Its lifetime: a duration such as 15m, or milliseconds."] = None


class MakeUser(CommandBody):
    """A user. ``levels`` are ids of access levels; a code is mailed to an ``email`` that is not ``verified``.

    ``channel`` is the channel that an unregistered user is made for.
    """

    clientId: Annotated[str, "The client of the user."]
    handle: Annotated[Handle, "The display name of the user."]
    registered: Annotated[bool, "Whether the user is registered."] = True
    levels: Annotated[list[Int], "The ids of the access levels of the user."] = []
    email: Annotated[str | None, "The address of the user."] = None
    verified: Annotated[bool, "Whether the address is verified."] = True
    fullName: Annotated[Name | None, "The full name of the user."] = None
    channel: Annotated[str | None, "The channel that an unregistered user is made for."] = None


class MadeUser(Wire):
    """The id of the new user, and a token."""

    id: Annotated[int, "The number of the user."]
    token: Annotated[str, "A token of the user."]


class MakeClient(CommandBody):
    """A client; without ``parent`` a top-level one. ``reseller`` says whether its admins may manage child clients."""

    name: Annotated[Name, "The name of the client."]
    parent: Annotated[str | None, "The client above it."] = None
    reseller: Annotated[bool, "Whether its admins may manage clients below it."] = False


class MadeClient(Wire):
    """The id of the new client."""

    id: Annotated[str, "The id of the client."]


class RedeemInvitation(CommandBody):
    """The code of a Nonce invitation. ``provider`` is the identity provider, by default that of the client."""

    code: Annotated[str, "The code of the invitation."]
    provider: Annotated[str | None, "The provider by which the user logs in."] = None


class RedeemedInvitation(Wire):
    """The id of the invited user, and a token."""

    userId: Annotated[int, "The number of the user."]
    token: Annotated[str, "A token of the user."]


@operation("POST /tokens")
def issue_token(context: ControlContext, body: IssueToken) -> Token:
    """Issue a token: of a user, as a login would, or an API token of a client. Nothing else changes.

    Without ``ttl`` the token of a user has the usual life, and an API token never expires.
    """
    if (body.userId is None) is (body.clientId is None):
        raise Misuse("give userId, or clientId with kind 'api'")
    kind = body.kind or ("api" if body.clientId is not None else "user")
    if kind != ("api" if body.clientId is not None else "user"):
        raise Misuse(f"kind {body.kind!r} does not go with {'userId' if body.clientId is None else 'clientId'}")
    note(context, wire.LOGIN)
    life = None if body.ttl is None else span(body.ttl)
    if life == 0:
        raise Misuse("ttl: a time to live of zero")
    with context.change() as change:
        if body.userId is not None:
            issued = credentials.issue(change, get_user(change, body.userId), life)
            return Token(token=issued.value, expires=issued.expires)
        return _api_token(change, get_client(change, body.clientId or ""), life)


def _api_token(change: Change, client: Client, life: int | None) -> Token:
    made = api_tokens.create(change, client, None)
    if life is not None:
        made = api_tokens.set_expiry(change, made, change.now + life)
    return Token(token=made.value, expires=made.expires)


@operation("POST /users")
def make_user(context: ControlContext, body: MakeUser) -> MadeUser:
    """Create a user who has accepted the terms, registered or not, with any levels and any email address.

    Misuse for an unknown level; refusals as in the API for a handle or an email address that is taken.
    """
    levels = [_level(id) for id in body.levels]
    if levels and not body.registered:
        raise Misuse("levels: an unregistered user holds no access levels")
    with context.change() as change:
        client = get_client(change, body.clientId)
        if body.channel is not None and body.channel not in CHANNELS.of(change, client.id):
            raise Misuse(f"channel: the client has no channel {body.channel!r}", status=404)
        if body.registered and client.unique_handles and not handles.is_free(change, client, body.handle):
            raise Misuse(f"handle: {body.handle!r} is used or reserved", status=409)
        user = users.create(
            change,
            client.id,
            body.handle,
            Account.REGISTERED if body.registered else Account.GUEST,
            full_name=body.fullName,
            levels=tuple(levels),
            accepted=client.terms.version,
            channel=body.channel,
        )
        user = emails.set_initial(change, user, body.email, "verified" if body.verified else "mailed")
        return MadeUser(id=user.id, token=credentials.issue(change, user).value)


def _level(id: int) -> Level:
    known = {level.value: level for level in Level}
    if id not in known:
        raise Misuse(f"levels: there is no access level {id}; there are {', '.join(map(str, known))}")
    return known[id]


@operation("POST /clients")
def make_client(context: ControlContext, body: MakeClient) -> MadeClient:
    """Create a client at any depth, whether or not its parent has the reseller interface."""
    with context.change() as change:
        if body.parent is not None:
            get_client(change, body.parent)
        made = clients.create(change, body.name, body.parent, reseller=body.reseller)
        return MadeClient(id=made.id)


@operation("POST /invitations/redeem")
def redeem_invitation(context: ControlContext, body: RedeemInvitation) -> RedeemedInvitation:
    """Redeem an invitation as a login with a Nonce does: use the code, connect the user to a provider, issue a token.

    Refused as by the API: a code that is unknown, used, replaced, expired or Persistent.
    """
    with context.change() as change:
        user, credential = _redeemed(change, body)
        return RedeemedInvitation(userId=user.id, token=credential.value)


def _redeemed(change: Change, body: RedeemInvitation) -> tuple[User, credentials.Credential]:
    known = INVITATIONS.find_client(change, body.code)
    client = CLIENTS.of(change).all.last if known is None else get_client(change, known)
    if client is None:
        raise Misuse("code: the world has no client", status=404)
    return invitations.redeem(change, client, body.code, body.provider)
