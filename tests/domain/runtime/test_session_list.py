"""The session list: who sees what and by which filters; its declared orders against a plain list that is sorted."""

from __future__ import annotations

from unittest import mock

import pytest
from hypothesis import example, given, strategies as st
from msgspec.structs import replace

from confsim import Simulator
from confsim.assumptions.register import ProfileContext, context_of
from confsim.domain.channels import channels
from confsim.domain.clients import clients
from confsim.domain.identity import credentials
from confsim.domain.runtime import presence, session_list, sessions
from confsim.domain.runtime.session_list import SessionFilter, SessionSort
from confsim.domain.runtime.sessions import SESSIONS, Session, SessionState
from confsim.domain.users.users import USERS
from kit import ADMIN, API_TOKEN, CUSTOMER, EVENT_ROOM, ROOM, START
from kit.budgets import quick

SIM = Simulator(clock=START)

#: Channel by its place, start, length, participants, name, recorded.
SESSION = st.tuples(
    st.integers(0, 4),
    st.one_of(st.none(), st.integers(0, 4)),
    st.one_of(st.none(), st.integers(0, 2)),
    st.integers(0, 2),
    st.sampled_from(["a", "B", "b"]),
    st.booleans(),
)
#: Choices on which the order, or what is listed, depends.
PROFILES = [
    {},
    {"lists.ties": "oldest-first"},
    {"lists.text-order": "binary"},
    {"sessions.not-ended": "last"},
    {"sessions.sort-presence": "caller"},
    {"sessions.participants-count": "peak"},
    {"sessions.not-started": "last"},
    {"sessions.from-to": "inclusive"},
    {"sessions.has-recording-false": "ignore"},
    {"sessions.rooms": "hidden"},
]
BOUND = st.one_of(st.none(), st.integers(-1, 5))


def _filled(found: list[tuple]):
    """A change with four channels, of which the demo owner hosts three, and these sessions in them and in a room."""
    change = SIM.service.change()
    client = clients.get(change, CUSTOMER)
    owner = next(user for user in USERS.of(change, CUSTOMER).all if user.handle == "Olaf Owner")
    places = [channels.create(change, client, f"c{number}", None, owner if number else None).id for number in range(4)]
    base = channels.get(change, CUSTOMER, places[3])
    places.append(channels.create_room(change, change.uuid(), base, "r").id)
    rows = SESSIONS.of(change, CUSTOMER)
    for number, (place, started, length, participants, name, recorded) in enumerate(found):
        ended = None if started is None or length is None else started + length
        rows.put(
            Session(
                id=f"s{number}",
                client=CUSTOMER,
                channel=places[place],
                name=name,
                service_mode=base.service_mode,
                created=0,
                state=SessionState.ENDED,
                started=started,
                ended=ended,
                participants=participants,
                had_recording=recorded,
            )
        )
    return change, client, credentials.caller(change, client, owner), places


@quick(60)
@given(
    st.lists(SESSION, max_size=12),
    st.sampled_from(SessionSort),
    st.booleans(),
    st.one_of(st.none(), st.integers(0, 4)),
    BOUND,
    BOUND,
    st.sampled_from([None, True, False]),
    st.booleans(),
    st.sampled_from(PROFILES),
)
@example(
    [(1, 1, 1, 0, "a", False)] * 3,
    SessionSort.STARTED,
    True,
    1,
    None,
    None,
    None,
    False,
    {"lists.ties": "oldest-first"},
)
@example(
    [(1, 1, 1, 0, name, False) for name in "aBb"],
    *(SessionSort.NAME, False, 1, None, None, None, False, {"lists.text-order": "binary"}),
)
def test_a_list_from_declared_orders_is_the_one_that_is_sorted(
    found, sort, descending, place, after, before, recorded, everything, profile
):
    """For hosts and for those who see everything, with every filter and in every order, page by page."""
    change, client, caller, places = _filled(found)
    change.carried = ProfileContext(dict(profile))
    if everything:
        context_of(change).profile["sessions.administrators"] = "all"
        caller = replace(caller, customer_admin=True)
    filters = SessionFilter(None if place is None else places[place], "", after, before, recorded)

    def listed():
        return session_list.list_sessions(change, client, caller, filters, sort, descending=descending)

    with mock.patch.object(session_list, "_order", return_value=None):
        expected = [session.id for session in listed()]
    shown = listed()
    assert [session.id for session in shown] == expected
    assert len(shown) == len(expected)
    assert [session.id for session in shown[1:3]] == expected[1:3]


@quick(20)
@given(
    st.lists(
        st.tuples(st.sampled_from(["Olaf Owner", "Opal Operator", "Uma User", "nobody"]), st.booleans()), max_size=14
    )
)
def test_participants_of_a_channel_are_those_of_all_attendances(steps):
    """Each user once, the latest join first, however many sessions there were."""
    change = SIM.service.change()
    client = clients.get(change, CUSTOMER)
    room = channels.get(change, CUSTOMER, ROOM)
    people = {user.handle: user for user in USERS.of(change, CUSTOMER).all}
    for who, comes in steps:
        if who == "nobody":
            if sessions.find_active(change, room) is not None:
                sessions.end_active(change, room)
        elif comes:
            presence.join(change, client, room, people[who], host=True)
        elif presence.find(change, room, people[who].id) is not None:
            presence.leave(change, room, people[who].id)
        change.now += 10_000_000
        every = sorted(sessions.ATTENDANCES.of(change, CUSTOMER).all, key=lambda each: each.joins[-1], reverse=True)
        expected = {each.user: each.key for each in reversed(every)}
        found = sessions.participants_of_channel(change, room)
        assert [each.key for each in found] == [each.key for each in every if expected[each.user] == each.key]


#: Three sessions of a hosted channel a second apart, and one that has not started.
STARTED = [(1, number, 1, 0, name, False) for number, name in enumerate("abc")]
UNSTARTED = (1, None, None, 0, "d", False)


def _listed(change, client, caller, sort=SessionSort.STARTED, *, descending=False, **filters):
    found = session_list.list_sessions(change, client, caller, SessionFilter(**filters), sort, descending=descending)
    return [session.id for session in found]


@pytest.mark.parametrize("sort", [SessionSort.STARTED, SessionSort.NAME])
@pytest.mark.parametrize(("choice", "expected"), [("strict", ["s1"]), ("inclusive", ["s0", "s1", "s2"])])
def test_from_and_to_bound_the_start(choice, expected, sort):
    """Strictly after and before the given instants, or at them too (G376); a session not started meets neither."""
    change, client, caller, _ = _filled([*STARTED, UNSTARTED])
    change.carried = ProfileContext({"sessions.from-to": choice, "sessions.not-started": "last"})
    assert _listed(change, client, caller, sort, after=0, before=2) == expected
    assert _listed(change, client, caller, sort, before=1) == ["s0", "s1"][: 1 if choice == "strict" else 2]


@pytest.mark.parametrize(("choice", "last"), [("hidden", []), ("last", ["s3"])])
def test_sessions_that_have_not_started_are_hidden_or_stand_last(choice, last):
    """In either order after the others, where they are listed (G379)."""
    change, client, caller, _ = _filled([*STARTED, UNSTARTED])
    change.carried = ProfileContext({"sessions.not-started": choice})
    assert _listed(change, client, caller) == ["s0", "s1", "s2", *last]
    assert _listed(change, client, caller, descending=True) == ["s2", "s1", "s0", *last]


def test_a_search_keeps_the_sessions_whose_name_has_it():
    """A part of the name in any case; without a search all are listed."""
    change, client, caller, _ = _filled(STARTED)
    assert _listed(change, client, caller, search="B") == ["s1"]
    assert _listed(change, client, caller, search="") == ["s0", "s1", "s2"]


@pytest.mark.rule("R421")
def test_hosts_see_the_sessions_of_their_channels_and_of_the_rooms_below():
    """Also where the client has a single room; those of the room not where they are hidden; none of others' (G439)."""
    change, client, caller, _ = _filled(
        [*STARTED, *[(4, 5 + n, 1, 0, "r", False) for n in range(5)], (0, 9, 1, 0, "x", False)]
    )
    hosted, room = ["s0", "s1", "s2"], ["s3", "s4", "s5", "s6", "s7"]
    assert _listed(change, client, caller) == [*hosted, *room]
    change.carried = ProfileContext({"sessions.rooms": "hidden"})
    assert _listed(change, client, caller) == hosted
    uma = next(user for user in USERS.of(change, CUSTOMER).all if user.handle == "Uma User")
    assert _listed(change, client, credentials.caller(change, client, uma)) == []


@pytest.mark.parametrize("sort", SessionSort)
def test_a_page_in_a_declared_order_costs_no_look_at_each_session(sort):
    """By whatever column, as long as only the column of the start is bounded: tables of any size are paged alike."""
    change, client, caller, _ = _filled(STARTED)
    with mock.patch.object(session_list, "_matching", side_effect=AssertionError):
        assert _listed(change, client, caller, sort) == ["s0", "s1", "s2"]
        assert _listed(change, client, caller, after=0) == ["s1", "s2"]


@pytest.mark.rule("R421")
@pytest.mark.parametrize(("choice", "count"), [("hosted", 0), ("all", 3)])
def test_administrators_see_what_they_host_or_everything(choice, count):
    """Customer Admins and API tokens alike; other users see what they host at any rate (G378)."""
    change, client, owner, _ = _filled([(0, number, 1, 0, "a", False) for number in range(3)])
    change.carried = ProfileContext({"sessions.administrators": choice})
    admin, token = (credentials.authenticate(change, each) for each in (ADMIN, API_TOKEN))
    assert len(_listed(change, client, admin)) == len(_listed(change, client, token)) == count
    assert _listed(change, client, owner) == []


def test_sorting_by_presence_may_go_by_the_caller():
    """Sessions in which the caller was present are after those in which not (G089)."""
    change, client, caller, _ = _filled([])
    rooms = [channels.get(change, CUSTOMER, each) for each in (ROOM, EVENT_ROOM)]
    people = {user.handle: user for user in USERS.of(change, CUSTOMER).all}
    ids = []
    for room, handle in zip(rooms, ("Olaf Owner", "Uma User"), strict=True):
        presence.join(change, client, room, people[handle], host=True)
        ids.append(sessions.find_active(change, room).id)
        change.now += 1000
    attended, missed = ids
    change.carried = ProfileContext({"sessions.sort-presence": "caller"})
    assert _listed(change, client, caller, SessionSort.PRESENCE) == [missed, attended]
    assert _listed(change, client, caller, SessionSort.PRESENCE, descending=True) == [attended, missed]
