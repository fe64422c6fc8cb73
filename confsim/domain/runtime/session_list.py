"""The lists of sessions and of those who took part in them: who sees what, filters and orders."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from confsim.assumptions import channels as assumed_channels
from confsim.assumptions.protocol import conventions
from confsim.assumptions.protocol.refusals import Reason
from confsim.assumptions.register import ask
from confsim.assumptions.runtime import sessions as assumed
from confsim.domain import lists
from confsim.domain.channels import channels
from confsim.domain.channels.channels import ROOMS, ROOMS_OF, Channel
from confsim.domain.clients.clients import Client
from confsim.domain.identity.credentials import Caller
from confsim.domain.members import roles
from confsim.domain.users.users import User
from confsim.kernel.indexes import Order
from confsim.kernel.refusal import Refusal
from confsim.kernel.views import Merged, View
from confsim.kernel.world import Change

from . import presence, sessions
from .sessions import ATTENDANCES, LISTED, SESSIONS, Attendance, Life, Session


class Sort(StrEnum):
    """The columns of the session list that can be sorted by."""

    STARTED = "started"
    ENDED = "ended"
    NAME = "name"
    PRESENCE = "presence"


class Wanted(Struct, frozen=True):
    """Filters of the session list; all that are given must match. ``after`` and ``before`` in epoch milliseconds."""

    channel: str | None = None
    search: str = ""
    after: int | None = None
    before: int | None = None
    recorded: bool | None = None


def count(change: Change, session: Session) -> int:
    """The number of participants (G371)."""
    choice = ask(change, assumed.COUNT)
    if choice == "distinct":
        return session.participants
    if choice == "peak":
        return session.peak
    if session.ended is not None or session.started is None:
        return 0
    return presence.number_inside(change, channels.get(change, session.client, session.channel))


def listed(
    change: Change, client: Client, caller: Caller, wanted: Wanted, sort: Sort, *, descending: bool
) -> Sequence[Session]:
    """The sessions that the caller may list and that match, sorted; those not started come last, if at all (G379).

    Refusal NOT_FOUND for another's channel, where that is assumed (G377).
    """
    administers = _administers(change, caller)
    views, left = _visible(change, client, caller, wanted, administers=administers)
    ...
