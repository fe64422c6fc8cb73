"""The objects of the interface as JSON."""

from __future__ import annotations

from typing import Any

from services.conferencing import text
from services.conferencing.clock import instant
from services.conferencing.context import Context
from services.conferencing.store.models import Channel, Client, Session, User


def present(ctx: Context, fields: dict[str, Any]) -> dict[str, Any]:
    """The object with its absent options left out, or null, as the style has it."""
    if ctx.style.replies.absent == "null":
        return fields
    return {name: value for name, value in fields.items() if value is not None}


def image(ctx: Context, url: str | None, size: str) -> str | None:
    """The address of an image in the size asked for."""
    if url is None:
        return ctx.style.users.default_image
    return url.replace("{size}", size)


def languages(ctx: Context, user: User) -> Any:
    """The languages of a user with the string for an Accept-Language header."""
    codes = user.languages
    if not codes:
        return None
    if ctx.style.users.language_quality == "none":
        header = ", ".join(codes)
    else:
        weights = [max(1, 10 - i) for i in range(len(codes))]
        header = ",".join(c if w == 10 else f"{c};q=0.{w}" for c, w in zip(codes, weights, strict=True))
    if ctx.style.users.languages == "pair":
        return {"ordered": codes, "header": header}
    if ctx.style.users.languages == "items":
        return {"items": [{"code": c, "position": i + 1} for i, c in enumerate(codes)], "acceptLanguage": header}
    return {"languages": codes, "acceptLanguage": header}


def user(ctx: Context, item: User, size: str) -> dict[str, Any]:
    """A User."""
    rules = ctx.style.users
    return present(
        ctx,
        {
            "id": item.id,
            "handle": item.handle,
            "urlHandle": text.url_handle(ctx, item.handle),
            "fullName": item.full_name,
            "description": item.description,
            "imageUrl": image(ctx, item.image_url, size),
            "clientId": item.client_id,
            "reputation": item.reputation,
            "following": False,
            "followedBy": False,
            "languages": languages(ctx, item),
            "unregistered": item.kind in ("guest", "linked"),
            "authKind": rules.auth_kinds.get(item.auth_kind or ""),
            "kind": rules.kinds[item.kind],
        },
    )


def person(ctx: Context, item: User, size: str) -> dict[str, Any]:
    """The short form of a user: id, handle and image."""
    shown = {"id": item.id, "handle": item.handle, "imageUrl": image(ctx, item.image_url, size)}
    return present(ctx, shown)


def level(ctx: Context, name: str) -> dict[str, Any]:
    """An access level."""
    number, title = ctx.style.users.levels[name]
    return {"id": number, "name": title}


def client(ctx: Context, item: Client) -> dict[str, Any]:
    """A Client."""
    known = {
        "created": instant(item.created, ctx.style.times.details),
        "providers": item.providers,
        "uniqueUsersHandle": item.unique_handles,
        "friendlyURLs": item.friendly_urls,
        "events": item.events,
        "termsVersion": item.terms_version,
    }
    details = {name: known[name] for name in ctx.style.channels.client_details}
    return present(
        ctx,
        {
            "name": item.name,
            "clientId": item.id,
            "details": details or None,
            "disabled": item.disabled,
            "parentId": item.parent_id,
        },
    )


def session(ctx: Context, item: Session, size: str) -> dict[str, Any]:
    """A Session."""
    form = ctx.style.times.session
    channel = ctx.db.channels.get(item.channel_id)
    stays = ctx.db.presences.find(session_id=item.id)
    return present(
        ctx,
        {
            "id": item.id,
            "name": item.name,
            "channel": item.channel_id,
            "clientId": item.client_id,
            "serviceMode": item.service_mode,
            "participantsCount": len({stay.user_id for stay in stays}),
            "hadRecording": item.had_recording,
            "groupId": item.group_id,
            "parentId": item.parent_id,
            "imageUrl": image(ctx, channel.image_url if channel else None, size),
            "created": instant(item.created, form),
            "started": instant(item.started, form),
            "ended": instant(item.ended, form),
        },
    )


def channel(ctx: Context, item: Channel, size: str, is_operator: bool, is_owner: bool) -> dict[str, Any]:
    """The details of a channel."""
    parent = ctx.db.channels.get(item.parent_id) if item.parent_id else None
    return present(
        ctx,
        {
            "channelUuid": item.id,
            "name": f"{parent.name} / {item.name}" if parent else item.name,
            "channelName": item.name,
            "description": item.description,
            "clientId": item.client_id,
            "parent": item.parent_id,
            "parentName": parent.name if parent else None,
            "serviceMode": item.service_mode,
            "reputation": item.reputation,
            "favorite": 0,
            "isFavorite": False,
            "isStar": False,
            "isOperator": is_operator,
            "isOwner": is_owner,
            "maxUsers": item.max_users,
            "urlName": item.url_name,
            "meetingId": item.meeting_id,
            "isEventRoom": item.is_event_room,
            "makePrivate": True,
            "isOrganization": False,
            "friendlyURL": item.friendly_url,
            "isMidi": item.midi,
            "isPremium": False,
            "audioQuality": item.audio_quality,
            "isPrivate": not item.guest_access,
            "isOpen": item.is_open,
            "offAir": False,
            "isRangeEnabled": False,
            "disableWall": item.disable_wall,
            "guestAccess": item.guest_access,
            "imageUrl": image(ctx, item.image_url, size),
        },
    )
