"""Persistent maps against plain dicts, on both sides of the size at which one becomes a trie."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from confsim.kernel.maps import FEW, inserted, joined, map_of, removed

KEYS = st.integers(0, FEW + 8)


@given(st.integers(0, FEW + 4), st.lists(st.tuples(KEYS, st.booleans()), max_size=60))
def test_map_reads_as_dict_of_same_writes(size: int, writes: list[tuple[int, bool]]) -> None:
    """After any writes a map reads as the dict of the same writes, and so does every earlier value of it."""
    plain = {key: str(key) for key in range(size)}
    entries = map_of({**plain})
    stored = []
    for number, (key, puts) in enumerate(writes):
        stored.append((entries, plain))
        plain = {**plain}
        if puts:
            plain[key] = f"{key} {number}"
            entries = inserted(entries, key, f"{key} {number}")
        elif key in plain:
            del plain[key]
            entries = removed(entries, key)
        else:
            with pytest.raises(KeyError):
                removed(entries, key)
    for found, expected in [*stored, (entries, plain)]:
        assert len(found) == len(expected)
        assert dict(found.items()) == expected
        assert {*found} == {*expected}
        assert all((key in found, found.get(key)) == (key in expected, expected.get(key)) for key in range(FEW + 8))


def test_only_large_map_is_trie() -> None:
    """A map becomes a trie with one entry more than a dict holds, and remains one."""
    entries = map_of(dict.fromkeys(range(FEW), 0))
    assert type(entries) is dict
    assert type(inserted(entries, 0, 1)) is dict
    more = inserted(entries, FEW, 1)
    assert type(more) is type(map_of(dict.fromkeys(range(FEW + 1), 0))) is not dict
    assert type(removed(more, 0)) is type(more)


@pytest.mark.parametrize(("one", "other"), [(0, 3), (FEW, 2), (2, FEW), (FEW + 5, FEW + 1)])
def test_joined_maps_have_entries_of_both(one: int, other: int) -> None:
    """Two maps without a common key are joined, whichever is larger."""
    first, second = ({f"{name} {key}": key for key in range(size)} for name, size in (("a", one), ("b", other)))
    assert dict(joined(map_of({**first}), map_of({**second})).items()) == first | second
