from __future__ import annotations

import pytest

from confsim import Simulator
from confsim.domain import couplings
from confsim.domain.broadcast import broadcasts
from confsim.domain.broadcast.broadcasts import BROADCASTS
from confsim.domain.channels import channels
from confsim.domain.clients import clients
from confsim.domain.runtime import presence
from confsim.domain.users import users
from kit import ADMIN, API_TOKEN, CUSTOMER, EVENT_ROOM, NOTHING, OPERATOR, OWNER, ROOM, START, USER, code, demo

RTMP = "rtmp://live.example/app/key"
NOON = "2026-02-01T00:00:00.000Z"
assert couplings


def simulator(**profile):
    """The demo world under a profile, live streaming enabled for the demo room."""
    sim = Simulator(clock=START, profile=profile)
    assert sim.call("set_broadcast_state", ADMIN, uuid=ROOM, state="enable").ok
    return sim


@pytest.fixture
def on(sim):
    """The demo world with live streaming enabled for the demo room."""
    assert sim.call("set_broadcast_state", ADMIN, uuid=ROOM, state="enable").ok
    return sim


@pytest.fixture
def ready(on):
    """The same with an enabled destination."""
    add(on)
    return on


def add(sim, url=RTMP, channel=ROOM, **more):
    """Add a destination and answer its id."""
    answer = sim.call("add_broadcast_destination", OWNER, channel=channel, body={"destination": url, **more})
    assert answer.ok, answer
    return answer.body["id"]


def turn(sim, id, state, caller=OWNER):
    """Enable or disable a destination."""
    return sim.call("set_broadcast_destination_state", caller, channel=ROOM, destinationId=id, state=state)


def listed(sim, caller=OWNER):
    """The destinations of the demo room."""
    return sim.call("list_broadcast_destinations", caller, channel=ROOM).body


def call(sim, name, caller=OPERATOR, **arguments):
    """Call an operation on the demo room."""
    return sim.call(name, caller, uuid=ROOM, **arguments)


def start(sim):
    """Start a broadcast and answer its id."""
    assert call(sim, "start_broadcast").ok
    return call(sim, "get_broadcast_metrics").body["id"]


def state(sim):
    """The state of the broadcast."""
    return call(sim, "get_broadcast_state").body["state"]


def within(sim, act):
    """Do something in the world that no documented call does: users come and go."""
    change = sim.service.change()
    client = clients.get(change, CUSTOMER)
    act(change, client, channels.get(change, CUSTOMER, ROOM))
    sim.service.commit(change)


def join(sim, people):
    """The owner comes into the demo room."""
    within(sim, lambda change, client, room: presence.join(
        change, client, room, users.get(change, CUSTOMER, people[OWNER]), host=True))  # fmt: skip


def leave(sim, people):
    """The owner goes."""
    within(sim, lambda change, client, room: presence.leave(change, room, people[OWNER]))


# Destinations


@pytest.mark.rule("R024", "R334", "R524", "R526")
def test_a_channel_has_destinations(on):
    """A bare array in order of creation; label is an option."""
    first, second = add(on, label="Main"), add(on, "RTMPS://backup.example:443/app", enabled=False)
    assert listed(on) == [
        {"id": first, "label": "Main", "destination": RTMP, "channelId": ROOM, "enabled": True},
        {"id": second, "destination": "RTMPS://backup.example:443/app", "channelId": ROOM, "enabled": False},
    ]


@pytest.mark.rule("R526")
@pytest.mark.parametrize(
    "url", ["http://live.example/app", "rtmp://", "rtmp:///app", "live.example/app", "rtmp://a b/c", "rtmp://x:y/z", ""]
)
def test_a_destination_is_a_valid_rtmp_url(on, url):
    """Anything else is refused and not added."""
    answer = on.call("add_broadcast_destination", OWNER, channel=ROOM, body={"destination": url})
    assert code(answer) == (400, "invalid_input")
    assert listed(on) == []


@pytest.mark.rule("R526")
def test_a_destination_is_enabled_or_disabled(on):
    """Only the one that is named; setting what holds changes nothing."""
    one, other = add(on), add(on)
    for word, flag in [("disable", False), ("disable", False), ("enable", True), ("enable", True)]:
        assert turn(on, one, word).status == 200
        assert [(each["id"], each["enabled"]) for each in listed(on)] == [(one, flag), (other, True)]


def test_destinations_of_another_channel_are_not_there(on):
    """Neither under its channel nor by an unknown id."""
    elsewhere = add(on, channel=EVENT_ROOM)
    assert turn(on, elsewhere, "disable").status == 404
    assert turn(on, NOTHING, "enable").status == 404
    assert turn(on, add(on), "on").status == 400


@pytest.mark.rule("R525")
@pytest.mark.parametrize(
    ("caller", "status"),
    [(OWNER, 200), (API_TOKEN, 403), (OPERATOR, 403), (ADMIN, 403), (USER, 403), ("demo-guest", 403), (None, 401)],
)
def test_only_owners_modify_destinations(on, caller, status):
    """Operators, Customer Admins and API tokens do not."""
    id = add(on)
    added = on.call("add_broadcast_destination", caller, channel=ROOM, body={"destination": RTMP})
    assert (added.status, turn(on, id, "disable", caller).status) == (status, status)


# Start and stop


@pytest.mark.rule("R368")
def test_a_broadcast_needs_an_enabled_destination(on):
    """Without any, or with disabled ones alone, it does not start; with one it does."""
    answer = call(on, "start_broadcast")
    assert code(answer) == (409, "no_destination")
    id = add(on, enabled=False)
    assert call(on, "start_broadcast").status == 409
    assert call(on, "list_broadcast_history").body["total"] == 0
    turn(on, id, "enable")
    assert call(on, "start_broadcast").status == 200


@pytest.mark.rule("R527", "R537")
@pytest.mark.parametrize(
    ("caller", "status"),
    [(OWNER, 200), (OPERATOR, 200), (API_TOKEN, 200), (ADMIN, 403), (USER, 403), ("demo-guest", 403), (None, 401)],
)
def test_all_hosts_start_and_stop(ready, caller, status):
    """Owners and operators, nobody else; the answers are empty."""
    answer = call(ready, "start_broadcast", caller)
    assert (answer.status, answer.content == b"") == (status, status == 200)
    if status != 200:
        start(ready)
    assert call(ready, "stop_broadcast", caller).status == status


@pytest.mark.rule("R523")
def test_live_streaming_is_enabled_for_a_channel(sim):
    """It is off at first and refuses to start; what is enabled for one channel stays off for another."""
    add(sim)
    add(sim, channel=EVENT_ROOM)
    answer = call(sim, "start_broadcast")
    assert code(answer) == (403, "broadcast_off")
    assert call(sim, "set_broadcast_state", ADMIN, state="enable").status == 200
    assert call(sim, "start_broadcast").status == 200
    assert sim.call("start_broadcast", OWNER, uuid=EVENT_ROOM).status == 403


@pytest.mark.rule("R523")
@pytest.mark.parametrize(("caller", "status"), [(ADMIN, 200), (API_TOKEN, 200), (OWNER, 403), (USER, 403), (None, 401)])
def test_administrators_enable_live_streaming(sim, caller, status):
    """Customer Admins and API tokens; the settings of the channel show it."""
    assert call(sim, "set_broadcast_state", caller, state="enable").status == status
    assert call(sim, "get_channel_settings", OWNER).body["broadcastEnabled"] is (status == 200)


def test_a_channel_has_one_broadcast_at_a_time(ready):
    """A second start is refused, and so is stopping what has stopped."""
    id = start(ready)
    answer = call(ready, "start_broadcast")
    assert code(answer) == (409, "broadcast_running")
    assert call(ready, "stop_broadcast").ok
    answer = call(ready, "stop_broadcast")
    assert code(answer) == (409, "not_broadcasting")
    assert start(ready) != id


@pytest.mark.rule("R369")
def test_changing_destinations_does_not_touch_a_running_broadcast(ready):
    """It goes where it went when it started; the next one goes elsewhere."""
    id, first = start(ready), listed(ready)[0]["id"]
    turn(ready, first, "disable")
    add(ready, "rtmp://new.example/a")
    assert state(ready) == "running"
    assert BROADCASTS.seen(ready.service.world, CUSTOMER)[id].destinations == (RTMP,)
    call(ready, "stop_broadcast")
    id = start(ready)
    assert BROADCASTS.seen(ready.service.world, CUSTOMER)[id].destinations == ("rtmp://new.example/a",)


# Start-up


@pytest.mark.rule("R370")
def test_starting_up_can_take_minutes():
    """Meanwhile it is starting, and its record has no started."""
    sim = simulator(**{"duration.broadcast-start": "time(200)"})
    add(sim)
    start(sim)
    sim.service.live.advance(199_999)
    assert (state(sim), "started" in call(sim, "get_broadcast_metrics").body) == ("starting", False)
    sim.service.live.advance(1)
    assert call(sim, "get_broadcast_metrics").body["started"] == "2026-02-01T00:03:20.000Z"
    assert state(sim) == "running"


def test_a_broadcast_can_be_stopped_while_it_starts_up():
    """It never started, and nothing starts later."""
    sim = simulator(**{"duration.broadcast-start": "time(200)"})
    add(sim)
    id = start(sim)
    assert call(sim, "start_broadcast").status == 409
    assert call(sim, "stop_broadcast").ok
    sim.service.live.advance(300_000)
    record = call(sim, "get_broadcast", broadcastID=id).body
    assert ("started" in record, record["ended"], state(sim)) == (False, NOON, "off")


def test_starting_up_can_take_polls():
    """The state comes up after so many polls."""
    sim = simulator(**{"duration.broadcast-start": "manual(2)"})
    add(sim)
    assert call(sim, "start_broadcast").ok
    assert [state(sim) for _ in range(4)] == ["starting", "starting", "running", "running"]


# Reading


@pytest.mark.rule("R335", "R530")
def test_a_broadcast_has_a_record(ready):
    """The same in the metrics while it runs and in the history afterwards, where it has ended."""
    id = start(ready)
    record = {"id": id, "clientId": CUSTOMER, "channelId": ROOM, "created": NOON, "started": NOON, "sessions": []}
    assert call(ready, "get_broadcast_metrics").body == record
    assert call(ready, "get_broadcast", broadcastID=id).body == record
    ready.service.live.advance(1500)
    call(ready, "stop_broadcast")
    assert call(ready, "get_broadcast", broadcastID=id).body == {**record, "ended": "2026-02-01T00:00:01.500Z"}


@pytest.mark.rule("R530")
def test_metrics_are_of_the_running_broadcast(ready):
    """Without one there are none, before it and after it."""
    assert call(ready, "get_broadcast_metrics").body["code"] == "no_broadcast"
    start(ready)
    call(ready, "stop_broadcast")
    assert call(ready, "get_broadcast_metrics").status == 404


@pytest.mark.rule("R529")
def test_broadcasts_of_another_channel_are_not_there(ready):
    """Under another channel, or by an unknown id."""
    id = start(ready)
    assert ready.call("get_broadcast", OWNER, uuid=EVENT_ROOM, broadcastID=id).status == 404
    assert call(ready, "get_broadcast", broadcastID=NOTHING).status == 404


@pytest.fixture
def past(ready):
    """Three broadcasts of one, three and two seconds, the last one a second after the others; answers their ids."""
    made = []
    for seconds in (1, 3, 2):
        made.append(start(ready))
        ready.service.live.advance(seconds * 1000)
        call(ready, "stop_broadcast")
        ready.service.live.advance(1000)
    return made


def order(sim, ids, **query):
    """The places, in order of creation, of the rows of the history."""
    return [ids.index(row["id"]) for row in call(sim, "list_broadcast_history", **query).body["rows"]]


@pytest.mark.rule("R026", "R528")
def test_the_history_is_a_page_of_rows(ready, past):
    """An object of total and rows, not results; a row is the record."""
    body = call(ready, "list_broadcast_history", limit=1, offset=1).body
    assert body == {"total": 3, "rows": [call(ready, "get_broadcast", broadcastID=past[1]).body]}


@pytest.mark.rule("R026")
def test_an_empty_history_has_total_and_rows(on):
    """Clients can rely on both."""
    assert call(on, "list_broadcast_history").body == {"total": 0, "rows": []}


@pytest.mark.rule("R027", "R028", "R528")
@pytest.mark.parametrize("sort", [None, "created", "started", "ended"])
def test_the_history_is_in_order(ready, past, sort):
    """Of its times, the latest first unless asked otherwise; what has not ended is the latest."""
    assert order(ready, past, sort=sort) == [2, 1, 0]
    assert order(ready, past, sort=sort, order="asc", limit=2) == [0, 1]
    assert order(ready, [*past, start(ready)], sort=sort) == [3, 2, 1, 0]


@pytest.mark.rule("R027", "R028")
@pytest.mark.parametrize("query", [{"sort": "id"}, {"order": "down"}, {"limit": "x"}, {"offset": -1}])
def test_other_orders_of_the_history_are_refused(on, query):
    """Only the record's own columns, asc and desc."""
    assert call(on, "list_broadcast_history", **query).status == 400


@pytest.mark.parametrize(
    "name",
    [
        "list_broadcast_destinations",
        "list_broadcast_history",
        "get_broadcast_metrics",
        "get_broadcast_state",
        "get_broadcast",
    ],
)
@pytest.mark.parametrize(
    ("caller", "status"), [(OWNER, 200), (OPERATOR, 200), (API_TOKEN, 200), (ADMIN, 403), (USER, 403), (None, 401)]
)
def test_hosts_read_about_broadcasts(ready, name, caller, status):
    """Destinations hold stream keys, so that nobody else does."""
    path = {"channel": ROOM} if name == "list_broadcast_destinations" else {"uuid": ROOM}
    more = {"broadcastID": start(ready)} if name == "get_broadcast" else {}
    start(ready) if name == "get_broadcast_metrics" else None
    assert ready.call(name, caller, **path, **more).status == status


# Sessions and channels


@pytest.mark.rule("R528")
def test_a_broadcast_knows_its_sessions(ready, people):
    """The one that was on and the one that began meanwhile; the history is searched by them."""
    before = start(ready)
    join(ready, people)
    session = call(ready, "get_broadcast", broadcastID=before).body["sessions"]
    assert len(session) == 1
    call(ready, "stop_broadcast")
    during = start(ready)
    assert call(ready, "get_broadcast", broadcastID=during).body["sessions"] == session
    call(ready, "stop_broadcast")
    assert order(ready, [before, during], session=session[0]) == [1, 0]
    assert order(ready, [], session=NOTHING) == []


def test_the_end_of_the_session_ends_the_broadcast(ready, people):
    """Whether the last user leaves or a host ends it."""
    for end in (lambda: leave(ready, people), lambda: call(ready, "end_active_session", OWNER)):
        join(ready, people)
        start(ready)
        end()
        assert state(ready) == "off"
    assert call(ready, "list_broadcast_history").body["total"] == 2


def test_broadcasts_go_with_their_channel(ready):
    """The running one, the history and the destinations."""
    start(ready)
    assert ready.call("delete_channel", OWNER, uuid=ROOM).ok
    change = ready.service.change()
    assert len(BROADCASTS.of(change, CUSTOMER)) == 0
    assert broadcasts.find_open(change, CUSTOMER, ROOM) is None
    assert call(ready, "list_broadcast_history").status == 404


# What may be otherwise


def test_everything_may_be_refused_while_the_feature_is_off():
    """Reading and changing too."""
    sim = simulator(**{"broadcast.while-off": "all-refused"})
    id = add(sim)
    broadcast = start(sim)
    assert call(sim, "stop_broadcast").ok
    assert call(sim, "set_broadcast_state", ADMIN, state="disable").ok
    answers = [call(sim, name) for name in ("list_broadcast_history", "get_broadcast_metrics", "get_broadcast_state")]
    answers += [
        call(sim, "stop_broadcast"),
        call(sim, "get_broadcast", broadcastID=broadcast),
        turn(sim, id, "enable"),
    ]
    answers += [sim.call("list_broadcast_destinations", OWNER, channel=ROOM)]
    answers += [sim.call("add_broadcast_destination", OWNER, channel=ROOM, body={"destination": RTMP})]
    assert {code(answer) for answer in answers} == {(403, "broadcast_off")}


@pytest.mark.parametrize(("choice", "left"), [("goes-on", "running"), ("ends", "off")])
def test_disabling_the_feature_may_end_the_broadcast(choice, left):
    """It goes on by default."""
    sim = simulator(**{"broadcast.off-while-running": choice})
    add(sim)
    start(sim)
    assert call(sim, "set_broadcast_state", ADMIN, state="disable").ok
    assert state(sim) == left


def test_stream_keys_may_be_masked():
    """For all but owners."""
    sim = simulator(**{"broadcast.stream-keys": "masked"})
    add(sim)
    assert [listed(sim, caller)[0]["destination"] for caller in (OWNER, API_TOKEN)] == [RTMP, RTMP]
    assert listed(sim, OPERATOR)[0]["destination"] == "rtmp://live.example/app/***"


def test_schemes_and_initial_state_of_destinations_are_choices():
    """Plain RTMP alone, disabled at first."""
    sim = simulator(**{"broadcast.schemes": ["rtmp"], "broadcast.new-destination-enabled": False})
    add(sim)
    assert listed(sim)[0]["enabled"] is False
    rtmps = {"destination": "rtmps://live.example/app"}
    assert sim.call("add_broadcast_destination", OWNER, channel=ROOM, body=rtmps).status == 400


def test_a_session_may_be_needed(people):
    """Then nothing starts in an empty channel."""
    sim = simulator(**{"broadcast.needs-session": True})
    add(sim)
    assert call(sim, "start_broadcast").body["code"] == "no_active_session"
    join(sim, people)
    assert call(sim, "start_broadcast").ok


@pytest.mark.parametrize(("choice", "status", "content"), [("204", 204, b""), ("{}", 200, b"{}")])
def test_metrics_without_a_broadcast_may_be_empty(choice, status, content):
    """No content, or an empty object."""
    answer = call(simulator(**{"broadcast.metrics-without": choice}), "get_broadcast_metrics")
    assert (answer.status, answer.content) == (status, content)


def test_the_history_has_other_forms():
    """Empty without fields; rows of id and times; another column; ended broadcasts alone; times as numbers."""
    sim = simulator(
        **{
            "broadcast.empty-history": "absent",
            "broadcast.rows": "summary",
            "broadcast.history-sort": "ended",
            "broadcast.history": "ended",
            "units.broadcast-times": "epoch-ms",
            "broadcast.states": ["NONE", "SOON", "LIVE"],
        }
    )
    add(sim)
    assert (call(sim, "list_broadcast_history").body, state(sim)) == ({}, "NONE")
    id = start(sim)
    assert state(sim) == "LIVE"
    assert call(sim, "get_broadcast", broadcastID=id).status == 404
    call(sim, "stop_broadcast")
    at = "1769904000000"
    assert call(sim, "list_broadcast_history").body["rows"] == [{"id": id, "created": at, "started": at, "ended": at}]


def test_the_history_may_hold_ended_ones_alone():
    """While one is running, and when none is."""
    for choice, running in (("all", 2), ("ended", 1)):
        sim = demo(broadcast__history=choice)
        assert sim.call("set_broadcast_state", ADMIN, uuid=ROOM, state="enable").ok
        add(sim)
        ended = start(sim)
        call(sim, "stop_broadcast")
        assert [row["id"] for row in call(sim, "list_broadcast_history").body["rows"]] == [ended]
        started = start(sim)
        listed = call(sim, "list_broadcast_history").body
        assert listed["total"] == running
        assert [row["id"] for row in listed["rows"]] == [started, ended][-running:]
        assert call(sim, "get_broadcast", broadcastID=ended).status == 200
        assert call(sim, "get_broadcast", broadcastID=started).status == (200 if choice == "all" else 404)
