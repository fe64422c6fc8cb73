"""The scope of a run: it reads everything, and changes only what it made itself."""

from __future__ import annotations

from functools import cache

from msgspec.structs import replace

from confsim.api.catalogue import API

from .calls import ME, ModelCall
from .comparing.places import NOT_NAMES, Shapes, kinds_in
from .declared import made_by, makes_lasting, path_kinds, search_parameters, why_left_out
from .things import Things

#: The limit on permanent users whom the run creates in the client of the accounts.
MOST_STAYING = 6


class RunScope:
    """Decides which calls are allowed.

    ``tag`` is the prefix of all names that the run makes; ``allow_phone_calls`` says whether phones may be called,
    ``clients_read`` whether the model has what there was in the clients before the run.
    """

    def __init__(self, things: Things, tag: str, *, allow_phone_calls: bool = False, clients_read: bool = True) -> None:
        self._things = things
        self.tag = tag
        self.allow_phone_calls = allow_phone_calls
        self.clients_read = clients_read
        self.staying = 0

    def count_staying(self) -> None:
        """Note a call whose work stays when the run ends."""
        self.staying += 1

    def copy(self, things: Things, staying: int | None = None) -> RunScope:
        """Return another with the same limits for other things, of which ``staying`` stay (default: as here)."""
        other = RunScope(things, self.tag, allow_phone_calls=self.allow_phone_calls, clients_read=self.clients_read)
        other.staying = self.staying if staying is None else staying
        return other

    def served(self, operation: str) -> bool:
        """Return whether an operation is called at all."""
        declared = API[operation]
        return not why_left_out(declared) and (self.allow_phone_calls or not declared.rings)

    def allows(self, call: ModelCall) -> bool:
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

    def is_open(self, call: ModelCall) -> bool:
        """Return whether the call answers a list that may hold things of others."""
        caller = self._things.caller(call.caller)
        if "for_client" in call.query:
            return call.query["for_client"] not in self._things.own_clients
        if caller is None or caller.home in self._things.own_clients:
            return False
        if any(self.tag in call.query.get(name, "") for name in search_parameters(call.declared)):
            return False
        if call.declared.of_whole_client:
            return True
        if any(kind != "clients" for kind, _ in call.names()):
            return False
        return not self.clients_read or _holds_things(call.operation)

    def narrowed(self, call: ModelCall) -> ModelCall:
        """Return the call limited to what the run made, where others may have made more; otherwise without a page."""
        if not self.is_open(call):
            return call
        query = {name: text for name, text in call.query.items() if name not in {"limit", "offset"}}
        for sought in search_parameters(call.declared)[:1]:
            query = {**call.query, sought: self.tag}
        return replace(call, query=query)

    def _allows_read(self, call: ModelCall, own: bool) -> bool:
        if own:
            return True
        names = [(kind, value) for kind, value in call.names() if kind != "clients"]
        if call.declared.of_whole_client and not names:
            return False
        if ME in call.path.values():
            return call.declared.shows_identity
        strangers = [value for kind, value in names if kind == "users" and ("users", value) not in self._things]
        if not strangers or any(kind == "channels" for kind, _ in names):
            return True
        return call.declared.shows_identity

    def _is_made(self, token: str | None) -> bool:
        """Return whether the run made a caller."""
        caller = self._things.caller(token)
        return caller is not None and caller.made

    def _allows_change(self, call: ModelCall, own: bool) -> bool:
        things, declared, kinds = self._things, call.declared, path_kinds(call.declared)
        makes, protected = made_by(declared), {("api_tokens", each) for each in things.protected_tokens}
        full = self.staying >= MOST_STAYING and not own and "users" in makes
        if full and "users" in makes_lasting(declared):
            return False
        if ME in declared.path.split("/"):  # it changes its caller
            caller = things.caller(call.caller)
            return caller is not None and caller.made
        if "clients" in makes or any(named in protected for named in call.names()):
            return False
        if _is_about_caller(call.operation) and not self._is_made(call.caller):
            return False
        first = next((name for name, kind in kinds.items() if kind != "clients"), None)
        if first is not None:
            value = call.path[first]
            if value == ME:
                return self._is_made(call.caller)
            return (kinds[first], int(value) if kinds[first] == "users" and value.isdigit() else value) in things
        if makes and not declared.of_whole_client:  # it is made anew, in any client
            return True
        if kinds:
            return all(call.path[name] in things.own_clients for name in kinds)
        if declared.removes and not own:
            return all(named in things for named in call.names() if named[0] == declared.removes)
        return own


@cache
def _is_about_caller(operation: str) -> bool:
    """Return whether its path names the caller."""
    return ME in API[operation].path.split("/")


@cache
def _holds_things(operation: str) -> bool:
    """Whether its answers name anything; numbers, levels, providers and languages are there before a run begins."""
    return any(kind not in NOT_NAMES for kind in kinds_in(Shapes({}).answer(API[operation])))


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
