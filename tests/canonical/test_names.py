"""Names of two runs that stand for each other."""

from __future__ import annotations

from confsim.canonical.names import SameNames

A, B, C, D = (f"{digit * 8}-aaaa-4aaa-8aaa-{digit * 12}" for digit in "1234")


def test_values_are_alike_up_to_names():
    """Values with other ids in the same places are alike, and the ids are learned."""
    names = SameNames()
    assert names.alike({"id": A, "name": "Room", "text": f"see {B}!"}, {"id": C, "name": "Room", "text": f"see {D}!"})
    assert names.translated(f"/channels/{A}/sessions/{B}") == f"/channels/{C}/sessions/{D}"
    assert names.translated("/channels/other") == "/channels/other"


def test_text_that_is_drawn_is_alike():
    """The drawn part of a URL differs between two runs of the same calls."""
    assert SameNames().alike({"urlName": "abc"}, {"urlName": "xyz"})
    assert not SameNames().alike({"urlName": "abc"}, {"urlName": None})


def test_other_values_are_not_alike():
    """A text, a type, a length or a field that differs tells values apart, and nothing is learned from them."""
    names = SameNames()
    for one, other in (
        ({"id": A, "name": "Room"}, {"id": C, "name": "Other"}),
        ([A], [C, D]),
        ({"id": A}, {"id": C, "more": 1}),
        (1, True),
        (f"{A} is gone", f"{C} is here"),
    ):
        assert not names.alike(one, other)
    assert names.translated(A) == A


def test_a_name_that_was_the_same_stays_the_same():
    """Two known ids in another order are another answer."""
    names = SameNames()
    names.keep(f'["{A}", "{B}"]')
    assert names.alike([A, B], [A, B])
    assert not names.alike([A, B], [B, A])
    assert not names.alike([C], [A])


def test_a_name_stands_for_one_other_name():
    """Two ids of one run cannot stand for one id of the other, nor one id for two."""
    names = SameNames()
    assert not names.alike([A, A], [C, D])
    assert not names.alike([A, B], [C, C])
    assert names.alike([A], [C])
    assert not names.alike([A], [D])
    assert not names.alike([B], [C])
    assert names.alike([A, B], [C, D])
