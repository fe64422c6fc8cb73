"""What a mutant of the service is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec import Struct

from confsim.service.messages import Request, Response
from kit.beside import Beside

#: Sends a request, whose target stands below the mount, and returns its response.
Exchange = Callable[[Request], Response]
#: What a run has to reach so that a mutant can show: a key as ``kit.mutants.reach`` notes them.
Key = tuple[Any, ...]


class Mutant(Struct, frozen=True):
    """One service that is wrong in one way.

    ``patch`` changes tables and registers of this process for good, ``wrap`` what is exchanged; ``key`` is what has to
    be reached for it to show.
    """

    kind: str
    name: str
    key: Key
    patch: Callable[[], object] | None = None
    wrap: Callable[[Beside, Exchange], Exchange] | None = None

    def __str__(self) -> str:
        return f"{self.kind}: {self.name}"
