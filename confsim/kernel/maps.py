"""Persistent maps: a small one is a dict that is copied for each write, a large one a trie of rpds.

Up to some tens of entries, copying a dict costs a fraction of a write to a trie, which compares keys in Python; beyond,
a write to a trie costs the same at any size, and the garbage collector does not traverse it. A map that has become a
trie remains one. With tries alone, calls that write take 7 to 47 % longer (benchmark ``operations``). Both have the
same interface for reading, and neither is changed in place.
"""

from collections.abc import Mapping
from typing import Any, TypeAlias, TypeVar

from rpds import HashTrieMap

K = TypeVar("K")
V = TypeVar("V")

Map: TypeAlias = Mapping[K, V]
#: Most entries of a dict: one more would double its memory.
FEW = 42


def map_of(entries: dict[K, V]) -> Map[K, V]:
    """Return a map of the entries of a dict, which must not be changed afterwards."""
    return entries if len(entries) <= FEW else _trie(entries)


def inserted(entries: Map[K, V], key: K, value: V) -> Map[K, V]:
    """Return the map with this value under the key."""
    if type(entries) is dict and (len(entries) < FEW or key in entries):
        copy = entries.copy()
        copy[key] = value
        return copy
    trie: Any = _trie(entries) if type(entries) is dict else entries
    found: Map[K, V] = trie.insert(key, value)
    return found


def removed(entries: Map[K, V], key: K) -> Map[K, V]:
    """Return the map without the key. Raises KeyError when it has none."""
    if type(entries) is dict:
        copy = entries.copy()
        del copy[key]
        return copy
    trie: Any = entries
    found: Map[K, V] = trie.remove(key)
    return found


def joined(one: Map[K, V], other: Map[K, V]) -> Map[K, V]:
    """Return the entries of two maps that have no key in common."""
    few, many = sorted((one, other), key=len)
    for key, value in few.items():
        many = inserted(many, key, value)
    return many


def _trie(entries: dict[K, V]) -> Map[K, V]:
    trie: Any = HashTrieMap(entries)
    found: Map[K, V] = trie
    return found
