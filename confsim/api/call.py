"""One call of an operation: who makes it, in which client, at which instant, on the change it may write."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from confsim.assumptions.protocol import transport
from confsim.assumptions.refusals import Reason
from confsim.assumptions.register import ask
from confsim.contract.operation import Catalogue, Operation
from confsim.domain.channels.channels import Channel
from confsim.domain.clients.clients import Client
from confsim.domain.identity.credentials import Caller
from confsim.domain.users.users import User
from confsim.kernel.refusal import Refusal
from confsim.kernel.world import Change

#: What families declare their operations with; ``api.catalogue`` holds them all, in order.
API = Catalogue("Conferencing Service API", prefix=transport.PREFIX)
operation = API.operation


class _Nobody:
    """The client of a call that names none: whatever is asked of it, the credential is missing that would tell it."""

    def __getattr__(self, name: str) -> Any:
        raise Refusal(Reason.CREDENTIAL_MISSING)


_NOBODYS: Any = _Nobody()


class Call(Struct, eq=False):
    """What an operation gets beside its arguments.

    ``client`` is the client in whose context the call runs: the caller's own, or a child named by for_client.
    ``caller`` is None on a public call. ``channel`` and ``subject`` are the channel and the user that the path names.
    ``address`` is host and mount, or the URL of the mount where one was set, without a slash at its end;
    ``content_type`` what a body of bytes says that it is.
    """

    operation: Operation
    change: Change
    address: str
    now: int
    profile: Mapping[str, Any]
    used: dict[str, None]
    client: Client = _NOBODYS
    caller: Caller | None = None
    channel: Channel | None = None
    subject: User | None = None
    content_type: str | None = None

    @property
    def root(self) -> str:
        """The URL of the mount, without a slash at its end, for URLs in answers."""
        scheme = ask(self, transport.SCHEME)
        return self.address if "://" in self.address else f"{scheme}://{self.address}"

    @property
    def who(self) -> Caller:
        """The caller. Refusal CREDENTIAL_MISSING when a profile lets everybody call, for then nobody is known."""
        if self.caller is None:
            raise Refusal(Reason.CREDENTIAL_MISSING)
        return self.caller

    @property
    def user(self) -> User:
        """The calling user. Refusal NO_USER_CONTEXT when an API token calls (G159)."""
        user = self.who.user
        if user is None:
            raise Refusal(Reason.NO_USER_CONTEXT)
        return user

    @property
    def maybe_user(self) -> User | None:
        """The calling user, or None when an API token calls or nobody is known."""
        return self.caller.user if self.caller is not None else None
