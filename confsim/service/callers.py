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
from confsim.kernel.world import Change, World

#: How many tokens are remembered.
_MOST = 256


class _Known(Struct, frozen=True, gc=False):
    """A caller who may call, the tables that say so, and the assumptions used to say it.

    ``users`` is None for a caller who is none.
    """

    caller: Caller
    credentials: TableState
    clients: TableState
    users: TableState | None
    used: Mapping[str, None]


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
        change = call.change
        known = self._known.get(token)
        if known is None or change.now >= known.caller.expires or not _holds(known, change.world):
            self._identify(call, token)
            return
        change.used.update(known.used)
        call.caller, call.known_client = known.caller, known.caller.client

    def _identify(self, call: Call, token: str) -> None:
        change = call.change
        noted, change.used = change.used, {}
        try:
            caller = credentials.authenticate(change, token)
            client = caller.client
            blocked = caller.user is not None and terms.blocked(change, client, caller.user)
        finally:
            used, change.used = change.used, noted
            noted.update(used)
        call.caller, call.known_client = caller, client
        if blocked and call.operation.name not in ask(call, assumed_terms.OPEN_CALLS):
            raise Refusal(Reason.TERMS_NOT_ACCEPTED, termsUrl=client.terms.url)
        if not clients.served(change, client):
            admission.require_service(call, client)
        elif not blocked:
            self._remember(token, change, caller, used)

    def _remember(self, token: str, change: Change, caller: Caller, used: Mapping[str, None]) -> None:
        if len(self._known) >= _MOST:
            self._known.clear()
        world = change.world
        users = None if caller.user is None else world.state(USERS, caller.client.id)
        self._known[token] = _Known(caller, world.state(CREDENTIALS), world.state(CLIENTS), users, used)


def _holds(known: _Known, world: World) -> bool:
    """Whether the tables are those of the world."""
    return (
        world.state(CLIENTS) is known.clients
        and world.state(CREDENTIALS) is known.credentials
        and (known.users is None or world.state(USERS, known.caller.client.id) is known.users)
    )
