"""Custom authentication validators."""

from __future__ import annotations

from typing import Any

from services.conferencing import gates
from services.conferencing.clock import instant
from services.conferencing.context import Context, route
from services.conferencing.errors import Failure
from services.conferencing.store.models import Validator


def _show(ctx: Context, item: Validator) -> dict[str, Any]:
    known = {
        "validatorId": item.id,
        "id": item.id,
        "name": item.name,
        "active": item.active,
        "enabled": item.active,
        "createdAt": instant(item.created, ctx.style.times.details),
    }
    shown = {name: known[name] for name in ctx.style.users.validator_item}
    if ctx.bug("validator-secret-shown"):
        shown["secret"] = item.secret
    return shown


def _validator(ctx: Context) -> Validator:
    item = gates.found(ctx.db.validators.get(gates.key(ctx, "validatorId")), "validator")
    if not ctx.bug("validator-any-tenant"):
        gates.same_client(ctx, item.client_id, "validator")
    return item


@route("GET", "/validators", "validator.list", query="for_client")
def list_(ctx: Context) -> Any:
    """The validators of the client."""
    gates.ask(ctx, "validator.list")
    items = ctx.db.validators.find(client_id=ctx.client.id)
    if ctx.style.users.validator_shape == "paged":
        return {"total": len(items), "results": [_show(ctx, item) for item in items]}
    return [_show(ctx, item) for item in items]


@route("POST", "/validators/<validatorId>/enable", "validator.enable", query="for_client", kind="do")
def enable(ctx: Context) -> None:
    """Make a validator the active one."""
    gates.ask(ctx, "validator.enable")
    item = _validator(ctx)
    if item.active and ctx.style.users.validator_repeat == "fail":
        raise Failure("already", "validator")
    for other in ctx.db.validators.find(client_id=item.client_id):
        if other.id != item.id and other.active and not ctx.bug("two-active-validators"):
            other.active = False
            ctx.db.validators.put(other)
    item.active = True
    ctx.db.validators.put(item)


@route("POST", "/validators/<validatorId>/disable", "validator.disable", query="for_client", kind="do")
def disable(ctx: Context) -> None:
    """Make a validator inactive."""
    gates.ask(ctx, "validator.disable")
    item = _validator(ctx)
    if not item.active and ctx.style.users.validator_repeat == "fail":
        raise Failure("already", "validator")
    item.active = False
    ctx.db.validators.put(item)
