"""Services by name."""

from __future__ import annotations

import threading

import pytest

from confsim import Misuse
from confsim.api.address import HOST
from confsim.service.webhooks.http_sender import HttpSender
from confsim.service.webhooks.sending import Route, Webhooks
from confsim.service.worlds import Worlds


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
