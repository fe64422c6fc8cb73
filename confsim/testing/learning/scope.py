"""The scope of a run: it reads everything, and changes only what it made itself."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from msgspec.structs import replace

from confsim.api.catalogue import API

from .calls import Call, kinds_of
from .things import Things

#: Calls that create something without naming a container: they are allowed in any client.
MAKERS = frozenset(
    {
        "create_channel",
        "create_template",
        "create_api_token",
        "create_predefined_user",
        "create_app_session",
        "reserve_handle",
        "create_user",
        "upload_client_media",
        "batch_delete_client_media",
    }
)
#: Operations that create permanent users, and the limit on such users in the client of the accounts.
STAYING = frozenset({"create_predefined_user", "create_user"})
MOST_STAYING = 6
#: Calls that ring a phone.
RINGING = frozenset({"dial_registered_user", "dial_unregistered_user"})
#: Calls that are never made: they need data of an identity provider or of the service's makers, or take a number from
#: other channels.
LEFT_OUT: Mapping[str, str] = {
    "get_auth_profile": "it answers what an identity provider reported",
    "get_user_auth_method": "it answers how a user logs in, which happens outside the API",
    "exchange_identity_token": "it needs a key that the service's makers hold",
    "assign_exclusive_dial_number": "it takes a number away from other channels",
}
#: Reads that are allowed of users whom the run did not make: ids that it learned, and roles in its own channels.
_OF_KNOWN_USERS = frozenset(
    {"get_user", "get_users", "get_me", "list_user_access_levels", "get_user_client", "list_own_access_levels",
     "find_user_by_handle", "get_user_terms"}
)  # fmt: skip
#: Lists of a channel that hold what belongs to its client.
_OF_CLIENT_TOO = frozenset({"list_channel_templates"})
#: Reads of a whole client, which others may change meanwhile.
_OF_WHOLE_CLIENT = frozenset({"get_client_media_pool_size", "get_events_secret"})


class Scope:
    """Decides which calls are allowed.

    ``tag`` is the prefix of all names that the run makes; ``allow_phone_calls`` says whether phones may be called.
    """

    def __init__(self, things: Things, tag: str, *, allow_phone_calls: bool = False) -> None:
        self._things = things
        self.tag = tag
        self.allow_phone_calls = allow_phone_calls
        self.staying = 0

    def count_staying(self) -> None:
        """Note a call whose work stays when the run ends."""
        self.staying += 1

    def served(self, operation: str) -> bool:
        """Return whether an operation is called at all."""
        return not LEFT_OUT.get(operation) and (self.allow_phone_calls or operation not in RINGING)

    def allows(self, call: Call) -> bool:
        """Return whether a call may be made."""
        if not self.served(call.operation):
            return False
        if any(call.path.get(name) == word for name, word in _words_of_others(call.operation)):
            return False
        caller = self._things.caller(call.caller)
        own = caller is not None and caller.home in self._things.own_clients
        if "for_client" in call.query and call.query["for_client"] in self._things.own_clients:
            own = True
        return self._allows_change(call, own) if call.declared.changes else self._allows_read(call, own)

    def is_open(self, call: Call) -> bool:
        """Return whether the call answers a list that may hold things of others."""
        caller = self._things.caller(call.caller)
        if "for_client" in call.query:
            return call.query["for_client"] not in self._things.own_clients
        if caller is None or caller.home in self._things.own_clients:
            return False
        if any(self.tag in call.query.get(name, "") for name in ("search", "query")):
            return False
        return call.operation in _OF_CLIENT_TOO or not any(kind != "clients" for kind, _ in call.names())

    def narrowed(self, call: Call) -> Call:
        """Return the call limited to what the run made, where others may have made more; otherwise without a page."""
        if not self.is_open(call):
            return call
        names = call.declared.query_names
        query = {name: text for name, text in call.query.items() if name not in {"limit", "offset"}}
        sought = next((name for name in ("search", "query") if name in names), None)
        if sought is not None:
            query = {**call.query, sought: self.tag}
        return replace(call, query=query)

    def _allows_read(self, call: Call, own: bool) -> bool:
        if own:
            return True
        if call.operation in _OF_WHOLE_CLIENT:
            return False
        if call.path.get("userId") == "me":
            return call.operation in _OF_KNOWN_USERS
        strangers = [value for kind, value in call.names() if kind == "users" and ("users", value) not in self._things]
        if not strangers or any(kind == "channels" for kind, _ in call.names()):
            return True
        return call.operation in _OF_KNOWN_USERS

    def _allows_change(self, call: Call, own: bool) -> bool:
        things, kinds = self._things, kinds_of(call.operation)
        first = next((name for name in call.path if name in kinds), None)
        if call.operation in STAYING and not own and self.staying >= MOST_STAYING:
            return False
        if call.operation == "create_client" or call.path.get("tokenId") in things.protected_tokens:
            return False
        if call.operation == "create_guest":
            return ("channels", call.path["uuid"]) in things
        if own and first is None:
            return True
        if first is None:
            if call.operation == "batch_delete_client_media":
                return all(named in things for named in call.names() if named[0] == "media")
            return call.operation in MAKERS
        value = call.path[first]
        if kinds[first] == "clients":
            if call.operation in {"create_app_session"}:
                return True
            return value in things.own_clients
        if value == "me":
            caller = things.caller(call.caller)
            return caller is not None and caller.made
        named = int(value) if kinds[first] == "users" and value.isdigit() else value
        return (kinds[first], named) in things


@cache
def _words_of_others(operation: str) -> tuple[tuple[str, str], ...]:
    """Return path values that would turn the request into one of another operation, with their parameters."""
    asked = API[operation]
    found = []
    for other in API:
        one, two = asked.path.split("/"), other.path.split("/")
        if other.method != asked.method or len(one) != len(two):
            continue
        apart = [(here, there) for here, there in zip(one, two, strict=True) if here != there]
        if len(apart) == 1 and apart[0][0].startswith("{") and not apart[0][1].startswith("{"):
            found.append((apart[0][0].strip("{}"), apart[0][1]))
    return tuple(found)
