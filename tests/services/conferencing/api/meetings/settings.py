"""The legacy settings of clients and channels."""

from __future__ import annotations

from typing import Any

from services.conferencing import gates, views
from services.conferencing.context import Context, route


@route("GET", "/settings", "settings.client")
def of_client(ctx: Context) -> Any:
    """The settings of the caller's client."""
    gates.ask(ctx, "settings.client")
    client = ctx.client
    return {
        "uniqueUsersHandle": client.unique_handles,
        "speech2text": client.speech2text,
        "dialOut": client.dial_out,
        "friendlyURLs": client.friendly_urls,
        "midi": client.midi,
        "dialIn": client.dial_in,
    }


@route("GET", "/channels/<uuid>/settings", "settings.channel")
def of_channel(ctx: Context) -> Any:
    """The settings of a channel."""
    channel = gates.channel(ctx, "settings.channel")
    shown = {
        "speech2text": channel.speech2text,
        "muteAttendees": channel.mute_attendees,
        "broadcastEnabled": False,
        "autoClose": channel.auto_close,
        "eventRoom": channel.is_event_room,
        "open": channel.is_open,
        "publicPIN": False,
        "dialOut": channel.dial_out,
        "dialIn": channel.dial_in,
        "presentersLimit": channel.presenters_limit,
        "mediaPoolSize": channel.media_pool_size,
        "midi": channel.midi,
        "offAir": False,
        "disableWall": channel.disable_wall,
    }
    return views.present(ctx, shown)
