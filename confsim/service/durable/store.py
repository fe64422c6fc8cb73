"""The store of durable worlds: a base snapshot and the log of changes since it.

Both name documents by their digest.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from hashlib import blake2b
from typing import Protocol

from msgspec import Struct

from confsim.kernel.world import Part

#: Bytes of a digest.
DIGEST_SIZE = 16


class LogRecord(Struct, frozen=True):
    """One record of the log: number, world, instant, the operation that caused it, and the change."""

    number: int
    world: str
    at: int
    what: str
    body: bytes


class Store(Protocol):
    """A place where worlds are recorded. str() of it names it in messages."""

    @property
    def lock(self) -> AbstractContextManager[object]:
        """Held while something is recorded."""
        ...

    @property
    def version(self) -> str:
        """The version of confsim that wrote the base."""
        ...

    @property
    def format(self) -> int:
        """The format of base and log."""
        ...

    @property
    def outdated(self) -> bool:
        """Whether another version of confsim wrote the base, or in another format."""
        ...

    @property
    def size(self) -> int:
        """Bytes recorded since the base."""
        ...

    def base(self) -> Mapping[str, bytes]:
        """Return the worlds of the base by name."""
        ...

    def document(self, digest: str) -> Iterator[Part]:
        """Yield the parts of a document by its digest; a document stored whole is one part without a table.

        Raises Misuse when it is missing, and after the last part when the digest does not match.
        """
        ...

    def records(self) -> Iterator[LogRecord]:
        """Yield the log since the base, oldest first; to be read to its end before anything is recorded. Misuse."""
        ...

    def append(self, world: str, at: int, what: str, body: bytes, documents: Mapping[str, bytes]) -> None:
        """Record a change with the documents that it names; it is on disk when this returns. Raises Misuse (507)."""
        ...

    def mark(self) -> None:
        """Mark the present place of the log as the moment of the next base. Raises Misuse (507)."""
        ...

    def add_parts(self, digest: str, first: int, parts: Sequence[Part]) -> None:
        """Add parts of a document that the next base will name; ``first`` is the index of the first of them."""
        ...

    def checkpoint(self, worlds: Mapping[str, bytes], documents: Mapping[str, bytes], named: set[str]) -> None:
        """Replace the base by these worlds, by name, at the moment that was marked.

        The log after the mark continues. ``documents`` are new ones; ``named`` are those that the worlds or the rest of
        the log name; all others are removed. Raises Misuse (507).
        """
        ...

    def trim(self) -> bool:
        """Remove some of the data that the last checkpoint made superfluous; return whether there is more."""
        ...

    def close(self) -> None:
        """Release the store."""
        ...


def digest_of(document: bytes) -> str:
    """Return the digest that identifies a document."""
    return blake2b(document, digest_size=DIGEST_SIZE).hexdigest()
