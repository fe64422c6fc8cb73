"""Planted faults of clients: terms, service, identity, invitations, roles, templates."""

from __future__ import annotations

from msgspec.structs import replace

from confsim.domain import terms
from confsim.domain.channels import friendly_urls
from confsim.domain.channels.friendly_urls import Binding
from confsim.domain.clients import clients
from confsim.domain.clients.clients import Client, ServiceState
from confsim.domain.config import template_choice, templates
from confsim.domain.identity import access_levels, api_tokens, credentials, invitations, validators
from confsim.domain.identity.invitations import Invitation, InvitationState
from confsim.domain.members import roles
from confsim.domain.members.roles import Role
from confsim.domain.terms import Acceptance
from confsim.domain.users import handles
from confsim.kernel.rows import EXISTS
from confsim.kernel.world import Change

from .fault import Fault, altered, cascade, coupling, forgotten, need, row

_IDENTITY = ("identity", "handles")
_MINUTE = 60_000


def _replace_but_code(change: Change, invitation: Invitation, draft: Invitation) -> Invitation:
    """Keep the code of the earlier invitation."""
    return replace(draft, code=invitation.code)


def _promulgate_same(change: Change, client: Client, url: str) -> Client:
    """Publish the terms with the version that they had."""
    return replace(client, terms=replace(client.terms, url=url, promulgated=change.now))


def _is_served_itself(change: Change, client: Client) -> bool:
    """Do not ask the clients above."""
    return client.service is ServiceState.ENABLED


FAULTS: tuple[Fault, ...] = (
    Fault(
        "a version of the terms that is not the current one is accepted",
        "terms",
        "P1 States L175, R101, G180",
        ("client and child",),
        altered(row(terms.accept_terms, Acceptance.NEVER), only_if=None),
    ),
    Fault(
        "new terms keep the version of the old ones",
        "terms",
        "P1 States L176, R103, R104",
        ("client and child",),
        altered(row(terms.promulgate, EXISTS), effect=_promulgate_same),
    ),
    Fault(
        "a child of a disabled client is served",
        "service",
        "P1 States L178, R086, R109, R110",
        ("client and child",),
        altered(clients, is_served=_is_served_itself),
    ),
    Fault(
        "a client switches its own service off",
        "service",
        "P1 L297, P1 States L178, R109",
        ("client and child",),
        altered(row(clients._disable, ServiceState.ENABLED), only_if=None),
    ),
    Fault(
        "two validators of a client are active",
        "identity",
        "P1 States L180, R114, R238",
        _IDENTITY,
        forgotten(coupling(validators.MACHINE, validators.MACHINE.off)),
    ),
    Fault(
        "the old value of a regenerated API token is valid",
        "identity",
        "P1 States L183, R118",
        _IDENTITY,
        forgotten(need(api_tokens.regenerate, credentials.REVOKE)),
    ),
    Fault(
        "a handle is reserved for twenty minutes",
        "identity",
        "P1 Limits L332, R095",
        ("handles", "identity"),
        altered(handles, RESERVATION=20 * _MINUTE),
    ),
    Fault(
        "a second invitation keeps the code of the first",
        "invitations",
        "P1 States L185, R122, R123",
        ("identity", "members"),
        altered(row(invitations.replace_code, InvitationState.PENDING), effect=_replace_but_code),
    ),
    Fault(
        "a Nonce is pending after it was redeemed",
        "invitations",
        "P1 L90, R067",
        ("identity", "members"),
        altered(row(invitations._use, InvitationState.PENDING), then=InvitationState.PENDING),
        hidden=(
            "the login registers the user in the same step, and a user who becomes registered uses up a pending Nonce "
            "(invitations.on-exchange, G202)"
        ),
    ),
    Fault(
        "an owner who is made operator is no longer owner",
        "roles",
        "R202, G270",
        ("members", "room"),
        altered(row(roles.MAKE_OPERATOR, Role.OWNER), then=Role.OPERATOR),
    ),
    Fault(
        "a user grants a level above the own ones",
        "roles",
        "P1 Access levels L262, R213, R214",
        ("handles", "rooms of a client"),
        altered(access_levels, _require_assignable=lambda *_: None),
    ),
    Fault(
        "a removed template stays selected",
        "templates",
        "P2 L354, G413, G584",
        ("templates",),
        forgotten(cascade(templates.MACHINE, template_choice.REMOVE)),
    ),
    Fault(
        "a friendly URL is given to a second channel",
        "templates",
        "P1 L283, R226, G290",
        ("rooms of a client",),
        altered(row(friendly_urls._set, Binding.FREE), only_if=None),
    ),
)
