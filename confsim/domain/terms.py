"""Terms of a client and their acceptance by its users."""

from enum import Enum

from msgspec import Struct

from confsim.assumptions import Reason, ask, note, note_shown, terms as assumed
from confsim.domain.clients.clients import CLIENTS, Client, Terms
from confsim.domain.users.users import USERS, Account, User
from confsim.kernel import EXISTS, Change, Collection, Computed, Guard, Machine, Refusal, Row, replace

from .users import users


class Acceptance(Enum):
    """Whether a user has accepted the terms of the client (P1 User terms state, States L176)."""

    NEVER = "never"
    ACCEPTED = "accepted"
    AGAIN = "must accept again"


DOCUMENT: Collection[Client] = Collection(
    "terms document",
    "The terms that a client has published (R103, R104, R107, R108).",
    CLIENTS,
    refused=Reason.INVALID_INPUT,
    initial=EXISTS,
)


@DOCUMENT.changed("link", source="P1 States L177, R107, G171")
def link(change: Change, client: Client, url: str) -> Client:
    """Replace the link to the terms; no user must accept again."""
    promulgated = client.terms.promulgated if ask(change, assumed.LINK_CHANGE) == "stays" else change.now
    return replace(client, terms=replace(client.terms, url=url, promulgated=promulgated))


@DOCUMENT.changed("promulgate", source="P1 States L176, R103, R104, G170")
def promulgate(change: Change, client: Client, url: str) -> Client:
    """Publish new terms that every user of the client must accept."""
    version = client.terms.version + 1
    if ask(change, assumed.VERSION) == "timestamp":
        version = max(version, change.now // 1000)
    return replace(client, terms=Terms(version, url, change.now, client.terms.required))


@DOCUMENT.changed("require", source="P1 Terms L118, G172")
def require(change: Change, client: Client, required: bool) -> Client:
    """Set whether guests must accept the terms, a setting of the service operator (G172)."""
    return replace(client, terms=replace(client.terms, required=required))


def _current(change: Change, user: User) -> int:
    """The current version of the terms of the user's client."""
    return CLIENTS.of(change)[user.client].terms.version


#: The states, by whether some version is accepted, and whether it has been superseded.
_ACCEPTANCES = {
    (False, False): Acceptance.NEVER,
    (True, False): Acceptance.ACCEPTED,
    (True, True): Acceptance.AGAIN,
}

ACCEPTANCE: Machine[Acceptance, User] = Machine(
    "terms acceptance",
    "Whether a user has accepted the terms (R080, R101-R104), the current ones or only former ones.",
    USERS,
    Acceptance,
    state=Computed(lambda user: _ACCEPTANCES[user.accepted is not None, user.accepts_again]),
    refused=Reason.VERSION_NOT_CURRENT,
    initial=Acceptance.NEVER,
)


@ACCEPTANCE.effect(
    "accept",
    details=lambda change, user, version: {"version": version, "currentVersion": _current(change, user)},
)
def accept_terms(change: Change, user: User, version: int) -> User:
    """The user has accepted this version; calls are permitted again, also with tokens issued before."""
    return replace(user, accepted=version, accepts_again=False)


@ACCEPTANCE.effect("be superseded")
def be_superseded(change: Change, user: User) -> User:
    """The user must accept the new terms."""
    return replace(user, accepts_again=True)


_IS_CURRENT = Guard("the version is the current one", lambda change, user, version: version == _current(change, user))

ACCEPTANCE.declare(
    Row(accept_terms, tuple(Acceptance), Acceptance.ACCEPTED, only_if=_IS_CURRENT, source="P1 States L175, R101, G180"),
    Row(be_superseded, (Acceptance.ACCEPTED, Acceptance.AGAIN), Acceptance.AGAIN, source="P1 States L176, R103, R104"),
)


class TermsStatus(Struct, frozen=True):
    """The terms of the client for one user. ``current`` is whether the user need not accept them, ``first`` whether the
    user must accept and never accepted any version.
    """

    current: bool
    version: int
    url: str
    first: bool


def _binding(change: Change, client: Client) -> bool:
    """Whether users who never accepted must accept the client's terms; the initial terms may not require it (G168)."""
    return client.terms.version > 1 or ask(change, assumed.FIRST) == "bind"


def standing(change: Change, client: Client, user: User) -> TermsStatus:
    """The standing of the user on the client's terms (R079-R082)."""
    terms = client.terms
    note_shown(change, terms, "url")
    binding = _binding(change, client)
    first = user.accepted is None and binding
    current = not first and user.accepted in {None, terms.version}
    return TermsStatus(current, terms.version, terms.url, first)


def is_blocked(change: Change, client: Client, user: User) -> bool:
    """Whether authentication is denied until the user accepts (R105, R240).

    Guests may skip while the client does not require it of them (R077); telephony users never log in (G176).
    """
    if user.accepted == client.terms.version or user.account is Account.DIALLED:
        return False
    if user.accepted is None and not _binding(change, client):
        return False
    note_shown(change, client.terms, "required")
    if users.unregistered(user):
        return client.terms.required
    return client.terms.required or ask(change, assumed.BINDS) == "users"


def require_login(change: Change, client: Client, user: User) -> None:
    """Raise Refusal TERMS_NOT_ACCEPTED if the user gets no token before accepting the terms (R240)."""
    if is_blocked(change, client, user) and ask(change, assumed.LOGIN) == "refuse":
        raise not_accepted(change, client)


def not_accepted(change: Change, client: Client) -> Refusal:
    """The refusal of a user who has to accept the client's terms first, with their URL."""
    note_shown(change, client.terms, "url")
    return Refusal(Reason.TERMS_NOT_ACCEPTED, termsUrl=client.terms.url)


def accept(change: Change, client: Client, user: User, version: int) -> User:
    """Accept a version for the user, which must be the current one."""
    if client.terms.version == 1:
        note(change, assumed.FIRST)  # the choice decides whether there was anything to accept (G168)
    return accept_terms(change, user, version)
