"""Settings templates."""

from __future__ import annotations

from typing import Any

from services.conferencing import gates, paging, requests
from services.conferencing.context import Context, Reply, route
from services.conferencing.errors import Failure
from services.conferencing.store.models import Client, Template


def _above(ctx: Context) -> list[Client]:
    """The clients above the call's, nearest first."""
    chain, parent = [], ctx.client.parent_id
    while parent is not None:
        client = ctx.db.clients.get(parent)
        if client is None:
            break
        chain.append(client)
        parent = client.parent_id
    return chain


def _all(ctx: Context) -> list[Template]:
    """The own templates and the inheritable ones of the clients above."""
    items = ctx.db.templates.find(client_id=ctx.client.id)
    for client in _above(ctx):
        if ctx.bug("every-template-inherited"):
            items += ctx.db.templates.find(client_id=client.id)
        else:
            items += ctx.db.templates.find(client_id=client.id, inheritable=True)
    if ctx.style.channels.template_order == "name":
        items.sort(key=lambda item: (paging.name_key(ctx, item.name), item.id))
    return items


def usable(ctx: Context) -> Template:
    """The template in the path, if the client has it or inherits it."""
    key = gates.key(ctx, "templateId")
    item = gates.found(ctx.db.templates.get(key), "template")
    if all(other.id != key for other in _all(ctx)):
        raise Failure("foreign", "template")
    return item


def _show(ctx: Context, item: Template) -> dict[str, Any]:
    return {
        "id": item.id,
        "name": item.name,
        "enabled": item.enabled,
        "inheritable": item.inheritable,
        "inherited": item.client_id != ctx.client.id,
    }


@route("GET", "/templates/<templateId>", "template.get")
def get(ctx: Context) -> Any:
    """A template."""
    gates.ask(ctx, "template.get")
    return _show(ctx, usable(ctx))


@route("GET", "/templates", "template.list", query="offset limit onlyEnabled onlyInheritable")
def list_(ctx: Context) -> Any:
    """The templates of the client."""
    gates.ask(ctx, "template.list")
    only_enabled, only_inheritable = requests.flag(ctx, "onlyEnabled"), requests.flag(ctx, "onlyInheritable")
    if ctx.bug("only-enabled-ignored"):
        only_enabled = False
    kept = [
        item for item in _all(ctx) if (item.enabled or not only_enabled) and (item.inheritable or not only_inheritable)
    ]
    return paging.page(ctx, kept, lambda item: _show(ctx, item))


@route("GET", "/channels/<uuid>/template", "channel.template")
def of_channel(ctx: Context) -> Any:
    """The template in use on a channel."""
    channel = gates.channel(ctx, "channel.template")
    item = ctx.db.templates.get(channel.template_id) if channel.template_id else None
    if item is not None:
        return {"id": item.id, "name": item.name, "inherited": item.client_id != ctx.client.id}
    rule = ctx.style.channels.no_template
    if rule == "fail":
        raise Failure("no_template", "template")
    return Reply(None, status=204 if rule == "empty" else 200)


@route("GET", "/channels/<uuid>/templates", "channel.templates", query="offset limit")
def for_channel(ctx: Context) -> Any:
    """The templates that can be used on a channel."""
    gates.channel(ctx, "channel.templates")
    every = ctx.style.channels.channel_templates == "all"
    kept = [item for item in _all(ctx) if every or item.enabled]
    return paging.page(ctx, kept, lambda item: _show(ctx, item))
