"""The declaration of control operations."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from msgspec import Struct

from confsim.contract import gates
from confsim.contract.headers import Header
from confsim.contract.operation import Catalogue

from .operations.bounds import BODY, SMALL

F = TypeVar("F", bound=Callable[..., Any])

#: Path of the control plane below the mount of its world.
PREFIX = "/_confsim"

#: The catalogue in which themes declare their operations; ``control.catalogue`` imports all of them in order.
CONTROL = Catalogue("confsim control plane", prefix=PREFIX)


def operation(
    route: str,
    *,
    headers: Mapping[str, Header] | None = None,
    media: str = "",
    replayed: bool = True,
    beside: bool = False,
    moves_clock: bool = False,
    waits: bool = False,
    sets_faults: bool = False,
    most_bytes: int = SMALL,
    bounds: Mapping[str, int] | None = None,
) -> Callable[[F], F]:
    """Declare an operation of the control plane, which needs no credential.

    ``headers`` are the response headers that it can set, ``media`` the media type of an answer of bytes. ``replayed``
    is False for an operation that a replay of the journal leaves out: it concerns the server, other worlds, the journal
    itself or the delivery of webhooks, or it restarts the journal. ``beside`` is True for one that may take long: it
    runs without the lock of its world, on the world as it is when it begins, and a server answers others beside it.
    So does one that takes the locks of other worlds: two such calls, each under the lock of its own, would wait for
    each other. ``moves_clock`` is
    True for one whose effect is visible in the timestamps of later calls. ``waits`` is True for one whose answer may
    come only after other calls. ``sets_faults`` is True for one whose body has faults: an object for one, a list for
    several. ``most_bytes`` bounds its body, if it has one, and ``bounds`` all else that a call can make large or many,
    by what is counted (``control.bounds``).
    """

    def declare(function: F) -> F:
        of_body = {BODY: most_bytes} if "body" in function.__annotations__ else {}
        return CONTROL.operation(
            route,
            gate=gates.PUBLIC,
            headers=headers or {},
            media=media,
            replayed=replayed,
            beside=beside,
            moves_clock=moves_clock,
            waits=waits,
            sets_faults=sets_faults,
            bounds={**of_body, **(bounds or {})},
        )(function)

    return declare


class CommandBody(Struct, kw_only=True, forbid_unknown_fields=True):
    """A JSON body of the control plane; a field that is not declared is refused."""
