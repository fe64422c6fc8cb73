"""Phone numbers as text: E.164 digits, the DTMF part behind them, informal notations, and countries.

``phonenumbers`` is imported where it is needed: most calls need the digits alone, and it takes a tenth of a second.
"""

import re
from functools import lru_cache

from msgspec import Struct

from confsim.assumptions import Context, Reason, ask, telephony as assumed
from confsim.kernel import Refusal

#: The most characters of a DTMF part (P2 Limits L392).
DTMF_MOST = 25
#: The most digits of a number (ITU-T E.164, section 6).
DIGITS_MOST = 15
#: How many numbers and countries are looked up once: a look-up takes tens of microseconds.
_REMEMBERED = 1024

_E164 = re.compile(r"\+?([1-9][0-9]{0,14})\Z", re.ASCII)
_SEPARATOR = re.compile(r"[,#*]")
_DTMF = re.compile(r"[0-9#*,]*\Z", re.ASCII)
_NO_TONE = re.compile(r"[^0-9#*,]", re.ASCII)
_LETTER = re.compile(r"[A-Za-z]")
_WORDS_BEFORE_PLUS = re.compile(r"\A[^0-9+]*(?=\+)")


class Dialled(Struct, frozen=True):
    """A dialled number as +E164, and the DTMF to send once the call is connected, empty for none."""

    number: str
    dtmf: str = ""


def canonical(context: Context, text: str) -> str:
    """The number as +E164; the leading plus is optional (R483, R495, G059). Refusal NUMBER_MALFORMED (G454)."""
    match = _E164.match(text)
    if match is None:
        raise _malformed(text, f"it takes 1 to {DIGITS_MOST} digits, the first not 0, with or without a plus")
    number = f"+{match[1]}"
    rule = ask(context, assumed.VALID)
    if rule != "e164" and not _fits(number, rule):
        raise _malformed(text, f"no number of this kind is {rule} in its country")
    return number


def dialled(context: Context, text: str) -> Dialled:
    """The number and its DTMF part, from the exact form (R495). Refusals NUMBER_MALFORMED, DTMF_MALFORMED."""
    cut = _dtmf_start(context, text)
    return Dialled(canonical(context, text[:cut]), tones(text[cut:]))


def priced(context: Context, text: str) -> str:
    """The number of a quote; its DTMF part is ignored (R488), whether or not it is well formed (G456)."""
    if ask(context, assumed.LONG_DTMF_QUOTE) == "held":
        return dialled(context, text).number
    return canonical(context, text[: _dtmf_start(context, text)])


def extracted(context: Context, text: str) -> Dialled:
    """The number and its DTMF part, from punctuated or lettered input (R498, G457).

    Removed are punctuation, also characters of a DTMF part before the first digit, and words before a plus.
    Refusals NUMBER_MALFORMED, DTMF_MALFORMED.
    """
    if _E164.match(text):
        return dialled(context, text)
    import phonenumbers

    written = _WORDS_BEFORE_PLUS.sub("", text)
    keypad = ask(context, assumed.LETTERS) == "keypad"
    plain = phonenumbers.convert_alpha_characters_in_number(written) if keypad else _LETTER.sub("", written)
    first = next((place for place, char in enumerate(plain) if char.isdigit()), len(plain))
    separator = _SEPARATOR.search(plain, first)
    end = len(plain) if separator is None else separator.start()
    number = phonenumbers.normalize_digits_only(plain[:end])
    rest = _NO_TONE.sub("", plain[end:])
    cut = _dtmf_start(context, number + rest)
    try:
        return Dialled(canonical(context, (number + rest)[:cut]), tones((number + rest)[cut:]))
    except Refusal as refusal:
        if refusal.reason is Reason.NUMBER_MALFORMED:
            raise _malformed(text, str(refusal.facts["problem"])) from None
        raise


def tones(text: str) -> str:
    """The DTMF part: digits, # and * and the comma, up to 25 characters (R495, R496). Refusal DTMF_MALFORMED."""
    if not _DTMF.match(text):
        raise Refusal(Reason.DTMF_MALFORMED, dtmf=text[:40], problem="it is made of 0-9 # * and the comma")
    if len(text) > DTMF_MOST:
        raise Refusal(Reason.DTMF_MALFORMED, dtmf=text[:40], problem=f"it is longer than {DTMF_MOST} characters")
    return text


def shown(context: Context, number: str) -> str:
    """The number in the form of responses (G059)."""
    return number if ask(context, assumed.FORM) == "plus" else number[1:]


@lru_cache(maxsize=_REMEMBERED)
def country(number: str) -> str | None:
    """The country of a number as ISO alpha-2, None without one; for a zone its main country."""
    import phonenumbers

    try:
        parsed = phonenumbers.parse(number)
    except phonenumbers.NumberParseException:
        return None
    region = phonenumbers.region_code_for_number(parsed)
    region = region or phonenumbers.region_code_for_country_code(parsed.country_code or 0)
    return region if len(region) == 2 and region != "ZZ" else None


@lru_cache(maxsize=_REMEMBERED)
def dialling_code(country: str) -> str:
    """The dialling code of a country (ISO alpha-2), empty when it has none."""
    import phonenumbers

    code = phonenumbers.country_code_for_region(country)
    return str(code) if code else ""


@lru_cache(maxsize=_REMEMBERED)
def country_name(country: str) -> str:
    """The English name of a country (ISO alpha-2), the code itself when it is unknown."""
    from phonenumbers.geodata.locale import LOCALE_DATA

    names = LOCALE_DATA.get(country, {})
    name = names.get("en", country)
    return names.get(name[1:], country) if name.startswith("*") else name


def _dtmf_start(context: Context, text: str) -> int:
    """The index at which the DTMF part of the text begins (G455)."""
    separator = _SEPARATOR.search(text)
    end = len(text) if separator is None else separator.start()
    if ask(context, assumed.DTMF_BEGINS) == "separator":
        return end
    return min(end, DIGITS_MOST + text.startswith("+"))


@lru_cache(maxsize=_REMEMBERED)
def _fits(number: str, rule: str) -> bool:
    import phonenumbers

    try:
        parsed = phonenumbers.parse(number)
    except phonenumbers.NumberParseException:
        return False
    check = phonenumbers.is_possible_number if rule == "possible" else phonenumbers.is_valid_number
    return bool(check(parsed))


def _malformed(text: str, problem: str) -> Refusal:
    return Refusal(Reason.NUMBER_MALFORMED, number=text[:40], problem=problem)
