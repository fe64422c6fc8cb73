"""A user's address, image and languages."""

from __future__ import annotations

import re
from typing import Any

from services.conferencing import gates, requests, text
from services.conferencing.api.identity.handles import refuse_known_email
from services.conferencing.context import Context, route
from services.conferencing.errors import Failure, invalid

LANGUAGE = r"[a-z]{2}([-_][A-Za-z]{2})?"


@route("POST", "/users/<userId>/email", "user.email", kind="do")
def email(ctx: Context) -> None:
    """Set an address, which is then to be verified."""
    user = gates.user(ctx)
    gates.ask(ctx, "user.email", user=user)
    address = text.email(ctx, requests.body(ctx, "email:text", required=False).option("email"))
    refuse_known_email(ctx, address, but=user.id)
    if address != user.email:
        user.email, user.email_verified = address, False
        ctx.db.users.put(user)


def uploaded(ctx: Context, owner: str) -> str:
    """The address of the image in the url parameter or the body."""
    rules, url = ctx.style.users, requests.query(ctx, "url")
    if url is not None:
        return text.url(url, rules.image_url_schemes, kind="bad_query")
    data = ctx.request.get_data()
    if not data:
        raise Failure("no_image")
    if len(data) > rules.image_most:
        raise Failure("too_large", "image")
    kind = ctx.request.mimetype
    if kind not in rules.image_types:
        raise Failure("bad_type")
    return rules.image_url.format(owner=owner, tag=ctx.ids.make("hex:8"), size="{size}")


@route("POST", "/users/<userId>/image", "user.image", query="url", kind="do")
def image(ctx: Context) -> None:
    """Set the image of a user."""
    user = gates.user(ctx)
    gates.ask(ctx, "user.image", user=user)
    user.image_url = uploaded(ctx, f"user-{user.id}")
    ctx.db.users.put(user)


@route("POST", "/users/<userId>/languages", "user.languages", kind="do")
def languages(ctx: Context) -> Any:
    """Set the languages of a user, best first."""
    user = gates.user(ctx)
    gates.ask(ctx, "user.languages", user=user)
    rules = ctx.style.users
    codes = requests.body(ctx, "languages!:texts").option("languages")
    if len(codes) > rules.languages_most:
        raise invalid("languages", "many")
    kept: list[str] = []
    for code in codes:
        if not re.fullmatch(LANGUAGE, code):
            raise invalid("languages", "language")
        short, _, region = code.replace("_", "-").partition("-")
        if rules.language_codes is not None and short not in rules.language_codes:
            raise invalid("languages", "language")
        clean = f"{short}-{region.upper()}" if region else short
        if clean not in kept:
            kept.append(clean)
    user.languages = sorted(kept) if ctx.bug("languages-sorted") else kept
    ctx.db.users.put(user)
