"""Calls that only a staging system has: the clock, and who is in a channel."""

from __future__ import annotations

from typing import Any

from services.conferencing import requests, timers
from services.conferencing.clock import iso
from services.conferencing.context import Context, route
from services.conferencing.errors import Failure, invalid


@route("POST", "/staging/clock", "staging.clock", public=True)
def clock(ctx: Context) -> Any:
    """Move the clock forwards and make every change that falls due."""
    seconds = requests.body(ctx, "advanceSeconds!:number").option("advanceSeconds")
    if not 0 <= seconds <= 10 * 365 * 86_400:
        raise invalid("advanceSeconds", "range")
    ctx.service.clock.advance(seconds * 1000)
    timers.settle(ctx.service)
    return {"now": ctx.now, "iso": iso(ctx.now)}


@route("POST", "/staging/presence", "staging.presence", public=True)
def presence(ctx: Context) -> Any:
    """Let a user enter or leave a channel, as over the streaming interface."""
    given = requests.body(ctx, "channel!:text userId!:number present!:flag")
    channel = ctx.db.channels.get(given.text("channel"))
    user = ctx.db.users.get(given.option("userId"))
    if channel is None or user is None:
        raise Failure("not_found", "channel or user")
    if given.option("present"):
        timers.enter(ctx.service, channel, user.id, ctx.now)
    else:
        timers.leave(ctx.service, channel, user.id, ctx.now)
    return {"present": given.option("present")}
