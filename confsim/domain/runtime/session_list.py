"""The lists of sessions and of those who took part in them: who sees what, filters and orders."""

from collections.abc import Callable, Sequence
from enum import StrEnum
from functools import partial
from operator import attrgetter
from typing import Any

from msgspec import Struct

from confsim.assumptions import ask, not_found, value_of
from confsim.assumptions.channels import HISTORY
from confsim.assumptions.protocol import conventions
from confsim.assumptions.runtime import sessions as assumed
from confsim.domain import lists
from confsim.domain.channels import channels
from confsim.domain.channels.channels import CHANNELS, ROOMS, ROOMS_OF
from confsim.domain.clients.clients import Client
from confsim.domain.identity.credentials import Caller
from confsim.domain.members import roles
from confsim.kernel import CREATED, Change, Order, merged

from . import presence, sessions
from .sessions import LISTED, SESSIONS, Session


class SessionSort(StrEnum):
    """The columns of the session list that can be sorted by."""

    STARTED = "started"
    ENDED = "ended"
    NAME = "name"
    PRESENCE = "presence"


class SessionFilter(Struct, frozen=True):
    """Filters of the session list, all of which must match: ``after`` and ``before`` are epoch milliseconds."""

    channel: str | None = None
    search: str = ""
    after: int | None = None
    before: int | None = None
    recorded: bool | None = None

    @property
    def bounded(self) -> bool:
        """Whether the start is bounded."""
        return self.after is not None or self.before is not None


class _VisibleSessions(Struct, frozen=True):
    """The sessions of a client that the caller may list: all, or those of channels that the user hosts (R421, G439).

    ``rooms`` says whether the sessions of breakout rooms are included, ``kept`` whether those of deleted channels are.
    """

    change: Change
    client: str
    caller: Caller
    everything: bool
    rooms: bool
    kept: bool

    def includes(self, id: str) -> bool:
        """Whether it has the sessions of this channel."""
        user = self.caller.user
        if user is not None and roles.hosts_itself(self.change, self.client, id, user.id):
            return True
        channel = channels.find(self.change, self.client, id)
        if channel is None:
            return self.kept and SESSIONS.has(self.change, sessions.BY_CHANNEL, id, self.client)
        if channel.parent is not None and not self.rooms:
            return False
        return self.everything or roles.is_operator(self.change, channel, self.caller.user)

    def channels(self) -> list[str]:
        """The ids of the channels and of their rooms, by which ``includes`` finds the same sessions."""
        user = self.caller.user
        ids: list[str] = []
        if self.everything:
            ids = [*CHANNELS.of(self.change, self.client).all.keys]
        elif user is not None:
            ids = [host.channel for host in roles.roles_of(self.change, user)]
        if self.rooms:
            found = ROOMS.of(self.change, self.client).each(ROOMS_OF, tuple(ids), CREATED)
            ids += [id for rooms in found for id in rooms.keys]
        return ids


def participants(change: Change) -> Callable[[Session], int]:
    """A function that returns the number of participants of a session (G371)."""
    choice = ask(change, assumed.COUNT)
    if choice == "distinct":
        return _DISTINCT
    return _PEAK if choice == "peak" else partial(_inside, change)


_DISTINCT: Callable[[Session], int] = attrgetter("participants")
_PEAK: Callable[[Session], int] = attrgetter("peak")


def _inside(change: Change, session: Session) -> int:
    if session.ended is not None or session.started is None:
        return 0
    return presence.count_inside(change, channels.get(change, session.client, session.channel))


def list_sessions(
    change: Change, client: Client, caller: Caller, filters: SessionFilter, sort: SessionSort, *, descending: bool
) -> Sequence[Session]:
    """The sessions that the caller may list and that match, sorted; those not started come last, if at all (G379).

    Refusal NOT_FOUND for a channel that the caller does not host, where that is refused (G377).
    """
    rooms = ask(change, assumed.ROOMS) == "listed"
    kept = (caller.api_token is not None or caller.customer_admin) and value_of(change, HISTORY) == "kept"
    visible = _VisibleSessions(change, client.id, caller, _administers(change, caller), rooms, kept)
    channel = None if filters.channel is None else filters.channel.lower()
    hosted = channel is None or visible.includes(channel)
    if not hosted and ask(change, assumed.UNKNOWN_CHANNEL) == "refuse":
        not_found("channel", str(channel))
    recorded = filters.recorded
    if recorded is False and ask(change, assumed.WITHOUT_RECORDING) == "ignore":
        recorded = None
    slack = 1 if ask(change, assumed.BOUNDS) == "inclusive" else 0
    low = None if filters.after is None else filters.after - slack + 1
    high = None if filters.before is None else filters.before + slack
    unstarted = not filters.bounded and ask(change, assumed.NOT_STARTED) == "last"
    if not hosted:
        return ()
    rows = SESSIONS.of(change, client.id)
    values = [(id, recorded) for id in (visible.channels() if channel is None else [channel])]
    any_started = any(SESSIONS.has(change, LISTED, value, client.id) for value in values)
    order = _order(change, sort, any_started=any_started, descending=descending)
    found: Sequence[Session]
    if order is None or unstarted or kept or (filters.bounded and order is not sessions.STARTED):
        matching = _matching(visible, channel, recorded, low, high, unstarted=unstarted)
        found = _sorted(change, caller, matching, sort, descending=descending)
    else:
        views = rows.each(LISTED, values, order)
        bounded = (view.between(order, low, high) for view in views) if filters.bounded else views
        found = merged(bounded, descending=descending)
    if filters.search:
        return [session for session in found[:] if lists.matches(change, filters.search, session.name)]
    return found


def _administers(change: Change, caller: Caller) -> bool:
    """Whether the caller sees the sessions of all channels of the client (G378)."""
    administers = caller.api_token is not None or caller.customer_admin
    return administers and ask(change, assumed.ADMINISTRATORS) == "all"


def _order(change: Change, sort: SessionSort, *, any_started: bool, descending: bool) -> Order[Session] | None:
    """The declared order of the column; None where the profile has another."""
    if descending and ask(change, conventions.TIES) == "oldest-first":
        return None
    if sort is SessionSort.NAME:
        caseless = not any_started or ask(change, conventions.TEXT_ORDER) == "caseless"
        return sessions.NAME if caseless else None
    if sort is SessionSort.ENDED:
        return None if ask(change, assumed.NOT_ENDED) == "last" else sessions.ENDED
    if sort is SessionSort.PRESENCE:
        if ask(change, assumed.PRESENCE) == "caller" or (any_started and ask(change, assumed.COUNT) != "distinct"):
            return None
        return sessions.PARTICIPANTS
    return sessions.STARTED


def _matching(
    visible: _VisibleSessions,
    channel: str | None,
    recorded: bool | None,
    low: int | None,
    high: int | None,
    *,
    unstarted: bool,
) -> list[Session]:
    """The sessions that match, found by looking at each, in the order in which they are stored."""
    rows = SESSIONS.of(visible.change, visible.client)
    covered: dict[str, bool] = {}

    def matches(session: Session) -> bool:
        if session.channel not in covered:
            covered[session.channel] = visible.includes(session.channel)
        if not covered[session.channel] or (recorded is not None and session.had_recording is not recorded):
            return False
        if session.started is None:
            return unstarted
        return (low is None or session.started >= low) and (high is None or session.started < high)

    return [
        session
        for session in (rows.all if channel is None else rows.where(sessions.BY_CHANNEL, channel))
        if matches(session)
    ]


def _sorted(
    change: Change, caller: Caller, found: list[Session], sort: SessionSort, *, descending: bool
) -> list[Session]:
    """Sort by the column; sessions that have not started come last in either order (G379)."""
    begun = [each for each in found if each.started is not None]
    last = [each for each in found if each.started is None]
    if sort is SessionSort.ENDED and ask(change, assumed.NOT_ENDED) == "last":
        last = [each for each in begun if each.ended is None] + last
        begun = [each for each in begun if each.ended is not None]
    return lists.ordered(change, begun, _column(change, caller, sort), descending=descending) + last


def _column(change: Change, caller: Caller, sort: SessionSort) -> Callable[[Session], Any]:
    if sort is SessionSort.NAME:
        return lambda session: lists.text_key(change, session.name)
    if sort is SessionSort.PRESENCE:
        user = caller.user
        if ask(change, assumed.PRESENCE) == "caller":
            return lambda session: user is not None and sessions.attended(change, session, user.id)
        return lambda session: participants(change)(session)
    key = (sessions.ENDED if sort is SessionSort.ENDED else sessions.STARTED).key
    assert key is not None
    return key
