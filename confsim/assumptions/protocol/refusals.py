"""Reasons for refusals of the simulated service: one table from reason to status, wire code and message.

Each reason has its default status, the message, and either the document lines or rule that state the status or the gaps
that leave it open. A status that the documents do not state is the assumption ``status.<reason>``. They state no
machine-readable code, so each code is the assumption ``code.<reason>``.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import Any, NoReturn

from confsim.assumptions.register import Assumption, assumption, status_code, text
from confsim.kernel import Refusal


class Refused:
    """Response to a refusal. ``message`` is a template over the facts of the refusal.

    ``source`` names the lines or rules that state the status, ``gaps`` the G numbers where none do. ``of_caller`` is
    set if it is about who calls: the same call by another caller may be allowed. ``unknown`` is set if it is about a
    secret that opens a public call: the name of the reason for which an unknown one is refused, possibly its own.
    """

    __slots__ = ("gaps", "message", "of_caller", "source", "status", "unknown")

    def __init__(
        self,
        status: int,
        message: str,
        *,
        gaps: str = "",
        source: str = "",
        of_caller: bool = False,
        unknown: str = "",
    ) -> None:
        self.status = status
        self.message = message
        self.gaps = gaps
        self.source = source
        self.of_caller = of_caller
        self.unknown = unknown

    @property
    def sentence(self) -> str:
        """The message for people who have no such refusal at hand: an ellipsis stands for each fact."""
        return re.sub(r"\{[^}]*\}", "…", self.message)


class Reason(Enum):
    """The reasons for refusals. The default wire code is the name in lower case."""

    # Transport and routing
    ROUTE_NOT_FOUND = Refused(404, "No operation is served at {method} {path}.", gaps="G001 G002 G004 G062")
    METHOD_NOT_ALLOWED = Refused(405, "{path} does not answer {method}; it answers {allowed}.", gaps="G003")
    UPGRADE_REQUIRED = Refused(426, "{path} is the address of a websocket, which a handshake opens.", gaps="G348")
    NOT_ACCEPTABLE = Refused(406, "Answers are application/json; the Accept header admits only {accept}.", gaps="G008")
    URL_TOO_LONG = Refused(414, "The URL is longer than {limit} bytes.", gaps="G011")
    HEADERS_TOO_LARGE = Refused(431, "The header lines are larger than {limit} bytes.", gaps="G011")
    BODY_TOO_LARGE = Refused(413, "The body is larger than {limit} bytes.", gaps="G011")
    REQUEST_MALFORMED = Refused(400, "This is no HTTP request: {problem}.", gaps="G065")
    VERSION_UNSUPPORTED = Refused(505, "This server speaks HTTP/1.0 and HTTP/1.1, not {version}.", gaps="G065")
    CODING_UNSUPPORTED = Refused(501, "The transfer coding {coding!r} is not understood; chunked is.", gaps="G065")
    RANGE_NOT_SATISFIABLE = Refused(416, "The range {range} has none of the {length} bytes.", gaps="G010")
    TOO_MANY_CALLS = Refused(429, "A token may make {limit} calls in a minute.", gaps="G012")
    REQUEST_TIMEOUT = Refused(408, "The request did not arrive in time.", gaps="G011")
    UNSUPPORTED_MEDIA_TYPE = Refused(415, "The body is read as {expected}, not {given}.", gaps="G009")
    HOST_UNKNOWN = Refused(
        403, "This server does not answer to the host name {host!r}; it is added by `--name {name}`.", gaps="G541"
    )
    # Credentials
    CREDENTIAL_MISSING = Refused(401, "This call needs a token.", gaps="G018")
    CREDENTIAL_INVALID = Refused(401, "The token is not known, or no longer.", gaps="G019")
    CREDENTIAL_EXPIRED = Refused(401, "The token has expired.", gaps="G020")
    CREDENTIAL_AMBIGUOUS = Refused(400, "The request carries more than one token.", gaps="G024")
    TERMS_NOT_ACCEPTED = Refused(401, "The user has not accepted the current terms at {termsUrl}.", gaps="G174")
    IDENTITY_TOKEN_MALFORMED = Refused(401, "The identity token is no signed JWT: {problem}.", gaps="G196")
    IDENTITY_TOKEN_INVALID = Refused(
        401, "The identity token is not valid: {problem}.", gaps="G196", unknown="IDENTITY_TOKEN_INVALID"
    )
    NO_ACTIVE_VALIDATOR = Refused(401, "No validator of client {client} is active.", gaps="G197")
    INVITATION_CODE_INVALID = Refused(401, "The invitation code is not valid: {problem}.", gaps="G234 G236 G241")
    # Context and roles
    SERVICE_DISABLED = Refused(403, "The service of client {client} is disabled.", source="P1 Errors L320, R245")
    RESELLER_DISABLED = Refused(403, "The reseller interface is not enabled for client {client}.", gaps="G167")
    FOR_CLIENT_REFUSED = Refused(403, "for_client does not name a child of the caller's client.", gaps="G153 G155")
    ROLE_MISSING = Refused(403, "{operation} is for {gate}; the caller is not.", gaps="G037", of_caller=True)
    NO_USER_CONTEXT = Refused(403, "An API token is not a user.", gaps="G159 G176", of_caller=True)
    GUEST_ELSEWHERE = Refused(
        403, "A guest may use only the channel that the token was made for.", gaps="G228", of_caller=True
    )
    # Input
    INVALID_INPUT = Refused(400, "{where}: {problem}.", gaps="G041 G060 G067 G068 G069 G072")
    BODY_MALFORMED = Refused(400, "The body is not JSON: {problem}.", gaps="G065")
    INVALID_STATE = Refused(400, "{given!r} is not a state of this call; it takes {expected}.", gaps="G063")
    # Missing things
    NOT_FOUND = Refused(404, "There is no {what} {id!r} here.", gaps="G038 G039 G061 G192 G198 G229 G408")
    PREDEFINED_USER_NOT_FOUND = Refused(404, "No user with origin id {id!r} is in the system.", source="P1 Errors L321")
    RESERVATION_NOT_FOUND = Refused(404, "The reservation is unknown, used or expired.", gaps="G262 G263 G264")
    INVITATION_NOT_PENDING = Refused(404, "The user has no pending invitation.", gaps="G238")
    AUTH_METHOD_NOT_FOUND = Refused(404, "No authentication provider stands behind the user.", gaps="G031 G211")
    PROVIDER_UNKNOWN = Refused(400, "{name!r} is no authentication provider of the service.", gaps="G184")
    VERIFICATION_CODE_UNKNOWN = Refused(404, "No address waits for this code.", gaps="G222 G553")
    LEVEL_UNKNOWN = Refused(404, "There is no access level {level}.", gaps="G143")
    LEVEL_NOT_HELD = Refused(404, "User {id} does not hold level {level}.", gaps="G142")
    NOT_OPERATOR = Refused(404, "User {id} is no operator of the channel.", gaps="G273")
    NOT_OWNER = Refused(404, "User {id} is no owner of the channel.", gaps="G562 G563")
    FRIENDLY_URL_UNKNOWN = Refused(404, "No channel has the friendly URL {url!r}.", gaps="G284")
    MEETING_ID_UNKNOWN = Refused(404, "No channel has the meeting id {id!r}.", gaps="G320")
    # Things in a wrong state, or in use
    VERSION_NOT_CURRENT = Refused(400, "Version {version} is not the current one, {currentVersion}.", gaps="G180")
    NOT_PREDEFINED = Refused(400, "User {id} is not a predefined user without authentication.", gaps="G239 G443")
    NOT_A_GUEST = Refused(409, "User {id} is no guest; only guests become registered by their own call.", gaps="G244")
    NOT_LINKED = Refused(404, "User {id} is not linked to a channel.", gaps="G444 G595")
    NOT_UNREGISTERED = Refused(400, "User {id} is registered; only unregistered users are renamed.", gaps="G267")
    HANDLE_TAKEN = Refused(409, "The handle {handle!r} is used or reserved.", gaps="G042 G259 G539")
    ORIGIN_ID_TAKEN = Refused(409, "A user with origin id {originId!r} exists already.", gaps="G042 G213 G539")
    CHANNEL_NAME_TAKEN = Refused(409, "A channel named {name!r} exists already.", gaps="G042 G300 G539")
    FRIENDLY_URL_TAKEN = Refused(409, "The friendly URL {url!r} belongs to another channel.", gaps="G042 G290 G539")
    OPERATOR_IS_OWNER = Refused(409, "User {id} owns the channel; demote before removing.", gaps="G042 G272")
    LAST_OWNER = Refused(409, "User {id} is the last owner of the channel.", gaps="G042 G562 G563")
    DESCRIPTION_TOO_LONG = Refused(400, "The description is longer than {limit} characters.", gaps="G303 G304")
    FRIENDLY_URL_MALFORMED = Refused(400, "{url!r} cannot be a friendly URL.", gaps="G289")
    TEMPLATE_IN_USE = Refused(409, "A channel uses the template {name!r}.", gaps="G042 G413")
    TEMPLATE_DISABLED = Refused(409, "The client does not offer the template {id!r}.", gaps="G042 G407")
    LOG_INDEX_TAKEN = Refused(409, "The app session has a different log with index {index}.", gaps="G042 G383")
    CLIENT_NAME_TAKEN = Refused(409, "Another client is named {name}.", gaps="G042 G293")
    STATE_HOLDS = Refused(409, "The state is {state} already.", gaps="G042 G537")
    # Switched off or not for this caller
    FRIENDLY_URLS_OFF = Refused(403, "Friendly URLs are switched off for the client.", gaps="G285")
    PROVIDER_NOT_ENABLED = Refused(403, "The client's users cannot log in by {name!r}.", gaps="G188 G234")
    GUEST_ACCESS_OFF = Refused(403, "The channel does not admit guests.", gaps="G227")
    LEVEL_NOT_ASSIGNABLE = Refused(403, "The caller may not add or remove level {level}.", gaps="G037 G141")
    LEVEL_OWN = Refused(403, "Nobody changes the own levels.", gaps="G144")
    LEVEL_LAST_ADMIN = Refused(409, "User {id} is the last administrator of the client.", gaps="G042 G144")
    LEVEL_FOR_GUEST = Refused(400, "Unregistered users hold no access levels.", gaps="G146")
    NOT_PARENT = Refused(403, "Only a Partner Admin of the parent switches a client's service.", gaps="G037 G166")
    TEMPLATE_INHERITED = Refused(403, "The template {id!r} is inherited; only its own client changes it.", gaps="G411")
    # Configuration and app sessions
    LANGUAGE_MISSING = Refused(400, "language is needed when texts are updated.", gaps="G402")
    THEME_UNKNOWN = Refused(400, "{theme!r} is none of the themes {expected}.", gaps="G404")
    NO_TEMPLATE = Refused(404, "The channel uses no template.", gaps="G409")
    SESSION_ELSEWHERE = Refused(400, "Session {id} does not belong to channel {channel}.", gaps="G387")
    # Details of users
    EMAIL_MALFORMED = Refused(400, "{email!r} is no address.", gaps="G221")
    EMAIL_MISSING = Refused(400, "There is no address to send a code to.", gaps="G220")
    EMAIL_TAKEN = Refused(409, "The address {email!r} is another user's.", gaps="G042 G225")
    LANGUAGE_UNKNOWN = Refused(400, "{language!r} is no ISO 639-1 code with an optional region.", gaps="G206")
    PROPERTY_TOO_LARGE = Refused(413, "The value is larger than {limit} bytes.", gaps="G249")
    # Running channels, sessions, breakout sessions
    CHANNEL_BEING_CREATED = Refused(
        409,
        "The channel is being created on a streaming server; wait a second and retry.",
        source="P2 Errors L380, R538",
    )
    CHANNEL_PRIVATE = Refused(403, "The channel is private.", gaps="G310")
    CHANNEL_IN_USE = Refused(409, "A session runs in the channel; end it first.", gaps="G042 G309")
    CHANNEL_FULL = Refused(409, "The channel has room for {limit} users.", gaps="G042 G317")
    NOT_PRESENT = Refused(409, "The user is not in the channel.", gaps="G042 G327")
    ADMISSION_REFUSED = Refused(409, "The host does not let user {id} in.", gaps="G042 G328 G596")
    PRESENTERS_FULL = Refused(409, "No more than {limit} users may present.", gaps="G042 G338 G339")
    MIDI_NEEDS_TOKEN = Refused(403, "Midi needs a premium token, which the channel has not.", gaps="G318")
    TOO_MANY_CHANNELS = Refused(400, "At most {limit} channels can be asked for; these are {given}.", gaps="G345")
    NO_ACTIVE_SESSION = Refused(404, "The channel has no active session.", gaps="G362")
    SESSION_ENDED = Refused(409, "Session {id} has ended already.", gaps="G042 G363")
    EVENT_ROOM_OFF = Refused(403, "The channel is no event room.", gaps="G418")
    BREAKOUT_ACTIVE = Refused(409, "A breakout session of the channel is active.", gaps="G042 G354 G422 G423 G432")
    BREAKOUT_COMPLETED = Refused(409, "The breakout session is completed.", gaps="G042 G422")
    BREAKOUT_STARTED = Refused(409, "The breakout session has started.", gaps="G042 G426 G430")
    BREAKOUT_NOT_PREPARED = Refused(409, "No breakout session waits to be started.", gaps="G042 G432")
    BREAKOUT_AMBIGUOUS = Refused(409, "{count} breakout sessions wait to be started.", gaps="G042 G431")
    BREAKOUT_NOT_ACTIVE = Refused(409, "No breakout session of the channel is active.", gaps="G042 G434")
    ROOM_NAME_TAKEN = Refused(409, "A breakout room named {name!r} exists already.", gaps="G042 G420")
    ROOM_ASSIGNED = Refused(409, "Users are assigned to the breakout room.", gaps="G042 G427")
    ROOM_CLOSED = Refused(409, "The breakout room is not open.", gaps="G042 G437")
    ASSIGNED_ELSEWHERE = Refused(409, "User {user} is assigned to another room.", gaps="G042 G428")
    NO_ROOM_ASSIGNED = Refused(403, "The caller has no room in the active breakout session.", gaps="G425")
    NOT_REGULAR = Refused(400, "User {id} is unregistered; only regular users are linked.", gaps="G444")
    LINKED_HANDLE_TAKEN = Refused(409, "A user {handle!r} is linked to the channel already.", gaps="G042 G447")
    # Images
    IMAGE_MISSING = Refused(400, "url is required when the body holds no image.", gaps="G041")
    IMAGE_UNKNOWN_FORMAT = Refused(400, "The body is no PNG, JPEG, GIF or WebP image.", gaps="G105")
    IMAGE_TOO_LARGE = Refused(413, "The image is larger than {limit} bytes.", gaps="G107 G109")
    IMAGE_UNREACHABLE = Refused(400, "No image is to be had from {url!r}.", gaps="G110")
    # Media
    MEDIA_MISSING = Refused(400, "The body holds no file.", gaps="G506")
    MEDIA_TOO_LARGE = Refused(413, "The file is larger than {limit} bytes.", gaps="G506")
    MEDIA_NAME_TAKEN = Refused(409, "The pool has a media asset named {name!r}.", gaps="G042 G507")
    MEDIA_POOL_FULL = Refused(409, "The pool holds at most {limit} bytes.", gaps="G042 G513")
    MEDIA_LINK_INVALID = Refused(
        403, "Only a valid link leads to these bytes.", gaps="G510", unknown="MEDIA_LINK_INVALID"
    )
    MEDIA_LINK_EXPIRED = Refused(403, "The link has expired.", gaps="G573", unknown="MEDIA_LINK_INVALID")
    # Live streaming
    BROADCAST_OFF = Refused(403, "Live streaming is not enabled for the channel.", gaps="G520 G569")
    NO_DESTINATION = Refused(409, "No destination of the channel is enabled.", gaps="G042 G569")
    BROADCAST_RUNNING = Refused(409, "The channel is broadcasting already.", gaps="G042 G569")
    NOT_BROADCASTING = Refused(409, "The channel is not broadcasting.", gaps="G042 G569")
    NO_BROADCAST = Refused(404, "The channel is not broadcasting.", gaps="G524")
    # Telephony
    NUMBER_MALFORMED = Refused(400, "{number!r} is no phone number: {problem}.", gaps="G454 G457")
    DTMF_MALFORMED = Refused(400, "{dtmf!r} is no DTMF part of a number: {problem}.", gaps="G454 G456")
    DESTINATION_UNKNOWN = Refused(404, "No price is known for calls to {number}.", gaps="G459")
    NUMBER_UNAVAILABLE = Refused(404, "The client has no enabled inbound number {number}.", gaps="G472")
    NUMBER_ASSIGNED = Refused(409, "The number {number} leads to the channel already.", gaps="G042 G473")
    NUMBER_EXCLUSIVE = Refused(409, "The number {number} leads to another channel only.", gaps="G042 G474")
    NUMBER_SHARED = Refused(409, "The number {number} leads to other channels too.", gaps="G042 G474")
    CODE_UNKNOWN = Refused(404, "The number {number} leads to no channel by {keyed!r}.", gaps="G466 G475")
    PIN_MALFORMED = Refused(400, "{pin!r} is no PIN; it takes {expected}.", gaps="G461")
    PIN_TAKEN = Refused(409, "The channel has the PIN {pin!r} already.", gaps="G042 G462")
    PINS_HIDDEN = Refused(403, "The channel shows its PINs to hosts alone.", gaps="G464")
    PIN_WRONG = Refused(403, "The channel asks for a PIN, and this is none of its own.", gaps="G466")
    DIAL_IN_OFF = Refused(403, "Dialling in is switched off for the channel.", gaps="G467 G478")
    DIAL_OUT_OFF = Refused(403, "Dialling out is switched off for the channel.", gaps="G448 G460")
    CHANNEL_IDLE = Refused(409, "The channel has no active session to call from.", gaps="G042 G450")
    NOT_REGISTERED = Refused(400, "User {id} is unregistered; only registered users are called as such.", gaps="G451")
    ALREADY_INSIDE = Refused(409, "User {id} is in the channel, or on the phone.", gaps="G042 G451")
    CALL_STANDS = Refused(409, "The call of user {id} is {standing}.", gaps="G042 G452")
    # Recordings
    RECORDING_IN_PROGRESS = Refused(409, "A recording of the channel is in progress.", gaps="G042 G484")
    RECORDING_NEEDS_SESSION = Refused(409, "The channel has no active session to record.", gaps="G042 G483")
    RECORDING_NEEDS_EMAIL = Refused(409, "No owner of the channel has a verified address.", gaps="G042 G482")
    RECORDING_STOPPED_BY_STARTER = Refused(403, "Only who started the recording stops it.", gaps="G486")
    NO_RECORDING = Refused(404, "No recording of the channel is in progress.", gaps="G485")
    RECORDING_NOT_READY = Refused(409, "The recording {id} is not ready.", gaps="G042 G498")
    RECORDING_WITHOUT = Refused(404, "The recording has no {kind}.", gaps="G497")
    ASSET_TOKEN_INVALID = Refused(
        401, "This is no token for downloading assets: {problem}.", gaps="G501", unknown="ASSET_TOKEN_INVALID"
    )
    ASSET_TOKEN_EXPIRED = Refused(
        401, "The token for downloading assets has expired.", gaps="G501", unknown="ASSET_TOKEN_INVALID"
    )
    DOWNLOAD_LINK_INVALID = Refused(
        403, "This is not a valid download URL of a recording.", gaps="G499", unknown="DOWNLOAD_LINK_INVALID"
    )
    DOWNLOAD_LINK_EXPIRED = Refused(403, "The download URL has expired.", gaps="G499", unknown="DOWNLOAD_LINK_INVALID")
    # Events
    EVENTS_OFF = Refused(403, "The events interface of client {client} is off.", gaps="G532")
    DELIVERY_UNDER_WAY = Refused(409, "The delivery {id} waits to be sent already.", gaps="G042 G534")
    # The service itself
    INTERNAL_ERROR = Refused(500, "confsim failed; the report is {reference}.", gaps="G046")

    def __reduce_ex__(self, _protocol: object) -> tuple[Any, ...]:
        """By name: another process has other values."""
        return getattr, (Reason, self.name)


def not_found(what: str, id: str | int) -> NoReturn:
    """Raise Refusal NOT_FOUND; ``what`` and ``id`` say what was asked for.

    The look-ups that must find something return ``record or not_found(…)``.
    """
    raise Refusal(Reason.NOT_FOUND, what=what, id=id)


def _status(entry_id: str, refused: Refused) -> Assumption[int] | None:
    if refused.source:
        return None
    statement = f"Status of the refusal: {refused.sentence}"
    return assumption(
        entry_id, refused.gaps, statement, refused.status, ("another status",), check=status_code, samples=(418,)
    )


def _words(reason: Reason) -> str:
    return reason.name.lower().replace("_", "-")


#: The entry of each reason's status; None where the documents state it.
STATUS: dict[Reason, Assumption[int] | None] = {
    reason: _status(f"status.{_words(reason)}", reason.value) for reason in Reason
}
#: The entry of each reason's machine-readable code.
CODE: dict[Reason, Assumption[str]] = {
    reason: assumption(
        f"code.{_words(reason)}",
        "G035" if reason is not Reason.SERVICE_DISABLED else "G035 G045",
        f"Code in the body of the refusal: {reason.value.sentence}",
        reason.name.lower(),
        ("another code",),
        check=text,
        samples=("another_code",),
    )
    for reason in Reason
}
#: The reasons by the ids of their codes.
REASONS: dict[str, Reason] = {entry.id: reason for reason, entry in CODE.items()}

CREATED = assumption(
    "status.created",
    "G044",
    "Status of a call that makes or adds something and answers it (create_... and add_...).",
    200,
    (201,),
    check=status_code,
)
