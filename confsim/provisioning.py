"""What a simulator makes outside the API: tokens, clients, users, validators, numbers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from confsim.control.invoke import ControlPlane
    from confsim.control.operations.people import MadeClient, MadeUser, RedeemedInvitation
    from confsim.control.operations.provisioning import MadeValidator
    from confsim.service.clock import Duration


class Provisioning(ABC):
    """The part of ``Simulator`` that makes what no call of the API makes, by operations of the control plane."""

    @property
    @abstractmethod
    def control(self) -> ControlPlane:
        """The operations of the control plane."""

    def token(self, user_id: int | None = None, ttl: Duration | None = None, *, client: str | None = None) -> str:
        """Issue a token of a user, as a login would, or an API token of a ``client``; ``ttl`` is a duration ("15m")."""
        token: str = self.control("issue_token", userId=user_id, clientId=client, ttl=ttl).token
        return token

    def make_client(self, name: str, parent: str | None = None, **fields: object) -> MadeClient:
        """Create a client, at any depth."""
        made: MadeClient = self.control("make_client", name=name, parent=parent, **fields)
        return made

    def make_user(self, client: str, handle: str, **fields: object) -> MadeUser:
        """Create a user who has accepted the terms: ``registered``, ``levels``, ``email``, ``verified``, …."""
        made: MadeUser = self.control("make_user", clientId=client, handle=handle, **fields)
        return made

    def make_validator(self, client: str, id: str, algorithm: str, key: str, **fields: object) -> MadeValidator:
        """Create a validator of identity tokens."""
        made: MadeValidator = self.control(
            "make_validator", clientId=client, validatorId=id, algorithm=algorithm, key=key, **fields
        )
        return made

    def make_number(self, client: str, number: str, **fields: object) -> str:
        """Add an inbound number to a client; ``fields``: ``code`` (its country), ``isDefault``. Returns it as +E164."""
        made: str = self.control("make_number", clientId=client, number=number, **fields).number
        return made

    def redeem(self, code: str, provider: str | None = None) -> RedeemedInvitation:
        """Do what a login with a Nonce invitation does."""
        redeemed: RedeemedInvitation = self.control("redeem_invitation", code=code, provider=provider)
        return redeemed

    def change_record(self, kind: str, id: str | int, **fields: object) -> Any:
        """Set fields of a record (user, channel, client, …) that no documented call sets; returns the record."""
        return self.control("change_record", kind, str(id), **fields)
