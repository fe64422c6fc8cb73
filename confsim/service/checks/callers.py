"""The identification of callers by their tokens, cached while the records that decide it are unchanged.

The cache saves a quarter of get_me and a sixth of list_users (``python tests/benchmarks operations``).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

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
from confsim.kernel.world import Change, World

#: Most tokens that are remembered.
_MOST = 256
#: An identified caller, with the world and the assumptions that decided it. It is valid in that world until
#: ``caller.expires``. Threads of several forks share it.
_Known: TypeAlias = "tuple[Caller, World, Mapping[str, None]]"
#: The places of the tables that decide who the caller is.
_TOKENS, _CLIENTS, _USERS = CREDENTIALS.position, CLIENTS.position, USERS.position
_LAST = max(_TOKENS, _CLIENTS)


def _as_of(change: Change, token: str, caller: Caller, then: World) -> Caller | None:
    """Return the caller of that world as of the world of a change, with its client as that is there.

    None when another caller may have the token: when the record of the token or of its user is another value, or the
    client is served no longer.
    """
    world, client, user = change.world, caller.client, caller.user
    now, before = world.client_tables.get("", ()), then.client_tables[""]
    if now is not before:
        if len(now) <= _LAST:
            return None
        tokens, were = now[_TOKENS], before[_TOKENS]
        if tokens is not were and tokens.rows.get(token) is not were.rows.get(token):
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
        if now is not before:
            if len(now) <= _USERS:
                return None
            users, were = now[_USERS], before[_USERS]
            if users is not were and users.rows.get(user.id) is not were.rows.get(user.id):
                return None
    return caller


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
        change, known = call.change, self._known.get(token)
        if known is not None:
            caller: Caller | None
            caller, world, used = known
            if world is not change.world:
                caller = _as_of(change, token, caller, world)
                if caller is not None:
                    self._known[token] = caller, change.world, used
            if caller is not None and change.now < caller.expires:
                change.carried.used.update(used)
                call.caller, call.known_client = caller, caller.client
                return
        self._authenticate(call, token)

    def _authenticate(self, call: Call, token: str) -> None:
        """Set the caller and the client of the call, and remember them. Raises Refusal as ``identify``."""
        change, used = call.change, dict[str, None]()
        carried = change.carried
        noted = carried.collect_in(used)
        try:
            caller = credentials.authenticate(change, token)
            client = caller.client
            blocked = caller.user is not None and terms.is_blocked(change, client, caller.user)
        finally:
            carried.collect_in(noted)
            noted.update(used)
        call.caller, call.known_client = caller, client
        is_open = not blocked or call.operation.name in ask(change, assumed_terms.OPEN_CALLS)
        if not is_open and ask(change, assumed_terms.LOGIN) != "full":
            raise terms.not_accepted(change, client)
        if not clients.is_served(change, client):
            admission.require_service(call, client)
        elif not blocked:
            if len(self._known) >= _MOST:
                self._known.clear()
            self._known[token] = caller, change.world, used
