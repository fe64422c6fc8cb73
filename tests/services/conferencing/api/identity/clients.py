"""Clients and the reseller's calls."""

from __future__ import annotations

from typing import Any

from services.conferencing import gates, requests, text, views
from services.conferencing.callers import is_disabled
from services.conferencing.context import Context, Reply, route
from services.conferencing.errors import Failure
from services.conferencing.store.models import Client


def path_client(ctx: Context) -> Client:
    """The client in the path."""
    return gates.found(ctx.db.clients.get(gates.key(ctx, "clientId")), "client")


def public_client(ctx: Context) -> Client:
    """The client in the path of a call that needs no token."""
    client = path_client(ctx)
    if ctx.style.auth.disabled_refuses == "all" and is_disabled(ctx.service, client):
        raise Failure("service_disabled")
    return client


def refuse_disabled(ctx: Context, client: Client) -> None:
    """Refuse a call without token that a disabled client does not have."""
    if is_disabled(ctx.service, client):
        raise Failure("service_disabled")


def own_or_child(ctx: Context, operation: str) -> Client:
    """The client in the path: the caller's, or a child of it for a Partner Admin."""
    client = path_client(ctx)
    if client.id == ctx.client.id:
        gates.ask(ctx, operation)
    elif client.parent_id != ctx.client.id:
        raise Failure("foreign", "client")
    elif "partner-admin" not in ctx.caller.levels:
        raise Failure("forbidden", operation)
    return client


@route("POST", "/clients/create", "client.create", kind="create")
def create(ctx: Context) -> Any:
    """A new child client of the caller's."""
    gates.ask(ctx, "client.create")
    name = text.name(ctx, requests.body(ctx, "name!:text").text("name"), most=ctx.style.channels.client_name_most)
    unique = ctx.style.channels.client_name_unique
    rivals = ctx.db.clients.find() if unique == "everywhere" else ctx.db.clients.find(parent_id=ctx.client.id)
    if unique != "none" and any(rival.name.casefold() == name.casefold() for rival in rivals):
        raise Failure("name_taken", "client")
    client = Client(ctx.ids.make(ctx.style.ids.client), name, ctx.client.id, created=ctx.now)
    client.terms_url = ctx.client.terms_url
    client.terms_required = ctx.style.auth.terms_required
    client.terms_promulgated = ctx.now
    client.providers = list(ctx.client.providers)
    ctx.db.clients.put(client)
    return Reply({"id": client.id}, location=f"/clients/{client.id}")


@route("POST", "/clients/<clientId>/service/<state>", "client.service", kind="do")
def service(ctx: Context) -> None:
    """Enable or disable a child client."""
    enabled = requests.state(ctx, requests.ON_OFF)
    client = path_client(ctx)
    if "partner-admin" not in ctx.caller.levels:
        raise Failure("forbidden", "client.service")
    if client.id == ctx.client.id:
        raise Failure("own_service")
    if client.parent_id != ctx.client.id and not ctx.bug("service-of-any-child"):
        raise Failure("foreign", "client")
    if client.disabled != enabled and ctx.style.channels.service_repeat == "fail":
        raise Failure("already", "client")
    client.disabled = not enabled
    ctx.db.clients.put(client)


@route("GET", "/clients/<clientId>", "client.get")
def get(ctx: Context) -> Any:
    """A client."""
    return views.client(ctx, own_or_child(ctx, "client.get"))
