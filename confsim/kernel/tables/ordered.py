"""Persistent sorted sequences of tuples: the order of a table and of its indexes, the queue of timers.

Up to ``WIDTH`` entries are a plain sorted tuple, more are an ``Ordered``: a B+ tree of such tuples. Both support len(),
indexing, slices and iteration in both directions. ``insert`` and ``remove`` return another sequence and leave the given
one unchanged. Own code: rpds has no ordered map, and sortedcontainers and ``heapq`` change in place.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator
from itertools import accumulate, chain
from operator import attrgetter
from typing import Any, TypeAlias, TypeVar, overload

from msgspec import Struct

#: Most entries of a leaf, and most children of a node. A node with fewer than a quarter is merged with its neighbour.
WIDTH = 64
FEW = WIDTH // 4

_LENGTH: Callable[[Any], int] = len
_SIZE: Callable[[Any], int] = attrgetter("size")
X = TypeVar("X")

#: A tuple that can be compared with every entry of its sequence and is equal to none.
Entry: TypeAlias = "tuple[Any, ...]"
Leaf: TypeAlias = "tuple[Entry, ...]"
Tree: TypeAlias = "Leaf | Node"
Entries: TypeAlias = "Leaf | Ordered"


class Node(Struct, frozen=True, gc=False):
    """An inner node: the number of entries below it, the first entry of each child, the children (of one height)."""

    size: int
    lows: tuple[Entry, ...]
    children: tuple[Tree, ...]


class Ordered(Struct, frozen=True, gc=False):
    """A tree, and a tail with the entries after those of the tree: at least one, at most ``WIDTH``.

    An entry at the end is appended to the tail, which is moved to the tree when it is full.
    """

    size: int
    tree: Tree
    tail: Leaf

    def __len__(self) -> int:
        return self.size

    @overload
    def __getitem__(self, place: int) -> Entry: ...
    @overload
    def __getitem__(self, place: slice) -> Leaf: ...
    def __getitem__(self, place: int | slice) -> Entry | Leaf:
        """Return the entry at an index, or those of a slice as a tuple; costs the depth of the tree and the length."""
        if not isinstance(place, slice):
            low = range(self.size)[place]
            return self._between(low, low + 1)[0]
        wanted = range(self.size)[place]
        if not wanted:
            return ()
        low, high = (wanted[0], wanted[-1]) if wanted.step > 0 else (wanted[-1], wanted[0])
        return self._between(low, high + 1)[:: wanted.step]

    def _between(self, low: int, high: int) -> Leaf:
        """Return the entries from index ``low`` to before ``high``."""
        start = self.size - len(self.tail)
        if low >= start:
            return self.tail[low - start : high - start]
        parts: list[Leaf] = []
        _gather(self.tree, low, min(high, start), parts)
        if high > start:
            parts.append(self.tail[: high - start])
        return parts[0] if len(parts) == 1 else tuple(chain.from_iterable(parts))

    def __iter__(self) -> Iterator[Entry]:
        return chain(chain.from_iterable(_leaves(self.tree)), self.tail)

    def __reversed__(self) -> Iterator[Entry]:
        return chain(reversed(self.tail), chain.from_iterable(map(reversed, _leaves_backwards(self.tree))))


def sequence(entries: Leaf) -> Entries:
    """Return the sequence of entries that are sorted already."""
    if len(entries) <= WIDTH:
        return entries
    cut = (len(entries) - 1) // WIDTH * WIDTH
    level: tuple[Tree, ...] = tuple(entries[at : at + WIDTH] for at in range(0, cut, WIDTH))
    while len(level) > 1:
        level = tuple(_node(level[at : at + WIDTH]) for at in range(0, len(level), WIDTH))
    return Ordered(len(entries), level[0], entries[cut:])


def insert(entries: Entries, entry: Entry) -> Entries:
    """Return the sequence with a new entry."""
    if isinstance(entries, tuple):
        entries = (*entries, entry) if not entries or entries[-1] < entry else _inserted(entries, entry)
        return entries if len(entries) <= WIDTH else sequence(entries)
    size, tree, tail = entries.size + 1, entries.tree, entries.tail
    if tail[-1] < entry:
        tail += (entry,)
    elif tail[0] < entry:
        tail = _inserted(tail, entry)
    else:
        return Ordered(size, _root(_insert(tree, entry)), tail)
    if len(tail) > WIDTH:
        tree, tail = _root(_append(tree, tail[:WIDTH])), tail[WIDTH:]
    return Ordered(size, tree, tail)


def remove(entries: Entries, entry: Entry) -> Entries:
    """Return the sequence without an entry. Raises ValueError when it has none."""
    if isinstance(entries, tuple):
        return _removed(entries, entry)
    size, tree, tail = entries.size - 1, entries.tree, entries.tail
    if entry < tail[0]:
        tree = _remove(tree, entry)
    else:
        tail = _removed(tail, entry)
        if not tail:
            tree, tail = _without_last(tree)
    while type(tree) is Node and len(tree.children) == 1:
        tree = tree.children[0]
    if size <= WIDTH // 2 or not tree:
        return (*chain.from_iterable(_leaves(tree)), *tail)
    return Ordered(size, tree, tail)


def position(entries: Entries, entry: Entry) -> int:
    """Return the number of entries before this one, which need not be in the sequence."""
    if isinstance(entries, tuple):
        return bisect_left(entries, entry)
    if not entry < entries.tail[0]:
        return entries.size - len(entries.tail) + bisect_left(entries.tail, entry)
    before, tree = 0, entries.tree
    while not isinstance(tree, tuple):
        at = max(bisect_right(tree.lows, entry) - 1, 0)
        before += sum(_sizes(tree.children[:at])) if at else 0
        tree = tree.children[at]
    return before + bisect_left(tree, entry)


def _inserted(leaf: Leaf, entry: Entry) -> Leaf:
    at = bisect_left(leaf, entry)
    return leaf[:at] + (entry,) + leaf[at:]  # noqa: RUF005 - a third faster


def _removed(leaf: Leaf, entry: Entry) -> Leaf:
    at = bisect_left(leaf, entry)
    if at == len(leaf) or leaf[at] != entry:
        raise ValueError(f"{entry} is not in the sequence")
    return leaf[:at] + leaf[at + 1 :]


def _node(children: tuple[Tree, ...]) -> Node:
    return _of(tuple([_low(child) for child in children]), children)


def _of(lows: tuple[Entry, ...], children: tuple[Tree, ...]) -> Node:
    return Node(sum(_sizes(children)), lows, children)


def _root(parts: tuple[Tree, ...]) -> Tree:
    return parts[0] if len(parts) == 1 else _node(parts)


def _sizes(children: tuple[Tree, ...]) -> Iterable[int]:
    return map(_LENGTH if isinstance(children[0], tuple) else _SIZE, children)


def _low(tree: Tree) -> Entry:
    return tree[0] if isinstance(tree, tuple) else tree.lows[0]


def _insert(tree: Tree, entry: Entry) -> tuple[Tree, ...]:
    """Return the tree with the entry: one node, or two of its height when it was full."""
    if isinstance(tree, tuple):
        return _halves(_inserted(tree, entry))
    at = max(bisect_right(tree.lows, entry) - 1, 0)
    return _replaced(tree, at, _insert(tree.children[at], entry), 1)


def _append(tree: Tree, leaf: Leaf) -> tuple[Tree, ...]:
    """Return the tree with a leaf after all others: one node, or two of its height when it was full."""
    if isinstance(tree, tuple):
        return tree, leaf
    at = len(tree.children) - 1
    return _replaced(tree, at, _append(tree.children[at], leaf), len(leaf))


def _replaced(node: Node, at: int, parts: tuple[Tree, ...], more: int) -> tuple[Tree, ...]:
    """Return the node with ``parts`` in place of its child ``at`` and ``more`` entries; two when they are too many."""
    children = node.children[:at] + parts + node.children[at + 1 :]
    lows = node.lows[:at] + tuple(map(_low, parts)) + node.lows[at + 1 :]
    if len(children) > WIDTH:  # a node that grows at its end stays full
        cut = WIDTH if at == WIDTH - 1 else WIDTH // 2
        return _of(lows[:cut], children[:cut]), _of(lows[cut:], children[cut:])
    return (Node(node.size + more, lows, children),)


def _remove(tree: Tree, entry: Entry) -> Tree:
    """Return the tree without the entry; the empty leaf when nothing is left."""
    if isinstance(tree, tuple):
        return _removed(tree, entry)
    at = max(bisect_right(tree.lows, entry) - 1, 0)
    child = _remove(tree.children[at], entry)
    width = len(child) if isinstance(child, tuple) else len(child.children)
    if width >= FEW or len(tree.children) == 1:
        return _replaced(tree, at, (child,), -1)[0] if child else ()
    left = max(at - 1, 0)
    first, second = (child if place == at else tree.children[place] for place in (left, left + 1))
    joined = _joined(first, second)
    lows = tree.lows[:left] + tuple(map(_low, joined)) + tree.lows[left + 2 :]
    return Node(tree.size - 1, lows, tree.children[:left] + joined + tree.children[left + 2 :])


def _joined(first: Tree, second: Tree) -> tuple[Tree, ...]:
    """Return two neighbours as one node, or as two of equal width when they are too many for one."""
    if not first or not second:
        return (first or second,)
    if isinstance(first, tuple) and isinstance(second, tuple):
        return _halves(first + second)
    assert isinstance(first, Node)
    assert isinstance(second, Node)
    parts = zip(_halves(first.lows + second.lows), _halves(first.children + second.children), strict=True)
    return tuple(_of(lows, children) for lows, children in parts)


def _halves(both: tuple[X, ...]) -> tuple[tuple[X, ...], ...]:
    """Return all in one node, or in two halves when they are too many."""
    half = len(both) // 2
    return (both,) if len(both) <= WIDTH else (both[:half], both[half:])


def _without_last(tree: Tree) -> tuple[Tree, Leaf]:
    """Return the tree without its last leaf, and this leaf; the empty leaf when nothing is left."""
    if isinstance(tree, tuple):
        return (), tree
    rest, leaf = _without_last(tree.children[-1])
    size, children = tree.size - len(leaf), tree.children[:-1]
    if rest:  # its first entry is unchanged
        return Node(size, tree.lows, (*children, rest)), leaf
    return (Node(size, tree.lows[:-1], children) if children else ()), leaf


def _gather(tree: Tree, low: int, high: int, parts: list[Leaf]) -> None:
    """Append the slices of leaves with the entries from index ``low`` to before ``high``."""
    if isinstance(tree, tuple):
        parts.append(tree[low:high])
        return
    ends = list(accumulate(_sizes(tree.children)))
    at = bisect_right(ends, low)
    start = ends[at - 1] if at else 0
    while start < high:
        _gather(tree.children[at], max(low - start, 0), min(high, ends[at]) - start, parts)
        start = ends[at]
        at += 1


def _leaves(tree: Tree) -> Iterator[Leaf]:
    if isinstance(tree, tuple):
        yield tree
    else:
        for child in tree.children:
            yield from _leaves(child)


def _leaves_backwards(tree: Tree) -> Iterator[Leaf]:
    if isinstance(tree, tuple):
        yield tree
    else:
        for child in reversed(tree.children):
            yield from _leaves_backwards(child)
