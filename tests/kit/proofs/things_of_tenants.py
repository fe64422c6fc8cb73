"""Things of each kind that an operation names: how a tenant gets one more of them, and how it goes again.

Where a world has no id to try of somebody else, or of something that is gone, one is made of these.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from confsim import Simulator
from confsim.testing.samples import Arguments
from kit import ADMIN, CUSTOMER, OTHER, OTHER_ADMIN, OWNER, ok

_ADDRESS = "another@example.com"


class Tenant(NamedTuple):
    """A client in a world, and two of its people: one who owns channels, and one who administers the client."""

    simulator: Simulator
    client: str
    owner: str
    admin: str

    def owns(self, operation: str, **arguments: Any) -> Any:
        """The answer to the owner."""
        return ok(self.simulator, operation, self.owner, **arguments)

    def administers(self, operation: str, **arguments: Any) -> Any:
        """The answer to the administrator."""
        return ok(self.simulator, operation, self.admin, **arguments)


def ours(simulator: Simulator) -> Tenant:
    """The client whose calls are tried."""
    return Tenant(simulator, CUSTOMER, OWNER, ADMIN)


def theirs(simulator: Simulator) -> Tenant:
    """The unrelated client."""
    return Tenant(simulator, OTHER, OTHER_ADMIN, OTHER_ADMIN)


def channel(tenant: Tenant, name: str = "One more") -> str:
    """A channel of the owner's."""
    uuid: str = tenant.owns("create_channel", body={"name": name})["channelUuid"]
    return uuid


def recorded(tenant: Tenant, name: str = "One more") -> str:
    """A channel with a recording that is ready."""
    uuid = channel(tenant, name)
    tenant.simulator.presence.join(uuid, tenant.owner)
    tenant.owns("start_recording", uuid=uuid)
    tenant.owns("stop_recording", uuid=uuid)
    tenant.simulator.clock.advance("1m")
    return uuid


def _meeting_id(tenant: Tenant) -> tuple[object, Callable[[], object]]:
    uuid = channel(tenant)
    found = tenant.owns("get_channel", uuid=uuid)["meetingId"]
    return found, lambda: tenant.owns("delete_channel", uuid=uuid)


def _template(tenant: Tenant) -> tuple[object, Callable[[], object]]:
    made = tenant.administers("create_template", body={"name": "One more"})["id"]
    return made, lambda: tenant.administers("remove_template", templateId=made)


def _linked_user(tenant: Tenant) -> tuple[object, Callable[[], object]]:
    uuid = channel(tenant)
    made = tenant.owns("create_linked_user", uuid=uuid, body={"handle": "One more"})["id"]
    return made, lambda: tenant.owns("unlink_user", uuid=uuid, userId=made)


def _code_of_address(tenant: Tenant, user: str) -> tuple[object, Callable[[], object]]:
    def sent() -> object:
        tenant.administers("set_user_email", userId=user, body={"email": _ADDRESS})
        return tenant.simulator.mail[-1].code

    return sent(), sent


def _code_of_invitation(tenant: Tenant) -> tuple[object, Callable[[], object]]:
    user = tenant.administers("create_predefined_user", body={"name": "One more"})["id"]

    def invited() -> object:
        return tenant.administers("create_invitation", userId=user)["code"]

    return invited(), invited


def made(tenant: Tenant, kind: str, arguments: Arguments) -> tuple[object, Callable[[], object] | None] | None:
    """The id of one more thing of this kind, and what removes it: None where no call does; None for another kind.

    A code of an address is of the user whom the arguments name, where the tenant has them.
    """
    if kind == "codes" and "code" in arguments.path:
        return _code_of_address(tenant, arguments.path["userId"] if tenant.client == CUSTOMER else "me")
    if kind in _WAYS:
        return _WAYS[kind](tenant)
    if kind in _LASTING:
        return _LASTING[kind](tenant), None
    return None


_WAYS: dict[str, Callable[[Tenant], tuple[object, Callable[[], object]]]] = {
    "codes": _code_of_invitation,
    "meeting_ids": _meeting_id,
    "templates": _template,
    "users": _linked_user,
}
_LASTING: dict[str, Callable[[Tenant], object]] = {
    "reservations": lambda tenant: tenant.owns("reserve_handle", body={"handle": "One more"})["reservationToken"],
    "sources": lambda tenant: tenant.owns("create_gateway_endpoint", userId="me", body={"kind": "RTMP"})["uuid"],
    "validators": lambda tenant: (
        tenant.simulator.make_validator(tenant.client, "one-more", "HS256", "k" * 32).validatorId
    ),
}
