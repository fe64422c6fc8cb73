"""Places of repeated keys and of too large numbers, against walks of a plain model."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, strategies as st

from confsim.contract.json_places import oversized_number, repeated_key

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.sampled_from(["", "a", '":', "b\\"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=8,
)


@given(VALUES)
def test_nothing_is_found_where_nothing_is_wrong(value):
    """Texts may look like the ends of keys."""
    raw = json.dumps(value).encode()
    assert repeated_key(raw) is None
    assert oversized_number(raw) is None


@pytest.mark.parametrize(
    ("raw", "place"),
    [
        (b'{"a":1,"a":2}', "a"),
        (b'{"a":1,"b":{"c":1,"c":2}}', "b.c"),
        (b'{"a":[0,{"b":1 , "b" :2}]}', "a[1].b"),
        (b'[{"x":1},{"x":1,"x":1}]', "[1].x"),
        (b'{"a":1,"b":2,"b":3,"b":4}', "b"),
        (b'{"a":{"b":1},"b":1}', None),
        (b'{"a":"\\":","b":"\\":"}', None),
        (b'{"a":1,"a":2', None),
        (b"\xff", None),
        (b"[" * 100_000, None),
    ],
)
def test_a_repeated_key_is_found_at_any_depth(raw, place):
    """By its path; malformed JSON has none."""
    assert repeated_key(raw) == place


BIG = "1" + "0" * 4300


@pytest.mark.parametrize(
    ("raw", "place"),
    [
        (f'{{"a":{BIG}}}', "a"),
        (f'{{"a":[0,{{"b":{BIG}}}]}}', "a[1].b"),
        (f'{{"a":{BIG[1:]}}}', None),
        ('{"a":1e309}', "a"),
        ('{"a":-1e309}', "a"),
        ('{"a":1e308}', None),
        (BIG, ""),
        (f'{{"a":{BIG}', None),
        ("[" * 100_000, None),
    ],
)
def test_a_number_too_large_is_found_at_any_depth(raw, place):
    """An integer of more digits than Python converts, a decimal beyond the largest; malformed JSON has none."""
    assert oversized_number(raw.encode()) == place
