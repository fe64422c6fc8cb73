"""Properties of users: any JSON value under a key (P1 Endpoints, Users; P2 L150)."""

from __future__ import annotations

from confsim.api.call import Call, operation
from confsim.api.paths import MeOrOwner
from confsim.api.things import UserProperty, UserValue
from confsim.api.values import packed, shown
from confsim.contract import gates
from confsim.contract.operation import Source
from confsim.contract.types import Json, Key
from confsim.domain import properties
from confsim.domain.config import json_documents


@operation(
    "GET /users/{userId}/properties/{key}",
    gate=gates.SELF_OR_ADMIN.assumed("G161"),
    rules="R041 R190 R192 R193",
    gaps="G099 G158 G247",
    line="P1 Users",
)
def get_user_property(call: Call, userId: MeOrOwner, key: UserValue) -> Json:
    """Get the JSON value under a key."""
    return shown(call, key)


@operation(
    "POST /users/{userId}/properties/{key}",
    gate=gates.SELF_OR_ADMIN.assumed("G161"),
    rules="R041 R191 R192 R337",
    gaps="G158 G248 G249",
    line="P1 Users",
)
def set_user_property(call: Call, userId: MeOrOwner, key: Key, body: Json) -> None:
    """Set the JSON value under a key."""
    properties.put(call.change, properties.of_user(userId), key, packed(json_documents.bounded(call.change, body)))


@operation(
    "DELETE /users/{userId}/properties/{key}",
    gate=gates.SELF_OR_ADMIN.assumed("G161"),
    gaps="G555",
    line="P1 Users",
    source=Source.NAME_ONLY,
)
def delete_user_property(call: Call, userId: MeOrOwner, key: UserProperty) -> None:
    """Delete the value under a key."""
    properties.remove(call.change, key)


@operation(
    "GET /users/{userId}/properties",
    gate=gates.SELF_OR_ADMIN.assumed("G161"),
    gaps="G556",
    line="P1 Users",
    source=Source.NAME_ONLY,
)
def list_user_properties(call: Call, userId: MeOrOwner) -> list[str]:
    """List the keys that have a value, sorted."""
    return properties.keys(call.change, properties.of_user(userId))
