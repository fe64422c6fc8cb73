"""The catalogue of the API: all families of operations, in the order of the documents."""

from __future__ import annotations

# imported for their effect: they attach couplings, deletions and emitted events to the machines
import confsim.domain.couplings.child_clients
import confsim.domain.couplings.deletion
import confsim.domain.couplings.deliveries
import confsim.domain.couplings.emitted
import confsim.domain.couplings.machines
import confsim.domain.couplings.needs  # noqa: F401

from . import (
    app_sessions,
    paths,  # noqa: F401 what path parameters resolve to
    terms,
)
from .breakout import breakouts
from .broadcast import broadcasts
from .call import API
from .channels import channel_properties, channels, friendly_urls
from .clients import clients, embedding
from .config import documents, templates
from .events import endpoints
from .identity import access_levels, api_tokens, invitations, providers, validators
from .media import gateway, media
from .members import guests, linked_users, roles
from .recordings import recordings
from .runtime import runtime, sessions
from .telephony import calls, dialling, numbers, pins
from .users import emails, handles, languages, predefined, user_properties, users

__all__ = ["API"]

API.arrange(
    {
        "auth": (providers,),
        "terms": (terms,),
        "validators": (validators,),
        "users": (emails, guests, handles, invitations, languages, predefined, users, user_properties),
        "roles": (roles,),
        "access": (access_levels,),
        "api_tokens": (api_tokens,),
        "friendly_urls": (friendly_urls,),
        "embedding": (embedding,),
        "clients": (clients,),
        "channels": (channels,),
        "runtime": (runtime,),
        "channel_properties": (channel_properties,),
        "sessions": (sessions,),
        "app_sessions": (app_sessions,),
        "config": (documents,),
        "templates": (templates,),
        "breakout": (breakouts, linked_users),
        "telephony": (calls, numbers, pins, dialling),
        "recordings": (recordings,),
        "media": (media,),
        "gateway": (gateway,),
        "broadcast": (broadcasts,),
        "events": (endpoints,),
    }
)
