"""Terms: what a client publishes and what its users accept (P1 Endpoints, Terms)."""

from typing import Annotated

from confsim.api.values import instant
from confsim.assumptions import note_shown, terms as terms_assumed
from confsim.assumptions.protocol import sizes, units
from confsim.contract import AbsoluteUrl, Int, InUnit, Numbering, Samples, Wire, gates
from confsim.domain import terms
from confsim.domain.clients.clients import Client

from .call import API, Call

operation = API.family(line="P1 Terms")

_VERSIONS = Numbering(terms_assumed.VERSION, "timestamp")


class ClientTerms(Wire):
    """The terms a client has published."""

    version: Annotated[Int, _VERSIONS, "The version that is current."]
    url: Annotated[str, "The URL of the latest terms."]
    promulgated: Annotated[int, "The instant of their publication.", InUnit(units.PROMULGATED)]
    required: Annotated[bool, "Whether guests too must accept them."]


class UserTerms(Wire):
    """Acceptance of the current terms by the caller."""

    isCurrent: Annotated[bool, "Whether the user accepted the current terms."]
    currentVersion: Annotated[Int, _VERSIONS, "The version to accept."]
    termsUrl: Annotated[str, "The URL of the current terms."]
    firstAccept: Annotated[bool, "Whether the user never accepted terms before."]


class TermsUrl(Wire):
    """A link to terms."""

    url: Annotated[str, AbsoluteUrl(sizes.URL, free=terms_assumed.URL), "The URL of the terms."]


@operation("POST /users/me/terms/{version}", gate=gates.USER, rules="R010 R080 R101 R102 R134")
def accept_terms(
    call: Call, version: Annotated[int, _VERSIONS, Samples(1, 2), "The version that is accepted."]
) -> None:
    """Accept the current terms.

    The version must be the one that the user's terms state names; accepting it again changes nothing.
    """
    terms.accept(call.change, call.client, call.user, version)


@operation("GET /clients/{clientId}/terms", gate=gates.PUBLIC, rules="R076 R132 R242")
def get_client_terms(call: Call, client: Client) -> ClientTerms:
    """Get the terms that a client has published; no token needed."""
    published = client.terms
    note_shown(call.change, published, "url", "required")
    return ClientTerms(
        version=published.version,
        url=published.url,
        promulgated=instant(call, units.PROMULGATED, published.promulgated),
        required=published.required,
    )


@operation("GET /users/me/terms", gate=gates.USER, rules="R079 R080 R081 R082 R133", about_caller=True)
def get_user_terms(call: Call) -> UserTerms:
    """Get whether the caller has accepted the current terms, and their URL."""
    standing = terms.standing(call.change, call.client, call.user)
    return UserTerms(
        isCurrent=standing.current,
        currentVersion=standing.version,
        termsUrl=standing.url,
        firstAccept=standing.first,
    )


@operation("POST /terms", gate=gates.ADMIN.assumed("G178"), rules="R107 R108 R135 R136", gaps="G171 G179")
def update_terms_url(call: Call, body: TermsUrl) -> None:
    """Replace the link to the terms without asking anybody to accept again."""
    terms.link(call.change, call.client, body.url)


@operation(
    "POST /terms/new",
    gate=gates.ADMIN.assumed("G178"),
    rules="R103 R104 R105 R106 R108 R135",
    gaps="G170 G177",
    revokes_access=True,
)
def promulgate_terms(call: Call, body: TermsUrl) -> None:
    """Publish new terms: every user of the client must accept them before the next call."""
    terms.promulgate(call.change, call.client, body.url)
