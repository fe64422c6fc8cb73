"""Predefined users and invitations."""

from __future__ import annotations

from typing import Any

from services.conferencing import gates, jwt, requests, text, views
from services.conferencing.api.identity.exchange import same_origin
from services.conferencing.api.identity.handles import handle_is_free, refuse_known_email
from services.conferencing.clock import instant
from services.conferencing.context import Context, Reply, route
from services.conferencing.errors import Failure, invalid
from services.conferencing.store.models import Invitation, User


@route("POST", "/users/predefined", "user.predefined", query="for_client", kind="create")
def create(ctx: Context) -> Any:
    """A stub account."""
    gates.ask(ctx, "user.predefined")
    rules = ctx.style.users
    given = requests.body(ctx, "name!:text email:text description:text imageUrl:text originId:text")
    handle = text.handle(ctx, given.text("name"), "name")
    email, picture = text.email(ctx, given.option("email")), given.option("imageUrl")
    if email is None and rules.predefined_needs_email:
        raise invalid("email", "required")
    origin = given.option("originId")
    if origin is not None and not origin.strip():
        raise invalid("originId", "blank")
    if origin is not None:
        for other in ctx.db.users.find(client_id=ctx.client.id):
            if other.origin_id is not None and same_origin(ctx, other.origin_id, origin):
                if rules.origin_taken == "existing":
                    return Reply({"id": other.id}, status=200)
                raise Failure("origin_taken", "originId")
    if not ctx.bug("predefined-takes-handle") and not handle_is_free(ctx, ctx.client, handle):
        raise Failure("handle_taken", "name")
    refuse_known_email(ctx, email)
    number = ctx.ids.number(ctx.style.ids.user, ctx.now)
    user = User(number, ctx.client.id, handle, "predefined", email=email, origin_id=origin, created=ctx.now)
    user.reputation = rules.reputation
    description = text.description(ctx, given.option("description"), ctx.style.text.user_description_most)
    user.description = None if ctx.bug("predefined-description-lost") else description
    user.image_url = text.url(picture, rules.image_url_schemes, "imageUrl") if picture else None
    ctx.db.users.put(user)
    return Reply({"id": user.id}, location=f"/users/{user.id}")


@route("GET", "/users/predefined/<originId>", "user.by_origin")
def by_origin(ctx: Context) -> Any:
    """The user with an origin id; for API tokens only."""
    if ctx.caller.api_token is None and not ctx.bug("origin-for-everybody"):
        raise Failure("api_token_only")
    for user in ctx.db.users.find(client_id=ctx.client.id):
        if user.origin_id is not None and same_origin(ctx, user.origin_id, ctx.path["originId"]):
            return {"id": user.id}
    raise Failure("not_found", "user")


def invite(ctx: Context, user: User, life: int) -> Invitation:
    """A new invitation in place of any earlier one."""
    old = ctx.db.invitations.get(user.id)
    if old is not None and ctx.bug("old-invitation-lives"):
        ctx.service.cache["invitation", old.code] = old
    code = ctx.ids.make(ctx.style.ids.invitation)
    if ctx.style.auth.invitation_kind == "Persistent":
        code = jwt.make({"sub": str(user.id), "exp": (ctx.now + life) // 1000}, code)
    return ctx.db.invitations.put(Invitation(user.id, code, ctx.style.auth.invitation_kind, ctx.now + life))


def _show(ctx: Context, item: Invitation) -> dict[str, Any]:
    shown = {
        "userId": item.user_id,
        "code": item.code,
        "expires": instant(item.expires, ctx.style.times.invitation, ctx.now),
        "kind": item.kind,
    }
    return views.present(ctx, shown)


def _invitable(ctx: Context, operation: str) -> User:
    requests.number(ctx, "userId")
    user = gates.user(ctx)
    channel = ctx.db.channels.get(user.channel_id) if user.channel_id else None
    gates.ask(ctx, operation, channel)
    made_with_one = user.kind == "linked" and operation == "invitation.get"
    if user.kind != "predefined" and not made_with_one:
        raise Failure("not_predefined", "user")
    return user


@route("POST", "/users/<userId>/invitation", "invitation.create", query="for_client ttl", kind="create")
def create_invitation(ctx: Context) -> Any:
    """A new invitation; the earlier code is void."""
    user = _invitable(ctx, "invitation.create")
    return _show(ctx, invite(ctx, user, requests.ttl(ctx, ctx.style.auth.invitation_ttl)))


@route("GET", "/users/<userId>/invitation", "invitation.get", query="for_client")
def get_invitation(ctx: Context) -> Any:
    """The pending invitation."""
    item = ctx.db.invitations.get(_invitable(ctx, "invitation.get").id)
    if item is None:
        raise Failure("no_invitation", "invitation")
    if item.expires is not None and item.expires <= ctx.now and not ctx.bug("expired-invitation-shown"):
        raise Failure("no_invitation", "invitation")
    return _show(ctx, item)
