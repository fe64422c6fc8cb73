"""What clients, their terms, validators and tokens, and their users and invitations do to each other and to others."""

from collections.abc import Iterable, Iterator

from confsim.assumptions import ask, clients as assumed, identity as assumed_identity, terms as assumed_terms
from confsim.assumptions.protocol import initial
from confsim.assumptions.users import handles as assumed_handles
from confsim.domain import properties, terms
from confsim.domain.breakout import assignments, breakout_rooms
from confsim.domain.breakout.breakout_rooms import RoomAssignment
from confsim.domain.channels import channels
from confsim.domain.channels.channels import CHANNELS, Channel
from confsim.domain.clients import clients
from confsim.domain.clients.clients import Client, ServiceState
from confsim.domain.identity import api_tokens, credentials, invitations, providers, validators
from confsim.domain.identity.api_tokens import ApiToken
from confsim.domain.identity.credentials import BY_USER, CREDENTIALS, Credential
from confsim.domain.identity.invitations import Invitation, InvitationKind, InvitationState
from confsim.domain.identity.validators import Validator, ValidatorState
from confsim.domain.members import roles
from confsim.domain.properties import Property
from confsim.domain.runtime import presence
from confsim.domain.runtime.presence import Presence
from confsim.domain.telephony import number_assignments
from confsim.domain.telephony.number_assignments import NumberAssignment
from confsim.domain.users import handles, user_images, users
from confsim.domain.users.handles import Reservation, Uniqueness
from confsim.domain.users.users import USERS, Account, AuthKind, Identity, Level, User
from confsim.kernel import ABSENT, EXISTS, Call, Cascade, Change, Coupling, Need


def create_child(change: Change, parent: Client, name: str) -> Client:
    """Create a client below the parent and return it (R234).

    With or without the parent's terms (G168), the reseller interface and a first admin (G138, G296).
    """
    child = clients.create(change, name, parent.id, reseller=ask(change, initial.RESELLER))
    if ask(change, initial.TERMS_FROM) == "parent":
        child = clients.update(change, child, terms=parent.terms)
    if ask(change, assumed.FIRST_ADMIN):
        users.create(change, child.id, "Customer Admin", Account.PREDEFINED, levels=(Level.CUSTOMER_ADMIN,))
    return child


# A client loses its service


def _channels_below(change: Change, client: Client) -> Iterator[Channel]:
    """The channels of the client and of every client below it, where their sessions end with the service."""
    if ask(change, assumed.DISABLE_ENDS) == "sessions":
        for tenant in clients.descendants(change, client):
            yield from CHANNELS.of(change, tenant.id).all.descending


def _released_validator(change: Change, client: Client) -> Iterator[Validator]:
    """The active validator of the client, where losing the service disables it (G543)."""
    if ask(change, assumed.DISABLE_RELEASES) == "validator-and-numbers":
        yield from validators.list_active(change, client.id)


def _released_numbers(change: Change, client: Client) -> Iterator[NumberAssignment]:
    """The assignments of numbers of the client, where losing the service ends them (G543)."""
    if ask(change, assumed.DISABLE_RELEASES) == "validator-and-numbers":
        yield from number_assignments.ASSIGNMENTS.of(change, client.id).all


_OFF = ServiceState.DISABLED

Coupling(clients.MACHINE, _OFF, channels.STOP, _channels_below, source="P1 States L178, R109, R110")
Coupling(clients.MACHINE, _OFF, validators.MACHINE.off, _released_validator, source="G543")
Coupling(clients.MACHINE, _OFF, number_assignments.RELEASE, _released_numbers, source="G543")

# New terms


def _of_former_terms(change: Change, client: Client) -> Iterator[User]:
    """The users of the client who accepted the terms before."""
    for user in USERS.of(change, client.id).all:
        if user.accepted is not None and not user.accepts_again:
            yield user


Coupling(terms.DOCUMENT, EXISTS, terms.be_superseded, _of_former_terms, by=terms.promulgate, source="R103, R104")


def _presences_of(change: Change, user: User) -> Iterable[Presence]:
    """The presences of the user in every channel."""
    return presence.current(change, presence.PRESENCES.where(change, presence.BY_USER, user.id, user.client))


def _blocked_presences(change: Change, client: Client) -> Iterator[Presence]:
    """Presences to disconnect when the profile says that new terms end sessions (terms.sessions = put-out, G177)."""
    if ask(change, assumed_terms.SESSIONS) == "put-out":
        for user in USERS.of(change, client.id).all:
            if terms.is_blocked(change, client, user):
                yield from _presences_of(change, user)


Coupling(terms.DOCUMENT, EXISTS, presence.DISCONNECT, _blocked_presences, by=terms.promulgate, source="G177")

# Unique handles


def _later_holders(change: Change, client: Client) -> Iterator[Reservation]:
    """The reservations of a handle after its first one, where they end once handles must be unique (G557)."""
    later = handles.list_later(change, client)
    if later and ask(change, assumed_handles.RESERVATIONS_DEMANDED) == "first":
        yield from later


Coupling(handles.UNIQUENESS, Uniqueness.REQUIRED, handles.RELEASE, _later_holders, source="R174, G557")

# Validators


def _exchanged_tokens(change: Change, validator: Validator) -> Iterator[Credential]:
    """The tokens of those who came by an identity token, where a validator that is disabled ends them (G194)."""
    if ask(change, assumed_identity.DISABLED_VALIDATOR) == "end":
        for user in USERS.of(change, validator.client).all:
            if user.auth_kind is AuthKind.CUSTOM:
                yield from CREDENTIALS.where(change, BY_USER, (user.client, user.id))


def _other_active(change: Change, validator: Validator) -> Iterable[Validator]:
    """The validator of the client that was active before."""
    return [other for other in validators.list_active(change, validator.client) if other.id != validator.id]


_ACTIVE, _INACTIVE = ValidatorState

Coupling(*(validators.MACHINE, _INACTIVE, credentials.REVOKE, _exchanged_tokens), out_of=(_ACTIVE,), source="G194")
Coupling(validators.MACHINE, _ACTIVE, validators.MACHINE.off, _other_active, source="P1 States L180, R114")

# The value of an API token is a credential


def _value_of(change: Change, token: ApiToken) -> Iterator[Credential]:
    """The credential of the value that the API token has, or had when it was deleted."""
    yield CREDENTIALS.of(change)[token.value]


def _new_value(change: Change, token: ApiToken) -> Iterator[Call[Credential]]:
    """The credential to issue for a new value of the API token."""
    yield credentials.ISSUE.of(Credential(token.value, token.client, api_token=token.id, expires=token.expires))


def _new_expiry(change: Change, token: ApiToken) -> Iterator[Call[Credential]]:
    """The credential of the API token, with the instant at which that expires."""
    for credential in _value_of(change, token):
        yield credentials.prolong.on(credential, token.expires)


_ISSUED, _DELETED = "P1 States L182-183, R117, R118", "P1 States L184, R119-R121"
_TOKENS, _REVOKE = api_tokens.TOKENS, credentials.REVOKE

Need(api_tokens.regenerate, EXISTS, _REVOKE, _value_of, source="P1 States L183, R118, G280")
Coupling(_TOKENS, EXISTS, credentials.ISSUE, _new_value, by=api_tokens.CREATE, source=_ISSUED)
Coupling(_TOKENS, EXISTS, credentials.ISSUE, _new_value, by=api_tokens.regenerate, source=_ISSUED)
Coupling(_TOKENS, EXISTS, credentials.prolong, _new_expiry, by=api_tokens.set_expiry, source="G279")
Coupling(_TOKENS, ABSENT, _REVOKE, _value_of, source=_DELETED)

# Users are connected


def _login(change: Change, invitation: Invitation) -> Iterator[Call[User]]:
    """The predefined user who logged in by the code, and the claims of the provider. Refusal PROVIDER_NOT_ENABLED."""
    user = USERS.get(change, invitation.user, invitation.client)
    if user is not None and user.account is Account.PREDEFINED and invitation.kind is InvitationKind.NONCE:
        provider = providers.to_log_in(change, clients.get(change, user.client), invitation.provider)
        yield users.redeem.on(user, Identity(provider, user.full_name or "", user.email or ""))


def _nonce(change: Change, user: User) -> Iterator[Invitation]:
    """The pending Nonce of a user who is connected by an identity token, when that uses it up (G202)."""
    invitation = invitations.find_pending(change, user)
    if (
        invitation is not None
        and invitation.kind is InvitationKind.NONCE
        and ask(change, assumed_identity.INVITATION_ON_EXCHANGE) == "consumed"
    ):
        yield invitation


def _earlier_tokens(change: Change, invitation: Invitation) -> Iterator[Credential]:
    """The tokens of the user, where they are revoked when the invitation is created again (G236)."""
    if ask(change, assumed_identity.RECREATION) == "die":
        yield from CREDENTIALS.where(change, BY_USER, (invitation.client, invitation.user))


_PENDING, _CONSUMED = InvitationState.PENDING, InvitationState.CONSUMED

Coupling(invitations.MACHINE, _CONSUMED, users.redeem, _login, source="P1 L81, R062, R063, G234")
Coupling(
    *(users.MACHINE, Account.REGISTERED, invitations.CONNECT, _nonce),
    out_of=(Account.PREDEFINED,),
    source="P1 L81, G202",
)
Coupling(
    *(invitations.MACHINE, _PENDING, _REVOKE, _earlier_tokens),
    out_of=tuple(InvitationState),
    by=invitations.replace_code,
    source="G236",
)

# Users are removed


def _pending_invitation(change: Change, user: User) -> Iterator[Invitation]:
    """The pending invitation of the user."""
    pending = invitations.find_pending(change, user)
    if pending is not None:
        ask(change, assumed_identity.INVITATION_ON_EXCHANGE)
        yield pending


def _assigned_to(change: Change, user: User) -> Iterable[RoomAssignment]:
    """The assignments of the user to breakout rooms."""
    return breakout_rooms.ASSIGNMENTS.where(change, breakout_rooms.OF_USER, user.id, user.client)


def _properties_of(change: Change, user: User) -> Iterable[Property]:
    """The properties of the user."""
    return properties.list_of_owner(change, properties.of_user(user))


def _with_image(change: Change, user: User) -> Iterator[User]:
    """The user, if there is an image to remove."""
    if user.image is not None:
        yield user


Cascade(users.MACHINE, None, roles.LEAVE, roles.roles_of, source="G542")
Cascade(users.MACHINE, None, _REVOKE, credentials.list_of_user, source="G542")
Cascade(users.MACHINE, None, properties.remove, _properties_of, source="G542")
Cascade(users.MACHINE, None, user_images.REMOVE, _with_image, source="G542")
Coupling(users.MACHINE, ABSENT, invitations.WITHDRAW, _pending_invitation, source="P2 States L171, R365")
Coupling(users.MACHINE, ABSENT, presence.DISCONNECT, _presences_of, source="R365, G542")
Coupling(users.MACHINE, ABSENT, assignments.FORGET, _assigned_to, source="R365, G542")
