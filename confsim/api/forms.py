"""Texts with a form of their own: their readers, and their patterns under a profile."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from confsim.assumptions import broadcast, channels, identity, media, telephony
from confsim.assumptions.protocol import durations, sizes
from confsim.assumptions.register import in_force
from confsim.assumptions.users import emails as assumed_emails
from confsim.assumptions.users import languages as assumed_languages
from confsim.contract.schema import SPACE
from confsim.contract.types import AtLeast, FreeText, Long, Name, Pattern, Samples, Sized, TextForm
from confsim.domain.channels.channels import DESCRIPTION
from confsim.domain.telephony import e164
from confsim.domain.users import languages

from .ids import MeetingCode

Profile = Mapping[str, Any]

_NUMBER = rf"\+?[1-9][0-9]{{0,{e164.DIGITS_MOST - 1}}}"
_TONES = rf"([,#*][0-9#*,]{{0,{e164.DTMF_MOST - 1}}})?"


def _phone(profile: Profile) -> dict[str, Any]:
    return {"pattern": f"^{_NUMBER}$"}


def _dialled(profile: Profile) -> dict[str, Any]:
    return {"pattern": f"^{_NUMBER}{_TONES}$"}


def _quoted(context: Any, text: str) -> str:
    e164.priced(context, text)
    return text


def _pin(profile: Profile) -> dict[str, Any]:
    form = telephony.PIN_FORMS[in_force(profile, telephony.PIN_FORM)]
    return {"pattern": f"^{form.removesuffix(chr(92) + 'Z')}$"}


def _gateway_kind(profile: Profile) -> dict[str, Any]:
    kinds: dict[str, int] = in_force(profile, media.GATEWAY_KINDS)
    return {"enum": list(kinds)}


def _destination(profile: Profile) -> dict[str, Any]:
    accepted: tuple[str, ...] = in_force(profile, broadcast.SCHEMES)
    schemes = "|".join(accepted)
    return {
        "pattern": rf"^({schemes})://[^{SPACE}/?#\[\]\x00-\x1f\x7f:@]+(:[1-9][0-9]{{0,3}})?(/[^{SPACE}\x00-\x1f\x7f]*)?$",
    }


def _email(profile: Profile) -> dict[str, Any]:
    if in_force(profile, assumed_emails.EMAIL_MALFORMED) == "taken":
        return {}
    return {"pattern": rf"^([^{SPACE}@\x00-\x1f\x7f]+@[^{SPACE}@\x00-\x1f\x7f]+)?$"}


def _friendly(profile: Profile) -> dict[str, Any]:
    return {"pattern": f"^({in_force(profile, channels.FRIENDLY_FORM)})$"}


def _longest(profile: Profile) -> dict[str, Any]:
    return {"maximum": durations.LONGEST}


def _description(profile: Profile) -> dict[str, Any]:
    return {"maxLength": min(DESCRIPTION, in_force(profile, sizes.TEXT))}


def _not_empty(profile: Profile) -> dict[str, Any]:
    return {"minLength": 1}


def _meeting(profile: Profile) -> dict[str, Any]:
    return {"minLength": 1} if in_force(profile, channels.MEETING_ID_EMPTY) == "refuse" else {}


def _provider(profile: Profile) -> dict[str, Any]:
    known: tuple[str, ...] = in_force(profile, identity.AVAILABLE_PROVIDERS)
    return {"enum": list(known)} if in_force(profile, identity.UNKNOWN_PROVIDERS) == "refuse" else {}


def _some_providers(profile: Profile) -> dict[str, Any]:
    return {"minItems": 1} if in_force(profile, identity.NO_PROVIDERS) == "refuse" else {}


def _language(profile: Profile) -> dict[str, Any]:
    form = in_force(profile, assumed_languages.LANGUAGE_CODES)
    if form == "supported":
        supported: tuple[str, ...] = in_force(profile, assumed_languages.SUPPORTED_LANGUAGES)
        return {"enum": list(supported)}
    separator = "[-_]" if form == "underscore" else "-"
    return {"pattern": f"^({'|'.join(sorted(languages.ISO_639_1))})({separator}[A-Z]{{2}})?$"}


_NUMBERS = Samples("+12025550123", "+442079460123")
#: A phone number, read as +E164; the leading plus is optional (P2 L299).
PhoneNumber = Annotated[str, TextForm(e164.canonical, _phone), _NUMBERS]
#: A phone number to price, with or without a DTMF part (P2 L303).
QuotedNumber = Annotated[str, TextForm(_quoted, _dialled), _NUMBERS]
#: A number to call, with or without a DTMF part (P2 L307).
DialledNumber = Annotated[str, Pattern(_dialled), _NUMBERS]
#: A number to call in any notation, from which the digits are extracted (P2 L307).
WrittenNumber = Annotated[str, Pattern(_not_empty), _NUMBERS]
PINS = Samples("123456", "654321")
PinText = Annotated[str, Pattern(_pin), PINS]
GatewayKindName = Annotated[Name, Pattern(_gateway_kind), Samples("RTMP", "SRT")]
DestinationUrl = Annotated[
    Name, Pattern(_destination), Samples("rtmp://live.example.com/one", "rtmps://live.example.com/two")
]
Email = Annotated[FreeText, Pattern(_email), Samples("sample@example.com", "other@example.com")]
FriendlyUrlWord = Annotated[str, Pattern(_friendly)]
#: A time in milliseconds, up to the longest one allowed.
Milliseconds = Annotated[Long, AtLeast(0), Pattern(_longest)]
#: Up to 200 characters (P2 Limits L390).
ChannelText = Annotated[str, Sized(sizes.TEXT, allow_blank=True), Pattern(_description)]
#: The names of authentication providers (G184, G185).
ProviderNames = Annotated[list[Annotated[str, Pattern(_provider), Samples("google")]], Pattern(_some_providers)]
#: The origin of a page that embeds the service, and the domain of one.
Origin = Annotated[str, Samples("https://example.com")]
Domain = Annotated[str, Samples("example.com")]
MeetingId = Annotated[MeetingCode, Pattern(_meeting)]
#: An ISO 639-1 code with an optional region (P1 L244).
LanguageCode = Annotated[str, Pattern(_language), Samples("en", "de-CH")]
