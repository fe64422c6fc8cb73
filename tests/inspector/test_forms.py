"""What the forms of the inspector do."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from kit import ROOM


def test_the_clock_is_moved(sim, submit):
    """Advance, to the next timer, set, freeze, resume."""
    before = sim.clock.now
    response = submit("clock", by="15m")
    assert (response.status, dict(response.headers)["Location"]) == (303, "/_confsim/inspector/time")
    assert sim.clock.now == before + 900_000
    sim.call("reserve_handle", "demo-user", body={"handle": "soon"})
    due = sim.control("list_timers")[0].at
    submit("clock", action="next")
    assert sim.clock.now == due
    submit("clock", action="set", to="2027-01-01T00:00:00Z")
    assert sim.clock.now == 1798761600000
    submit("clock", action="resume")
    assert not sim.clock.frozen
    submit("clock", action="freeze")
    assert sim.clock.frozen


def test_the_world_is_reset_saved_and_restored(sim, submit):
    """Reset, snapshots, worlds, the journal."""
    digest = sim.service.world.digest()
    submit("snapshots", name="one")
    sim.call("create_channel", "demo-owner", body={"name": "x"})
    submit("snapshots", action="restore", name="one")
    assert sim.service.world.digest() == digest
    submit("snapshots", action="drop", name="one")
    assert sim.snapshots == {}
    assert len(sim.requests) == 1
    submit("requests")
    assert len(sim.requests) == 0
    sim.call("create_channel", "demo-owner", body={"name": "x"})
    submit("reset")
    assert sim.service.world.digest() == digest
    submit("worlds", name="more")
    assert "more" in sim.worlds
    submit("worlds", action="drop", name="more")
    assert "more" not in sim.worlds


def test_faults_are_added_and_removed(sim, submit):
    """As JSON; what cannot be read is reported on a page."""
    submit("faults", fault='{"operation": "get_me", "do": {"status": 503}}')
    assert sim.call("get_me", "demo-user").status == 503
    submit("faults", action="clear")
    assert sim.call("get_me", "demo-user").status == 200
    refused = submit("faults", fault="{")
    assert (refused.status, b"fault: " in refused.body) == (400, True)


def test_one_fault_is_removed(sim, submit, browse):
    """The others keep their counts; an id that names no fault is reported."""
    fault = sim.faults.add("get_me", times="always", do={"status": 503})
    gone = sim.faults.add("get_client", do={"status": 503})
    sim.call("get_me", "demo-user")
    assert f"Remove {gone.id}" in browse("/_confsim/inspector/faults").text
    assert submit("faults", action="remove", id=gone.id).status == 303
    assert [(each.id, each.hits) for each in sim.faults] == [(fault.id, 1)]
    assert submit("faults", action="remove", id=gone.id).status == 404
    sim.faults.remove(fault.id)
    assert list(sim.faults) == []


def test_people_join_and_leave(sim, submit, people):
    """Joining, leaving, and being admitted from the lobby."""
    user = people["demo-user"]
    submit("presence", action="join", channel=ROOM, user=user)
    (state,) = [each.state for each in sim.control("list_presence", channel=ROOM)]
    if state == "waiting":
        submit("presence", action="admit", channel=ROOM, user=user)
    submit("presence", action="leave", channel=ROOM, user=user)
    assert [each.state for each in sim.control("list_presence", channel=ROOM)] == []
    assert submit("presence", action="join", channel=ROOM, user="x").status == 400
    assert submit("presence", action="dance", channel=ROOM, user=user).status == 400


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"sec-fetch-site": "cross-site", "origin": "http://evil.example"},
    ],
)
def test_forms_of_other_sites_do_nothing(sim, submit, headers):
    """A page elsewhere cannot move this world."""
    before = sim.service.world.digest(), sim.clock.now
    assert submit("reset", headers).status == 403
    assert submit("clock", headers, by="1h").status == 403
    assert (sim.service.world.digest(), sim.clock.now) == before


def test_unknown_forms_and_methods_are_refused(sim, submit):
    """404 for a form that there is none, 400 for input that is none."""
    assert submit("nonsense").status == 404
    assert submit("clock", by="soon").status == 400


def test_held_calls_are_shown_and_decided(sim, submit, browse):
    """Each with what it is and, once it has run, what is withheld; a mistake is reported, and the call stays."""
    for when, action, outcome in (("before", "release", 200), ("after", "drop", 0), ("after", "change", 503)):
        sim.faults.put([{"operation": "get_me", "do": {"hold": when}}])
        with ThreadPoolExecutor(1) as pool:
            answer = pool.submit(sim.call, "get_me", "demo-owner")
            held = sim.faults.wait_for_held()
            page = browse("/_confsim/inspector/faults")
            assert held.info.id in page.text
            assert "GET /v1_0/users/me" in page.text
            assert ("Withheld answer: 200" in page.text) is (when == "after")
            assert "1 held" in browse("/_confsim/").text
            assert submit("held", id=held.info.id, action="change", do="{").status == 400
            submit("held", id=held.info.id, action=action, do='{"status": 503}')
            assert sim.faults.held == []
            if outcome:
                assert answer.result(30).status == outcome
            else:
                with pytest.raises(ConnectionResetError):
                    answer.result(30)
    assert "No call is held" in browse("/_confsim/inspector/faults").text


@pytest.mark.parametrize(
    ("when", "fields", "status", "name"),
    [
        ("before", {"action": "body", "body": '{"name": "Changed"}'}, 200, "Changed"),
        ("before", {"action": "answer", "status": "418", "answer": '{"name": "Made up"}'}, 418, "Made up"),
        ("after", {"action": "answer", "status": "200", "answer": '{"name": "Made up"}'}, 200, "Made up"),
        ("after", {"action": "change", "do": '{"status": 503, "body": {"name": "By effect"}}'}, 503, "By effect"),
    ],
)
def test_body_and_answer_of_a_held_call_are_changed(sim, submit, browse, when, fields, status, name):
    """In fields that begin with what was sent and what is withheld; what is not a number or not JSON is reported."""
    sim.faults.add("create_channel", do={"hold": when})
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(sim.call, "create_channel", "demo-owner", body={"name": "Sent"})
        id = sim.faults.wait_for_held().info.id
        page = browse("/_confsim/inspector/faults")
        assert '"name": "Sent"' in page.text
        assert ("channelUuid" in page.text) is (when == "after")
        assert submit("held", id=id, action="answer", status="x", answer="").status == 400
        assert submit("held", id=id, action="answer", status="200", answer="{").status == 400
        assert submit("held", id=id, action="body", body="{").status == 400
        assert b"is not JSON: it ends too early" in submit("held", id=id, action="change", do="{").body
        assert submit("held", id=id, **fields).status == 303
        answered = answer.result(20)
    made = answered.body["channelUuid"] if fields["action"] == "body" else None
    shown = answered.body if made is None else sim.call("get_channel", "demo-owner", uuid=made).body
    assert (answered.status, shown["name"]) == (status, name)


def test_an_answer_without_a_body_is_the_usual_error(sim, submit):
    """As of a fault that gives a status alone."""
    sim.faults.add("get_me", do={"hold": "before"})
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(sim.call, "get_me", "demo-owner")
        id = sim.faults.wait_for_held().info.id
        assert submit("held", id=id, action="answer", status="503", answer=" ").status == 303
        assert answer.result(20).body["code"] == "service_unavailable"
