"""Authentication providers and the caller's profile."""

from __future__ import annotations

from typing import Any

from services.conferencing import gates, requests, views
from services.conferencing.api.identity.clients import public_client
from services.conferencing.context import Context, route
from services.conferencing.errors import Failure, invalid


def _provider(name: str) -> dict[str, str]:
    return {"name": name, "icon": f"https://static.conferencing.example/icons/{name.lower()}.svg"}


@route("GET", "/providers/auth/available", "provider.available")
def available(ctx: Context) -> Any:
    """All providers that there are."""
    return [_provider(name) for name in ctx.style.users.available_providers]


@route("GET", "/users/<userId>/auth", "user.auth", query="for_client")
def of_user(ctx: Context) -> Any:
    """How a user authenticates."""
    user = gates.user(ctx)
    gates.ask(ctx, "user.auth", user=user)
    if user.auth_kind is None:
        return views.present(ctx, {"provider": None})
    name = user.auth_kind
    return {"provider": name if ctx.style.users.auth_provider == "string" else _provider(name)}


@route("GET", "/clients/<clientId>/providers/auth", "client.providers", public=True)
def of_client(ctx: Context) -> Any:
    """The providers of a client that users can use."""
    client = public_client(ctx)
    default = client.providers[0] if client.providers and ctx.style.users.default_provider == "first" else None
    return views.present(ctx, {"providers": [_provider(name) for name in client.providers], "defaultProvider": default})


@route("POST", "/providers/auth", "client.providers.set", kind="do")
def choose(ctx: Context) -> None:
    """Set the providers of the caller's client."""
    gates.ask(ctx, "client.providers.set")
    names = requests.listed(ctx, requests.texts(ctx))
    known = ctx.style.users.available_providers
    for i, name in enumerate(names):
        if name not in known:
            raise invalid(f"[{i}]", "choice")
    if not names and ctx.style.users.provider_empty == "fail":
        raise Failure("invalid", "providers", [("[]", "short")])
    ctx.client.providers = names
    ctx.db.clients.put(ctx.client)


@route("GET", "/auth/profile", "profile.get")
def profile(ctx: Context) -> Any:
    """What the provider told about the caller."""
    user = gates.caller_user(ctx)
    shown = {
        "name": user.full_name or user.handle,
        "email": user.email,
        "imageUrl": views.image(ctx, user.image_url, "80x80"),
    }
    return views.present(ctx, shown)
