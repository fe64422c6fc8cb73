"""Texts of the wire: those with a form of their own, by their readers and patterns; and those that name things."""

from collections.abc import Mapping
from typing import Annotated, Any

from confsim.assumptions import breakout, broadcast, channels, clients, identity, in_force, media, telephony
from confsim.assumptions.protocol import durations, sizes
from confsim.assumptions.users import emails as assumed_emails, users as assumed_users
from confsim.contract import SPACE, ExactName, FreeText, Long, Names, Pattern, Said, Samples, Sized, TextForm, caseless
from confsim.domain.channels.channels import DESCRIPTION
from confsim.domain.telephony import e164
from confsim.domain.users import languages
from confsim.values.urls import HOST_PATTERN, PORT

#: What names a thing, each with the kind of thing: journeys bundle ids by these kinds, comparisons with a model match
#: them, and the resolvers of ``paths`` use the same ones.
ApiTokenId = Annotated[str, Names("api_tokens"), "The API token, by id."]
AppSessionId = Annotated[str, Names("app_sessions"), "The app session, by id."]
AssetId = Annotated[str, Names("assets"), "The asset, by id."]
AssetToken = Annotated[str, Names("asset_tokens", secret=True), "The token that opens the assets of a recording."]
BreakoutId = Annotated[str, Names("breakout_sessions"), "The breakout session, by id."]
BroadcastId = Annotated[str, Names("broadcasts"), "The broadcast, by id."]
ChannelId = Annotated[str, Names("channels"), "The channel, by uuid."]
ChannelIds = Annotated[str, Names("channels", several=True), "The uuids of channels."]
ClientId = Annotated[str, Names("clients"), "The client, by id."]
Code = Annotated[str, Names("codes", secret=True), "The code."]
DestinationId = Annotated[str, Names("destinations"), "The destination, by id."]
DialCode = Annotated[str, Names("dial_codes"), "The code that callers key in."]
EndpointId = Annotated[str, Names("endpoints"), "The events endpoint, by id."]
GroupKey = Annotated[str, Names("session_groups"), "The group of sessions, by its key."]
MediaId = Annotated[str, Names("media"), "The media asset, by id."]
MeetingCode = Annotated[str, Names("meeting_ids"), "The channel, by its meeting id."]
RecordingId = Annotated[str, Names("recordings"), "The recording, by id."]
Reservation = Annotated[str, Names("reservations", secret=True), "The reservation of a handle, by its token."]
RoomId = Annotated[str, Names("breakout_rooms"), "The breakout room, by id."]
Secret = Annotated[str, Names("secrets", secret=True), "The secret."]
SessionId = Annotated[str, Names("sessions"), "The session, by id."]
SourceId = Annotated[str, Names("sources"), "The gateway endpoint, by id."]
TemplateId = Annotated[str, Names("templates"), "The template, by id."]
Token = Annotated[str, Names("tokens", secret=True), "The token."]
UrlName = Annotated[str, Names("url_names"), "The channel, by the word of its direct link."]
UserId = Annotated[Long, Names("users"), "The user, by number."]


Profile = Mapping[str, Any]

_NUMBER = rf"\+?[1-9][0-9]{{0,{e164.DIGITS_MOST - 1}}}"
_TONES = rf"([,#*][0-9#*,]{{0,{e164.DTMF_MOST - 1}}})?"


def _quoted(context: Any, text: str) -> str:
    e164.priced(context, text)
    return text


def _pin(profile: Profile) -> dict[str, Any]:
    form = telephony.PIN_FORMS[in_force(profile, telephony.PIN_FORM)]
    return {"pattern": f"^{form.removesuffix(chr(92) + 'Z')}$"}


def _gateway_kind(profile: Profile) -> dict[str, Any]:
    kinds: dict[str, int] = in_force(profile, media.GATEWAY_KINDS)
    if in_force(profile, media.GATEWAY_KIND_CASE) == "ignore":
        return {"pattern": f"^({'|'.join(map(caseless, kinds))})$"}
    return {"enum": list(kinds)}


def _destination(profile: Profile) -> dict[str, Any]:
    accepted: tuple[str, ...] = in_force(profile, broadcast.SCHEMES)
    schemes = "|".join(accepted)
    return {
        "pattern": rf"^({schemes})://{HOST_PATTERN}(:{PORT})?(/[^{SPACE}\x00-\x1f\x7f]*)?$",
    }


def _breakout(profile: Profile) -> dict[str, Any]:
    return {"minimum": 1 if in_force(profile, breakout.ZERO) == "refuse" else 0, "maximum": durations.LONGEST}


def _description(profile: Profile) -> dict[str, Any]:
    most: int = in_force(profile, sizes.TEXT)
    refused = in_force(profile, channels.DESCRIPTION_TOO_LONG) == "refuse"
    return {"maxLength": min(DESCRIPTION, most) if refused else most}


def _counted(profile: Profile) -> str:
    """Return what counts as a character of a description, where JSON Schema counts otherwise (G304)."""
    return "A character is a UTF-16 unit." if in_force(profile, channels.DESCRIPTION_COUNT) == "utf-16" else ""


def _provider(profile: Profile) -> dict[str, Any]:
    known: tuple[str, ...] = in_force(profile, identity.AVAILABLE_PROVIDERS)
    unknown = in_force(profile, identity.UNKNOWN_PROVIDERS)
    if unknown == "refuse":
        return {"enum": list(known)}
    return {"minLength": 1, "pattern": rf"[^\x09-\x0d\x1c-\x1f{SPACE}]"} if unknown == "store" else {}


def _embedding(pattern: str) -> Pattern:
    """The form of what may embed the service, where it is checked (G291)."""
    return Pattern(lambda profile: {"pattern": pattern} if in_force(profile, clients.EMBEDDING_CHECK) else {})


def _language(profile: Profile) -> dict[str, Any]:
    form = in_force(profile, assumed_users.LANGUAGE_CODES)
    if form == "supported":
        supported: tuple[str, ...] = in_force(profile, assumed_users.SUPPORTED_LANGUAGES)
        return {"enum": list(supported)}
    separator = "[-_]" if form == "underscore" else "-"
    return {"pattern": f"^({'|'.join(sorted(languages.ISO_639_1))})({separator}[A-Z]{{2}})?$"}


#: A number to call, with or without a DTMF part.
_DIALLED = Pattern(lambda profile: {"pattern": f"^{_NUMBER}{_TONES}$"})
_ADDRESS = {"pattern": rf"^([^{SPACE}@\x00-\x1f\x7f]+@[^{SPACE}@\x00-\x1f\x7f]+)?$"}
_NUMBERS = Samples("+12025550123", "+442079460123")
#: A phone number, read as +E164; the leading plus is optional (P2 L299).
PhoneNumber = Annotated[str, TextForm(e164.canonical, lambda profile: {"pattern": f"^{_NUMBER}$"}), _NUMBERS]
#: A phone number to price, with or without a DTMF part (P2 L303).
QuotedNumber = Annotated[str, TextForm(_quoted, _DIALLED.keywords), _NUMBERS]
#: A number to call, with or without a DTMF part (P2 L307).
DialledNumber = Annotated[str, _DIALLED, _NUMBERS]
#: A number to call in any notation, from which the digits are extracted (P2 L307).
WrittenNumber = Annotated[str, Pattern(lambda profile: {"minLength": 1}), _NUMBERS]
PINS = Samples("123456", "654321")
PinText = Annotated[str, Pattern(_pin), PINS]
GatewayKindName = Annotated[ExactName, Pattern(_gateway_kind), Samples("RTMP", "SRT")]
DestinationUrl = Annotated[
    ExactName, Pattern(_destination), Samples("rtmp://live.example.com/one", "rtmps://live.example.com/two")
]
Email = Annotated[
    FreeText,
    Pattern(lambda profile: {} if in_force(profile, assumed_emails.EMAIL_MALFORMED) == "taken" else _ADDRESS),
    Samples("sample@example.com", "other@example.com"),
]
FriendlyUrlWord = Annotated[
    str, Pattern(lambda profile: {"pattern": f"^({in_force(profile, channels.FRIENDLY_FORM)})$"})
]
#: The duration of a breakout session in milliseconds, up to the longest time allowed.
BreakoutDuration = Annotated[Long, Pattern(_breakout)]
#: Up to 200 characters (P2 Limits L390).
ChannelText = Annotated[str, Sized(sizes.TEXT, allow_blank=True), Pattern(_description), Said(_counted)]
#: The same where the channel is created (G303).
FirstChannelText = Annotated[
    str,
    Sized(sizes.TEXT, allow_blank=True),
    Pattern(
        lambda profile: (
            _description(profile)
            if in_force(profile, channels.DESCRIPTION_AT_CREATION) == "limit"
            else {"maxLength": in_force(profile, sizes.TEXT)}
        )
    ),
    Said(_counted),
]
#: The names of authentication providers (G184, G185).
ProviderNames = Annotated[
    list[Annotated[str, Pattern(_provider), Samples("google")]],
    Pattern(lambda profile: {"minItems": 1} if in_force(profile, identity.NO_PROVIDERS) == "refuse" else {}),
]
#: The origin of a page that embeds the service, and the domain of one.
Origin = Annotated[
    str, _embedding(f"^[Hh][Tt][Tt][Pp][Ss]?://{HOST_PATTERN}(:{PORT})?$"), Samples("https://example.com")
]
Domain = Annotated[str, _embedding(f"^{HOST_PATTERN}$"), Samples("example.com")]
MeetingId = Annotated[
    MeetingCode,
    Pattern(lambda profile: {"minLength": 1} if in_force(profile, channels.MEETING_ID_EMPTY) == "refuse" else {}),
]
#: An ISO 639-1 code with an optional region (P1 L244).
LanguageCode = Annotated[str, Pattern(_language), Samples("en", "de-CH")]
