"""The identification of callers by their tokens, cached while the records that decide it are unchanged."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

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
from confsim.kernel.tables.states import TableState
from confsim.kernel.world import Change, World

#: Most tokens that are remembered.
_MOST = 256


class _Known(Struct, frozen=True, gc=False):
    """An identified caller, with the token, the world and the assumptions that decided it.

    It is valid until ``expires`` (epoch milliseconds). Threads of several forks share it.
    """

    token: str
    caller: Caller
    expires: int
    world: World
    used: Mapping[str, None]

    def as_of(self, change: Change) -> _Known | None:
        """Return the same caller in the world of a change, with its client as that is there; None for another one.

        It is the same if its token and its user are the same values there, and its client is still served.
        """
        world, then, caller = change.world, self.world, self.caller
        client, user = caller.client, caller.user
        now, before = world.shared, then.shared
        if now is not before:
            if len(now) <= _LAST or not _same(now[_TOKENS], before[_TOKENS], self.token):
                return None
            if now[_CLIENTS] is not before[_CLIENTS]:
                row = now[_CLIENTS].rows.get(client.id)
                if row is None or (user is not None and row[1].terms is not client.terms):
                    return None
                if not clients.is_served(change, row[1]):
                    return None
                caller = Caller(row[1], user, caller.api_token, caller.customer_admin, caller.expires)
        if user is not None:
            now, before = world.client_tables.get(client.id, ()), then.client_tables[client.id]
            if now is not before and (len(now) <= _USERS or not _same(now[_USERS], before[_USERS], user.id)):
                return None
        return _Known(self.token, caller, self.expires, world, self.used)


#: The places of the tables that decide who the caller is.
_TOKENS, _CLIENTS, _USERS = CREDENTIALS.position, CLIENTS.position, USERS.position
_LAST = max(_TOKENS, _CLIENTS)


def _same(now: TableState, then: TableState, key: Hashable) -> bool:
    """Return whether the record with the key is the same value in two states of a table."""
    return now is then or now.rows.get(key) is then.rows.get(key)


class Callers:
    """Identifies the callers of a world and of its forks, which all have one profile."""

    __slots__ = ("_known",)

    def __init__(self) -> None:
        self._known: dict[str, _Known] = {}

    def identify(self, call: Call, token: str | None) -> None:
        """Set the caller and the client of the call; it reaches the things of this client alone (R220, R244).

        Raises Refusal CREDENTIAL_MISSING, CREDENTIAL_INVALID, CREDENTIAL_EXPIRED, TERMS_NOT_ACCEPTED, SERVICE_DISABLED.
        """
        if not token:
            raise Refusal(Reason.CREDENTIAL_MISSING)
        known = self._known.get(token)
        if known is not None and known.world is not call.change.world:
            known = known.as_of(call.change)
            if known is not None:
                self._known[token] = known
        if known is None or call.now >= known.expires:
            self._authenticate(call, token)
            return
        call.used.update(known.used)
        call.caller = caller = known.caller
        call.known_client = caller.client

    def _authenticate(self, call: Call, token: str) -> None:
        """Set the caller and the client of the call, and remember them. Raises Refusal as ``identify``."""
        change, noted = call.change, call.used
        change.used = used = dict[str, None]()
        try:
            caller = credentials.authenticate(change, token)
            client = caller.client
            blocked = caller.user is not None and terms.is_blocked(change, client, caller.user)
        finally:
            change.used = noted
            noted.update(used)
        call.caller, call.known_client = caller, client
        if blocked and call.operation.name not in ask(call, assumed_terms.OPEN_CALLS):
            raise Refusal(Reason.TERMS_NOT_ACCEPTED, termsUrl=client.terms.url)
        if not clients.is_served(change, client):
            admission.require_service(call, client)
        elif not blocked:
            if len(self._known) >= _MOST:
                self._known.clear()
            self._known[token] = _Known(token, caller, caller.expires, change.world, used)
