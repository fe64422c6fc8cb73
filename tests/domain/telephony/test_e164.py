from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from confsim.assumptions.protocol.refusals import Reason
from confsim.assumptions.register import ProfileContext
from confsim.domain.telephony import e164
from confsim.domain.telephony.e164 import Dialled
from confsim.kernel.refusal import Refusal
from kit import choices, refused
from kit.each import each

DEFAULT = ProfileContext({})
DIGITS = st.from_regex(r"[1-9][0-9]{0,14}", fullmatch=True)
DTMF = st.from_regex(r"([,#*][0-9#*,]{0,24})?", fullmatch=True)
PUNCTUATION = st.text(" .-/()[]:\u00a0\u2013", max_size=3)


def asking(**profile):
    """Somebody who asks under a profile; underscores stand for the dots and hyphens of ids."""
    return ProfileContext(choices(**profile))


@pytest.mark.rule("R483", "R495")
@given(DIGITS)
def test_the_leading_plus_is_optional(digits):
    """With and without it the number is the same, and what is canonical stays so."""
    assert e164.canonical(DEFAULT, digits) == e164.canonical(DEFAULT, f"+{digits}") == f"+{digits}"


@each("text", ["", "+", "0301234", "++1555", "+1 555", "1555x", "1" * 16, "+\u0661\u0665", " 1555", "-1555", "1555\n"])
def test_what_is_no_number_is_refused(text):
    """1 to 15 ASCII digits, the first of them not 0, and nothing around them."""
    assert refused(e164.canonical, DEFAULT, text) is Reason.NUMBER_MALFORMED


SHORT, FICTIONAL, IN_USE = "+123", "+15550100123", "+12025550123"


@pytest.mark.parametrize(
    ("rule", "taken"),
    [("e164", {SHORT, FICTIONAL, IN_USE}), ("possible", {FICTIONAL, IN_USE}), ("in-use", {IN_USE})],
)
def test_numbers_can_be_held_to_their_country(rule, taken):
    """By profile a number must have a length of its country, or be in a range in use there."""
    context = asking(numbers__valid=rule)
    for number in (SHORT, FICTIONAL, IN_USE):
        if number in taken:
            assert e164.canonical(context, number) == number
        else:
            assert refused(e164.canonical, context, number) is Reason.NUMBER_MALFORMED
    assert rule == "e164" or refused(e164.canonical, context, "+3") is Reason.NUMBER_MALFORMED


@pytest.mark.rule("R488", "R495", "R496")
@given(DIGITS, DTMF)
def test_the_dtmf_part_begins_at_the_first_separator(digits, dtmf):
    """What is before it is the number, it and the rest, up to 25 characters, are sent."""
    assert e164.dialled(DEFAULT, f"+{digits}{dtmf}") == Dialled(f"+{digits}", dtmf)
    assert e164.priced(DEFAULT, f"{digits}{dtmf}") == f"+{digits}"


@pytest.mark.rule("R496")
@each("dtmf", ["," + "1" * 25, "#12a", ",+1", ", 1", ",\u0661"])
def test_a_dtmf_part_that_is_long_or_holds_anything_else_is_refused(dtmf):
    """25 characters are taken, the separator among them, 26 are not; quotes ignore it, or hold it to the same."""
    assert e164.tones("," + "1" * 24) == "," + "1" * 24
    assert refused(e164.dialled, DEFAULT, f"+1555{dtmf}") is Reason.DTMF_MALFORMED
    assert refused(e164.priced, asking(quote__long_dtmf="held"), f"+1555{dtmf}") is Reason.DTMF_MALFORMED
    assert e164.priced(DEFAULT, f"+1555{dtmf}") == "+1555"


def test_the_dtmf_part_can_begin_after_fifteen_digits():
    """By profile the sixteenth digit is the first of the DTMF part; else there is no such number."""
    text = "+155512341234567890"
    assert refused(e164.dialled, DEFAULT, text) is Reason.NUMBER_MALFORMED
    context = asking(dial__dtmf_begins="fifteenth-digit")
    assert e164.dialled(context, text) == Dialled("+155512341234567", "890")
    assert e164.dialled(context, "+1555,12") == Dialled("+1555", ",12")
    assert e164.extracted(context, "+1 555 1234 1234 567 890") == Dialled("+155512341234567", "890")


@pytest.mark.rule("R498")
@given(DIGITS, DTMF, st.data())
def test_punctuation_makes_no_difference(digits, dtmf, data):
    """However the characters of a number are spaced and bracketed, the number that is extracted is the same."""
    written = "".join(data.draw(PUNCTUATION) + char for char in f"+{digits}{dtmf}") + data.draw(PUNCTUATION)
    assert e164.extracted(DEFAULT, written) == Dialled(f"+{digits}", dtmf)


@pytest.mark.rule("R498")
@each(
    "written, number, dtmf",
    [
        ("1-800-FLOWERS", "+18003569377", ""),
        ("tel:+1 (800) 356-9377", "+18003569377", ""),
        ("tel 1 (800) 356-9377", "+83518003569377", ""),
        ("1 800 flowers ,, 12 #", "+18003569377", ",,12#"),
        ("#: (1) 555 0100", "+15550100", ""),
        ("+49 (30) 123,,(4) 5*", "+4930123", ",,45*"),
        ("\uff0b\uff11 555", "+1555", ""),
    ],
)  # fmt: skip
def test_letters_are_those_of_the_keypad(written, number, dtmf):
    """Letters become digits, also those of words around the number, unless a plus begins it."""
    assert e164.extracted(DEFAULT, written) == Dialled(number, dtmf)


def test_letters_can_be_dropped():
    """By profile words around a number do no harm, and keypad words are lost."""
    context = asking(dial__letters="dropped")
    assert e164.extracted(context, "tel: 1 (800) 356-9377 x").number == "+18003569377"
    assert refused(e164.extracted, context, "FLOWERS") is Reason.NUMBER_MALFORMED


@each("written", ["", "()", "??", "0049 30", "#*,", "1" * 16])
def test_where_no_number_is_to_be_found_the_input_is_refused(written):
    """Nothing dialable, or no E.164 number: no country is guessed."""
    assert refused(e164.extracted, DEFAULT, written) is Reason.NUMBER_MALFORMED


@pytest.mark.rule("R496", "R498")
def test_a_refusal_of_what_is_written_names_what_is_wrong_with_it():
    """The number as it was written where none is found; too long a DTMF part behind a sound one has its own reason."""
    assert refused(e164.extracted, DEFAULT, "+1 202 555 0147," + "1" * 25) is Reason.DTMF_MALFORMED
    assert refused(e164.extracted, DEFAULT, "+12025550147," + "1" * 25) is Reason.DTMF_MALFORMED
    with pytest.raises(Refusal) as caught:
        e164.extracted(DEFAULT, "0049 (30) 12")
    assert (caught.value.reason, caught.value.facts["number"]) == (Reason.NUMBER_MALFORMED, "0049 (30) 12")


@given(st.text(max_size=60))
def test_any_text_is_a_number_or_refused(text):
    """Extraction answers a number in the canonical form with a sound DTMF part, or refuses."""
    try:
        found = e164.extracted(DEFAULT, text)
    except Refusal:
        return
    assert e164.dialled(DEFAULT, found.number + found.dtmf) == found


@each(
    "number, country",
    [
        ("+12025550123", "US"),
        ("+15550100123", "US"),
        ("+14165550123", "CA"),
        ("+442079460123", "GB"),
        ("+4930123456", "DE"),
        ("+80012345678", None),
        ("+999123456", None),
        ("+1", None),
    ],
)
def test_numbers_have_a_country_or_none(number, country):
    """The country by the number's range, the main one of its zone when the range is not in use, none beyond."""
    assert e164.country(number) == country


def test_countries_have_names_and_dialling_codes():
    """The name in English, the dialling code; what is no country has none."""
    assert [e164.country_name(code) for code in ("DE", "GB", "XX")] == ["Germany", "United Kingdom", "XX"]
    assert [e164.dialling_code(code) for code in ("DE", "US", "XX")] == ["49", "1", ""]


def test_numbers_are_shown_with_the_plus_or_without():
    """The plus stands in answers, unless a profile says digits."""
    assert e164.shown(DEFAULT, "+1555") == "+1555"
    assert e164.shown(asking(numbers__form="digits"), "+1555") == "1555"


@pytest.mark.parametrize("text", ["x" * 50, "," + "1" * 49])
def test_of_long_tones_the_beginning_is_shown(text):
    """Their first 40 characters."""
    with pytest.raises(Refusal) as caught:
        e164.tones(text)
    assert caught.value.facts["dtmf"] == text[:40]
