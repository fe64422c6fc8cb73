"""What goes over a way in to a world, and what comes back."""

from __future__ import annotations

from typing import Any, Protocol

import msgspec
from msgspec import Struct

from confsim.contract.operation import Operation


class Sent(Struct, frozen=True):
    """A request of an operation.

    ``target`` is the path below the mount of the world, percent-encoded, ``query`` the encoded query. ``parameters``
    and ``queried`` are what they were made from, as texts; header names are in lower case.
    """

    operation: Operation
    method: str
    target: str
    query: str
    parameters: dict[str, str]
    queried: dict[str, str]
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The body as plain values, or as a text when it is no JSON."""
        return _read(self.body)


class Got(Struct, frozen=True):
    """An answer. Header names are in lower case."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The body as plain values, as a text when it is no JSON, None when it is empty."""
        return _read(self.body)


class Exchange(Struct, frozen=True):
    """A request, its address, and its answer."""

    url: str
    sent: Sent
    got: Got


class Way(Protocol):
    """A way in. ``root`` is the address of the mount, without a slash at its end."""

    @property
    def root(self) -> str:
        """The address of the mount."""

    def send(self, sent: Sent) -> Got:
        """One request, one answer."""

    def wait(self, seconds: float) -> None:
        """Let so much time pass in the world."""


def _read(raw: bytes) -> Any:
    if not raw:
        return None
    try:
        return msgspec.json.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, ValueError):
        return raw.decode(errors="replace")
