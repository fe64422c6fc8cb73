"""API tokens of a client."""

from __future__ import annotations

from typing import Any

from services.conferencing import gates, requests, views
from services.conferencing.clock import instant
from services.conferencing.context import Context, Reply, route
from services.conferencing.errors import Failure, invalid
from services.conferencing.store.models import ApiToken


def _show(ctx: Context, item: ApiToken, masked: bool) -> dict[str, Any]:
    parts = {"first4": item.token[:4], "last4": item.token[-4:], "stars": "*" * (len(item.token) - 4)}
    shown = {
        "id": item.id,
        "token": ctx.style.users.mask.format(**parts) if masked else item.token,
        "expiresAt": instant(item.expires_at, ctx.style.times.api_token, ctx.now),
        "label": item.label,
    }
    return views.present(ctx, shown)


def _item(ctx: Context) -> ApiToken:
    item = gates.found(ctx.db.api_tokens.get(gates.key(ctx, "tokenId")), "API token")
    gates.same_client(ctx, item.client_id, "API token")
    return item


def _expiry(ctx: Context) -> int | None:
    life = ctx.style.auth.api_token_ttl
    return None if life is None else ctx.now + life


@route("POST", "/api_tokens", "api_token.create", query="for_client", kind="create")
def create(ctx: Context) -> Any:
    """A new token, shown in full this once."""
    gates.ask(ctx, "api_token.create")
    label = requests.body(ctx, "label:text", required=False).option("label")
    if label is not None:
        label = label.strip() or None
    rules = ctx.style.text
    if label is not None and len(label) > rules.label_most:
        raise invalid("label", "long")
    if label is not None and rules.label_unique and ctx.db.api_tokens.one(client_id=ctx.client.id, label=label):
        raise Failure("label_taken", "label")
    kept = None if ctx.bug("token-label-lost") else label
    token = ctx.ids.make(ctx.style.auth.api_token)
    item = ApiToken(ctx.ids.make(ctx.style.ids.api_token), ctx.client.id, token, kept, _expiry(ctx), ctx.now)
    ctx.db.api_tokens.put(item)
    return Reply(_show(ctx, item, masked=False), location=f"/api_tokens/{item.id}")


@route("GET", "/api_tokens", "api_token.list", query="for_client")
def list_(ctx: Context) -> Any:
    """The tokens of the client, masked."""
    gates.ask(ctx, "api_token.list")
    items = ctx.db.api_tokens.find(client_id=ctx.client.id)
    if ctx.style.paging.tie == "desc":
        items.reverse()
    return [_show(ctx, item, masked=not ctx.bug("api-tokens-unmasked")) for item in items]


@route("POST", "/api_tokens/<tokenId>/regenerate", "api_token.regenerate", query="for_client", kind="do")
def regenerate(ctx: Context) -> Any:
    """A new value in place of the old one."""
    gates.ask(ctx, "api_token.regenerate")
    item = _item(ctx)
    if ctx.bug("old-api-token-lives"):
        ctx.service.cache["old-api-token", item.token] = _item(ctx)
    item.token, item.expires_at = ctx.ids.make(ctx.style.auth.api_token), _expiry(ctx)
    ctx.db.api_tokens.put(item)
    return _show(ctx, item, masked=False)


@route("DELETE", "/api_tokens/<tokenId>", "api_token.delete", query="for_client", kind="delete")
def delete(ctx: Context) -> None:
    """Remove a token for good."""
    gates.ask(ctx, "api_token.delete")
    ctx.db.api_tokens.remove(id=_item(ctx).id)
