"""The catalogue of the API: all families of operations, in the order of the documents."""

# imported for their effect: they attach couplings, deletions and emitted events to the machines
import confsim.domain.couplings  # noqa: F401

from . import paths  # noqa: F401 what path parameters resolve to
from .call import API

__all__ = ["API"]

#: The modules of each area, in the order of the documents.
FAMILIES = {
    "auth": "identity.providers",
    "terms": "terms",
    "validators": "identity.validators",
    "users": "users.emails members.guests users.handles identity.invitations users.languages users.predefined "
    "users.users",
    "roles": "members.roles",
    "access": "identity.access_levels",
    "api_tokens": "identity.api_tokens",
    "friendly_urls": "channels.friendly_urls",
    "embedding": "clients.embedding",
    "clients": "clients.clients",
    "channels": "channels.channels",
    "runtime": "runtime.runtime",
    "channel_properties": "channels.channel_properties",
    "sessions": "runtime.sessions",
    "app_sessions": "app_sessions",
    "config": "config.documents",
    "templates": "config.templates",
    "breakout": "breakout.breakouts members.linked_users",
    "telephony": "telephony.calls telephony.numbers telephony.dialling",
    "recordings": "recordings.recordings",
    "media": "media.media",
    "gateway": "media.gateway",
    "broadcast": "broadcast.broadcasts",
    "events": "events.endpoints",
}

API.arrange(__package__, FAMILIES)
