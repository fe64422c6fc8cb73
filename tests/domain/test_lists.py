from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from confsim.assumptions.protocol import conventions
from confsim.assumptions.register import ProfileContext
from confsim.domain import lists
from confsim.kernel.world import World


def _asker(entry=None, choice: str = ""):
    return World().change(0, ProfileContext({entry.id: choice} if entry else {}))


@pytest.mark.parametrize(
    ("choice", "found"),
    [
        ("anywhere", ["Ann Lee", "lee", "Cleese", "x lee"]),
        ("beginning", ["lee"]),
        ("word", ["Ann Lee", "lee", "x lee"]),
    ],
)
def test_where_a_search_matches(choice: str, found: list[str]):
    """A search matches anywhere in a text, at its beginning or at that of a word, always without case."""
    context = _asker(conventions.SEARCH, choice)
    assert [
        text for text in ("Ann Lee", "lee", "Cleese", "x lee", "le e") if lists.matches(context, "LEE", text)
    ] == found


@pytest.mark.parametrize("choice", ["anywhere", "beginning", "word"])
@pytest.mark.parametrize("wanted", [".*", "%", "_", "?", "["])
def test_a_search_knows_no_wildcards(choice: str, wanted: str):
    """What looks like a wildcard matches itself alone."""
    assert not lists.matches(_asker(conventions.SEARCH, choice), wanted, "Ann")


def test_a_search_matches_any_of_the_texts():
    """One text that matches is enough, and a text that is absent never matches."""
    assert lists.matches(_asker(), "b", None, "abc")
    assert not lists.matches(_asker(), "b", None, "acd")


@given(st.lists(st.tuples(st.integers(0, 3), st.integers()), unique_by=lambda pair: pair[1]))
def test_descending_is_ascending_backwards(pairs: list[tuple[int, int]]):
    """With ties in the direction of the column, one order is the exact reverse of the other."""
    up, down = (
        lists.ordered(_asker(), pairs, lambda pair: pair[0], descending=descending) for descending in (False, True)
    )
    assert down == up[::-1]


def test_ties_may_stand_oldest_first_in_both_directions():
    """Where a profile says so, elements that are equal keep the order of creation."""
    context = _asker(conventions.TIES, "oldest-first")
    assert lists.ordered(context, ["b1", "a1", "b2"], lambda text: text[0], descending=True) == ["b1", "b2", "a1"]


@pytest.mark.parametrize(("choice", "order"), [("caseless", ["A", "b", "C"]), ("binary", ["A", "C", "b"])])
def test_how_texts_are_compared(choice: str, order: list[str]):
    """Texts stand in order without case, or by code point."""
    context = _asker(conventions.TEXT_ORDER, choice)
    assert (
        lists.ordered(context, ["b", "C", "A"], lambda text: lists.text_key(context, text), descending=False) == order
    )


def test_what_records_refer_to_is_found_when_it_is_asked_for():
    """One by its place, a page by a slice, from either end; nothing else is looked at."""
    looked = []

    def get(text):
        looked.append(text)
        return text.upper()

    found = lists.MappedSequence(["a", "b", "c", "d"], get)
    assert (len(found), found[1], found[-1], found[1:3], looked) == (4, "B", "D", ["B", "C"], ["b", "d", "b", "c"])
    assert list(reversed(found)) == ["D", "C", "B", "A"]
