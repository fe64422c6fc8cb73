"""Friendly URLs and embedding settings."""

from __future__ import annotations

import re
from typing import Any

from services.conferencing import gates, requests, text
from services.conferencing.api.identity.clients import own_or_child, public_client
from services.conferencing.context import Context, route
from services.conferencing.errors import Failure, invalid
from services.conferencing.store.models import Channel, Client


def _holder(ctx: Context, client: Client, url: str) -> Channel | None:
    return ctx.db.channels.one(client_id=client.id, friendly_url=url)


def _asked(ctx: Context) -> str:
    url = requests.query(ctx, "url")
    if url is None:
        raise invalid("url", "required", "bad_query")
    return text.friendly(ctx, url, "bad_query")


@route("GET", "/clients/<clientId>/url/available", "friendly.available", query="url", public=True)
def available(ctx: Context) -> Any:
    """Whether a url can be a friendly URL; the uuid is that of the channel which has it."""
    client, rule = public_client(ctx), ctx.style.channels.friendly_free
    channel = _holder(ctx, client, _asked(ctx))
    if channel is not None and rule == "fail":
        raise Failure("friendly_taken", "url")
    if channel is None and rule == "empty":
        return {"uuid": ""}
    return {"uuid": channel.id} if channel is not None else {}


@route("GET", "/clients/<clientId>/find/channel", "friendly.find", query="url", public=True)
def find(ctx: Context) -> Any:
    """The channel with a friendly URL."""
    client = public_client(ctx)
    channel = gates.found(_holder(ctx, client, _asked(ctx)), "channel")
    if not client.friendly_urls and not ctx.bug("friendly-found-when-off"):
        raise Failure("not_found", "channel")
    return {"uuid": channel.id}


@route("POST", "/settings/friendly/urls/<state>", "friendly.switch", kind="do")
def switch(ctx: Context) -> None:
    """Enable or disable friendly URLs for the client."""
    enabled = requests.state(ctx, requests.ON_OFF)
    gates.ask(ctx, "friendly.switch")
    ctx.client.friendly_urls = enabled
    ctx.db.clients.put(ctx.client)


@route("POST", "/channels/<uuid>/friendly/url", "friendly.set", kind="do")
def set_(ctx: Context) -> None:
    """Give a channel a friendly URL."""
    channel = gates.channel(ctx, "friendly.set")
    if not ctx.client.friendly_urls:
        raise Failure("friendly_off")
    url = text.friendly(ctx, requests.body(ctx, "url!:text").text("url"))
    holder = _holder(ctx, ctx.client, url)
    if holder is not None and holder.id != channel.id and not ctx.bug("friendly-url-of-two"):
        raise Failure("friendly_taken", "url")
    if channel.friendly_url not in (None, url) and ctx.style.channels.friendly_again == "fail":
        raise Failure("friendly_has_one", "channel")
    channel.friendly_url = url
    ctx.db.channels.put(channel)


@route("DELETE", "/channels/<uuid>/friendly/url", "friendly.unset", kind="delete")
def unset(ctx: Context) -> None:
    """Take the friendly URL from a channel."""
    channel = gates.channel(ctx, "friendly.unset")
    if channel.friendly_url is None and ctx.style.channels.friendly_delete_none == "fail":
        raise Failure("not_found", "friendly URL")
    channel.friendly_url = None
    ctx.db.channels.put(channel)


@route("GET", "/clients/<clientId>/origins", "origins.get")
def origins(ctx: Context) -> Any:
    """The allowed origins."""
    return own_or_child(ctx, "origins.get").origins


@route("POST", "/clients/<clientId>/origins", "origins.set", kind="do")
def set_origins(ctx: Context) -> None:
    """Set the allowed origins."""
    client, kept = own_or_child(ctx, "origins.set"), []
    for i, origin in enumerate(requests.texts(ctx)):
        text.url(origin, ctx.style.channels.origin_schemes, f"[{i}]")
        if not re.fullmatch(r"[A-Za-z]+://[^/?#@]+/?", origin):
            raise invalid(f"[{i}]", "origin")
        kept.append(origin.rstrip("/").lower())
    client.origins = requests.listed(ctx, kept)
    if ctx.bug("origins-are-added"):
        before = ctx.db.clients.get(client.id)
        client.origins = (before.origins if before else []) + client.origins
    ctx.db.clients.put(client)


@route("GET", "/clients/<clientId>/domains", "domains.get")
def domains(ctx: Context) -> Any:
    """The domains that a login may redirect to."""
    return own_or_child(ctx, "domains.get").domains


@route("POST", "/clients/<clientId>/domains", "domains.set", kind="do")
def set_domains(ctx: Context) -> Any:
    """Set the domains that a login may redirect to."""
    client, kept = own_or_child(ctx, "domains.set"), []
    for i, domain in enumerate(requests.texts(ctx)):
        if not re.fullmatch(ctx.style.channels.domain_pattern, domain, re.IGNORECASE) or len(domain) > 253:
            raise invalid(f"[{i}]", "domain")
        kept.append(domain.lower())
    client.domains = requests.listed(ctx, kept)
    ctx.db.clients.put(client)
    return client.domains
