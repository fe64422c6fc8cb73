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
    """As JSON; what cannot be read is told on a page."""
    submit("faults", fault='{"operation": "get_me", "do": {"status": 503}}')
    assert sim.call("get_me", "demo-user").status == 503
    submit("faults", action="clear")
    assert sim.call("get_me", "demo-user").status == 200
    refused = submit("faults", fault="{")
    assert (refused.status, b"fault: " in refused.body) == (400, True)


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
    """Each with what it is and, once it has run, what is withheld; a mistake is told, and the call stays."""
    for when, action, outcome in (("before", "release", 200), ("after", "drop", 0), ("after", "change", 503)):
        sim.faults.put([{"operation": "get_me", "do": {"hold": when}}])
        with ThreadPoolExecutor(1) as pool:
            answer = pool.submit(sim.call, "get_me", "demo-owner")
            held = sim.faults.wait_for_held()
            page = browse("/_confsim/inspector/faults")
            assert f"{held.info.id}: GET /v1_0/users/me" in page.text
            assert ("Withheld answer: 200" in page.text) is (when == "after")
            assert "1 held" in browse("/_confsim/").text
            assert submit("held", id=held.info.id, action="change", do="{").status == 400
            submit("held", id=held.info.id, action=action, do='{"status": 503}')
            assert sim.faults.held == []
            if outcome:
                assert answer.result(5).status == outcome
            else:
                with pytest.raises(ConnectionResetError):
                    answer.result(5)
    assert "No call is held" in browse("/_confsim/inspector/faults").text
