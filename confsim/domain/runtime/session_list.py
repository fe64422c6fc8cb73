"""The lists of sessions and of those who took part in them: who sees what, filters and orders."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import StrEnum
from functools import partial
from itertools import chain, islice, product
from operator import attrgetter
from typing import Any

from msgspec import Struct

from confsim.assumptions.protocol import conventions
from confsim.assumptions.protocol.refusals import Reason
from confsim.assumptions.register import ask
from confsim.assumptions.runtime import sessions as assumed
from confsim.domain import lists
from confsim.domain.channels import channels
from confsim.domain.channels.channels import ROOMS, ROOMS_OF
from confsim.domain.clients.clients import Client
from confsim.domain.identity.credentials import Caller
from confsim.domain.members import roles
from confsim.domain.members.roles import Host
from confsim.kernel.refusal import Refusal
from confsim.kernel.tables.indexes import Order
from confsim.kernel.tables.views import READS_OF_A_STEP, UNIQUE, Picked, View, merged
from confsim.kernel.world import Change

from . import presence, sessions
from .sessions import LISTED, SESSIONS, Session

#: Most views whose sessions are merged for a page: two of a channel, where some sessions have a recording.
FEW = 128
#: How many entries of an index are scanned in the time of a look-up.
_SCANNED = 8


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

    ``roles`` are those of the caller, None where it is no user; ``rooms`` says whether the sessions of breakout rooms
    are included.
    """

    change: Change
    client: str
    caller: Caller
    everything: bool
    rooms: bool
    roles: View[Host] | None

    def includes(self, id: str) -> bool:
        """Whether it has the sessions of this channel."""
        user = self.caller.user
        if user is not None and roles.hosts_itself(self.change, self.client, id, user.id):
            return True
        channel = channels.find(self.change, self.client, id)
        if channel is None or (channel.parent is not None and not self.rooms):
            return False
        return self.everything or roles.is_operator(self.change, channel, self.caller.user)

    def hosts_more_than(self, every: View[Session]) -> bool:
        """Whether there are more hosted channels than these sessions, so that these are looked through instead."""
        return self.roles is not None and len(self.roles.entries) > len(every.entries)

    @property
    def number(self) -> int:
        """The number of channels that the caller hosts."""
        return 0 if self.roles is None else len(self.roles)

    def channels(self) -> Iterator[str]:
        """The ids of the hosted channels and their rooms."""
        assert self.roles is not None
        rooms, hosted = ROOMS.of(self.change, self.client), roles.ids_of_channels(self.roles)
        if not self.rooms or len(rooms) == 0:
            return hosted
        return chain.from_iterable((id, *(room.id for room in rooms.where(ROOMS_OF, id))) for id in hosted)

    def among(self, every: View[Session]) -> set[str]:
        """The ids of the hosted channels and their rooms, of those that have any of these sessions at least."""
        if self.hosts_more_than(every):
            return set(filter(self.includes, set(every.by(sessions.STARTED).carried)))
        assert self.roles is not None
        found = set(roles.ids_of_channels(self.roles))
        rooms = ROOMS.of(self.change, self.client).all if self.rooms else ()
        return found.union(room.id for room in rooms if room.parent in found)


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
    hosting = None if caller.user is None else roles.roles_of(change, caller.user)
    visible = _VisibleSessions(change, client.id, caller, _administers(change, caller), rooms, hosting)
    channel = None if filters.channel is None else filters.channel.lower()
    hosted = channel is None or visible.includes(channel)
    if not hosted and ask(change, assumed.UNKNOWN_CHANNEL) == "refuse":
        raise Refusal(Reason.NOT_FOUND, what="channel", id=channel)
    recorded = filters.recorded
    if recorded is False and ask(change, assumed.WITHOUT_RECORDING) == "ignore":
        recorded = None
    slack = 1 if ask(change, assumed.BOUNDS) == "inclusive" else 0
    low = None if filters.after is None else filters.after - slack + 1
    high = None if filters.before is None else filters.before + slack
    bounded = filters.bounded
    unstarted = not bounded and ask(change, assumed.NOT_STARTED) == "last"
    found: Sequence[Session] = ()
    if hosted:
        every = SESSIONS.where(change, LISTED, (None, recorded), client.id)
        views = None if unstarted else _views(visible, every, channel, recorded)
        order = _order(change, sort, views or (), descending=descending)
        if views is None or order is None or (bounded and sort is not SessionSort.STARTED):
            matching = _matching(visible, channel, recorded, low, high, unstarted=unstarted)
            found = _sorted(change, caller, matching, sort, descending=descending)
        else:
            bounds = (low, high) if bounded else None
            found = _merged(visible, every, views, order, bounds, recorded, descending=descending)
    if filters.search:
        change.take(len(found) // READS_OF_A_STEP)
        return [session for session in found if lists.matches(change, filters.search, session.name)]
    return found


def _administers(change: Change, caller: Caller) -> bool:
    """Whether the caller sees the sessions of all channels of the client (G378)."""
    administers = caller.api_token is not None or caller.customer_admin
    return administers and ask(change, assumed.ADMINISTRATORS) == "all"


def _views(
    visible: _VisibleSessions, every: View[Session], channel: str | None, recorded: bool | None
) -> list[View[Session]] | None:
    """The sessions that have started, in views by STARTED that share none; None when they must be filtered.

    Those of a channel with a recording are apart from the others. ``every`` has the sessions of the client. When there
    are more than ``FEW`` views, these are some of them.
    """
    rows = SESSIONS.of(visible.change, visible.client)
    either: tuple[bool | None, ...] = (False, True) if recorded is None else (recorded,)
    listed: Iterable[tuple[str | None, bool | None]]
    if channel is not None:
        listed = ((channel, each) for each in either)
    elif visible.everything:
        if not visible.rooms:
            return None
        listed = ((None, recorded),)
    elif visible.roles is None:
        return []
    else:
        hosted = visible.among(every) if visible.hosts_more_than(every) else visible.channels()
        listed = ((id, each) for id in hosted for each in either)
    return list(islice(rows.each(LISTED, listed, sessions.STARTED), FEW + 1))


def _order(
    change: Change, sort: SessionSort, views: Sequence[View[Session]], *, descending: bool
) -> Order[Session] | None:
    """The declared order of the column; None where the profile has another."""
    if descending and ask(change, conventions.TIES) == "oldest-first":
        return None
    if sort is SessionSort.NAME:
        caseless = not views or ask(change, conventions.TEXT_ORDER) == "caseless"
        return sessions.NAME if caseless else None
    if sort is SessionSort.ENDED:
        return None if ask(change, assumed.NOT_ENDED) == "last" else sessions.ENDED
    if sort is SessionSort.PRESENCE:
        if ask(change, assumed.PRESENCE) == "caller" or (views and ask(change, assumed.COUNT) != "distinct"):
            return None
        return sessions.PARTICIPANTS
    return sessions.STARTED


def _merged(
    visible: _VisibleSessions,
    every: View[Session],
    views: list[View[Session]],
    order: Order[Session],
    bounds: tuple[int | None, int | None] | None,
    recorded: bool | None,
    *,
    descending: bool,
) -> Sequence[Session]:
    """The sessions of the views in this order; the start of each is between the bounds.

    Those of more than ``FEW`` views are picked from all of the client, which ``every`` has, as they come.
    """

    def shown(view: View[Session]) -> View[Session]:
        return view.by(order) if bounds is None else view.between(order, *bounds)

    if len(views) <= FEW:
        if bounds is not None or order is not sessions.STARTED:
            views = [*map(shown, views)]
        return merged(views, UNIQUE, descending=descending)
    found = shown(every).descending if descending else shown(every)
    visible.change.take((visible.number + len(found)) // (_SCANNED * READS_OF_A_STEP))
    hosted = visible.among(every)

    def of_hosted(view: View[Session]) -> Iterator[bool]:
        return map(hosted.__contains__, view.carried)

    if bounds is None and visible.number * _SCANNED < len(every):
        rows, which = SESSIONS.of(visible.change, visible.client), (False, True) if recorded is None else (recorded,)
        number = rows.number(LISTED, product(hosted, which))
    else:
        as_stored = found if bounds else every.by(sessions.STARTED)
        number = sum(of_hosted(as_stored))
    return found if number == len(found) else Picked(found, of_hosted, number)


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
