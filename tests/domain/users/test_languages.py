from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from confsim.assumptions.register import ProfileContext, ask
from confsim.assumptions.users import users as assumed_languages, users as assumed_users
from confsim.assumptions.users.users import SUPPORTED_LANGUAGES
from confsim.domain.users import languages, users
from confsim.domain.users.languages import ISO_639_1
from confsim.domain.users.users import Account, User
from confsim.kernel.refusal import Refusal
from confsim.kernel.world import Change, World
from kit.each import each

WRONG = [
    "",
    "e",
    "EN",
    "En",
    "eng",
    "xx",
    "en-",
    "en-us",
    "en-USA",
    "en-U",
    "en_US",
    "zh-Hant",
    "en US",
    "-US",
    "en-US-x",
    "*",
    "en\n",
]


def _set(codes: list[str], profile: dict | None = None) -> tuple[str, ...]:
    change = World().change(0, ProfileContext(profile or {}))
    return languages.put(change, _ann(change), codes).languages


def _ann(change: Change) -> User:
    return users.create(change, "c", "Ann", Account.REGISTERED, languages=("de",))


def test_there_are_as_many_codes_as_iso_639_1_has():
    """The table of codes is the standard's, its withdrawn code for Bihari languages included."""
    assert len(ISO_639_1) == 184
    assert {"en", "de", "fr", "zh", "yi", "sr", "mt"} <= ISO_639_1
    assert not {"xx", "sh", "mo", "qq"} & ISO_639_1


@pytest.mark.rule("R198", "R200")
@given(st.lists(st.tuples(st.sampled_from(sorted(ISO_639_1)), st.sampled_from(["", "-US", "-CH", "-ZZ"])), unique=True))
def test_codes_replace_the_former_ones_in_their_order(pairs: list[tuple[str, str]]):
    """Any list of codes with optional regions is stored as it came, in place of what was there."""
    codes = [code + region for code, region in pairs]
    assert _set(codes) == tuple(codes)


@pytest.mark.rule("R199")
@each("code", WRONG)
def test_what_is_no_code_is_refused_with_all_the_rest(code: str):
    """One wrong code refuses the list."""
    with pytest.raises(Refusal, match="language_unknown"):
        _set(["en", code])


def test_a_repeated_code_counts_at_its_first_place():
    """Nothing is gained by naming a language twice."""
    assert _set(["en", "de", "en"]) == ("en", "de")


def test_a_profile_takes_underscores():
    """Where a profile says so, an underscore is read as the hyphen."""
    assert _set(["de_CH", "en-US"], {assumed_languages.LANGUAGE_CODES.id: "underscore"}) == ("de-CH", "en-US")


def test_a_profile_takes_supported_languages_alone():
    """Where a profile says so, only what the service supports is taken."""
    profile = {
        assumed_languages.LANGUAGE_CODES.id: "supported",
        assumed_languages.SUPPORTED_LANGUAGES.id: ("de", "de-CH"),
    }
    assert _set(["de-CH"], profile) == ("de-CH",)
    with pytest.raises(Refusal, match="language_unknown"):
        _set(["en"], profile)


def test_the_languages_supported_by_default_are_codes():
    """Whatever the service says it supports can be set."""
    supported = list(ask(World().change(0), SUPPORTED_LANGUAGES))
    assert _set(supported) == tuple(supported)


@pytest.mark.parametrize(
    ("codes", "header"),
    [
        ((), ""),
        (("de-CH",), "de-CH"),
        (("de-CH", "en", "fr"), "de-CH, en;q=0.9, fr;q=0.8"),
    ],
)
def test_the_header_weighs_the_codes_by_their_place(codes: tuple[str, ...], header: str):
    """The weights of an Accept-Language header fall by a tenth from code to code."""
    assert languages.header(World().change(0), codes) == header


def test_the_weights_end_at_a_tenth():
    """However many languages there are, every weight is one that HTTP allows and that asks for the language."""
    codes = tuple(sorted(ISO_639_1))[:15]
    weights = [float(part.partition(";q=")[2] or 1) for part in languages.header(World().change(0), codes).split(", ")]
    assert weights[0] == 1
    assert weights == sorted(weights, reverse=True)
    assert weights[-1] == 0.1


def test_the_header_may_go_without_weights():
    """Where a profile says so, the order alone decides."""
    change = World().change(0, ProfileContext({assumed_users.ACCEPT_LANGUAGE.id: "plain"}))
    assert languages.header(change, ("de", "en")) == "de, en"
