"""Texts of parameters to values: each reader at its limits, under the default and under every alternative."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

import pytest
from msgspec import Meta

from confsim.assumptions.protocol import sizes
from confsim.assumptions.protocol.refusals import Reason
from confsim.assumptions.register import ProfileContext
from confsim.contract.text_values import integer, percent_decoded, split_list, text_check, text_reader, url_problem
from confsim.contract.types import AbsoluteUrl, AtMost, Int, Limit, Sized, Ttl
from confsim.kernel.refusal import Refusal


class Colour(Enum):
    """Words for the tests."""

    RED = "red"
    DARK_BLUE = "dark-blue"


def read(annotation, text, where="query x", **profile):
    """The value of a text, or what the refusal says."""
    context = ProfileContext({id.replace("__", ".").replace("_", "-"): value for id, value in profile.items()})
    return outcome(lambda: text_reader(annotation)(context, where, text))


def outcome(act):
    """What an act returns, or what its refusal says: the problem, or the reason and the facts."""
    try:
        return act()
    except Refusal as refusal:
        if refusal.reason is Reason.INVALID_INPUT:
            return f"{refusal.facts['where']}: {refusal.facts['problem']}"
        return refusal.reason.name, dict(refusal.facts)


#: What a host is, in refusals.
_HOST = (
    "a name such as hooks.example, its parts of 1 to 63 letters, digits, '-' or '_' and without '-' at an end; "
    "or an IP address without a zone"
)
NAT = Annotated[int, Meta(ge=0)]
FEW = Annotated[list[int], AtMost(sizes.USER_IDS, "ids")]
MOST = 2**63 - 1


@pytest.mark.parametrize(
    ("type_", "text", "expected"),
    [
        (int, "0", 0),
        (int, "-7", -7),
        (int, "007", 7),
        (int, str(MOST), MOST),
        (int, str(-MOST - 1), -MOST - 1),
        (int, str(MOST + 1), f"query x: {MOST + 1} does not fit 64 bits"),
        (int, str(-MOST - 2), f"query x: {-MOST - 2} does not fit 64 bits"),
        (int, "1" * 20, f"query x: '{'1' * 20}' is too long a number"),
        (int, "-" + "1" * 20, f"query x: '-{'1' * 20}' is too long a number"),
        (int, "1" * 50, f"query x: '{'1' * 40}' is too long a number"),
        (int, "x" * 20, f"query x: '{'x' * 20}' is not a whole number"),
        (int, "\u0661" * 20, f"query x: {chr(0x661) * 20!r} is not a whole number"),
        (int, "", "query x: '' is not a whole number"),
        (int, "1\n", "query x: '1\\n' is not a whole number"),
        (int, "+1", "query x: '+1' is not a whole number"),
        (NAT, "0", 0),
        (NAT, "-1", "query x: -1 is less than 0"),
        (NAT, str(MOST), MOST),
        (Int, str(2**31 - 1), 2**31 - 1),
        (Int, str(2**31), f"query x: {2**31} does not fit 32 bits"),
        (Int, str(-(2**31) - 1), f"query x: {-(2**31) - 1} is less than {-(2**31)}"),
        (Annotated[int, Meta(le=5)], "6", "query x: 6 is beyond 5"),
        (Limit, str(MOST), MOST),
        (FEW, "1," * 200, [1] * 200),
        (FEW, "1," * 201, "query x: it has more than 200 ids"),
        (bool, "true", True),
        (bool, "0", False),
        (bool, "TRUE", "query x: 'TRUE' is none of true, false, 1, 0"),
        (list[int], "1, 2,,3", [1, 2, 3]),
        (list[int], "", []),
        (list[int], "1,b", "query x: 'b' is not a whole number"),
        (Colour, "dark-blue", Colour.DARK_BLUE),
        (Colour, "RED", "query x: 'RED' is none of red, dark-blue"),
        (Ttl, "90s", 90_000),
        (Ttl, "1m", 60_000),
        (Ttl, "2h", 7_200_000),
        (Ttl, "1d", 86_400_000),
        (Ttl, "1w", 604_800_000),
        (Ttl, "1", "query x: '1' is no number followed by one of s, m, h, d, w"),
        (Ttl, "1y", "query x: '1y' is no number followed by one of s, m, h, d, w"),
        (Ttl, "0s", "query x: a time to live of zero"),
        (Ttl, "999999999999w", "query x: 999999999999w is too long a time"),
        (str, "any", "any"),
    ],
)
def test_values_by_default(type_, text, expected):
    """Numbers, words, lists, times to live."""
    assert read(type_, text) == expected


@pytest.mark.parametrize(
    ("type_", "text", "profile", "expected"),
    [
        (int, "2147483648", {"size__whole_number": 2147483647}, "query x: 2147483648 is beyond 2147483647"),
        (int, "2147483647", {"size__whole_number": 2147483647}, 2147483647),
        (Limit, "7", {"size__page_most": 7, "parse__limit_large": "refuse"}, 7),
        (Limit, "8", {"size__page_most": 7, "parse__limit_large": "refuse"}, "query x: it is more than 7"),
        (FEW, "1,2,3", {"size__user_ids": 2}, "query x: it has more than 2 ids"),
        (int, "-2147483648", {"size__whole_number": 2147483647}, -2147483648),
        (int, "-2147483649", {"size__whole_number": 2147483647}, "query x: -2147483649 is beyond 2147483647"),
        (Colour, "RED", {"parse__state_case": "ignore"}, Colour.RED),
        (Colour, "blue", {"parse__state_case": "ignore"}, "query x: 'blue' is none of red, dark-blue"),
        (list[int], "1,,2", {"parse__empty_items": "refuse"}, "query x: an item of the list is empty"),
        (list[int], "", {"parse__empty_items": "refuse"}, []),
        (list[int], "1;2", {"parse__list_separator": ";"}, [1, 2]),
        (Ttl, "1.5m", {"parse__ttl_number": "fraction"}, 90_000),
        (Ttl, "0.25s", {"parse__ttl_number": "fraction"}, 250),
        (Ttl, "1.5m", {"parse__ttl_number": "whole"}, "query x: '1.5m' has no whole number"),
    ],
)
def test_values_by_choice(type_, text, profile, expected):
    """What a profile lets pass, and what it stops."""
    assert read(type_, text, **profile) == expected


def test_what_is_no_value_in_a_path():
    """A word that is none of the state has a refusal of its own; a number may be a thing that is not there."""
    expected = {"given": "green", "expected": "red, dark-blue"}
    assert read(Colour, "green", "path state") == ("INVALID_STATE", expected)
    assert read(int, "x", "path userId") == "path userId: 'x' is not a whole number"
    missing = ("NOT_FOUND", {"what": "userId", "id": "x" * 40})
    assert read(int, "x" * 50, "path userId", parse__path_numbers="404") == missing
    assert read(int, "x", "query user", parse__path_numbers="404") == "query user: 'x' is not a whole number"


def test_a_type_that_no_parameter_can_have():
    """It is an error of the declaration."""
    with pytest.raises(TypeError, match="no parameter can be of type"):
        text_reader(dict)


def test_the_problem_of_a_number_can_be_said_otherwise():
    """As by anyone who reads a number of its own kind."""
    assert outcome(lambda: integer(ProfileContext({}), "query x", "y", "odd")) == "query x: 'y' is odd"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a%20b", "a b"),
        ("%C3%A9", "é"),
        ("100%", "query x: a percent sign without two hexadecimal digits"),
        ("%zz", "query x: a percent sign without two hexadecimal digits"),
        ("%2", "query x: a percent sign without two hexadecimal digits"),
        ("%ff", "query x: the bytes are not UTF-8"),
    ],
)
def test_percent_encoding(text, expected):
    """What is broken is refused, unless a profile lets it stand for a replacement."""
    assert outcome(lambda: percent_decoded(text, "query x")) == expected
    assert outcome(lambda: percent_decoded(text, "query x", ProfileContext({}))) == expected
    replaced = percent_decoded(text, "query x", ProfileContext({"parse.broken-escapes": "replace"}))
    assert replaced == (expected if "query" not in expected else {"%ff": "\ufffd"}.get(text, text))


def test_items_are_trimmed():
    """Empty ones are left out."""
    assert split_list(ProfileContext({}), "query x", " a ,, b c,") == ["a", "b c"]


NAME = Sized(sizes.NAME)
URL = AbsoluteUrl(sizes.URL)


def checked(sized, text, **profile):
    """What the check of a text says; empty when it says nothing."""
    chosen = {id.replace("__", ".").replace("_", "-"): value for id, value in profile.items()}
    return outcome(lambda: text_check(sized)(ProfileContext(chosen), "body name", text)) or ""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a", ""),
        ("x" * 255, ""),
        ("x" * 256, "body name: it is longer than 255 characters"),
        ("", "body name: it is blank"),
        (" \u00a0", "body name: it is blank"),
        ("a\tb", "body name: control characters are not allowed"),
        ("a\x7f", "body name: control characters are not allowed"),
        ("a\x1f", "body name: control characters are not allowed"),
        ("a\x80 b", ""),
    ],
)
def test_a_text_has_limits(text, expected):
    """Its length, by default 255 characters; not blank; without control characters."""
    assert checked(NAME, text) == expected


def test_limits_of_a_profile():
    """The length is an assumption; where blank is allowed, control characters still are not."""
    assert checked(NAME, "abc", size__name=2) == "body name: it is longer than 2 characters"
    maybe = Sized(sizes.NAME, allow_blank=True)
    assert checked(maybe, " ") == ""
    assert checked(maybe, "\n") == "body name: control characters are not allowed"


@pytest.mark.parametrize(
    ("url", "problem"),
    [
        ("https://a.example/x?y=1#z", ""),
        ("http://a", ""),
        ("https://a.example/" + "x" * 2030, ""),
        ("HTTPS://a", ""),
        *(
            (url, "an absolute http or https URL (expected e.g. https://hooks.example/path)")
            for url in ("ftp://a", "//a", "/x", "http:a")
        ),
        ("https://a b", "a valid URL: it has a space (expected %20)"),
        ("https://", "a valid URL: it has no host"),
        ("https:///x", "a valid URL: it has no host"),
        ("http://a:99999/", "a valid URL: the port '99999' is not a number from 1 to 65535"),
        ("http://me:1@a:0/", "a valid URL: the port '0' is not a number from 1 to 65535"),
        ("http://a:x/", "a valid URL: the port 'x' is not a number from 1 to 65535"),
        ("https://[", f"a valid URL: the host is not valid (expected {_HOST})"),
        *(
            (f"http://{host}/", f"a valid URL: the host {(shown or host)[:80]!r} is not valid (expected {_HOST})")
            for host, shown in (
                *(("a..b", ""), ("-bad-", ""), ("x" * 64, ""), ("\xfc" * 64, ""), (".".join(["x" * 63] * 4), "")),
                ("[::1%25lo]", "::1%25lo"),
            )
        ),
    ],
)
def test_a_url_is_absolute(url, problem):
    """Of http or https, with a valid host and port, without a space; the refusal says what is wrong with another."""
    assert url_problem(url) == problem
    assert checked(URL, url) == (problem and f"body name: {url[:80]!r} is not {problem}")


def test_a_url_has_a_length():
    """2048 characters by default, also where it need not be parsed."""
    longest = "https://a.example/" + "x" * 2030
    assert len(longest) == 2048
    for end in ("x", "?"):
        assert checked(URL, longest[:-1] + end) == ""
        assert checked(URL, longest + end) == "body name: it is longer than 2048 characters"
