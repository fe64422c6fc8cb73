"""Decoding of parameters and bodies: values, or a refusal that names the problem and its place."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, strategies as st

from confsim.assumptions.protocol.refusals import Reason
from confsim.assumptions.register import ProfileContext
from confsim.contract.decode import Body, QueryParameter
from confsim.contract.query import decode_query
from confsim.contract.text_values import split_list, text_reader
from confsim.contract.types import ImageSize, Int, Limit, Long, Name, Ttl, Url, Wire
from confsim.kernel.refusal import Refusal
from kit.each import each


def asked(**profile: object) -> ProfileContext:
    """A profile, and the ids of the entries used."""
    return ProfileContext(profile)


CONTEXT = asked()


class Thing(Wire):
    """A body for the tests."""

    name: Name
    count: Int | None = None
    long: Long | None = None
    url: Url | None = None
    flag: bool | None = None


BODY = Body(Thing)


def _refused(type_: Any, text: str) -> str:
    with pytest.raises(Refusal) as caught:
        text_reader(type_)(CONTEXT, "query it", text)
    assert caught.value.reason is Reason.INVALID_INPUT
    assert caught.value.facts["where"] == "query it"
    return str(caught.value.facts["problem"])


@given(st.integers(-(2**63), 2**63 - 1))
def test_integers_are_read_from_texts(number: int) -> None:
    """The text of every 64-bit number is that number."""
    assert text_reader(int)(CONTEXT, "query it", str(number)) == number


@each(
    "text",
    ["", "x", "1.0", "1e3", "+1", " 1", "0x1", "\u0661", "9223372036854775808", "-9223372036854775809", "9" * 5000],
)
def test_other_texts_are_no_integers(text: str) -> None:
    """Fractions, signs, spaces, other digits, and numbers that do not fit 64 bits."""
    assert _refused(int, text)


def test_a_limit_is_not_negative() -> None:
    """Zero is accepted, minus one refused (G081)."""
    assert text_reader(Limit)(CONTEXT, "query it", "0") == 0
    assert "less than 0" in _refused(Limit, "-1")


@pytest.mark.parametrize(("text", "value"), [("true", True), ("1", True), ("false", False), ("0", False)])
def test_booleans_have_four_spellings(text: str, value: bool) -> None:
    """The spellings of G054."""
    assert text_reader(bool)(CONTEXT, "query it", text) is value


@each("text", ["True", "FALSE", "yes", "", "2"])
def test_other_spellings_of_booleans_are_refused(text: str) -> None:
    """Also str(True), as a careless Python client sends it."""
    assert _refused(bool, text)


def test_a_profile_sets_the_spellings_of_booleans() -> None:
    """The spellings are an assumption."""
    context = asked(**{"parse.booleans": {"ja": True}})
    assert text_reader(bool)(context, "query it", "ja") is True
    assert "parse.booleans" in context.used


@each(
    "text, span",
    [
        ("1s", 1000),
        ("1m", 60_000),
        ("2h", 7_200_000),
        ("1d", 86_400_000),
        ("1w", 604_800_000),
        ("1.5h", 5_400_000),
        ("0.25m", 15_000),
        ("1.000000001w", 604_800_000),
        ("0.0019s", 1),
    ],
)
def test_a_time_to_live_is_a_number_and_a_unit(text: str, span: int) -> None:
    """m is minutes, d is days; a number may have a fraction."""
    assert text_reader(Ttl)(CONTEXT, "query ttl", text) == span


def test_a_profile_takes_whole_times_alone() -> None:
    """Then a fraction is refused, and a whole number is not (G126)."""
    whole = asked(**{"parse.ttl-number": "whole"})
    assert text_reader(Ttl)(whole, "query ttl", "2h") == 7_200_000
    with pytest.raises(Refusal, match="no whole number"):
        text_reader(Ttl)(whole, "query ttl", "1.5h")


@each(
    "text",
    [
        "5",
        "m",
        "1.m",
        ".5m",
        "1,5m",
        "0.0m",
        "0.0001s",
        "1.5.1m",
        "1e3s",
        "-1m",
        "1 m",
        "1M",
        "1y",
        "0m",
        "1m1s",
        "",
        "9" * 13 + "d",
    ],
)
def test_other_texts_are_no_time_to_live(text: str) -> None:
    """No unit, a sign, half a fraction, a space, less than a millisecond, too long (G126, G127)."""
    assert _refused(Ttl, text)


def test_only_the_listed_sizes_are_sizes() -> None:
    """small is a size, Small is not (G102, G053)."""
    assert text_reader(ImageSize)(CONTEXT, "query it", "small") is ImageSize.SMALL
    assert "none of small" in _refused(ImageSize, "Small")


def test_lists_are_comma_separated() -> None:
    """Items are trimmed and empty ones left out (G055, G075)."""
    assert split_list(CONTEXT, "query it", " 1, 2,,3, ") == ["1", "2", "3"]
    assert text_reader(list[int])(CONTEXT, "query it", "1, 2,") == [1, 2]


@given(st.dictionaries(st.text(min_size=1), st.text(), max_size=4))
def test_query_values_are_decoded(values: dict[str, str]) -> None:
    """Decoding gives back what a client encoded."""
    from urllib.parse import urlencode

    encodable = {name: value for name, value in values.items() if name.isprintable() and value.isprintable()}
    assert decode_query(CONTEXT, urlencode(encodable)) == encodable


def test_a_plus_is_a_space_and_the_first_value_of_a_name_counts() -> None:
    """Form decoding (G056) and one rule for repeated names (G050)."""
    assert decode_query(CONTEXT, "name=A+B%2BC&name=other&empty=") == {"name": "A B+C", "empty": ""}


@pytest.mark.parametrize("query", ["a=%ZZ", "a=%", "a=%FF", "%C3=1"])
def test_broken_escapes_are_refused(query: str) -> None:
    """They become neither a replacement character nor literal text (G057)."""
    with pytest.raises(Refusal) as caught:
        decode_query(CONTEXT, query)
    assert caught.value.reason is Reason.INVALID_INPUT


def test_an_optional_field_may_be_left_out_or_null() -> None:
    """Both mean that it is absent (G071)."""
    assert (
        BODY.read(CONTEXT, b'{"name": "n"}') == BODY.read(CONTEXT, b'{"name": "n", "count": null}') == Thing(name="n")
    )


@pytest.mark.rule("R016", "R017")
@each(
    "body, where",
    [
        (b"{}", "body"),
        (b'{"name": 1}', "body name"),
        (b'{"name": null}', "body name"),
        (b'{"name": ""}', "body name"),
        (b'{"name": " "}', "body name"),
        (b'{"name": "a\\u0000b"}', "body name"),
        (b'{"name": "n", "count": "5"}', "body count"),
        (b'{"name": "n", "count": 1.5}', "body count"),
        (b'{"name": "n", "count": true}', "body count"),
        (b'{"name": "n", "count": 2147483648}', "body count"),
        (b'{"name": "n", "long": 9223372036854775808}', "body long"),
        (b'{"name": "n", "flag": 1}', "body flag"),
        (b'{"name": "n", "url": "/path"}', "body url"),
        (b'{"name": "n", "url": "ftp://host/"}', "body url"),
        (b"[]", "body"),
        (b'"n"', "body"),
        (b"null", "body"),
    ],
)
def test_a_wrong_field_is_named(body: bytes, where: str) -> None:
    """The refusal names the place of a field that is missing, blank, out of range or of another type."""
    with pytest.raises(Refusal) as caught:
        BODY.read(CONTEXT, body)
    assert caught.value.reason is Reason.INVALID_INPUT
    assert caught.value.facts["where"] == where


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b'{"name": "n"} x',
        b'{"name": NaN}',
        b'{"name": "\xff"}',
        b'{"name": "\\ud800"}',
        b"\xef\xbb\xbf{}",
        b"[" * 100_000,
        b'{"name": "n", "more": ' + b"[" * 100_000,
        b'{"name": "n", "more": Infinity}',
    ],
    ids=range(10),
)
def test_malformed_json_is_refused(body: bytes) -> None:
    """Empty, truncated, followed by more, not UTF-8, half a surrogate pair, nested too deeply."""
    with pytest.raises(Refusal) as caught:
        BODY.read(CONTEXT, body)
    assert caught.value.reason is Reason.BODY_MALFORMED


def test_a_number_of_five_thousand_digits_is_refused() -> None:
    """The refusal names the field."""
    with pytest.raises(Refusal) as caught:
        BODY.read(CONTEXT, b'{"name": "n", "count": ' + b"9" * 5000 + b"}")
    assert caught.value.facts == {"where": "body count", "problem": "Integer value out of range"}


@pytest.mark.parametrize(
    ("body", "where"),
    [
        (b'{"a": ' + b"9" * 5000 + b"}", "body a"),
        (b'[1, {"b": [0, 1e999]}]', "body [1].b[1]"),
        (b'{"a": {"b.c": -' + b"1" * 5000 + b', "d": 1}}', "body a.b.c"),
    ],
    ids=["digits", "exponent", "negative"],
)
def test_a_number_that_no_type_holds_is_found_in_any_json(body: bytes, where: str) -> None:
    """At any depth."""
    with pytest.raises(Refusal) as caught:
        Body(Any).read(CONTEXT, body)
    assert caught.value.facts["where"] == where


def test_a_number_with_too_many_digits() -> None:
    """The problem is its length, not its form."""
    with pytest.raises(Refusal) as caught:
        text_reader(int)(CONTEXT, "path limit", "9" * 5000)
    assert caught.value.facts["problem"] == f"{'9' * 40!r} is too long a number"


def test_json_has_one_type_of_number() -> None:
    """5.0 is the whole number 5 (G069)."""
    assert BODY.read(CONTEXT, b'{"name": "n", "count": 5.0}') == Thing(name="n", count=5)


def test_a_profile_accepts_the_last_of_a_repeated_key() -> None:
    """The alternative of G065."""
    assert BODY.read(asked(**{"parse.duplicate-keys": "last"}), b'{"name": "a", "name": "n"}') == Thing(name="n")


def test_unknown_fields_are_ignored_or_refused() -> None:
    """Ignored by default (G070); a profile refuses them, with their name."""
    assert BODY.read(CONTEXT, b'{"name": "n", "nickname": "x"}') == Thing(name="n")
    with pytest.raises(Refusal) as caught:
        BODY.read(asked(**{"parse.unknown-fields": "refuse"}), b'{"name": "n", "nickname": "x"}')
    assert caught.value.facts["where"] == "body nickname"


def test_lengths_are_assumptions_that_a_profile_sets() -> None:
    """A shorter limit refuses a text that the default accepts; a limit is noted whenever a text is held against it."""
    context, strict = asked(), asked(**{"size.name": 2})
    assert BODY.read(context, b'{"name": "abc"}').name == "abc"
    assert "size.name" in context.used
    with pytest.raises(Refusal):
        BODY.read(strict, b'{"name": "abc"}')
    assert "size.name" in strict.used


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), lambda more: st.lists(more, max_size=3)))
def test_no_body_crashes(value: object) -> None:
    """Any JSON gives a value or a refusal."""
    with suppress(Refusal):
        assert BODY.read(CONTEXT, json.dumps(value).encode()).name


@given(st.binary(max_size=60))
def test_no_bytes_crash(raw: bytes) -> None:
    """Bytes that are no JSON are refused."""
    with pytest.raises(Refusal):
        BODY.read(CONTEXT, raw)


def test_a_parameter_with_a_default_may_be_left_out() -> None:
    """The call then has the default of the signature."""
    parameter = QueryParameter("from_", int | None, None)
    assert (parameter.name, parameter.keyword, parameter.required, parameter.default) == ("from", "from_", False, None)
