"""The OpenAPI document of the API, under a profile, and the operation that serves it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from confsim.api.call import Call
from confsim.api.catalogue import API
from confsim.api.files import FILES
from confsim.assumptions.protocol import transport
from confsim.assumptions.register import in_force
from confsim.contract import gates
from confsim.contract.encode import Raw

if TYPE_CHECKING:
    from confsim.contract.openapi.document import Subject

__all__ = ["FILES", "SERVER", "api_document"]

#: The default address of ``confsim serve``.
SERVER = "http://127.0.0.1:8080"
_DESCRIPTION = (
    "Meeting rooms (channels), their sessions, recordings and telephony; users, roles and clients of a multi-tenant "
    "web-conferencing service. What its documents leave open is as the profile of this world says."
)


def api_document(profile: Mapping[str, Any], root: str = SERVER) -> bytes:
    """Return the OpenAPI document of the API under a profile, as JSON; ``root`` is the URL of the serving mount."""
    from confsim.contract.openapi.document import document_bytes

    prefix = in_force(profile, transport.PREFIX)
    return document_bytes(_subject(), server=f"{root}{prefix}", profile=profile)


@cache
def _subject() -> Subject:
    """Return the content of the document; it is made on first use, as most worlds serve none."""
    from confsim.api.events.webhooks import events
    from confsim.contract.openapi.document import Subject
    from confsim.reference.observed import observed

    return Subject(API, API.title, "1.0", _DESCRIPTION, areas=API.areas, events=events, observed=observed())


@FILES.operation("GET /openapi.json", gate=gates.PUBLIC)
def get_openapi(call: Call) -> Raw:
    """The OpenAPI document of the API as this world serves it: its profile counts."""
    return Raw("application/json", api_document(call.change.carried.profile, call.root()))
