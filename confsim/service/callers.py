"""The caller that a token stands for, remembered while the tables that decide it are the same values."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from confsim.api import admission
from confsim.api.call import Call
from confsim.assumptions import terms as assumed_terms
from confsim.assumptions.protocol.refusals import Reason
from confsim.assumptions.register import ask
from confsim.domain import terms
from confsim.domain.clients import clients
from confsim.domain.clients.clients import CLIENTS
from confsim.domain.identity import credentials
from confsim.domain.identity.credentials import CREDENTIALS, Caller
from confsim.domain.users.users import USERS
from confsim.kernel.refusal import Refusal
from confsim.kernel.table import TableState
from confsim.kernel.world import Change

#: How many tokens are remembered.
_MOST = 256

Tables = tuple[TableState, ...]
#: The places of the tables that decide who calls.
_CREDENTIALS, _CLIENTS, _USERS = CREDENTIALS.position, CLIENTS.position, USERS.position


class _Known(Struct, frozen=True, gc=False):
    """A caller who may call, the tables that say so, and the assumptions used to say it.

    ``shared`` are the shared tables, ``own`` those of the caller's client, () for a caller who is no user.
    """

    caller: Caller
    shared: Tables
    own: Tables
    used: Mapping[str, None]

    def holds(self, change: Change) -> bool:
        """Whether the caller is the same in this change: the tables are, and the token has not expired."""
        caller, world, then = self.caller, change.world, self.shared
        if change.now >= caller.expires:
            return False
        now = world.shared
        if now is not then and not _same(now, then, _CREDENTIALS, _CLIENTS):
            return False
        then = self.own
        if not then:
            return True
        now = world.client_tables.get(caller.client.id, ())
        return now is then or _same(now, then, _USERS)


def _same(now: Tables, then: Tables, *places: int) -> bool:
    """Whether the tables at these places are the same values."""
    return len(now) == len(then) and all(now[place] is then[place] for place in places)


class Callers:
    """Identifies the callers of a world and of its forks, which all have one profile."""

    __slots__ = ("_known",)

    def __init__(self) -> None:
        self._known: dict[str, _Known] = {}

    def identify(self, call: Call, token: str | None) -> None:
        """Set the caller and the client of the call.

        Refusals CREDENTIAL_MISSING, CREDENTIAL_INVALID, CREDENTIAL_EXPIRED, TERMS_NOT_ACCEPTED, SERVICE_DISABLED.
        """
        if not token:
            raise Refusal(Reason.CREDENTIAL_MISSING)
        known = self._known.get(token)
        if known is not None and known.holds(call.change):
            call.used.update(known.used)
            call.caller = caller = known.caller
            call.known_client = caller.client
            return
        change, noted = call.change, call.used
        change.used = used = dict[str, None]()
        try:
            caller = credentials.authenticate(change, token)
            client = caller.client
            blocked = caller.user is not None and terms.blocked(change, client, caller.user)
        finally:
            change.used = noted
            noted.update(used)
        call.caller, call.known_client = caller, client
        if blocked and call.operation.name not in ask(call, assumed_terms.OPEN_CALLS):
            raise Refusal(Reason.TERMS_NOT_ACCEPTED, termsUrl=client.terms.url)
        if not clients.served(change, client):
            admission.require_service(call, client)
        elif not blocked:
            if len(self._known) >= _MOST:
                self._known.clear()
            world = change.world
            own = () if caller.user is None else world.client_tables.get(client.id, ())
            self._known[token] = _Known(caller, world.shared, own, used)
