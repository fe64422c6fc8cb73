"""What other assumptions would have answered."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from confsim import Simulator
from confsim.kernel.refusal import Misuse
from kit import ROOM, START


def differing(sim, assumptions, first=None):
    """The ids of the calls that differ, with both statuses."""
    found = sim.control("ask_what_if", assumptions=assumptions, **({} if first is None else {"from": first}))
    return {each.id: (each.was.status, each.would_be.status) for each in found.differ}, found


def test_only_the_calls_that_differ_are_listed(sim):
    """Both answers stand side by side; what is the same is left out; nothing happens to the world."""
    sim.call("get_me", "demo-user")
    sim.call("create_channel", "demo-guest", body={"name": "x"})
    sim.call("create_channel", "demo-owner", body={"name": "y"})
    before = sim.service.world.digest(), len(sim.service.journal)
    statuses, found = differing(sim, {"status.role-missing": 404})
    assert (statuses, found.calls, found.world) == ({"r2": (403, 404)}, 3, "built")
    assert found.differ[0].would_be.answer["status"] == 404
    assert (sim.service.world.digest(), len(sim.service.journal)) == before


def test_an_answer_that_differs_only_in_a_drawn_id_is_the_same():
    """Recording events draws ids, so the room gets another one; calls that name it reach the room of the fork."""
    sim = Simulator(clock=START)
    sim.call("set_lobby_door", "demo-owner", uuid=ROOM, state="close")
    room = sim.call("create_channel", "demo-owner", body={"name": "New"}).body["channelUuid"]
    client = sim.client("demo-owner")
    assert client.get(f"/channels/{room}").json["name"] == "New"
    sim.call("rename_channel", "demo-owner", uuid=room, name="Newer")
    sim.presence.join(room, 1002)
    assert len(sim.call("list_channel_participants", "demo-owner", uuid=room).body["results"]) == 1
    found = differing(sim, {"events.recorded": "always"})[1]
    assert [each.operation for each in found.differ] == []


def test_the_replay_under_the_choices_in_force_differs_in_nothing():
    """Calls in Python and over HTTP, control calls between them, a clock that moved: all of it repeats."""
    sim = Simulator(clock=START, scenario="lobby")
    sim.call("create_channel", "demo-owner", body={"name": "y"})
    sim.presence.join(ROOM, sim.control("get_info").tokens["demo-user"].userId)
    sim.clock.advance("20m")
    client = sim.client("demo-owner")
    assert client.get(f"/channels/{ROOM}/participants").status_code == 200
    assert client.get("/no/such/path").status_code == 404
    assert client.get("/users/me", headers={"Authorization": "Bearer nobody"}).status_code == 401
    sim.call("end_active_session", "demo-owner", uuid=ROOM)
    statuses, found = differing(sim, {"route.case": "ignore"})
    assert (statuses, found.calls) == ({}, 5)


def test_the_birth_of_the_world_follows_the_alternatives(sim):
    """A shipped world is built anew, so that choices about its first state count."""
    sim.call("get_me", "demo-guest")
    statuses, found = differing(sim, {"initial.terms-required": True})
    assert (statuses, found.world) == ({"r1": (200, 401)}, "built")


def test_a_world_that_no_file_describes_is_taken_as_it_is(sim):
    """After a state document was put, the start is the one that there was."""
    sim.service.begin_with(sim.fork().service.world, "somewhere.json")
    sim.call("create_channel", "demo-guest", body={"name": "x"})
    statuses, found = differing(sim, {"status.role-missing": 404})
    assert (statuses, found.world) == ({"r1": (403, 404)}, "taken")


def test_a_replay_can_begin_at_a_call(sim):
    """``from`` names the first call; the world is that before it, with what the control plane did since."""
    sim.call("create_channel", "demo-owner", body={"name": "first"})
    sim.control("make_user", clientId=sim.control("get_info").clients[1].id, handle="Made between", registered=True)
    sim.call("create_channel", "demo-owner", body={"name": "first"})
    sim.call("create_channel", "demo-guest", body={"name": "x"})
    statuses, found = differing(sim, {"status.channel-name-taken": 400, "status.created": 201}, "r2")
    assert (statuses, found.calls, found.world) == ({"r2": (409, 400)}, 2, "taken")


@pytest.mark.own_ways
def test_calls_that_a_program_addressed_itself_keep_their_address(sim):
    """A call in Python goes where the route is; one over HTTP goes where it went, and misses."""
    sim.call("get_user_email", "demo-customer-admin", userId=1004)
    sim.client("demo-customer-admin").get("/users/1004/email")
    sim.call("get_me", "demo-user")
    statuses, _ = differing(sim, {"route.get_user_email": "GET /people/{userId}/email"})
    assert "r1" not in statuses
    assert statuses["r2"][1] == 405  # what is left at the path is setting the address


@pytest.mark.parametrize(
    ("body", "status", "says"),
    [
        ({"assumptions": {"no.such": 1}}, 400, "no.such"),
        ({"assumptions": {"status.created": "x"}}, 400, "status.created"),
        ({"assumptions": {}}, 400, "assumptions"),
        ({"assumptions": 7}, 400, "assumptions"),
        ({"assumptions": {"status.created": 201}, "from": "r7"}, 404, "r7"),
    ],
)
def test_bad_questions_are_refused(sim, body, status, says):
    """The message names what was wrong."""
    with pytest.raises(Misuse, match=says) as refused:
        sim.control("ask_what_if", **body)
    assert refused.value.status == status


def test_the_calls_that_a_replay_leaves_out_are_counted(sim):
    """Those before the first, dropped ones included, and held ones that somebody answered."""
    sim.requests.most = 4
    for _ in range(3):
        sim.call("get_me", "demo-user")
    sim.faults.add("get_me", do={"hold": "before"})
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(sim.call, "get_me", "demo-user")
        sim.faults.wait_for_held().change({"status": 503})
        assert answer.result(30).status == 503
    sim.call("get_me", "demo-user")
    _, found = differing(sim, {"route.case": "ignore"})
    assert (found.calls, found.not_compared, found.before) == (4, 1, 1)
    _, found = differing(sim, {"route.case": "ignore"}, "r5")
    assert (found.calls, found.not_compared, found.before) == (1, 0, 4)


def refusing(message):
    """A receiver that nobody can connect to."""
    raise ConnectionRefusedError("[Errno 111] Connection refused")


def test_deliveries_that_would_stand_otherwise_are_listed(sim):
    """Without an order the others no longer wait; their endpoint answers as it did. No answer of a call differs."""
    sim.webhooks.deliver_to(refusing)
    sim.call("set_events_state", "demo-customer-admin", state="enable")
    sim.call("add_events_endpoint", "demo-customer-admin", body={"url": "http://a.example/hook"})
    for name in ("A", "B", "C"):
        sim.call("create_channel", "demo-owner", body={"name": name})
    found = sim.control("ask_what_if", assumptions={"webhooks.order": "free"})
    assert (found.differ, found.mails, found.states) == ([], [], [])
    assert [(each.label, each.endpoint, each.was, each.would_be) for each in found.deliveries] == [
        ("channel.created: B", "a.example/hook", "waiting", "later"),
        ("channel.created: C", "a.example/hook", "waiting", "later"),
    ]


def test_what_would_be_in_the_world_is_told_in_words(sim):
    """Records that a call would make, and mails that it would send."""
    sim.call("create_channel", "demo-guest", body={"name": "Guests only"})
    sim.call("set_user_email", "demo-user", userId="me", body={"email": "uma@x.example"})
    chosen = {"gate.create_channel": ["signed-in"], "emails.verification": "immediate"}
    found = sim.control("ask_what_if", assumptions=chosen)
    assert "added: channel 'Guests only'" in found.states
    assert any(line.startswith("user 'Uma User': email was not set, is 'uma@x.example'") for line in found.states)
    assert [each for each in found.states if each.startswith(("added: user", "removed"))] == []


def test_a_difference_that_follows_from_another_one_says_so(sim):
    """The later call names what the earlier one made."""
    made = sim.call("create_channel", "demo-owner", body={"name": "First"}).body["channelUuid"]
    sim.call("get_channel", "demo-owner", uuid=made)
    found = sim.control("ask_what_if", assumptions={"gate.create_channel": ["partner-admin"]})
    assert [(each.id, each.follows) for each in found.differ] == [("r1", None), ("r2", "r1")]


def test_a_world_under_its_own_profile_differs_in_nothing(sim):
    """Neither answers nor deliveries, mails or records; whatever was refused or has failed."""
    sim.webhooks.deliver_to(refusing)
    sim.call("set_events_state", "demo-customer-admin", state="enable")
    sim.call("add_events_endpoint", "demo-customer-admin", body={"url": "http://a.example/hook"})
    sim.call("create_channel", "demo-owner", body={"name": "A"})
    sim.clock.advance("10s")
    sim.call("create_channel", "demo-owner", body={"name": "A"})
    sim.call("set_user_email", "demo-user", userId="me", body={"email": "uma@x.example"})
    found = sim.control("ask_what_if", assumptions={"webhooks.order": "kept"})
    assert (found.differ, found.folded, found.deliveries, found.mails, found.states) == ([], 0, [], [], [])
