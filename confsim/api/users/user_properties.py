"""Properties of users: any JSON value under a key (P1 Endpoints, Users; P2 L150)."""

from __future__ import annotations

from confsim.api.call import API, Call
from confsim.api.paths import MeOrOwner
from confsim.api.things import UserProperty, UserValue
from confsim.api.values import packed, shown
from confsim.contract import gates
from confsim.contract.operation import Source
from confsim.contract.types import Json, Key
from confsim.domain import properties
from confsim.domain.config import json_documents

operation = API.family(gate=gates.SELF_OR_ADMIN.assumed("G161"), line="P1 Users")
named = API.family(gate=gates.SELF_OR_ADMIN.assumed("G161"), line="P1 Users", source=Source.NAME_ONLY)


@operation("GET /users/{userId}/properties/{key}", rules="R041 R190 R192 R193", gaps="G099 G158 G247")
def get_user_property(call: Call, user: MeOrOwner, value: UserValue) -> Json:
    """Get the JSON value under a key."""
    return shown(call, value)


@operation("POST /users/{userId}/properties/{key}", rules="R041 R191 R192 R337", gaps="G158 G248 G249")
def set_user_property(call: Call, user: MeOrOwner, key: Key, body: Json) -> None:
    """Set the JSON value under a key."""
    properties.put(call.change, properties.of_user(user), key, packed(json_documents.bounded(call.change, body)))


@named("DELETE /users/{userId}/properties/{key}", gaps="G555")
def delete_user_property(call: Call, user: MeOrOwner, stored: UserProperty) -> None:
    """Delete the value under a key."""
    properties.remove(call.change, stored)


@named("GET /users/{userId}/properties", gaps="G556")
def list_user_properties(call: Call, user: MeOrOwner) -> list[str]:
    """List the keys that have a value, sorted."""
    return properties.keys(call.change, properties.of_user(user))
