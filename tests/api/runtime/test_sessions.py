"""Sessions, and who took part in them."""

from __future__ import annotations

from itertools import product

import pytest
from msgspec.structs import replace

from confsim.domain.runtime.sessions import ATTENDANCES, SESSIONS
from kit import (
    ADMIN,
    API_TOKEN,
    CUSTOMER,
    EVENT_ROOM,
    GUEST,
    NOTHING,
    OPERATOR,
    OTHER_ADMIN,
    OWNER,
    ROOM,
    START_MS,
    USER,
    code,
    demo,
)
from kit.things.people import PNG
from kit.things.sessions import ran, session


def listed(sim, caller=OWNER, **query):
    """The ids of the sessions listed for the caller."""
    answer = sim.call("list_sessions", caller, **query)
    assert answer.status == 200, answer
    assert answer.body["total"] >= len(answer.body["results"])
    return [each["id"] for each in answer.body["results"]]


def recorded(sim, id):
    """Let the session have had a recording."""
    change = sim.service.change()
    sessions = SESSIONS.of(change, CUSTOMER)
    sessions.put(replace(sessions[id], had_recording=True))
    sim.service.commit(change)


# One session


@pytest.mark.rule("R256", "R282", "R283", "R284", "R285", "R414")
def test_a_session_is_what_the_documents_say(sim):
    """While it goes on it has a start and no end; its instants are epoch milliseconds."""
    id = ran(sim, USER, end=False)
    expected = {
        "id": id,
        "name": "Demo Room",
        "channel": ROOM,
        "clientId": CUSTOMER,
        "serviceMode": "conference",
        "participantsCount": 1,
        "hadRecording": False,
        "created": START_MS,
        "started": START_MS,
    }
    assert session(sim, id) == expected
    sim.call("end_active_session", OWNER, uuid=ROOM)
    assert session(sim, id) == {**expected, "ended": START_MS + 60_000}


@pytest.mark.rule("R285")
def test_placement_initialises_a_session_and_the_first_user_starts_it(sim):
    """The field created is the placement, started the first join, and no instant is before the one that precedes it."""
    sim.call("get_streaming_proxy", USER, uuid=ROOM)
    id = SESSIONS.seen(sim.service.world, CUSTOMER).all.last.id
    assert "started" not in session(sim, id)
    assert listed(sim) == []
    sim.clock.advance("5s")
    assert sim.presence.join(ROOM, USER).session == id
    reported = session(sim, id)
    assert (reported["created"], reported["started"]) == (START_MS, START_MS + 5000)


def test_placement_may_leave_the_session_to_the_first_user():
    """By assumption, there is no session before somebody comes."""
    sim = demo(streaming__session=False)
    sim.call("get_streaming_proxy", USER, uuid=ROOM)
    assert len(SESSIONS.seen(sim.service.world, CUSTOMER)) == 0
    assert session(sim, ran(sim, USER))["created"] == START_MS


@pytest.mark.rule("R284", "R285")
def test_the_last_one_to_leave_ends_the_session(sim, people):
    """It goes on while anybody is inside; the next one to come starts another."""
    id = ran(sim, USER, OWNER, end=False)
    sim.presence.leave(ROOM, people[USER])
    assert "ended" not in session(sim, id)
    sim.presence.leave(ROOM, people[OWNER])
    assert session(sim, id)["ended"] == START_MS + 60_000
    assert sim.presence.join(ROOM, USER).session != id


def test_a_session_may_wait_for_its_users(people):
    """By assumption, it outlives its users for a while, and goes on when one comes back in time."""
    sim = demo(duration__session_grace=300_000)
    id = ran(sim, USER, end=False)
    sim.presence.leave(ROOM, people[USER])
    sim.clock.advance("4m")
    assert sim.presence.join(ROOM, OWNER).session == id
    sim.clock.advance("4m")
    assert "ended" not in session(sim, id)
    sim.presence.leave(ROOM, people[OWNER])
    sim.clock.advance("1h")
    assert session(sim, id)["ended"] == START_MS + (1 + 4 + 4 + 5) * 60_000


def test_a_session_may_end_by_a_call_alone(people):
    """By assumption, it goes on without users until somebody ends it."""
    sim = demo(sessions__end="by-call")
    id = ran(sim, USER, end=False)
    sim.presence.leave(ROOM, people[USER])
    sim.clock.advance("1d")
    assert sim.presence.join(ROOM, USER).session == id
    sim.call("end_active_session", OWNER, uuid=ROOM)
    assert "ended" in session(sim, id)


@pytest.mark.rule("R286")
def test_a_session_that_had_a_recording_says_so(sim):
    """The field hadRecording is true once a recording was made."""
    id = ran(sim, USER)
    recorded(sim, id)
    assert session(sim, id)["hadRecording"] is True


@pytest.mark.rule("R287")
@pytest.mark.parametrize(("choice", "inside", "after"), [("distinct", 3, 3), ("connected", 1, 0), ("peak", 2, 2)])
def test_participants_are_counted(people, choice, inside, after):
    """Everybody who took part counts once, whenever they were inside; or those connected; or the most at one time."""
    sim = demo(sessions__participants_count=choice)
    id = ran(sim, USER, OWNER, end=False)
    for token in (USER, OWNER, OPERATOR, OPERATOR):
        if token != OPERATOR:
            sim.presence.leave(ROOM, people[token])
        sim.presence.join(ROOM, OPERATOR)
    assert session(sim, id)["participantsCount"] == inside
    sim.call("end_active_session", OWNER, uuid=ROOM)
    assert session(sim, id)["participantsCount"] == after
    if choice == "distinct":
        assert len(sim.call("list_session_participants", OWNER, sessionId=id).body) == after


@pytest.mark.rule("R289")
def test_a_group_id_is_any_text(sim):
    """It is absent until something outside of the API sets it."""
    id = ran(sim, USER)
    assert "groupId" not in session(sim, id)
    sim.change_record("session", id, groupId="course 7")
    assert session(sim, id)["groupId"] == "course 7"
    assert sim.call("list_sessions", OWNER).body["results"][0]["groupId"] == "course 7"


def test_the_name_is_that_of_the_time(sim):
    """Renaming the channel changes no past session."""
    id = ran(sim, USER)
    sim.call("rename_channel", OWNER, uuid=ROOM, name="Renamed")
    assert session(sim, id)["name"] == "Demo Room"
    generated = demo(sessions__name="generated")
    id = ran(generated, USER)
    assert session(generated, id)["name"] == f"Session {id[:8]}"


@pytest.mark.parametrize(("choice", "shown"), [("current", True), ("snapshot", False)])
def test_the_image_is_the_present_one_or_that_of_the_time(choice, shown):
    """A session shows the channel's image of now, or by assumption of then."""
    sim = demo(sessions__image=choice)
    id = ran(sim, USER)
    sim.call("set_channel_image", OWNER, uuid=ROOM, url="https://images.example/1.png")
    assert ("imageUrl" in session(sim, id)) is shown
    assert "imageUrl" in session(sim, ran(sim, USER))


def test_the_image_of_the_time_is_served_when_the_channel_has_another():
    """Its link leads to what the channel showed then, also once the channel shows none; the present one is gone."""
    for choice, status in (("snapshot", 200), ("current", 404)):
        sim = demo(sessions__image=choice)
        sim.call("set_channel_image", OWNER, uuid=ROOM, body=PNG, content_type="image/png")
        id = ran(sim, USER)
        link = session(sim, id)["imageUrl"]
        sim.call("remove_channel_image", OWNER, uuid=ROOM)
        assert ("imageUrl" in session(sim, id)) is (choice == "snapshot")
        assert sim.client(None).get(link).status_code == status


def test_instants_may_be_seconds():
    """By assumption, created, started and ended are epoch seconds."""
    sim = demo(units__session="epoch-s")
    reported = session(sim, ran(sim, USER))
    assert (reported["created"], reported["started"], reported["ended"]) == (
        START_MS // 1000,
        START_MS // 1000,
        START_MS // 1000 + 60,
    )


READS = ("get_session", "list_session_participants")


@pytest.mark.parametrize(("operation", "caller"), list(product(READS, (OWNER, OPERATOR, ADMIN, API_TOKEN))))
def test_hosts_and_administrators_read_sessions(sim, operation, caller):
    """They see them, whether or not they took part."""
    assert sim.call(operation, caller, sessionId=ran(sim, USER)).status == 200


@pytest.mark.parametrize(
    ("operation", "caller", "status"),
    [(operation, *case) for operation in READS for case in ((USER, 403), (GUEST, 403), (OTHER_ADMIN, 404))],
)
def test_others_do_not_read_sessions(sim, operation, caller, status):
    """Users are refused, to other clients there is no such session."""
    assert sim.call(operation, caller, sessionId=ran(sim, USER)).status == status


@pytest.mark.parametrize("operation", READS)
def test_an_unknown_session_is_not_there(sim, operation):
    """It is a 404."""
    assert sim.call(operation, OWNER, sessionId=NOTHING).status == 404


# Ending


@pytest.mark.rule("R353")
@pytest.mark.parametrize("with_id", [True, False])
def test_ending_a_session_disconnects_everybody(sim, with_id):
    """Nobody is inside or waits any more."""
    id = ran(sim, USER, OWNER, end=False)
    sim.call("set_lobby_door", OWNER, uuid=ROOM, state="close")
    sim.presence.join(ROOM, GUEST)
    path = {"sessionId": id} if with_id else {}
    answer = sim.call("end_session" if with_id else "end_active_session", OPERATOR, uuid=ROOM, **path)
    assert (answer.status, answer.content) == (200, b"")
    assert sim.presence(ROOM) == []
    assert session(sim, id)["ended"] == START_MS + 60_000


@pytest.mark.rule("R417", "R552")
def test_ending_a_past_session_leaves_the_active_one(sim):
    """With an id only that session is ended; ending it again changes nothing."""
    past, running = ran(sim, USER), ran(sim, USER, end=False)
    before = session(sim, past)
    assert sim.call("end_session", OWNER, uuid=ROOM, sessionId=past).status == 200
    assert session(sim, past) == before
    assert "ended" not in session(sim, running)
    assert [each.state for each in sim.presence(ROOM)] == ["in"]


def test_ending_a_session_again_can_be_refused():
    """By assumption, it is a conflict."""
    sim = demo(sessions__end_again="refuse")
    answer = sim.call("end_session", OWNER, uuid=ROOM, sessionId=ran(sim, USER))
    assert code(answer) == (409, "session_ended")


@pytest.mark.parametrize("id", [NOTHING, "nonsense"])
def test_what_is_no_session_of_the_channel_is_not_ended(sim, id):
    """Unknown ids, and those of sessions of another channel, are 404s."""
    elsewhere = ran(sim, USER, uuid=EVENT_ROOM, end=False)
    for wrong in (id, elsewhere):
        assert sim.call("end_session", OWNER, uuid=ROOM, sessionId=wrong).status == 404
    assert "ended" not in session(sim, elsewhere)


@pytest.mark.rule("R418")
def test_ending_without_an_id_takes_the_active_session(sim):
    """There must be one: a session that has ended or not started is none."""
    sim.call("get_streaming_proxy", USER, uuid=ROOM)
    assert sim.call("end_active_session", OWNER, uuid=ROOM).body["code"] == "no_active_session"
    id = ran(sim, USER)
    assert "ended" in session(sim, id)
    answer = sim.call("end_active_session", OWNER, uuid=ROOM)
    assert code(answer) == (404, "no_active_session")


@pytest.mark.rule("R418")
@pytest.mark.parametrize(("choice", "status"), [("either", 200), ("no-slash", 404)])
def test_the_path_without_an_id_may_keep_its_slash(choice, status):
    """The id left out, the path ends with or without the slash; by assumption without it alone."""
    sim = demo(route__session_without_id=choice)
    for path, expected in ((f"/channels/{ROOM}/session", 200), (f"/channels/{ROOM}/session/", status)):
        sim.presence.join(ROOM, USER)
        assert sim.client(OWNER).delete(path).status_code == expected


@pytest.mark.parametrize("operation", ["end_session", "end_active_session"])
@pytest.mark.parametrize("caller", [USER, GUEST, ADMIN, OTHER_ADMIN])
def test_hosts_alone_end_sessions(sim, operation, caller):
    """Others are refused, and the session goes on."""
    id = ran(sim, USER, end=False)
    path = {"sessionId": id} if operation == "end_session" else {}
    assert sim.call(operation, caller, uuid=ROOM, **path).status == (404 if caller == OTHER_ADMIN else 403)
    assert "ended" not in session(sim, id)
    assert sim.call(operation, API_TOKEN, uuid=ROOM, **path).ok


def test_a_channel_has_one_session_at_a_time(sim):
    """Anyone who comes joins the active one."""
    assert len({sim.presence.join(ROOM, token).session for token in (USER, OWNER, GUEST)}) == 1
    assert len(listed(sim)) == 1


# The list


@pytest.fixture
def three(sim):
    """Three sessions: of the event room with one user, of the room with two, and with one that goes on."""
    first = ran(sim, OWNER, uuid=EVENT_ROOM, length="10m")
    second = ran(sim, USER, OWNER, length="1m")
    third = ran(sim, USER, end=False)
    recorded(sim, second)
    return first, second, third


@pytest.mark.rule("R021", "R282", "R421")
def test_hosts_list_the_sessions_of_their_channels(sim, three):
    """Newest start first, paged; who hosts nothing sees nothing."""
    assert listed(sim) == [three[2], three[1], three[0]]
    body = sim.call("list_sessions", OPERATOR, limit=1, offset=1).body
    assert (body["total"], [each["id"] for each in body["results"]]) == (3, [three[1]])
    assert body["results"][0] == session(sim, three[1])
    for caller in (USER, GUEST, OTHER_ADMIN):
        assert listed(sim, caller) == []


@pytest.mark.rule("R421")
@pytest.mark.parametrize(("profile", "count"), [({}, 0), ({"sessions__administrators": "all"}, 3)])
def test_administrators_see_the_sessions_of_the_channels_they_host(profile, count):
    """Customer Admins and API tokens are no operators and see none; by assumption they see all of the client."""
    sim = demo(**profile)
    for _ in range(3):
        ran(sim, USER)
    assert len(listed(sim, ADMIN)) == len(listed(sim, API_TOKEN)) == count


@pytest.mark.rule("R422")
def test_sessions_of_one_channel(sim, three):
    """The channel filters; a channel that is unknown or foreign has none."""
    assert listed(sim, channel=ROOM) == [three[2], three[1]]
    assert listed(sim, channel=ROOM.upper()) == [three[2], three[1]]
    assert listed(sim, channel=EVENT_ROOM) == [three[0]]
    assert listed(sim, channel=NOTHING) == listed(sim, USER, channel=ROOM) == []


def test_an_unknown_channel_can_be_refused():
    """By assumption, filtering by it is a 404."""
    sim = demo(sessions__unknown_channel="refuse")
    assert sim.call("list_sessions", OWNER, channel=NOTHING).status == 404
    assert sim.call("list_sessions", USER, channel=ROOM).status == 404
    assert listed(sim, channel=ROOM) == []


@pytest.mark.rule("R023", "R027", "R028", "R423")
@pytest.mark.parametrize(
    ("sort", "expected"),
    [("started", [0, 1, 2]), ("ended", [0, 1, 2]), ("name", [0, 1, 2]), ("presence", [0, 2, 1]), (None, [0, 1, 2])],
)
def test_sessions_are_sorted(sim, three, sort, expected):
    """By each column, ascending and exactly reversed; one without an end counts as the latest."""
    up = [three[place] for place in expected]
    assert listed(sim, sort=sort, order="asc") == up
    assert listed(sim, sort=sort, order="desc") == listed(sim, sort=sort) == up[::-1]


@pytest.mark.rule("R027", "R028")
@pytest.mark.parametrize("query", [{"sort": "created"}, {"sort": "Name"}, {"order": "up"}, {"hasRecording": "yes"}])
def test_other_columns_and_orders_are_refused(sim, query):
    """Only the stated values are taken."""
    assert sim.call("list_sessions", OWNER, **query).status == 400


@pytest.mark.rule("R021", "R423")
@pytest.mark.parametrize("page", [{}, {"limit": 2}, {"limit": 2, "offset": 1}, {"offset": 5}])
def test_the_default_list_is_the_sorted_one(page):
    """Who sees everything is answered from the table as it stands: in the order of the start, not of placement."""
    sim = demo(sessions__administrators="all")
    rooms = [sim.call("create_channel", OWNER, body={"name": name}).body["channelUuid"] for name in "abc"]
    for room in rooms:
        sim.call("get_streaming_proxy", OWNER, uuid=room)
    for room in (rooms[2], rooms[0]):
        sim.presence.join(room, OWNER)
        sim.clock.advance("1s")
    ran(sim, OWNER, uuid=EVENT_ROOM)
    sim.call("delete_channel", OWNER, uuid=EVENT_ROOM)
    ran(sim, OWNER)
    quick = sim.call("list_sessions", API_TOKEN, **page).body
    assert quick == sim.call("list_sessions", API_TOKEN, **page, **{"from": 0}).body
    assert [each["name"] for each in sim.call("list_sessions", ADMIN).body["results"]] == ["Demo Room", "a", "c"]
    assert quick["total"] == 3


@pytest.mark.rule("R424", "R425")
@pytest.mark.parametrize(("choice", "counts"), [("strict", (2, 1, 0, 1)), ("inclusive", (3, 2, 1, 3))])
def test_sessions_started_after_and_before(choice, counts):
    """The bounds are instants in milliseconds, the instant itself excluded or included."""
    sim = demo(sessions__from_to=choice)
    for _ in range(3):
        ran(sim, USER)
    first, second, third = START_MS, START_MS + 60_000, START_MS + 120_000
    bounds = ({"from": first}, {"to": second}, {"from": third}, {"from": first, "to": third})
    assert tuple(len(listed(sim, **bound)) for bound in bounds) == counts
    assert listed(sim, **{"from": third, "to": first}) == []


@pytest.mark.rule("R023", "R426")
@pytest.mark.parametrize(("choice", "without"), [("filter", 1), ("ignore", 2)])
def test_sessions_with_and_without_recordings(choice, without):
    """The filter works for both values; by assumption false is no filter."""
    sim = demo(sessions__has_recording_false=choice)
    id = ran(sim, USER)
    ran(sim, USER)
    recorded(sim, id)
    assert listed(sim, hasRecording=True) == [id]
    assert len(listed(sim, hasRecording=False)) == without
    assert sim.call("list_sessions", OWNER, hasRecording=True, limit=1, offset=1).body == {"total": 1, "results": []}


@pytest.mark.rule("R023")
def test_sessions_are_searched_by_name(sim, three):
    """The search matches the name; total counts what matches."""
    assert listed(sim, search="event") == [three[0]]
    assert listed(sim, search="ROOM") == [three[2], three[1], three[0]]
    assert sim.call("list_sessions", OWNER, search="nothing").body == {"total": 0, "results": []}


@pytest.mark.parametrize(("sort", "entry"), [("name", "lists.text-order"), ("presence", "sessions.participants-count")])
def test_an_empty_list_relies_on_no_order(sim, sort, entry):
    """What decides the order of sessions is reported once there are any."""
    for some in (False, True):
        assert bool(listed(sim, sort=sort, channel=ROOM)) is some
        assert (entry in sim.service.journal.last().assumptions) is some
        ran(sim, USER)


def test_sessions_that_have_not_started_may_come_last():
    """By assumption, they are listed after the others, and not when a bound is given."""
    sim = demo(sessions__not_started="last")
    id = ran(sim, USER)
    sim.call("get_streaming_proxy", USER, uuid=ROOM)
    for order in ("asc", "desc"):
        found = listed(sim, order=order)
        assert len(found) == 2
        assert found[0] == id
    assert listed(sim, **{"from": 0}) == [id]


def test_sessions_without_an_end_may_come_last():
    """By assumption, in either order."""
    sim = demo(sessions__not_ended="last")
    past, running = ran(sim, USER), ran(sim, USER, end=False)
    assert listed(sim, sort="ended", order="asc") == listed(sim, sort="ended", order="desc") == [past, running]


def test_sorting_by_presence_may_mean_the_caller():
    """By assumption, sessions where the caller was inside come first."""
    sim = demo(sessions__sort_presence="caller")
    mine = ran(sim, OWNER)
    other = ran(sim, USER, GUEST)
    assert listed(sim, sort="presence") == [mine, other]
    assert listed(sim, sort="presence", order="asc") == [other, mine]


def test_the_history_of_a_deleted_channel_is_gone(sim):
    """Its sessions are not there any more, also the one that was going on, nor who took part in them."""
    past, running = ran(sim, USER), ran(sim, USER, end=False)
    assert len(ATTENDANCES.of(sim.service.change(), CUSTOMER).all) == 2
    assert sim.call("delete_channel", OWNER, uuid=ROOM).ok
    assert listed(sim) == []
    for id in (past, running):
        assert sim.call("get_session", ADMIN, sessionId=id).status == 404
    assert len(ATTENDANCES.of(sim.service.change(), CUSTOMER).all) == 0
