"""Events endpoints."""

from __future__ import annotations

from services.conferencing import gates, requests, text
from services.conferencing.context import Context, route
from services.conferencing.errors import Failure, invalid


@route("POST", "/events/endpoints/<id>", "endpoint.change", kind="do")
def change(ctx: Context) -> None:
    """Enable or disable an events endpoint, or change its address."""
    gates.ask(ctx, "endpoint.change")
    item = gates.found(ctx.db.endpoints.get(gates.key(ctx, "id")), "events endpoint")
    if not ctx.bug("endpoint-of-any-tenant"):
        gates.same_client(ctx, item.client_id, "events endpoint")
    if not ctx.client.events and ctx.style.channels.events_off == "fail":
        raise Failure("events_off")
    given = requests.body(ctx, "url:text active:flag", required=False)
    url, active = given.option("url"), given.option("active")
    if url is None and active is None and ctx.style.channels.endpoint_nothing == "fail":
        raise invalid("url", "required")
    if url is not None:
        item.url = text.url(url, ctx.style.channels.endpoint_schemes)
    if active is not None:
        item.active = active
    ctx.db.endpoints.put(item)
