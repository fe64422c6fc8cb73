"""Every family of operations, imported in the order of the reference."""

from __future__ import annotations

from confsim.domain import couplings, endpoint_moves, tidings

from . import (
    access,
    api_tokens,
    app_sessions,
    auth,
    breakout,
    broadcast,
    channel_properties,
    channels,
    clients,
    config,
    embedding,
    events,
    friendly_urls,
    gateway,
    media,
    paths,
    recordings,
    roles,
    runtime,
    sessions,
    telephony,
    templates,
    terms,
    users,
    validators,
)

#: How many operations the documents describe, name or imply.
KNOWN = 223

#: In the order of the documents.
FAMILIES = (
    auth,
    terms,
    validators,
    users,
    roles,
    access,
    api_tokens,
    friendly_urls,
    embedding,
    clients,
    channels,
    runtime,
    channel_properties,
    sessions,
    app_sessions,
    config,
    templates,
    breakout,
    telephony,
    recordings,
    media,
    gateway,
    broadcast,
    events,
)
RESOLVERS = paths
#: Machines move each other once these are there.
COUPLINGS = couplings.COUPLINGS + endpoint_moves.MOVES
TIDINGS = tidings.TIDINGS
