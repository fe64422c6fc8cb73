"""Services by name."""

from __future__ import annotations

import threading

import pytest
from msgspec.structs import replace

from confsim import Misuse, Simulator
from confsim.api.call import HOST
from confsim.domain.events import deliveries
from confsim.service.clock import Clock
from confsim.service.webhooks.http_sender import HttpSender
from confsim.service.webhooks.sending import Route, Webhooks
from confsim.service.worlds import GRACE, ScenarioRun, Worlds
from kit.things.webhooks import happen, listening


@pytest.fixture
def worlds(sim):
    """The world of the test at the root, and a fork of it beside."""
    worlds = Worlds(sim.service)
    worlds.add("w1", sim.service.fork())
    return worlds


def test_the_root_has_the_empty_name(worlds, sim):
    """And comes first."""
    assert (list(worlds), len(worlds)) == (["", "w1"], 2)
    assert worlds.default is worlds.find("") is sim.service
    assert worlds.find("nope") is None


def test_a_world_knows_its_mount_while_it_is_mounted(worlds):
    """The path below which it is served."""
    service = worlds.find("w1")
    assert service.address.mount == "/w/w1"
    worlds.drop("w1")
    assert service.address.mount == ""
    assert worlds.find("w1") is None


@pytest.mark.parametrize("name", ["", "a b", "a/b", "ä", "x" * 65, "a.b", "w1\n", "%41", "limit"])
def test_names_that_cannot_be(worlds, sim, name):
    """1 to 64 of A-Z a-z 0-9 _ -."""
    with pytest.raises(Misuse) as caught:
        worlds.add(name, sim.service.fork())
    assert caught.value.status == 400


@pytest.mark.parametrize("name", ["a", "A-Z_09", "x" * 64])
def test_names_that_can_be(worlds, sim, name):
    """All of that."""
    assert worlds.add(name, sim.service.fork()) is worlds.find(name)


def test_a_taken_name(worlds, sim):
    """Is a conflict, and the world of that name stays."""
    before = worlds.find("w1")
    with pytest.raises(Misuse) as caught:
        worlds.add("w1", sim.service.fork())
    assert caught.value.status == 409
    assert worlds.find("w1") is before


def test_a_server_may_come_while_a_world_is_added(worlds, sim, monkeypatch):
    """The world stands on it as all the others do, though it was not yet there when the server came."""
    sender, service = HttpSender(), sim.service.fork()
    send_with = Webhooks.send_with

    def meanwhile(webhooks, reported):
        if webhooks is service.webhooks and servers:
            worlds.attach_server(servers.pop(), sender)
        send_with(webhooks, reported)

    servers = ["there:80"]
    monkeypatch.setattr(Webhooks, "send_with", meanwhile)
    worlds.add("w2", service)
    assert (service.address.host, service.webhooks.route) == ("there:80", Route.HTTP)
    worlds.detach_server(sender)
    assert (service.address.host, service.webhooks.route) == (HOST, Route.LIST)


def test_worlds_may_drop_each_other(worlds, sim):
    """At the same time, each from a call of its own: nobody waits for the lock of another world."""
    worlds.add("w2", sim.service.fork())
    met = threading.Barrier(2)

    def drop(own, other):
        with worlds.find(own).lock:
            met.wait(30)
            worlds.drop(other)

    threads = [threading.Thread(target=drop, args=pair, daemon=True) for pair in (("w1", "w2"), ("w2", "w1"))]
    for each in threads:
        each.start()
    for each in threads:
        each.join(30)
    assert list(worlds) == [""]
    assert not any(each.is_alive() for each in threads)


@pytest.mark.parametrize(("name", "status"), [("", 400), ("nope", 404)])
def test_what_cannot_be_dropped(worlds, name, status):
    """The root, and what is not there."""
    with pytest.raises(Misuse) as caught:
        worlds.drop(name)
    assert caught.value.status == status


def test_links_begin_with_the_address_that_is_served(worlds, sim):
    """In every world that there is, below its mount, and in those that come; until there is none."""
    worlds.serve_at("https://api.example/")
    worlds.add("w2", sim.service.fork())
    assert [each.address.public_url for each in map(worlds.find, worlds)] == ["https://api.example"] * 3
    assert worlds.find("w1").pipeline.address == worlds.find("w1").address
    worlds.serve_at("")
    assert {each.address.public_url for each in map(worlds.find, worlds)} == {""}


def test_calls_are_counted(sim):
    """Those of the API, whatever came of them, and no others."""
    assert sim.service.usage.calls == 0
    sim.call("get_me", "demo-owner")
    sim.call("get_me")
    sim.client().get("/nowhere")
    sim.control("get_info")
    assert sim.service.usage.calls == 3


@pytest.fixture
def full(worlds):
    """A server that may have one world beside the root, and has it."""
    worlds.limit(1)
    return worlds


def test_a_world_in_use_is_not_evicted(full, sim):
    """At the limit no other is added then."""
    with pytest.raises(Misuse, match="no more may be") as caught:
        full._evict()
    assert caught.value.status == 409
    with pytest.raises(Misuse):
        full.add("w2", sim.service.fork())
    assert list(full) == ["", "w1"]


def test_the_world_that_was_idle_for_longest_is_evicted(full, sim):
    """Once it is idle for a minute; the root never is."""
    full.find("").usage.used -= 10 * GRACE
    full.find("w1").usage.used -= GRACE
    full._evict()
    assert list(full) == [""]
    with pytest.raises(Misuse):
        full._evict()
    assert list(full) == [""]


def test_an_idle_world_makes_place_for_another(full, sim):
    """At the limit."""
    full.find("w1").usage.used -= GRACE
    full.add("w2", sim.service.fork())
    assert list(full) == ["", "w2"]


def test_what_is_due_at_this_instant_is_done_by_a_tick(monkeypatch):
    """And not before, for worlds with webhooks that wait for a retry."""
    sim = listening()
    sim.webhooks.deliver_to(lambda message: 500)
    happen(sim, "a")
    due = sim.service.world.timers.due
    worlds = Worlds(sim.service)
    for late, attempts in ((-1, 1), (0, 2)):
        monkeypatch.setattr(Clock, "now", lambda clock, late=late: due + late)
        worlds.tick()
        assert [len(each.attempts) for each in deliveries.list_deliveries(sim.service.change())] == [attempts]


def test_runs_of_a_scenario_that_have_the_same_result(sim):
    """From the same world and settings, the clock in the same state, within a second after the first."""
    run = ScenarioRun(sim.service.world, {}, sim.service.settings, sim.service.clock.values(), 5000, sim.service)
    assert run.equals(replace(run, profile={}))
    for at, same in ((4999, False), (5000, True), (5999, True), (6000, False)):
        assert run.equals(replace(run, at=at)) is same
    other = Simulator("empty", clock=None)
    assert not run.equals(replace(run, origin=other.service.world))
    assert not run.equals(replace(run, clock=other.service.clock.values()))
    assert not run.equals(replace(run, profile={"states.repeated": "refuse"}))
    assert not run.equals(replace(run, settings=replace(run.settings, by_request=False)))
