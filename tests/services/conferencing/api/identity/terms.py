"""Terms of a client and their acceptance by users."""

from __future__ import annotations

from typing import Any

from services.conferencing import gates, requests, text
from services.conferencing.api.identity.clients import public_client
from services.conferencing.clock import instant
from services.conferencing.context import Context, route
from services.conferencing.errors import Failure


@route("GET", "/clients/<clientId>/terms", "client.terms", public=True)
def of_client(ctx: Context) -> Any:
    """The current terms of a client."""
    client = public_client(ctx)
    return {
        "version": client.terms_version,
        "url": client.terms_url,
        "promulgated": instant(client.terms_promulgated, ctx.style.times.terms),
        "required": client.terms_required,
    }


@route("GET", "/users/me/terms", "terms.state")
def state(ctx: Context) -> Any:
    """How the caller stands to the current terms."""
    user = gates.caller_user(ctx)
    return {
        "isCurrent": user.accepted_terms >= ctx.client.terms_version,
        "currentVersion": ctx.client.terms_version,
        "termsUrl": ctx.client.terms_url,
        "firstAccept": user.accepted_terms == 0,
    }


@route("POST", "/users/me/terms/<version>", "terms.accept", kind="do")
def accept(ctx: Context) -> None:
    """Accept the current version."""
    user, version = gates.caller_user(ctx), requests.number(ctx, "version")
    if version != ctx.client.terms_version:
        raise Failure("wrong_terms", current=ctx.client.terms_version)
    if user.accepted_terms == version and ctx.style.users.terms_again == "fail":
        raise Failure("already", "terms")
    user.accepted_terms = version
    ctx.db.users.put(user)


@route("POST", "/terms", "terms.link", kind="do")
def link(ctx: Context) -> None:
    """Replace the link; nobody has to accept again."""
    gates.ask(ctx, "terms.link")
    given = requests.body(ctx, "url!:text")
    ctx.client.terms_url = text.url(given.text("url"), ("http", "https"))
    ctx.db.clients.put(ctx.client)


@route("POST", "/terms/new", "terms.new", kind="do")
def new(ctx: Context) -> None:
    """Set a new link, which everybody has to accept."""
    gates.ask(ctx, "terms.new")
    given = requests.body(ctx, "url!:text")
    ctx.client.terms_url = text.url(given.text("url"), ("http", "https"))
    ctx.client.terms_version += 2 if ctx.bug("terms-counted-twice") else 1
    ctx.client.terms_promulgated = ctx.now
    ctx.db.clients.put(ctx.client)
