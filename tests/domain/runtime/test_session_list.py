"""The session list from its declared orders against a plain list that is filtered and sorted."""

from __future__ import annotations

from unittest import mock

from hypothesis import example, given
from hypothesis import strategies as st
from msgspec.structs import replace

from confsim import Simulator
from confsim.domain.channels import channels
from confsim.domain.clients import clients
from confsim.domain.identity import credentials
from confsim.domain.runtime import presence, session_list, sessions
from confsim.domain.runtime.session_list import SessionFilter, SessionSort
from confsim.domain.runtime.sessions import SESSIONS, Session, SessionState
from confsim.domain.users.users import USERS
from kit import CUSTOMER, ROOM, START
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
    places.append(channels.MACHINE.create(change, "create room", id=change.uuid(), event_room=base, name="r").id)
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
    change.profile = dict(profile)
    if everything:
        change.profile["sessions.administrators"] = "all"
        caller = replace(caller, customer_admin=True)
    filters = SessionFilter(None if place is None else places[place], "", after, before, recorded)

    def listed():
        return session_list.list_sessions(change, client, caller, filters, sort, descending=descending)

    with mock.patch.object(session_list, "_order", return_value=None):
        expected = [session.id for session in listed()]
    for few in (64, 1):
        with mock.patch.object(session_list, "FEW", few):
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
