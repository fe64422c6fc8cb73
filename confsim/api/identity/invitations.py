"""Invitations of predefined and channel-linked users (P1 Users)."""

from collections.abc import Mapping
from typing import Annotated, Any

from confsim.api.call import API, Call
from confsim.api.forms import Code, UserId
from confsim.api.values import instant
from confsim.assumptions import identity as assumed, in_force
from confsim.assumptions.protocol import units
from confsim.contract import InUnit, Long, Pattern, Ttl, Wire, gates
from confsim.domain.identity import invitations
from confsim.domain.identity.invitations import InvitationKind
from confsim.domain.users.users import User

operation = API.family(
    gate=gates.OPERATOR_OR_ADMIN.assumed("G240 G443"), line="P1 Users", for_client=True, identifies={"code": "codes"}
)


def _kinds(profile: Mapping[str, Any]) -> dict[str, Any]:
    """Return the one kind of invitations where a profile makes no other (G233)."""
    one = {"never": InvitationKind.NONCE, "always": InvitationKind.PERSISTENT}.get(
        in_force(profile, assumed.INVITATION_KIND)
    )
    return {} if one is None else {"enum": [one.value]}


class Invitation(Wire, kw_only=True):
    """The one invitation of a user; ``expires`` in epoch milliseconds by default (G113)."""

    userId: Annotated[UserId, "The number of the invited user."]
    code: Annotated[Code, "The code of the invitation."]
    expires: Annotated[Long | None, "The expiry of the invitation.", InUnit(units.INVITATION_EXPIRES)] = None
    kind: Annotated[InvitationKind, Pattern(_kinds), "Whether it can be used once, or is a token to exchange."]


def _invitation_view(call: Call, invitation: invitations.Invitation) -> Invitation:
    return Invitation(
        userId=invitation.user,
        code=invitation.code,
        expires=instant(call, units.INVITATION_EXPIRES, invitation.expires),
        kind=invitation.kind,
    )


@operation(
    "POST /users/{userId}/invitation",
    rules="R007 R032 R038 R039 R040 R057 R062 R063 R064 R065 R066 R067 R068 R122 R123 R181 R182 R183 R184 R548",
    gaps="G113 G114 G115 G233 G234 G235 G236 G237 G239",
    expires=True,
)
def create_invitation(
    call: Call, user: User, *, ttl: Annotated[Ttl | None, "The lifetime of the invitation, such as 7d."] = None
) -> Invitation:
    """Create or renew the invitation of a predefined or channel-linked user; the earlier code is invalid.

    Hosts may do so for the linked users of their channel. Refusal NOT_PREDEFINED.
    """
    return _invitation_view(call, invitations.create(call.change, user, ttl))


@operation(
    "GET /users/{userId}/invitation",
    rules="R032 R064 R065 R181 R182 R185 R186 R470 R561",
    gaps="G113 G238 G239",
)
def get_invitation(call: Call, user: User) -> Invitation:
    """Get the pending invitation of a predefined or channel-linked user, with its complete code.

    Refusals NOT_PREDEFINED, INVITATION_NOT_PENDING.
    """
    return _invitation_view(call, invitations.get_pending(call.change, user))
