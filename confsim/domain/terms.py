"""Terms of a client and their acceptance by its users."""

from __future__ import annotations

from enum import Enum

from msgspec import Struct
from msgspec.structs import replace

from confsim.assumptions import terms as assumed
from confsim.assumptions.events import Kind
from confsim.assumptions.refusals import Reason
from confsim.assumptions.register import ask
from confsim.domain.clients.clients import Client, Terms
from confsim.domain.events.event_log import happened
from confsim.domain.users.users import Account, User
from confsim.kernel.old_machine import Facts, Guard, Machine, Row
from confsim.kernel.world import Change

from .clients import clients
from .users import users


class Document(Enum):
    """The terms of a client are always published; what changes is their version and their link."""

    PUBLISHED = "published"


_PUBLISHED = Document.PUBLISHED


class Acceptance(Enum):
    """How a user stands to the current terms of the client (P1 User terms state)."""

    NEVER = "never"
    STALE = "stale"
    CURRENT = "current"


def _replace_url(change: Change, client: Client, facts: Facts) -> Client:
    """The link is replaced; nobody is asked to accept again."""
    return clients.update(change, client, terms=replace(client.terms, url=facts["url"]))


def _promulgate(change: Change, client: Client, facts: Facts) -> Client:
    """A new version: every user of the client must accept again."""
    terms = Terms(client.terms.version + 1, facts["url"], change.now, client.terms.required)
    return clients.update(change, client, terms=terms)


def _require(change: Change, client: Client, facts: Facts) -> Client:
    """Guests are bound to accept, or freed from it."""
    return clients.update(change, client, terms=replace(client.terms, required=facts["required"]))


DOCUMENT: Machine[Document, Client] = Machine(
    "terms document",
    "The terms that a client has published (R103, R104, R107, R108).",
    Document,
    (
        Row("link", Document.PUBLISHED, Document.PUBLISHED, effect=_replace_url, source="P1 States L177, R107, G171"),
        Row(
            "promulgate",
            Document.PUBLISHED,
            Document.PUBLISHED,
            effect=_promulgate,
            source="P1 States L176, R103, R104, G170",
        ),
        Row("require", Document.PUBLISHED, Document.PUBLISHED, effect=_require, source="P1 Terms L118, G172"),
    ),
    read=lambda client, facts: _PUBLISHED,
    refusals={None: Reason.INVALID_INPUT},
    initial=Document.PUBLISHED,
)


def _acceptance(user: User, facts: Facts) -> Acceptance:
    if user.accepted is None:
        return Acceptance.NEVER if facts["binding"] else Acceptance.CURRENT
    return Acceptance.CURRENT if user.accepted == facts["currentVersion"] else Acceptance.STALE


def _accept(change: Change, user: User, facts: Facts) -> User:
    """The user has accepted this version; calls are permitted again, also with tokens issued before."""
    return users.update(change, user, accepted=facts["version"])


_IS_CURRENT = Guard("the version is the current one", lambda user, facts: facts["version"] == facts["currentVersion"])

ACCEPTANCE: Machine[Acceptance, User] = Machine(
    "terms acceptance",
    "Whether a user has accepted the current terms (R080, R101, R102); promulgating makes every acceptance stale.",
    Acceptance,
    (
        Row(
            "accept",
            (Acceptance.NEVER, Acceptance.STALE, Acceptance.CURRENT),
            Acceptance.CURRENT,
            only_if=_IS_CURRENT,
            effect=_accept,
            source="P1 States L175, R101, G180",
        ),
    ),
    read=_acceptance,
    refusals={"accept": Reason.VERSION_NOT_CURRENT},
    initial=Acceptance.NEVER,
)


class Standing(Struct, frozen=True):
    """How one user stands to the terms of the client."""

    current: bool
    version: int
    url: str
    first: bool


def _binding(change: Change, client: Client) -> bool:
    """Whether the client's terms ask those who never accepted any; the ones it started with may not (G168)."""
    return client.terms.version > 1 or ask(change, assumed.FIRST) == "bind"


def standing(change: Change, client: Client, user: User) -> Standing:
    """How the user stands to the client's terms (R079-R082)."""
    state = ACCEPTANCE.read(user, {"currentVersion": client.terms.version, "binding": _binding(change, client)})
    return Standing(state is Acceptance.CURRENT, client.terms.version, client.terms.url, state is Acceptance.NEVER)


def blocked(change: Change, client: Client, user: User) -> bool:
    """Whether authentication is denied until the user accepts (R105, R240).

    Guests may skip while the client does not require it of them (R077); telephony users never log in (G176).
    """
    if user.accepted == client.terms.version or user.account is Account.DIALLED:
        return False
    if user.accepted is None and not _binding(change, client):
        return False
    if client.terms.required:
        return True
    return not users.unregistered(user) and ask(change, assumed.BINDS) == "users"


def link(change: Change, client: Client, url: str) -> Client:
    """Replace the link to the terms without asking anybody to accept again."""
    return DOCUMENT.fire(change, client, "link", url=url)


def promulgate(change: Change, client: Client, url: str) -> Client:
    """Publish new terms that every user must accept."""
    promulgated = DOCUMENT.fire(change, client, "promulgate", url=url)
    happened(change, client.id, Kind.TERMS_PROMULGATED, version=promulgated.terms.version, url=url)
    return promulgated


def require(change: Change, client: Client, required: bool) -> Client:
    """Bind guests to accept the terms, or free them (what the service operator sets, G172)."""
    return DOCUMENT.fire(change, client, "require", required=required)


def accept(change: Change, client: Client, user: User, version: int) -> User:
    """The user accepts a version, which must be the current one."""
    facts = {"version": version, "currentVersion": client.terms.version, "binding": _binding(change, client)}
    return ACCEPTANCE.fire(change, user, "accept", **facts)
