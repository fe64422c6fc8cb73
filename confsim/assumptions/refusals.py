"""Why the simulated service says no: one table from reason to status and wire code.

Each reason has the status by default, the document lines or rule that state it or the gaps that leave it open, and the
message. A status that the documents do not state is the assumption ``status.<reason>``; no machine-readable code is
documented, so every code is the assumption ``code.<reason>``.
"""

from __future__ import annotations

from enum import Enum

from .register import Entry, any_text, assumption


class Refused:
    """What a reason means on the wire. ``source`` is set where the documents state the status."""

    __slots__ = ("gaps", "message", "source", "status")

    def __init__(self, status: int, message: str, *, gaps: str = "", source: str = "") -> None:
        self.status = status
        self.message = message
        self.gaps = gaps
        self.source = source


class Reason(Enum):
    """Every reason for a refusal. The wire code is the name in lower case."""

    # Transport and routing
    ROUTE_NOT_FOUND = Refused(404, "No operation is served at {method} {path}.", gaps="G001 G002 G004 G062")
    METHOD_NOT_ALLOWED = Refused(405, "{path} does not answer {method}; it answers {allowed}.", gaps="G003")
    NOT_ACCEPTABLE = Refused(406, "Answers are application/json; the Accept header admits only {accept}.", gaps="G008")
    URL_TOO_LONG = Refused(414, "The URL is longer than {limit} bytes.", gaps="G011")
    HEADERS_TOO_LARGE = Refused(431, "The header lines are larger than {limit} bytes.", gaps="G011")
    BODY_TOO_LARGE = Refused(413, "The body is larger than {limit} bytes.", gaps="G011")
    REQUEST_MALFORMED = Refused(400, "This is no HTTP request: {problem}.", gaps="G065")
    REQUEST_TIMEOUT = Refused(408, "The request did not arrive in time.", gaps="G011")
    UNSUPPORTED_MEDIA_TYPE = Refused(415, "The body is read as {expected}, not {given}.", gaps="G009")
    HOST_UNKNOWN = Refused(403, "This server does not answer to the host name {host!r}.", gaps="G541")
    # Credentials
    CREDENTIAL_MISSING = Refused(401, "This call needs a token.", gaps="G018")
    CREDENTIAL_INVALID = Refused(401, "The token is not known, or no longer.", gaps="G019")
    CREDENTIAL_EXPIRED = Refused(401, "The token has expired.", gaps="G020")
    CREDENTIAL_AMBIGUOUS = Refused(400, "The request carries more than one token.", gaps="G024")
    TERMS_NOT_ACCEPTED = Refused(401, "The user has not accepted the current terms at {termsUrl}.", gaps="G174")
    IDENTITY_TOKEN_INVALID = Refused(401, "The identity token is not valid: {problem}.", gaps="G196 G197 G241")
    # Context and roles
    SERVICE_DISABLED = Refused(403, "The service of client {client} is disabled.", source="P1 Errors L320, R245")
    RESELLER_DISABLED = Refused(403, "The reseller interface is not enabled for client {client}.", gaps="G167")
    FOR_CLIENT_REFUSED = Refused(403, "for_client does not name a child of the caller's client.", gaps="G153 G155")
    ROLE_MISSING = Refused(403, "{operation} is for {gate}; the caller is not.", gaps="G037")
    NO_USER_CONTEXT = Refused(403, "An API token is not a user.", gaps="G159 G176")
    GUEST_ELSEWHERE = Refused(403, "A guest may use only the channel that the token was made for.", gaps="G228")
    # Input
    INVALID_INPUT = Refused(400, "{where}: {problem}.", gaps="G041 G060 G067 G068 G069 G072")
    BODY_MALFORMED = Refused(400, "The body is not JSON: {problem}.", gaps="G065")
    INVALID_STATE = Refused(400, "{given!r} is not a state of this call; it takes {expected}.", gaps="G063")
    # Things that are not there
    NOT_FOUND = Refused(404, "There is no {what} {id!r} here.", gaps="G038 G039 G061")
    PREDEFINED_USER_NOT_FOUND = Refused(404, "No user with origin id {id!r} is in the system.", source="P1 Errors L321")
    RESERVATION_NOT_FOUND = Refused(404, "The reservation is unknown, used or expired.", gaps="G262 G263 G264")
    INVITATION_NOT_PENDING = Refused(404, "The user has no pending invitation.", gaps="G238")
    AUTH_METHOD_NOT_FOUND = Refused(404, "No authentication provider stands behind the user.", gaps="G031 G211")
    VERIFICATION_CODE_UNKNOWN = Refused(404, "No address waits for this code.", gaps="G222 G553")
    # Things in the wrong state, or taken
    VERSION_NOT_CURRENT = Refused(400, "Version {version} is not the current one, {currentVersion}.", gaps="G180")
    NOT_PREDEFINED = Refused(400, "User {id} is not a predefined user without authentication.", gaps="G239 G443")
    NOT_UNREGISTERED = Refused(400, "User {id} is registered; only unregistered users are renamed.", gaps="G267")
    HANDLE_TAKEN = Refused(409, "The handle {handle!r} is used or reserved.", gaps="G042 G259")
    ORIGIN_ID_TAKEN = Refused(409, "A user with origin id {originId!r} exists already.", gaps="G042 G213")
    CHANNEL_NAME_TAKEN = Refused(409, "A channel named {name!r} exists already.", gaps="G042 G300")
    FRIENDLY_URL_TAKEN = Refused(409, "The friendly URL {url!r} belongs to another channel.", gaps="G042 G290")
    OPERATOR_IS_OWNER = Refused(409, "User {id} owns the channel; demote before removing.", gaps="G042 G272")
    LAST_OWNER = Refused(409, "User {id} is the last owner of the channel.", gaps="G042 G562 G563")
    # Switched off or not for this caller
    FRIENDLY_URLS_OFF = Refused(403, "Friendly URLs are switched off for the client.", gaps="G285")
    GUEST_ACCESS_OFF = Refused(403, "The channel does not admit guests.", gaps="G227")
    LEVEL_NOT_ASSIGNABLE = Refused(403, "The caller may not add or remove level {level}.", gaps="G037 G141")
    LEVEL_OWN = Refused(403, "Nobody changes the own levels.", gaps="G144")
    LEVEL_FOR_GUEST = Refused(400, "Unregistered users hold no access levels.", gaps="G146")
    NOT_PARENT = Refused(403, "Only a Partner Admin of the parent switches a client's service.", gaps="G037 G166")
    # Images
    IMAGE_MISSING = Refused(400, "url is required when the body holds no image.", gaps="G041")
    IMAGE_UNKNOWN_FORMAT = Refused(400, "The body is no PNG, JPEG, GIF or WebP image.", gaps="G105")
    IMAGE_TOO_LARGE = Refused(413, "The image is larger than {limit} bytes.", gaps="G107 G109")
    IMAGE_UNREACHABLE = Refused(400, "No image is to be had from {url!r}.", gaps="G110")
    # The service itself
    INTERNAL_ERROR = Refused(500, "confsim failed; the report is {reference}.", gaps="G046")


def _status(entry_id: str, refused: Refused) -> Entry[int] | None:
    if refused.source:
        return None
    statement = f"Status of the refusal: {refused.message}"
    return assumption(entry_id, refused.gaps, statement, refused.status, ("another status",))


def _words(reason: Reason) -> str:
    return reason.name.lower().replace("_", "-")


#: The entry of each reason's status; None where the documents state it.
STATUS: dict[Reason, Entry[int] | None] = {
    reason: _status(f"status.{_words(reason)}", reason.value) for reason in Reason
}
#: The entry of each reason's machine-readable code.
CODE: dict[Reason, Entry[str]] = {
    reason: assumption(
        f"code.{_words(reason)}",
        "G035" if reason is not Reason.SERVICE_DISABLED else "G035 G045",
        f"Code in the body of the refusal: {reason.value.message}",
        reason.name.lower(),
        ("another code",),
        check=any_text,
    )
    for reason in Reason
}
