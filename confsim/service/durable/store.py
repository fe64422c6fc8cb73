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
    """One record of the log: its number, the world, the instant, the operation that caused it, and what changed."""

    number: int
    world: str
    at: int
    what: str
    body: bytes


class Store(Protocol):
    """A place where worlds are recorded. Its text names it in messages."""

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
        """The format in which base and log are written."""
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
        """The worlds of the base by name."""
        ...

    def document(self, digest: str) -> Iterator[Part]:
        """The parts of a document by its digest; one without a table when it is stored as one.

        Misuse when it is missing. Raises Misuse after the last part when the digest does not match.
        """
        ...

    def records(self) -> Iterator[LogRecord]:
        """The log since the base, oldest first, to be read to its end before anything is recorded. Misuse."""
        ...

    def append(self, world: str, at: int, what: str, body: bytes, documents: Mapping[str, bytes]) -> None:
        """Record something, with the documents that it names; it is on disk when this returns. Misuse (507)."""
        ...

    def mark(self) -> None:
        """Mark the present place of the log: the next base is of this moment. Misuse (507)."""
        ...

    def add_parts(self, digest: str, first: int, parts: Sequence[Part]) -> None:
        """Add some parts of a document that is to be named by the next base; ``first`` counts those before them."""
        ...

    def checkpoint(self, worlds: Mapping[str, bytes], documents: Mapping[str, bytes], named: set[str]) -> None:
        """Begin a new base, of the moment that was marked: these are the worlds by name.

        The log after the mark goes on. ``documents`` are new ones; ``named`` are those that the worlds or the rest of
        the log name; all others are removed. Misuse (507).
        """
        ...

    def trim(self) -> bool:
        """Remove a little of what the last checkpoint has left; whether there is more of it."""
        ...

    def close(self) -> None:
        """Release the store."""
        ...


def digest_of(document: bytes) -> str:
    """The digest by which a document is named."""
    return blake2b(document, digest_size=DIGEST_SIZE).hexdigest()
