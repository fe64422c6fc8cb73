"""Durations as people write them."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given, strategies as st
from jsonschema_rs import Draft202012Validator

from confsim import Misuse
from confsim.values.spans import SCHEMA, span


@pytest.mark.parametrize(
    ("text", "milliseconds"),
    [
        ("15m", 900_000),
        ("1h 30m", 5_400_000),
        ("1h30m", 5_400_000),
        (" 2d ", 172_800_000),
        ("0.5s", 500),
        ("250ms", 250),
        ("1.001s", 1001),
        ("1w", 604_800_000),
        (90_000, 90_000),
        (0, 0),
        ("PT15M", 900_000),
        ("P1DT2H", 93_600_000),
        ("PT1.5S", 1500),
        ("P2W", 1_209_600_000),
        (timedelta(minutes=15), 900_000),
        (timedelta(microseconds=1500), 2),
    ],
)
def test_durations(text, milliseconds):
    """A number of milliseconds, numbers with units, ISO 8601, or a timedelta."""
    assert span(text) == milliseconds
    assert isinstance(text, timedelta) or Draft202012Validator(SCHEMA).is_valid(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "m",
        "15",
        "15 minutes",
        "1h-5m",
        "-5m",
        "\u0661m",
        -1,
        1.5,
        True,
        None,
        [],
        "m15",
        "P",
        "P1M",
        "PT",
        "-PT5M",
        "P1W2D",
    ],
)
def test_what_is_no_duration(text):
    """The error shows an example of what is accepted."""
    with pytest.raises(Misuse, match="15m"):
        span(text)


@given(st.lists(st.tuples(st.integers(0, 9999), st.sampled_from(["ms", "s", "m", "h", "d", "w"])), min_size=1))
def test_parts_of_a_duration_add_up(parts):
    """In any order and number."""
    assert span(" ".join(f"{number}{unit}" for number, unit in parts)) == sum(span(f"{n}{u}") for n, u in parts)


@pytest.mark.parametrize("value", [timedelta(seconds=-1), timedelta.min, timedelta.max])
def test_a_timedelta_out_of_bounds(value):
    """One below zero is no duration; the longest is one, whatever a clock then makes of it."""
    if value < timedelta():
        with pytest.raises(Misuse, match="not a valid duration"):
            span(value)
    else:
        assert span(value) == 86_400_000 * 10**9


@given(st.from_regex(SCHEMA["anyOf"][0]["pattern"], fullmatch=True))
def test_what_the_schema_describes_is_read(text):
    """Every text of its pattern is a duration."""
    assert span(text) >= 0
