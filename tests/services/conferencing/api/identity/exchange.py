"""Tokens for users: the exchange of identity tokens, and guests."""

from __future__ import annotations

from typing import Any

from services.conferencing import gates, jwt, requests, text
from services.conferencing.api.identity.clients import public_client, refuse_disabled
from services.conferencing.api.identity.handles import free_handle, handle_is_free
from services.conferencing.clock import instant
from services.conferencing.context import Context, route
from services.conferencing.errors import Failure
from services.conferencing.store.models import Client, Credential, User


def give_token(ctx: Context, user: User, life: int) -> dict[str, Any]:
    """A new token of the user as a token result."""
    token, expires = ctx.ids.make(ctx.style.auth.user_token), ctx.now + life
    ctx.db.credentials.put(Credential(token, user.id, expires))
    return {"token": token, "expires": instant(expires, ctx.style.times.token_expires, ctx.now)}


def _claims(ctx: Context, client: Client, token: str) -> dict[str, Any]:
    validator = ctx.db.validators.one(client_id=client.id, active=True)
    if validator is None:
        raise Failure("no_validator")
    try:
        claims = jwt.read(token, validator.secret)
    except ValueError as error:
        raise Failure("bad_identity") from error
    until = claims.get("exp")
    if until is None and ctx.style.auth.exchange_needs_exp:
        raise Failure("bad_identity")
    if until is not None and (not isinstance(until, int) or until * 1000 <= ctx.now):
        raise Failure("bad_identity")
    if "aud" in claims and claims["aud"] != client.id:
        raise Failure("bad_identity")
    return claims


def _by_origin(ctx: Context, client: Client, origin: str) -> User | None:
    for user in ctx.db.users.find(client_id=client.id):
        if user.origin_id is not None and same_origin(ctx, user.origin_id, origin):
            return user
    return None


def same_origin(ctx: Context, one: str, other: str) -> bool:
    """Whether two origin ids are the same."""
    if ctx.style.text.origin_id_any_case:
        return one.casefold() == other.casefold()
    return one == other


def _identified(ctx: Context, client: Client, claims: dict[str, Any]) -> User:
    """The user of an identity token, connected, updated or made."""
    rules = ctx.style.auth
    origin, name, picture = (claims.get(c) for c in (rules.origin_claim, rules.name_claim, rules.picture_claim))
    if not isinstance(origin, str) or not origin:
        raise Failure("bad_identity")
    user = None if ctx.bug("exchange-makes-second-user") else _by_origin(ctx, client, origin)
    if user is None:
        if not rules.exchange_creates:
            raise Failure("unknown_identity")
        number = ctx.ids.number(ctx.style.ids.user, ctx.now)
        handle = free_handle(ctx, client, name if isinstance(name, str) and name.strip() else f"user{number}")
        user = User(number, client.id, handle, "registered", origin_id=origin, created=ctx.now)
        user.reputation = ctx.style.users.reputation
    if user.kind == "predefined":
        user.kind = "registered"
        ctx.db.invitations.remove(user_id=user.id)
    user.auth_kind = "Custom"
    if isinstance(name, str) and name.strip():
        user.full_name = name.strip()
    if isinstance(picture, str) and picture and not ctx.bug("exchange-forgets-picture"):
        user.image_url = picture
    return ctx.db.users.put(user)


def _invited(ctx: Context, client: Client, code: str) -> User | None:
    """The user whose persistent invitation this is."""
    invitation = ctx.db.invitations.one(code=code)
    if invitation is None and ctx.bug("old-invitation-lives"):
        invitation = ctx.service.cache.get(("invitation", code))
    if invitation is None or invitation.kind != "Persistent":
        return None
    if invitation.expires is not None and invitation.expires <= ctx.now:
        raise Failure("bad_identity")
    user = ctx.db.users.get(invitation.user_id)
    return user if user is not None and user.client_id == client.id else None


@route("POST", "/clients/<clientId>/users/exchange", "user.exchange", kind="create", public=True)
def exchange(ctx: Context) -> Any:
    """A service token for an identity token, or for a persistent invitation."""
    client = public_client(ctx)
    refuse_disabled(ctx, client)
    token = requests.body(ctx, "idToken!:text").text("idToken")
    user = _invited(ctx, client, token) or _identified(ctx, client, _claims(ctx, client, token))
    return give_token(ctx, user, ctx.style.auth.exchange_ttl)


@route("POST", "/clients/<clientId>/users/guest/<uuid>", "guest.create", kind="create", public=True)
def guest(ctx: Context) -> Any:
    """A temporary user of a channel."""
    client = public_client(ctx)
    refuse_disabled(ctx, client)
    channel = gates.found(ctx.db.channels.get(gates.key(ctx, "uuid")), "channel")
    if channel.client_id != client.id and not ctx.bug("guest-of-any-tenant"):
        raise Failure("not_found", "channel")
    if not channel.guest_access:
        raise Failure("guest_access_off")
    handle = text.handle(ctx, requests.body(ctx, "handle!:text").text("handle"))
    rule = ctx.style.users.unique_at_guest
    if rule == "suffix":
        handle = free_handle(ctx, client, handle)
    elif rule == "fail" and not ctx.bug("guest-takes-handle") and not handle_is_free(ctx, client, handle):
        raise Failure("handle_taken", "handle")
    number = ctx.ids.number(ctx.style.ids.user, ctx.now)
    user = User(number, client.id, handle, "guest", channel_id=channel.id, created=ctx.now)
    user.reputation = ctx.style.users.reputation
    ctx.db.users.put(user)
    return give_token(ctx, user, ctx.style.auth.guest_ttl)
