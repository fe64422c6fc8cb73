"""Handles: their uniqueness, reservation and change."""

from __future__ import annotations

from typing import Any

from services.conferencing import gates, requests, text
from services.conferencing.context import Context, Reply, route
from services.conferencing.errors import Failure, invalid
from services.conferencing.store.models import Client, Reservation, User

RESERVATION_MS = 15 * 60_000


def live(ctx: Context, item: Reservation) -> bool:
    """Whether a reservation still holds."""
    if ctx.bug("reservation-seconds-as-minutes"):
        return item.expires + RESERVATION_MS * 59 > ctx.now
    return item.expires > ctx.now


def handle_is_free(ctx: Context, client: Client, handle: str, but: int | None = None, reserved: bool = True) -> bool:
    """Whether nobody else in the client has the handle or, unless told not to look, has reserved it."""
    if not client.unique_handles:
        return True
    counted = {"registered", "predefined"} | ({"guest", "linked"} if ctx.style.users.guest_handles_count else set())
    for user in ctx.db.users.find(client_id=client.id):
        if user.id != but and user.kind in counted and text.same_handle(ctx, user.handle, handle):
            return False
    if not reserved:
        return True
    held = ctx.db.reservations.find(client_id=client.id)
    return not any(live(ctx, item) and text.same_handle(ctx, item.handle, handle) for item in held)


def free_handle(ctx: Context, client: Client, handle: str) -> str:
    """The handle, or the first of its numbered forms that is free."""
    tried, count = handle, 1
    while not handle_is_free(ctx, client, tried):
        count += 1
        tried = f"{handle}{count}"
    return tried


@route("GET", "/users/handle/unique", "handle.unique", query="for_client handle")
def unique(ctx: Context) -> Any:
    """Whether a handle is free, and whether it has to be."""
    word = requests.query(ctx, "handle")
    if word is None:
        raise invalid("handle", "required", "bad_query")
    handle, client = text.handle(ctx, word), ctx.client
    required = client.unique_handles
    client.unique_handles = True  # of this copy only: the question is asked whether or not it is required
    free = handle_is_free(ctx, client, handle, reserved=not ctx.bug("unique-ignores-reservations"))
    return {"unique": free, "required": required}


@route("POST", "/users/handle/reserve", "handle.reserve", kind="create")
def reserve(ctx: Context) -> Any:
    """Put a handle aside for 15 minutes."""
    gates.ask(ctx, "handle.reserve")
    handle = text.handle(ctx, requests.body(ctx, "handle!:text").text("handle"))
    if not ctx.client.unique_handles and ctx.style.users.reserve_unneeded == "fail":
        raise Failure("reserve_unneeded")
    if not handle_is_free(ctx, ctx.client, handle, reserved=False):
        raise Failure("handle_taken", "handle")
    for other in ctx.db.reservations.find(client_id=ctx.client.id):
        if not live(ctx, other) or not text.same_handle(ctx, other.handle, handle):
            continue
        if other.caller != ctx.caller.id or ctx.style.users.reserve_again == "fail":
            raise Failure("handle_taken", "handle")
        if not ctx.bug("old-reservation-lives"):
            ctx.db.reservations.remove(token=other.token)
    token = ctx.ids.make(ctx.style.ids.reservation)
    ctx.db.reservations.put(Reservation(token, ctx.client.id, handle, ctx.caller.id, ctx.now + RESERVATION_MS))
    return {"reservationToken": token}


def redeem(ctx: Context, token: str) -> Reservation:
    """The reservation of a token, which is used up."""
    item = ctx.db.reservations.get(token)
    if item is None or item.client_id != ctx.client.id:
        raise Failure("reservation_unknown", "reservation")
    if ctx.style.users.reservation_bound == "caller" and item.caller != ctx.caller.id:
        raise Failure("reservation_unknown", "reservation")
    if not live(ctx, item):
        raise Failure("reservation_expired", "reservation")
    if not handle_is_free(ctx, ctx.client, item.handle, reserved=False):
        raise Failure("handle_taken", "handle")
    if not ctx.bug("reservation-used-twice"):
        ctx.db.reservations.remove(token=token)
    return item


@route("POST", "/users/me/handle/<nonce>", "handle.redeem", kind="do")
def change_by_reservation(ctx: Context) -> None:
    """Change the caller's handle to the reserved one."""
    user = gates.caller_user(ctx)
    user.handle = redeem(ctx, ctx.path["nonce"]).handle
    ctx.db.users.put(user)


@route("POST", "/users/<userId>/handle", "user.handle", kind="do")
def change(ctx: Context) -> Any:
    """Change a handle where that is possible without a reservation."""
    user = gates.user(ctx)
    gates.ask(ctx, "user.handle", user=user)
    handle = text.handle(ctx, requests.body(ctx, "handle!:text").text("handle"))
    registered = user.kind not in ("guest", "linked")
    fixed = ctx.client.unique_handles or ctx.style.users.handle_of_registered == "unchanged"
    if registered and fixed and not ctx.bug("registered-handle-changes"):
        return Reply({}, status=200)
    if not registered and not handle_is_free(ctx, ctx.client, handle, but=user.id):
        raise Failure("handle_taken", "handle")
    user.handle = handle
    ctx.db.users.put(user)
    return None


@route("POST", "/users/create/<token>", "user.create", kind="create")
def create(ctx: Context) -> Any:
    """Register a user with a reserved handle."""
    gates.ask(ctx, "user.create")
    reservation = None
    if ctx.bug("failed-create-spends-reservation"):
        reservation = redeem(ctx, ctx.path["token"])
        ctx.db.commit()  # too early: what follows can fail
        ctx.db.begin()
    given = requests.body(ctx, "description:text fullName:text email:text imageUrl:text", required=False)
    email = text.email(ctx, given.option("email"))
    full_name, picture = given.option("fullName"), given.option("imageUrl")
    user = User(
        ctx.ids.number(ctx.style.ids.user, ctx.now), ctx.client.id, "", "registered", email=email, created=ctx.now
    )
    user.description = text.description(ctx, given.option("description"), ctx.style.text.user_description_most)
    user.full_name = text.name(ctx, full_name, "fullName") if full_name else None
    user.image_url = text.url(picture, ctx.style.users.image_url_schemes, "imageUrl") if picture else None
    refuse_known_email(ctx, email)
    user.handle = (reservation or redeem(ctx, ctx.path["token"])).handle
    user.reputation = ctx.style.users.reputation
    ctx.db.users.put(user)
    return Reply({"id": user.id}, location=f"/users/{user.id}")


def refuse_known_email(ctx: Context, email: str | None, but: int | None = None) -> None:
    """Refuse an address that another user of the client has, where that matters."""
    if email is None or not ctx.style.text.email_unique:
        return
    for other in ctx.db.users.find(client_id=ctx.client.id):
        if other.id != but and other.email is not None and other.email.casefold() == email.casefold():
            raise Failure("email_taken", "email")


@route("POST", "/channels/<uuid>/users/<userId>/rename", "user.rename", kind="do")
def rename(ctx: Context) -> None:
    """A host renames an unregistered user of the channel."""
    channel = gates.channel(ctx, None if ctx.bug("rename-without-host") else "user.rename")
    user = gates.user(ctx)
    handle = text.handle(ctx, requests.body(ctx, "handle!:text").text("handle"))
    if user.kind not in ("guest", "linked"):
        raise Failure("registered_user", "user")
    inside = ctx.db.presences.one(channel_id=channel.id, user_id=user.id) is not None
    if user.channel_id != channel.id and not inside and not ctx.bug("rename-anywhere"):
        raise Failure("not_in_channel", "user")
    if ctx.style.users.unique_at_guest == "fail" and not handle_is_free(ctx, ctx.client, handle, but=user.id):
        raise Failure("handle_taken", "handle")
    user.handle = handle
    ctx.db.users.put(user)
