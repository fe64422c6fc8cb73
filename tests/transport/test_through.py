"""Calls of a suite that go over HTTP: ``pytest --through wsgi`` and ``--through socket``."""

from __future__ import annotations

import pytest

from confsim import Misuse, Simulator
from confsim.service.files.formats import FORMAT
from confsim.transport.wsgi import WsgiTransport
from kit import START
from kit.wire.through import through


@pytest.fixture
def sent():
    """The requests that went over HTTP."""
    return []


@pytest.fixture(params=["wsgi", "socket"])
def way(request, sent):
    """Every call of the test goes that way, and after it as before."""
    before = Simulator.default_transport
    with through(request.param, sent.append):
        yield request.param
    assert Simulator.default_transport is before


def test_a_call_is_a_request(way, sim):
    """The journal has seen it come over HTTP, and the answer is the same as in process."""
    answer = sim.call("create_channel", "demo-owner", body={"name": "Room"})
    fork = Simulator(clock=START)
    over_http = sim.service.journal.last().request
    assert over_http.headers["authorization"] == "Bearer demo-owner"
    assert over_http.headers["host"] == "confsim.test"
    assert answer.body == fork.client("demo-owner").post("/channels/create", json={"name": "Room"}).json
    assert answer.headers["Content-Type"] == "application/json"


def test_an_error_that_is_a_problem_is_an_answer(way):
    """It is of the media type that refusals of the simulator itself have, which are raised."""
    sim = Simulator(clock=START, profile={"errors.body": "problem"})
    answer = sim.call("create_channel", body={"name": "Room"})
    assert (answer.status, answer.headers["Content-Type"]) == (401, "application/problem+json")
    assert answer.body["code"] == "credential_missing"


def test_a_simulator_has_a_transport_of_its_own():
    """Its calls, those of its control plane, of its forks and of the worlds beside it go that way."""
    sim = Simulator(clock=START, transport=lambda made: WsgiTransport(made.wsgi, made.service.address.mount))
    sim.call("reserve_handle", "demo-user", body={"handle": "Held"})
    assert [fired.what for fired in sim.clock.advance("16m")] == ["handle reservation"]
    for world, target in ((sim, ""), (sim.fork(), ""), (sim.worlds.add("w1"), "/w/w1")):
        assert world.call("get_me", "demo-owner").body["handle"] == "Olaf Owner"
        assert world.service.journal.last().request.target == f"{target}/v1_0/users/me"
        assert world.service.journal.last().request.headers["authorization"] == "Bearer demo-owner"
    with pytest.raises(Misuse, match="no snapshot"):
        sim.restore("none")


def test_an_order_of_the_control_plane_is_a_request(way, sent, sim):
    """Its answer, typed or raw, its refusal and its facts are what they are in process; the world notes it once."""
    token = sim.call("reserve_handle", "demo-user", body={"handle": "Held"}).body["reservationToken"]
    assert [each.subject for each in sim.clock.advance("16m")] == [token]
    assert sim.state["version"] == FORMAT
    with pytest.raises(Misuse, match="no snapshot 'a b/c'") as refused:
        sim.restore("a b/c")
    assert refused.value.status == 404
    world = sim.worlds.add("w1")
    world.faults.add("get_me", do={"status": 503})
    assert world.faults[0].hits == 0
    orders = [f"{each.method} {each.target}" for each in sent if "/_confsim/" in each.target]
    assert orders == [
        "POST /_confsim/clock/advance",
        "GET /_confsim/state",
        "POST /_confsim/snapshots/a%20b%2Fc/restore",
        "POST /_confsim/worlds",
        "POST /w/w1/_confsim/faults",
        "GET /w/w1/_confsim/faults",
    ]
    assert [each.operation for each in world.service.journal.control_calls] == ["add_fault"]


def test_every_world_is_reached(way, sim):
    """Those beside the one at the root, under other prefixes, and those that present tokens otherwise."""
    other = sim.worlds.add("w1", seed=4, profile={"auth": {"presentation": ["?token={token}"]}})
    moved = Simulator(profile={"route": {"prefix": "/x/v1_0"}})
    for world, start in ((other, "/w/w1/v1_0/"), (moved, "/x/v1_0/")):
        assert world.call("get_me", "demo-owner").ok
        assert world.service.journal.last().request.target.startswith(start)
    assert len(sim.requests) == 0


@pytest.mark.parametrize("drop", [{"drop": "after"}, {"truncate": 3}])
def test_what_is_cut_off_is_reported_alike(way, sim, drop):
    """A connection that a fault drops, and a body that it ends early; the next call goes through."""
    sim.faults.add("get_me", do=drop)
    with pytest.raises(ConnectionResetError):
        sim.call("get_me", "demo-user")
    assert sim.call("get_me", "demo-user").ok


def test_what_no_request_can_say_stays_a_call(way, sim):
    """Empty texts in a path, worlds that were dropped, operations that there are not."""
    assert sim.call("get_channel", "demo-owner", uuid="").status == 404
    assert sim.requests[-1].operation == "get_channel"
    world = sim.worlds.add("w1")
    sim.worlds.drop("w1")
    assert world.call("get_me", "demo-user").ok
    with pytest.raises(Misuse):
        sim.call("no_such_operation")


def test_whoever_holds_the_lock_may_call(way, sim):
    """As in process; and a receiver of webhooks may call while a call is answered."""
    with sim.service.lock:
        assert sim.call("get_me", "demo-user").ok
    sim.call("add_events_endpoint", "demo-customer-admin", body={"url": "http://hooks.example"})
    sim.call("set_events_state", "demo-customer-admin", state="enable")
    seen = []
    sim.webhooks.deliver_to(lambda message: seen.append(sim.call("get_me", "demo-user").status))
    assert sim.call("upload_client_media", "demo-customer-admin", name="x", body=b"x").ok
    assert seen == [200]
