"""App sessions: runs of client applications, their logs, and the objects linked to them."""

from collections.abc import Iterable, Sequence
from typing import Any

from msgspec import Struct

from confsim.assumptions import Reason, app_sessions as assumed, ask, not_found
from confsim.kernel import CREATED, Change, Collection, Index, Order, Record, Refusal, Table, Unique, View, replace

from .channels import channels
from .channels.channels import Channel
from .clients.clients import Client
from .conventions import fresh_id
from .identity.credentials import Caller
from .lists import in_order
from .runtime.sessions import SESSIONS
from .users.users import User


class AppSession(Record, kw_only=True):
    """One run of a client application. ``started`` is given by the caller, in epoch milliseconds.

    ``by`` is the user who registered it, None for an API token. ``channels``, ``sessions`` and ``users`` are the ids of
    the linked objects, each once, in the order of linking; channels keep their ids when they are deleted (G309).
    ``logged`` counts its logs.
    """

    id: str
    client: str
    url: str
    started: int
    by: int | None = None
    channels: tuple[str, ...] = ()
    sessions: tuple[str, ...] = ()
    users: tuple[int, ...] = ()
    logged: int = 0


class Log(Record, kw_only=True):
    """One log of an app session, the ``number``-th that arrived. ``time`` in epoch milliseconds, unchecked (G120)."""

    app_session: str
    number: int
    time: int
    data: str
    index: int | None = None

    @property
    def key(self) -> tuple[str, int]:
        """The key of the record: unique in the client."""
        return self.app_session, self.number


def _place(run: str, index: int | None) -> tuple[tuple[str, int], ...]:
    return () if index is None else ((run, index),)


def _links(users: Iterable[int], sessions: Iterable[str], channels: Iterable[str]) -> tuple[tuple[str, object], ...]:
    """The links of an app session, each as (kind, id)."""
    return (
        *(("user", id) for id in users),
        *(("session", id) for id in sessions),
        *(("channel", id) for id in channels),
    )


STARTED: Order[AppSession] = Order("started", "started")
LINKED: Index[AppSession] = Index("linked", "users", "sessions", "channels", of=_links, orders=(CREATED, STARTED))
APP_SESSIONS: Table[str, AppSession] = Table("app sessions", AppSession, "id", LINKED, orders=(CREATED, STARTED))

BY_NUMBER: Order[Log] = Order("index", "index", "number", key=lambda index, number: (index is None, index or 0, number))
BY_TIME: Order[Log] = Order("time", "time", "number")
BY_SESSION: Index[Log] = Index("app session", "app_session", orders=(CREATED, BY_NUMBER, BY_TIME))
BY_INDEX: Unique[Log] = Unique("index", "app_session", "index", of=_place)
LOGS: Table[tuple[str, int], Log] = Table("app session logs", Log, "key", BY_SESSION, BY_INDEX)


RUNS: Collection[AppSession] = Collection(
    "app session", "One run of a client application (R306, R427-R435).", APP_SESSIONS, refused=Reason.NOT_FOUND
)
_REGISTER = RUNS.added("register", source="P2 L242, R427")


def _find_log(change: Change, run: AppSession, index: int | None) -> Log | None:
    return None if index is None else LOGS.one(change, BY_INDEX, (run.id, index), run.client)


@RUNS.changed("log", source="P2 L243, R428")
def _log(change: Change, run: AppSession, log: Log) -> AppSession:
    """The log is stored; it replaces an earlier log of the same index."""
    earlier = _find_log(change, run, log.index)
    if earlier is not None:
        LOGS.of(change, run.client).put(replace(log, number=earlier.number))
        return run
    LOGS.of(change, run.client).put(log)
    return replace(run, logged=log.number)


@RUNS.changed("link", source="P2 L246, L354, R434, R435, G388, G582")
def _link(change: Change, run: AppSession, links: dict[str, Any]) -> AppSession:
    """Channels, channel sessions and users are sets: linking again has no effect (G388)."""
    return replace(run, **{name: tuple(dict.fromkeys((*getattr(run, name), id))) for name, id in links.items()})


def find_channel(change: Change, client: Client, id: str) -> Channel | None:
    """The channel of the client that a registration names, None for one that is stored as given.

    Refusal INVALID_INPUT for a channel that the client has not (G381).
    """
    found = channels.find(change, client.id, id) or channels.find(change, client.id, id.lower())
    if found is None and ask(change, assumed.UNKNOWN_CHANNEL) == "refuse":
        raise Refusal(Reason.INVALID_INPUT, where="body channel", problem=f"there is no channel {id!r} here")
    return found


def register(change: Change, caller: Caller, started: int, url: str, channel: str | None) -> AppSession:
    """Register an app session in the caller's client and return it (R427).

    ``channel`` is the id to store. Refusal INVALID_INPUT for a start too far from now (G382).
    """
    client = caller.client.id
    within = ask(change, assumed.STARTED_WITHIN)
    if within and abs(started - change.now) > within:
        raise Refusal(Reason.INVALID_INPUT, where="body started", problem=f"it is more than {within} ms from now")
    user = caller.user
    draft = AppSession(
        id=fresh_id(change),
        client=client,
        url=url,
        started=started,
        by=user.id if user is not None else None,
        channels=(channel,) if channel is not None else (),
        users=(user.id,) if user is not None and ask(change, assumed.REGISTRANT) else (),
    )
    return _REGISTER(change, draft)


def get(change: Change, client: str, id: str) -> AppSession:
    """The app session of the client with this id, compared without case. Refusal NOT_FOUND."""
    rows = APP_SESSIONS.of(change, client)
    return rows.get(id) or rows.get(id.lower()) or not_found("app session", id)


def append(change: Change, run: AppSession, time: int, data: str, index: int | None) -> None:
    """Append a log. Refusals LOG_INDEX_TAKEN (G383), INVALID_INPUT for a missing index where one is required (G384)."""
    if index is None and ask(change, assumed.INDEX_NEEDED):
        raise Refusal(Reason.INVALID_INPUT, where="body index", problem="it is missing")
    earlier = _find_log(change, run, index)
    log = Log(app_session=run.id, number=run.logged + 1, time=time, data=data, index=index)
    how = "overwrites" if earlier is None else ask(change, assumed.REPEATED_INDEX)
    if earlier is None or how == "overwrites":
        _log(change, run, log)
    else:
        same = earlier.time == time and earlier.data == data
        if how != "ignored" and not (how == "same-ignored" and same):
            raise Refusal(Reason.LOG_INDEX_TAKEN, index=index)


def list_logs(change: Change, run: AppSession) -> Sequence[Log]:
    """The logs of an app session in the order of G385."""
    found = LOGS.where(change, BY_SESSION, run.id, run.client)
    return found.by({"index": BY_NUMBER, "time": BY_TIME, "arrival": CREATED}[ask(change, assumed.LOG_ORDER)])


def link_channel(change: Change, run: AppSession, channel: Channel, session: str | None = None) -> AppSession:
    """Link a channel, and a session by its id (R434, R435)."""
    links: dict[str, Any] = {"channels": channel.id}
    if session is not None:
        links["sessions"] = session
    return _link(change, run, links)


def get_session(change: Change, channel: Channel, id: str) -> str:
    """The id of the session of the channel that is linked by this id (R434, G387).

    Refusals NOT_FOUND, SESSION_ELSEWHERE.
    """
    sessions = SESSIONS.of(change, channel.client)
    found = sessions.get(id) or sessions.get(id.lower())
    if found is not None and found.channel == channel.id:
        return found.id
    if ask(change, assumed.ELSEWHERE) == "store":
        return id
    if found is None:
        not_found("session", id)
    raise Refusal(Reason.SESSION_ELSEWHERE, id=id, channel=channel.id)


def link_user(change: Change, run: AppSession, user: User) -> AppSession:
    """Link a user of the client (G582)."""
    return _link(change, run, {"users": user.id})


class AppSessionFilter(Struct, frozen=True):
    """Criteria for finding app sessions; all that are given must match (R432). Instants in epoch milliseconds."""

    user: int | None = None
    session: str | None = None
    channel: str | None = None
    url: str | None = None
    before: int | None = None
    after: int | None = None


def list_app_sessions(
    change: Change, client: Client, caller: Caller, filters: AppSessionFilter
) -> Sequence[AppSession]:
    """The client's app sessions that match, newest first (R431, G389)."""
    rows = APP_SESSIONS.of(change, client.id)
    given = (("session", filters.session), ("channel", filters.channel), ("user", filters.user))
    links = [link for link in given if link[1] is not None]
    view = rows.where(LINKED, links[0]) if links else rows.all
    low, high = _bounds(change, view, filters)
    found: Sequence[AppSession]
    if ask(change, assumed.ORDER) == "started":
        found = in_order(change, view, STARTED, low=low, high=high, descending=True)
    else:
        found = view.descending
        if low is not None or high is not None:
            found = [run for run in found if (low or 0) <= run.started and (high is None or run.started < high)]
    if len(links) > 1:
        found = [run for run in found if {*LINKED.values(run)}.issuperset(links)]
    if filters.url is not None:
        found = [run for run in found if _within(change, filters.url, run.url)]
    if caller.user is not None and ask(change, assumed.LISTED) == "own":
        found = [run for run in found if run.by == caller.user.id]
    return found


def _within(change: Change, part: str, url: str) -> bool:
    return part in url if ask(change, assumed.URL_CASE) else part.casefold() in url.casefold()


def _bounds(change: Change, view: View[AppSession], filters: AppSessionFilter) -> tuple[int | None, int | None]:
    """The first start that matches, and the first after it that does not (G121); None for no bound."""

    def moved(bound: int | None, inclusive: bool) -> int | None:
        """One later where an app session that started at the bound is on this side of it by assumption."""
        if bound is None or not view.between(STARTED, bound, bound + 1):
            return bound
        return bound + 1 if (ask(change, assumed.BOUNDS) == "inclusive") is inclusive else bound

    return moved(filters.after, inclusive=False), moved(filters.before, inclusive=True)
