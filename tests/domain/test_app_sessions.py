"""App sessions against plain lists: their logs, links and filters."""

from __future__ import annotations

import pytest
from hypothesis import example, given, strategies as st

from confsim.assumptions.app_sessions import BOUNDS
from confsim.assumptions.protocol.refusals import Reason
from confsim.assumptions.register import ProfileContext
from confsim.domain import app_sessions
from confsim.domain.app_sessions import APP_SESSIONS, LOGS, AppSession, AppSessionFilter
from confsim.domain.channels import channels
from confsim.domain.clients import clients
from confsim.domain.identity.credentials import Caller
from confsim.kernel.refusal import Refusal
from confsim.kernel.world import World
from kit import NOTHING, refused
from kit.things.channels import initialise

LOG = st.tuples(st.none() | st.integers(0, 3), st.sampled_from("xy"), st.integers(0, 1))
#: What comes of a log whose index is taken, by the alternative and by whether it says the same.
REPEATED = {
    None: {True: "ignored", False: "refused"},
    "refused": {True: "refused", False: "refused"},
    "ignored": {True: "ignored", False: "ignored"},
    "overwrites": {True: "written over", False: "written over"},
}


def world(profile=None):
    """A change, a client in it, and an API token of the client as caller."""
    change = World(seed=1).change(5000, ProfileContext(profile or {}))
    client = clients.create(change, "C", None)
    return change, client, Caller(client, api_token="t")


def put(change, client, **fields):
    """Put an app session into the client."""
    return APP_SESSIONS.of(change, client.id).put(
        AppSession(id=change.uuid(), client=client.id, **{"url": "https://a/", "started": 1, **fields})
    )


@pytest.mark.rule("R428", "R429")
@given(st.sampled_from(list(REPEATED)), st.lists(LOG, max_size=10))
@example(None, [(1, "x", 0), (1, "x", 1)])
@example("overwrites", [(1, "x", 0), (1, "y", 1)])
def test_logs_agree_with_a_plain_list(choice, given_logs):
    """Every log is stored unless it repeats an index; one that says something else is refused; order is by index."""
    change, _, caller = world(choice and {"app-sessions.repeated-index": choice})
    run = app_sessions.register(change, caller, 1, "https://a/", None)
    model = []
    for index, data, time in given_logs:
        run = app_sessions.get(change, run.client, run.id)
        earlier = next((place for place, stored in enumerate(model) if index is not None and stored[0] == index), None)
        what = "stored" if earlier is None else REPEATED[choice][model[earlier] == (index, data, time)]
        if what == "refused":
            assert refused(app_sessions.append, change, run, time, data, index) is Reason.LOG_INDEX_TAKEN
            continue
        app_sessions.append(change, run, time, data, index)
        if what == "stored":
            model.append((index, data, time))
        elif what == "written over":
            model[earlier] = (index, data, time)
    expected = sorted(model, key=lambda stored: (stored[0] is None, stored[0] or 0))
    assert [(log.index, log.data, log.time) for log in app_sessions.list_logs(change, run)] == expected
    assert len(LOGS.of(change, run.client)) == len(model)


def test_an_overwriting_log_keeps_its_place():
    """Where logs are written over, the later one stands where the earlier one stood."""
    change, _, caller = world({"app-sessions.repeated-index": "overwrites", "app-sessions.log-order": "arrival"})
    run = app_sessions.register(change, caller, 1, "https://a/", None)
    for index, data in [(1, "a"), (2, "b"), (1, "c")]:
        app_sessions.append(change, app_sessions.get(change, run.client, run.id), 0, data, index)
    assert [log.data for log in app_sessions.list_logs(change, run)] == ["c", "b"]


RUN = st.fixed_dictionaries(
    {
        "started": st.integers(0, 3),
        "url": st.sampled_from(["https://a/x", "https://b/x", "https://b/y"]),
        "channels": st.sampled_from([(), ("c1",), ("c1", "c2")]),
        "sessions": st.sampled_from([(), ("s1",)]),
        "users": st.sampled_from([(), (1,), (1, 2)]),
    }
)
QUERY = st.fixed_dictionaries(
    {},
    optional={
        "user": st.integers(1, 3),
        "session": st.sampled_from(["s1", "s2"]),
        "channel": st.sampled_from(["c1", "c2", "c3"]),
        "url": st.sampled_from(["a", "/x", "b/y", ""]),
        "before": st.integers(0, 4),
        "after": st.integers(-1, 3),
    },
)
MATCHES = {
    "user": lambda run, value: value in run["users"],
    "session": lambda run, value: value in run["sessions"],
    "channel": lambda run, value: value in run["channels"],
    "url": lambda run, value: value in run["url"],
    "before": lambda run, value: run["started"] < value,
    "after": lambda run, value: run["started"] > value,
}


@pytest.mark.rule("R431", "R432", "R433")
@given(st.lists(RUN, max_size=6), QUERY)
def test_finding_agrees_with_filtering_a_list(runs, query):
    """What is found is what a plain list holds after each criterion, latest start first, later ones before earlier."""
    change, client, caller = world()
    ids = [put(change, client, **run).id for run in runs]
    expected = [
        place for place, run in enumerate(runs) if all(MATCHES[name](run, value) for name, value in query.items())
    ]
    expected.sort(key=lambda place: (runs[place]["started"], place), reverse=True)
    found = app_sessions.list_app_sessions(change, client, caller, AppSessionFilter(**query))
    assert [run.id for run in found] == [ids[place] for place in expected]


def test_only_the_clients_own_runs_are_found():
    """App sessions of another client are not there."""
    change, client, caller = world()
    other = clients.create(change, "Other", None)
    foreign = put(change, other)
    assert not app_sessions.list_app_sessions(change, client, caller, AppSessionFilter())
    with pytest.raises(Refusal):
        app_sessions.get(change, client.id, foreign.id)


@pytest.mark.parametrize("order", ["started", "creation"])
def test_bounds_hold_in_either_order(order):
    """Before and after alone and together; the first instant that there is lies before every other (G121)."""
    change, client, caller = world({"app-sessions.order": order})
    ids = [put(change, client, started=started).id for started in (0, 2, 4)]

    def places(**bounds):
        found = app_sessions.list_app_sessions(change, client, caller, AppSessionFilter(**bounds))
        return [ids.index(run.id) for run in found]

    assert places() == [2, 1, 0]
    assert places(before=3) == [1, 0]
    assert places(after=1) == [2, 1]
    assert places(before=3, after=1) == [1]
    assert places(before=4, after=2) == []


@pytest.mark.parametrize("more", [0, 1, 2])
def test_which_assumptions_a_search_by_several_links_uses(more):
    """Those about the app sessions of the session, whichever of its links has more of them."""
    change, client, caller = world()
    put(change, client, sessions=("s",), started=2)
    for _ in range(more):
        put(change, client, sessions=("s",), started=3)
    put(change, client, channels=("c",), started=5)
    for bound, asked in ((2, True), (5, False)):
        change.carried.used.clear()
        app_sessions.list_app_sessions(change, client, caller, AppSessionFilter(session="s", channel="c", after=bound))
        assert (BOUNDS.id in change.carried.used) is asked


@pytest.mark.rule("R427")
@pytest.mark.parametrize("choice", ["refuse", "store"])
def test_the_channel_of_a_registration(choice):
    """It may be left out; one of the client is linked; another is refused, or stored as given (G381)."""
    change, client, caller = world({"app-sessions.unknown-channel": choice})
    room = channels.create(change, client, "Room", None, None)
    assert app_sessions.register(change, caller, 1, "https://a/", None).channels == ()
    assert app_sessions.register(change, caller, 1, "https://a/", NOTHING).channels == (NOTHING,)
    assert app_sessions.find_channel(change, client, room.id.upper()).id == room.id
    if choice == "refuse":
        assert refused(app_sessions.find_channel, change, client, NOTHING) is Reason.INVALID_INPUT
    else:
        assert app_sessions.find_channel(change, client, NOTHING) is None


@pytest.mark.rule("R434", "R435")
@pytest.mark.parametrize("choice", ["refuse", "store"])
def test_sessions_are_linked_to_their_channel(choice):
    """By their id in any case; a session that is not the channel's is refused, or stored as given (G387)."""
    change, client, caller = world({"app-sessions.session-elsewhere": choice})
    rooms = [channels.create(change, client, name, None, None) for name in ("Here", "There")]
    here, there = (initialise(change, room).id for room in rooms)
    assert app_sessions.get_session(change, rooms[0], here) == here
    assert app_sessions.get_session(change, rooms[0], here.upper()) == here
    if choice == "refuse":
        assert refused(app_sessions.get_session, change, rooms[0], there) is Reason.SESSION_ELSEWHERE
        assert refused(app_sessions.get_session, change, rooms[0], NOTHING) is Reason.NOT_FOUND
    else:
        assert app_sessions.get_session(change, rooms[0], there) == there
    run = app_sessions.register(change, caller, 1, "https://a/", None)
    for _ in range(2):
        run = app_sessions.link_channel(change, run, rooms[0], here)
    assert (run.channels, run.sessions) == ((rooms[0].id,), (here,))
