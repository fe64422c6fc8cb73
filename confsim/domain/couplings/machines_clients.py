"""The couplings of clients, their users, roles and templates; ``machines`` lists them first."""

from __future__ import annotations

from functools import partial

from confsim.domain import terms
from confsim.domain.breakout import assignments
from confsim.domain.channels import channels, friendly_urls
from confsim.domain.clients import clients
from confsim.domain.clients.clients import ServiceState
from confsim.domain.config import template_choice, templates
from confsim.domain.identity import api_tokens, credentials, invitations, validators
from confsim.domain.members import roles
from confsim.domain.members.roles import Role
from confsim.domain.runtime import presence
from confsim.domain.telephony import number_assignments
from confsim.domain.users import users
from confsim.domain.users.users import Account
from confsim.kernel.influence import Coupling
from confsim.kernel.rows import ABSENT

from . import related, related_breakout, related_identity, related_members, related_telephony

_service_lost = partial(Coupling, clients.MACHINE, ServiceState.DISABLED)
_api_token = partial(Coupling, api_tokens.MACHINE, api_tokens.ApiTokenState.EXISTS, credentials.MACHINE)
_user_gone = partial(Coupling, users.MACHINE, ABSENT)

COUPLINGS: tuple[Coupling, ...] = (
    # Roles in channels
    Coupling(
        channels.MACHINE,
        channels.ChannelState.EXISTS,
        roles.MACHINE,
        "make owner",
        related_members.first_owners,
        by="create",
        creates=True,
        source="P2 L188, R545, G298",
    ),
    Coupling(
        channels.MACHINE,
        channels.ChannelState.EXISTS,
        roles.MACHINE,
        "rename channel",
        related_members.hosts_of,
        facts=related_members.renamed,
        by="rename",
        source="P2 L194, R381",
    ),
    *(
        Coupling(
            roles.MACHINE,
            role,
            roles.HOSTING,
            "have roles",
            related_members.host,
            facts=related_members.highest,
            source="G090, G219",
        )
        for role in (*Role, ABSENT)
    ),
    # Friendly URLs
    Coupling(
        friendly_urls.SWITCH,
        friendly_urls.FriendlyUrls.OFF,
        friendly_urls.MACHINE,
        "remove",
        friendly_urls.channels_to_clear,
        source="G285",
    ),
    # A client loses its service
    _service_lost(channels.MACHINE, "stop", related.channels_below, source="P1 States L178, R109, R110"),
    _service_lost(validators.MACHINE, "disable", related_identity.released_validator, source="G543"),
    _service_lost(number_assignments.MACHINE, "release", related_telephony.released_numbers, source="G543"),
    # New terms
    Coupling(
        terms.DOCUMENT,
        terms.Publication.PUBLISHED,
        presence.MACHINE,
        "disconnect",
        related.present_in_client,
        by="promulgate",
        source="G177",
    ),
    Coupling(
        validators.MACHINE,
        validators.ValidatorState.INACTIVE,
        credentials.MACHINE,
        "revoke",
        related_identity.exchanged_tokens,
        out_of=(validators.ValidatorState.ACTIVE,),
        source="G194",
    ),
    # The value of an API token is a credential; ``needs`` has the end of one that is replaced
    *(
        _api_token("issue", related_identity.new_value, by=by, creates=True, source="P1 States L182-183, R117, R118")
        for by in ("create", "regenerate")
    ),
    _api_token("prolong", related_identity.value_of, facts=related_identity.new_expiry, by="set expiry", source="G279"),
    Coupling(
        api_tokens.MACHINE,
        ABSENT,
        credentials.MACHINE,
        "revoke",
        related_identity.value_of,
        source="P1 States L184, R119-R121",
    ),
    # Users are connected
    Coupling(
        invitations.MACHINE,
        invitations.InvitationState.CONSUMED,
        users.MACHINE,
        "redeem",
        related_identity.invited,
        facts=related_identity.login,
        source="P1 L81, R062, R063, G234",
    ),
    Coupling(
        users.MACHINE,
        Account.REGISTERED,
        invitations.MACHINE,
        "connect",
        related_identity.nonce,
        out_of=(Account.PREDEFINED,),
        source="P1 L81, G202",
    ),
    Coupling(
        invitations.MACHINE,
        invitations.InvitationState.PENDING,
        credentials.MACHINE,
        "revoke",
        related_identity.earlier_tokens,
        out_of=tuple(invitations.InvitationState),
        by="create",
        source="G236",
    ),
    Coupling(
        validators.MACHINE,
        validators.ValidatorState.ACTIVE,
        validators.MACHINE,
        "disable",
        related_identity.other_active,
        source="P1 States L180, R114",
    ),
    # Templates
    Coupling(
        templates.MACHINE,
        templates.TemplateState.OWN,
        template_choice.MACHINE,
        "remove",
        templates.withdrawn_below,
        out_of=(templates.TemplateState.INHERITABLE,),
        source="G413, G583",
    ),
    Coupling(
        templates.OFFER, templates.Offer.DISABLED, template_choice.MACHINE, "remove", templates.withdrawn, source="G413"
    ),
    # Users are removed
    _user_gone(invitations.MACHINE, "withdraw", related_identity.invitation, source="P2 States L171, R365"),
    _user_gone(presence.MACHINE, "disconnect", related.presences_of_user, source="R365, G542"),
    _user_gone(assignments.MACHINE, "forget", related_breakout.assigned_to, source="R365, G542"),
)
