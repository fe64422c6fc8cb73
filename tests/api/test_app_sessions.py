from __future__ import annotations

from itertools import product

import pytest

from confsim import Simulator
from confsim.domain.runtime.sessions import SESSIONS, Session
from kit import ADMIN, CUSTOMER, EVENT_ROOM, OTHER, PARTNER, ROOM, START_MS
from kit.each import each

CALLERS = ("demo-customer-admin", "demo-owner", "demo-user", "demo-guest", "demo-api-token")


def register(sim, caller="demo-user", **fields):
    """Register an app session and answer its id."""
    body = {"started": 1000, "url": "https://app.example/run", **fields}
    answer = sim.call("create_app_session", caller, clientId=CUSTOMER, body=body)
    assert answer.ok, answer
    return answer.body["id"]


def read(sim, id, caller=ADMIN):
    """An app session."""
    return sim.call("get_app_session", caller, appSessionId=id).body


def log(sim, id, index=None, data="x", time=1):
    """Append a log and answer the status."""
    body = {"time": time, "data": data} | ({} if index is None else {"index": index})
    return sim.call("add_app_session_log", "demo-user", appSession=id, body=body).status


def logs(sim, id, **query):
    """The logs of an app session."""
    return sim.call("list_app_session_logs", ADMIN, appSession=id, **query).body["results"]


# Registration


@pytest.mark.rule("R012", "R306", "R307", "R427", "R430")
def test_a_run_is_registered_and_read(sim, people):
    """The answer has the documented fields, started is the very value given, the caller is among the users."""
    id = register(sim, started=1234567890123, channel=ROOM)
    register(sim, started=1234567890124)
    assert read(sim, id) == {
        "id": id,
        "clientId": CUSTOMER,
        "url": "https://app.example/run",
        "started": 1234567890123,
        "channels": [ROOM],
        "channelsSessions": [],
        "users": [{"id": people["demo-user"], "handle": "Uma User"}],
    }


@pytest.mark.rule("R427")
def test_an_api_token_registers_without_a_user(sim):
    """An API token is no user, so nobody is linked; without channel none is linked either."""
    run = read(sim, register(sim, "demo-api-token"))
    assert (run["users"], run["channels"]) == ([], [])


def test_the_registrant_may_stay_out():
    """Where the caller is not linked, the users are empty."""
    sim = Simulator(profile={"app-sessions.registrant": False})
    assert read(sim, register(sim))["users"] == []


@pytest.mark.rule("R427")
@pytest.mark.parametrize(
    "body",
    [
        {},
        [],
        {"started": 1},
        {"url": "x"},
        {"started": "1", "url": "x"},
        {"started": -1, "url": "x"},
        {"started": 2**63, "url": "x"},
        {"started": 1.5, "url": "x"},
        {"started": 1, "url": " "},
        {"started": 1, "url": "x", "channel": CUSTOMER},
        {"started": 1, "url": "x", "channel": 5},
    ],
)
def test_a_wrong_registration_is_refused(sim, body):
    """A missing or wrong field, or a channel that the client has not, is a 400."""
    assert sim.call("create_app_session", "demo-user", clientId=CUSTOMER, body=body).status == 400
    assert sim.call("list_app_sessions", ADMIN).body["total"] == 0


@pytest.mark.parametrize("client", [OTHER, PARTNER, "nonsense"])
def test_a_run_is_registered_in_the_own_client_alone(sim, client):
    """Any other client of the path is a 404."""
    body = {"started": 1, "url": "x"}
    assert sim.call("create_app_session", "demo-user", clientId=client, body=body).status == 404


@pytest.mark.parametrize(("started", "status"), [(0, 400), (START_MS, 200), (START_MS + 86_400_001, 400)])
def test_started_may_have_to_be_near(started, status):
    """Where the clocks of applications are trusted to a day, a start further off is a 400."""
    sim = Simulator(clock=START_MS, profile={"app-sessions.started-within": 86_400_000})
    body = {"started": started, "url": "x"}
    assert sim.call("create_app_session", "demo-user", clientId=CUSTOMER, body=body).status == status


def test_an_unknown_channel_may_be_stored():
    """Where it is not checked, the channel is stored as given."""
    sim = Simulator(profile={"app-sessions.unknown-channel": "store"})
    assert read(sim, register(sim, channel="anything"))["channels"] == ["anything"]


def test_a_deleted_channel_stays_in_the_record(sim):
    """App sessions are history: the id stays when the channel goes."""
    id = register(sim, channel=ROOM)
    sim.call("delete_channel", "demo-owner", uuid=ROOM)
    assert read(sim, id)["channels"] == [ROOM]


# Logs


@pytest.mark.rule("R428")
def test_logs_are_appended(sim):
    """Logs come back as they were given, with line breaks and without an index where there was none."""
    id = register(sim)
    assert [log(sim, id, 2, "second\nline"), log(sim, id), log(sim, id, 1, "first", -5)] == [200, 200, 200]
    assert logs(sim, id) == [
        {"time": -5, "data": "first", "index": 1},
        {"time": 1, "data": "second\nline", "index": 2},
        {"time": 1, "data": "x"},
    ]
    assert logs(sim, id, limit=1, offset=1)[0]["index"] == 2


@pytest.mark.parametrize(("order", "expected"), [("arrival", ["b", "c", "a"]), ("time", ["c", "a", "b"])])
def test_other_orders_of_logs(order, expected):
    """Logs may stand as they arrived, or by their time."""
    sim = Simulator(profile={"app-sessions.log-order": order})
    id = register(sim)
    for index, data, time in [(2, "b", 9), (3, "c", 1), (1, "a", 5)]:
        log(sim, id, index, data, time)
    assert [each["data"] for each in logs(sim, id)] == expected


@pytest.mark.rule("R429")
@pytest.mark.parametrize(
    ("how", "same", "other", "stored"),
    [
        ("same-ignored", 200, 409, "x"),
        ("refused", 409, 409, "x"),
        ("ignored", 200, 200, "x"),
        ("overwrites", 200, 200, "y"),
    ],
)
def test_an_index_is_unique_in_its_app_session(how, same, other, stored):
    """A repetition is harmless and a clash is refused, unless assumed otherwise; one log has the index."""
    sim = Simulator(profile={"app-sessions.repeated-index": how})
    id = register(sim)
    assert [log(sim, id, 1), log(sim, id, 1), log(sim, id, 1, "y")] == [200, same, other]
    assert [each["data"] for each in logs(sim, id)] == [stored]


@pytest.mark.rule("R429")
def test_an_index_of_another_app_session_is_free(sim):
    """Each app session counts for itself, and logs without index never clash."""
    one, other = register(sim), register(sim)
    assert [log(sim, one, 1), log(sim, other, 1, "y"), log(sim, one), log(sim, one)] == [200] * 4
    assert (len(logs(sim, one)), len(logs(sim, other))) == (3, 1)


def test_an_index_may_be_needed():
    """Where every log must carry an index, one without is a 400."""
    sim = Simulator(profile={"app-sessions.index-needed": True})
    assert log(sim, register(sim)) == 400


@pytest.mark.parametrize("body", [{}, {"time": 1}, {"data": "x"}, {"time": "1", "data": "x"}, {"time": 1, "data": 2}])
def test_a_wrong_log_is_refused(sim, body):
    """A missing or wrong field is a 400."""
    assert sim.call("add_app_session_log", "demo-user", appSession=register(sim), body=body).status == 400


# Links


def session_of(sim, uuid):
    """Put a session of a channel into the world and answer its id."""
    change = sim.service.change()
    id = change.uuid()
    session = Session(id=id, client=CUSTOMER, channel=uuid, name="Run", service_mode="conference", created=change.now)
    SESSIONS.of(change, CUSTOMER).put(session)
    sim.service.commit(change)
    return id


def link(sim, id, uuid, session=None):
    """Link a channel, and a session of it, and answer the status."""
    if session is None:
        return sim.call("link_app_session_to_channel", "demo-user", appSession=id, channelUuid=uuid).status
    return sim.call(
        "link_app_session_to_channel_session", "demo-user", appSession=id, channelUuid=uuid, channelSession=session
    ).status


@pytest.mark.rule("R434", "R435")
def test_channels_and_their_sessions_are_linked_as_sets(sim):
    """A channel is linked alone or with a session of it; linking again changes nothing."""
    id, session = register(sim), session_of(sim, EVENT_ROOM)
    for _ in range(2):
        assert link(sim, id, ROOM) == 200
        assert link(sim, id, EVENT_ROOM, session) == 200
        assert link(sim, id, EVENT_ROOM, session.upper()) == 200
    run = read(sim, id)
    assert (run["channels"], run["channelsSessions"]) == ([ROOM, EVENT_ROOM], [session])


@pytest.mark.rule("R435")
@pytest.mark.parametrize(("choice", "status"), [("either", 200), ("no-slash", 404)])
def test_the_path_without_a_session_may_end_with_a_slash(choice, status):
    """As a URL that is joined from an empty id does, unless the profile says otherwise."""
    sim = Simulator(profile={"route.session-without-id": choice})
    id = register(sim)
    path = f"/app_sessions/{id}/link/channel/session/{ROOM}"
    for given, expected in ((path, 200), (f"{path}/", status)):
        assert sim.client("demo-user").post(given).status_code == expected


def test_the_path_without_a_session_is_noted_whatever_it_names(sim):
    """Another choice moves the path, so that it matters before anything is looked up."""
    assert sim.call("link_app_session_to_channel", "demo-owner", appSession="no", channelUuid=ROOM).status == 404
    assert "route.session-without-id" in list(sim.requests)[-1].assumptions


@pytest.mark.rule("R434")
def test_a_session_must_be_the_channels_own(sim):
    """An unknown session is a 404, a session of another channel a 400, and nothing is linked."""
    id, session = register(sim), session_of(sim, EVENT_ROOM)
    assert (link(sim, id, ROOM, "nonsense"), link(sim, id, ROOM, session)) == (404, 400)
    assert read(sim, id)["channels"] == []


def test_any_session_may_be_linked():
    """Where sessions are not checked, the id is stored as given."""
    sim = Simulator(profile={"app-sessions.session-elsewhere": "store"})
    id = register(sim)
    assert link(sim, id, ROOM, "anything") == 200
    assert read(sim, id)["channelsSessions"] == ["anything"]


@pytest.mark.rule("R306")
def test_users_are_linked_as_a_set(sim, people):
    """A user of the client is linked once; a foreign user is a 404."""
    id = register(sim)
    for _ in range(2):
        answer = sim.call("link_app_session_to_user", "demo-user", appSession=id, userId=people["demo-owner"])
        assert (answer.status, answer.content) == (200, b"")
    assert [user["handle"] for user in read(sim, id)["users"]] == ["Uma User", "Olaf Owner"]
    foreign = people["demo-other-admin"]
    assert sim.call("link_app_session_to_user", "demo-user", appSession=id, userId=foreign).status == 404


# Finding


@pytest.fixture
def found(sim, people):
    """Answer which of four app sessions a query finds, by their names."""
    second = session_of(sim, ROOM)
    ids = {
        register(sim, started=1000, url="https://a.example/one", channel=ROOM): "one",
        register(sim, "demo-owner", started=2000, url="https://a.example/two"): "two",
        register(sim, "demo-owner", started=2000, url="https://b.example/three", channel=ROOM): "three",
        register(sim, "demo-api-token", started=3000, url="https://b.example/four"): "four",
    }
    three, four = list(ids)[2:]
    link(sim, three, ROOM, second)
    sim.call("link_app_session_to_user", ADMIN, appSession=four, userId=people["demo-user"])

    def find(**query):
        query = {
            name: {"SESSION": second, "OWNER": people["demo-owner"], "USER": people["demo-user"]}.get(value, value)
            for name, value in query.items()
        }
        page = sim.call("list_app_sessions", ADMIN, **query).body
        return page["total"], [ids[run["id"]] for run in page["results"]]

    return find


CRITERIA = {
    "user": ("OWNER", {"two", "three"}),
    "channelSession": ("SESSION", {"three"}),
    "channel": (ROOM, {"one", "three"}),
    "url": ("a.example", {"one", "two"}),
    "startedBefore": (3000, {"one", "two", "three"}),
    "startedAfter": (1000, {"two", "three", "four"}),
}


@pytest.mark.rule("R431")
def test_the_list_is_paged_with_the_latest_first(found):
    """All app sessions of the client, newest start first, of equal ones the later registered first."""
    assert found() == (4, ["four", "three", "two", "one"])
    assert found(limit=2, offset=1) == (4, ["three", "two"])


@pytest.mark.rule("R021", "R023", "R431", "R432")
@pytest.mark.parametrize("chosen", list(product([True, False], repeat=len(CRITERIA))))
def test_all_given_criteria_must_match(found, chosen):
    """Every combination of criteria finds what each of them finds, and total counts it."""
    picked = [name for name, taken in zip(CRITERIA, chosen, strict=True) if taken]
    expected = {"one", "two", "three", "four"}.intersection(*(CRITERIA[name][1] for name in picked))
    total, names = found(**{name: CRITERIA[name][0] for name in picked})
    assert (total, set(names)) == (len(expected), expected)


@pytest.mark.rule("R433")
@pytest.mark.parametrize(
    ("url", "expected"), [("example/t", {"two", "three"}), ("EXAMPLE", set()), ("", {"one", "two", "three", "four"})]
)
def test_url_matches_as_a_part(found, url, expected):
    """Any part of the address matches, in its own case."""
    assert set(found(url=url)[1]) == expected


@pytest.mark.parametrize(
    "query", [{"channel": OTHER}, {"channel": "x"}, {"user": 1}, {"channelSession": "x"}, {"startedAfter": 3000}]
)
def test_a_criterion_that_matches_nothing(found, query):
    """Unknown ids are no error, and bounds are exclusive."""
    assert found(**query) == (0, [])


@pytest.mark.parametrize(
    "query", [{"user": "me"}, {"startedBefore": "yesterday"}, {"startedAfter": 2**63}, {"limit": -1}]
)
def test_a_criterion_of_the_wrong_type(sim, query):
    """What is no number is a 400."""
    assert sim.call("list_app_sessions", ADMIN, **query).status == 400


@each(
    "profile, query, expected",
    [
        ({"app-sessions.url-case": False}, {"url": "EXAMPLE"}, [2, 1, 0]),
        ({"app-sessions.bounds": "inclusive"}, {"startedAfter": 2000, "startedBefore": 2000}, [2, 1]),
        ({"units.app-session-filter": "epoch-s"}, {"startedAfter": 1}, [2, 1]),
        ({"app-sessions.order": "creation"}, {}, [2, 1, 0]),
        ({"lists.ties": "oldest-first"}, {}, [1, 2, 0]),
        ({"app-sessions.listed": "own"}, {}, []),
    ],
)
def test_other_ways_to_find(profile, query, expected):
    """Each alternative of the register finds what it says, in its order."""
    sim = Simulator(profile=profile)
    ids = [register(sim, started=started, url="https://a.example/") for started in (1000, 2000, 2000)]
    results = sim.call("list_app_sessions", ADMIN, **query).body["results"]
    assert [run["id"] for run in results] == [ids[place] for place in expected]


def test_a_user_may_find_the_own_runs():
    """Where users list, they find what they registered."""
    sim = Simulator(profile={"app-sessions.listed": "own", "gate.list_app_sessions": ["signed-in"]})
    mine = register(sim, "demo-user")
    register(sim, "demo-owner")
    assert [run["id"] for run in sim.call("list_app_sessions", "demo-user").body["results"]] == [mine]
    assert sim.call("list_app_sessions", "demo-api-token").body["total"] == 2


# Who


ARGUMENTS = {
    "create_app_session": {"clientId": CUSTOMER, "body": {"started": 1, "url": "x"}},
    "add_app_session_log": {"appSession": True, "body": {"time": 1, "data": "x"}},
    "get_app_session": {"appSessionId": True},
    "list_app_sessions": {},
    "link_app_session_to_channel": {"appSession": True, "channelUuid": ROOM},
    "list_app_session_logs": {"appSession": True},
}


@pytest.mark.rule("R427")
@pytest.mark.parametrize("operation", ARGUMENTS)
@pytest.mark.parametrize("caller", CALLERS)
def test_who_may_call(sim, operation, caller):
    """Everybody of the client registers, logs and links; administrators and the registrant read."""
    id = register(sim, "demo-user")
    arguments = {name: id if value is True else value for name, value in ARGUMENTS[operation].items()}
    readers = {"demo-customer-admin", "demo-api-token"} | (set() if operation == "list_app_sessions" else {"demo-user"})
    admitted = not operation.startswith(("get", "list")) or caller in readers
    assert sim.call(operation, caller, **arguments).status == (200 if admitted else 403)
    assert sim.call(operation, None, **arguments).status == 401


@pytest.mark.parametrize(
    "operation", ["add_app_session_log", "get_app_session", "link_app_session_to_channel", "list_app_session_logs"]
)
def test_an_app_session_that_is_not_there(sim, operation):
    """An unknown app session, and one of another client, is a 404."""
    id = register(sim)
    for caller, given in [("demo-api-token", "nonsense"), ("demo-other-admin", id)]:
        arguments = {name: given if value is True else value for name, value in ARGUMENTS[operation].items()}
        assert sim.call(operation, caller, **arguments).status == 404


def test_a_channel_to_link_must_be_the_clients(sim):
    """A channel that is not there is a 404; a guest links the own channel alone."""
    id = register(sim)
    assert (link(sim, id, OTHER), link(sim, id, OTHER, "x")) == (404, 404)
    arguments = {"appSession": id, "channelUuid": EVENT_ROOM}
    assert sim.call("link_app_session_to_channel", "demo-guest", **arguments).status == 403
