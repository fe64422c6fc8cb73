"""Worlds in a state directory: what is recorded, what is restored, and the errors for a damaged directory."""

from __future__ import annotations

import shutil
import sqlite3
import time

import pytest

from confsim import Misuse, Simulator
from confsim.domain.events.deliveries import DeliveryState
from confsim.service.durable import recorder
from confsim.service.faults import words
from kit import CUSTOMER, START, ok
from kit.durable import URL, busy, killed, reported


def moves():
    """Everything that changes a world, or what stands around it."""
    return {
        "calls": busy,
        "the control plane": lambda sim: sim.make_user(CUSTOMER, "Nova", email="nova@example.com"),
        "time": lambda sim: (sim.call("reserve_handle", "demo-user", body={"handle": "Held"}), sim.clock.advance("1h")),
        "the next thing due": lambda sim: (
            sim.call("reserve_handle", "demo-user", body={"handle": "Held"}),
            sim.control("advance_clock", until="next"),
        ),
        "a clock that runs": lambda sim: sim.control("resume_clock"),
        "a clock that runs fast": lambda sim: sim.control("run_clock", rate=60),
        "a clock set back": lambda sim: sim.control("set_clock", to="2020-01-01T00:00:00Z"),
        "reset": lambda sim: (busy(sim), sim.reset()),
        "a snapshot": lambda sim: (busy(sim), sim.snapshot("a"), busy(sim)),
        "a snapshot replaced": lambda sim: (sim.snapshot("a"), busy(sim), sim.snapshot("a")),
        "a snapshot restored": lambda sim: (busy(sim), sim.snapshot("a"), busy(sim), sim.restore("a")),
        "faults": lambda sim: (
            sim.faults.put([{"operation": "*", "do": {"status": 503}}]),
            sim.faults.add(thing="mail", match={"client": CUSTOMER}, on=2, times="always", do="lost"),
            sim.faults.add("get_me", match={"caller": "demo-user"}, do={"clock": "1s", "headers": {"X-A": "b"}}),
            setattr(sim.faults, "by_request", False),
        ),
        "what is set of a world": lambda sim: (
            setattr(sim.requests, "most", 7),
            sim.control("set_webhooks", allow=["hooks.example"], deliver="list"),
        ),
        "faults that are met": lambda sim: (
            sim.faults.add("get_me", on=2, times=3, do={"status": 503}),
            [sim.call("get_me", "demo-user") for _ in range(3)],
        ),
        "faults that are gone": lambda sim: (sim.faults.add("get_me", do={"status": 503}), sim.faults.clear()),
        "another state": lambda sim: setattr(sim, "state", Simulator("empty", clock=START).state),
        "another start": lambda sim: (busy(sim), sim.service.begin()),
        "a world set by hand": lambda sim: sim.service.live.replace(Simulator("empty").service.world),
    }


@pytest.mark.parametrize("name", moves())
@pytest.mark.parametrize("least", [1, recorder.LEAST])
def test_whatever_changes_comes_back(begin, place, name, least, monkeypatch):
    """World, start, clock and snapshots, out of the log and out of a base that was made at every step."""
    monkeypatch.setattr(recorder, "LEAST", least)
    one = begin(place)
    with one.service.lock:
        moves()[name](one)
    before = reported(one)
    killed(one)
    other = begin(place)
    if not other.clock.frozen:
        before, now = ((*each[:2], *each[3:]) for each in (before, reported(other)))
        assert now == before
    else:
        assert reported(other) == before


def test_a_world_goes_on_as_if_it_had_never_stopped(begin, place):
    """The same calls after a kill answer the same: ids, order, timers and tokens are all there."""
    plain, stored = Simulator(clock=START), begin(place)
    busy(plain)
    busy(stored)
    killed(stored)
    again = begin(place)
    for each in (plain, again):
        busy(each)
    assert again.service.world.digest() == plain.service.world.digest()
    assert again.clock.advance("8d") == plain.clock.advance("8d")
    assert again.service.world.digest() == plain.service.world.digest()


@pytest.mark.parametrize("least", [1, recorder.LEAST])
def test_faults_go_on_counting_after_a_kill(begin, place, least, monkeypatch):
    """A counted call is on disk before its answer, a read too; after a restart the fault counts on."""
    monkeypatch.setattr(recorder, "LEAST", least)
    sim = begin(place)
    sim.faults.add("get_me", on=2, times=2, do={"status": 503})
    statuses = []
    for _ in range(4):
        statuses.append(sim.call("get_me", "demo-user").status)
        killed(sim)
        sim = begin(place)
    assert statuses == [200, 503, 503, 200]
    assert [(each.id, each.met, each.hits) for each in sim.faults] == [("f1", 4, 2)]
    sim.reset()
    killed(sim)
    assert list(begin(place).faults) == []


@pytest.mark.parametrize("least", [1, recorder.LEAST])
def test_what_is_set_of_the_server_is_there_again(begin, place, least, monkeypatch):
    """Its limit of worlds, its Host names and its public URL, whichever world they were set by; and taken back."""
    monkeypatch.setattr(recorder, "LEAST", least)
    sim = begin(place)
    other = sim.worlds.add("other")
    sim.worlds.most = 1
    other.control("add_name", name="Conf.Example")
    other.worlds.public_url = "https://public.example/x"
    killed(sim)
    sim = begin(place)
    assert (sim.worlds.most, sim.worlds.public_url) == (1, "https://public.example/x")
    assert sim.control("list_names").names == ["conf.example", "public.example"]
    sim.worlds.public_url = ""
    sim.control("drop_name", "conf.example")
    killed(sim)
    sim = begin(place)
    assert (sim.worlds.most, sim.worlds.public_url, sim.control("list_names").names) == (1, "", [])


def test_more_worlds_than_the_limit_are_there_again(begin, place):
    """Those that there were when the limit was lowered stay."""
    sim = begin(place)
    for name in ("one", "two"):
        sim.worlds.add(name)
    sim.worlds.most = 1
    killed(sim)
    assert list(begin(place).worlds) == ["", "one", "two"]


def test_a_webhook_that_was_put_in_flight_is_not_decided_again(begin, place, listener):
    """Its fault was counted before the kill; the call that is sent again does not count as another."""
    sim = begin(place)
    ok(sim, "add_events_endpoint", body={"url": listener.url})
    ok(sim, "set_events_state", state="enable")
    sim.faults.add(thing="webhook", on=2, do="lost")
    listener.open.clear()
    with sim.serve():
        ok(sim, "upload_client_media", name="a", body=b"x")
        until = time.monotonic() + 30
        while not listener.got and time.monotonic() < until:
            time.sleep(0.01)
        killed(sim)
    again = begin(place)
    again.service.webhooks.send_now()
    assert [(each.met, each.hits) for each in again.faults] == [(1, 0)]
    assert [each.state for each in again.webhooks] == [DeliveryState.DELIVERED]
    ok(again, "upload_client_media", name="b", body=b"x")
    assert [each.state for each in again.webhooks] == [DeliveryState.DELIVERED, DeliveryState.LOST]


def test_a_fault_of_another_version_is_refused_by_name(begin, place, monkeypatch):
    """One that this confsim does not know: the message names the version that wrote it."""
    sim = begin(place)
    sim.faults.add("get_me", do={"status": 503})
    killed(sim)
    monkeypatch.delitem(words.WORDS, "status")
    with pytest.raises(Misuse, match=r"written by confsim \d.*record \d+.*a fault does no 'status'"):
        begin(place)


def test_every_call_is_on_disk_before_it_is_answered(begin, place, tmp_path):
    """A copy of the directory, taken after each call without asking the server for anything, has that call."""
    sim = begin(place)
    for n in range(5):
        assert sim.call("create_api_token", "demo-customer-admin", body={"label": str(n)}).ok
        shutil.copytree(place, tmp_path / f"copy{n}")
        copy = begin(tmp_path / f"copy{n}")
        assert copy.service.world.digest() == sim.service.world.digest()


def test_only_what_changes_the_world_is_recorded(begin, place):
    """Reads and refusals leave the directory as it is, and a change costs what it touched."""
    sim = begin(place)
    directory = sim.durable.store
    number = directory.number
    sim.call("get_me", "demo-owner")
    sim.call("create_channel", "demo-owner", body={"name": ""})
    sim.call("create_channel", None, body={"name": "x"})
    assert directory.number == number
    sim.call("update_terms_url", "demo-api-token", body=URL)
    assert (directory.number, directory.size < 1000) == (number + 1, True)


def test_a_record_tells_its_instant_and_its_operation(begin, place):
    """For anyone who opens the file with the sqlite3 shell."""
    sim = begin(place)
    sim.clock.advance("1h")
    sim.call("update_terms_url", "demo-api-token", body=URL)
    killed(sim)
    with sqlite3.connect(place / "confsim.sqlite") as store:
        rows = store.execute("SELECT world, at, what FROM log ORDER BY number").fetchall()
    store.close()
    assert rows[-1] == ("", sim.clock.now, "update_terms_url")


def test_worlds_are_kept_apart(begin, place):
    """Worlds of one server, made in every way, some of them dropped: each comes back as itself."""
    sim = begin(place)
    busy(sim)
    sim.worlds.add("seeded", seed=7)
    sim.worlds.add("copy", "")
    sim.worlds.add("gone")
    busy(sim.worlds["seeded"])
    busy(sim)
    sim.worlds["copy"].reset()
    sim.worlds.drop("gone")
    before = {name: reported(sim.worlds[name]) for name in sim.worlds}
    killed(sim)
    other = begin(place)
    assert {name: reported(other.worlds[name]) for name in other.worlds} == before
    assert len(before) == 3
    assert len({each[0] for each in before.values()}) == 3


def test_snapshots_that_are_dropped_stay_dropped(begin, place):
    """One of two, and the last."""
    sim = begin(place)
    for name in ("a", "b"):
        sim.snapshot(name)
    for name, left in (("a", ["b"]), ("b", [])):
        sim.drop_snapshot(name)
        killed(sim)
        sim = begin(place)
        assert list(sim.snapshots) == left


def test_a_world_that_was_dropped_hears_of_nothing(begin, place):
    """Its calls are answered and recorded nowhere; one of its name may come again."""
    sim = begin(place)
    sim.worlds.add("w")
    dropped = sim.worlds["w"]
    sim.worlds.drop("w")
    number = sim.durable.store.number
    busy(dropped)
    assert sim.durable.store.number == number
    sim.worlds.add("w")
    killed(sim)
    assert begin(place).worlds["w"].service.world.digest() == Simulator().service.world.digest()


def test_bases_keep_the_log_short(begin, place, monkeypatch):
    """The log begins anew once it has grown, documents nobody names go, and nothing is lost."""
    monkeypatch.setattr(recorder, "LEAST", 2000)
    sim = begin(place)
    for n in range(60):
        sim.call("update_terms_url", "demo-api-token", body={"url": f"https://terms.example/{n}"})
        sim.snapshot("again")
    killed(sim)
    with sqlite3.connect(place / "confsim.sqlite") as store:
        assert store.execute("SELECT count(*) FROM log").fetchone()[0] < 30
        assert store.execute("SELECT count(*) FROM documents").fetchone()[0] < 30
    store.close()
    assert reported(begin(place)) == reported(sim)


def test_a_directory_that_was_closed_has_no_log(place):
    """A clean stop leaves a base and its mark alone, and lets go of the simulator."""
    sim = Simulator(clock=START)
    with sim.keep_in(place):
        busy(sim)
    before = reported(sim)
    busy(sim)
    with sqlite3.connect(place / "confsim.sqlite") as store:
        assert store.execute("SELECT what FROM log").fetchall() == [("mark",)]
    store.close()
    assert sorted(each.name for each in place.iterdir()) == ["confsim.sqlite", "head"]
    with Simulator(clock=START).keep_in(place) as stored:
        assert reported(Simulator.__new__(Simulator)._attach(stored.worlds.default)) == before


def test_what_could_not_be_recorded_is_not_answered(begin, place, monkeypatch):
    """A full disk: the call fails, and so does every later one, until all that happened is on disk."""
    sim = begin(place)
    directory = sim.durable.store
    whole = directory.append

    def full(*record):
        raise directory._write_error(sqlite3.OperationalError("database or disk is full"))

    monkeypatch.setattr(directory, "append", full)
    with pytest.raises(Misuse, match="disk is full"):
        sim.snapshot("x")
    with pytest.raises(Misuse, match="disk is full"):
        sim.call("get_me", "demo-owner")
    monkeypatch.setattr(directory, "append", whole)
    assert sim.call("get_me", "demo-owner").ok
    killed(sim)
    assert reported(begin(place)) == reported(sim)


def test_a_full_disk_is_reported(begin, place):
    """As confsim speaks and not the API, by API and control plane alike; what was not answered is recorded later."""
    sim = begin(place)
    store = sim.durable.store._store
    store.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    store.execute("PRAGMA max_page_count = 1")
    client = sim.client("demo-owner")
    made = [client.post("/channels/create", json={"name": f"Room {number}" * 20}).status_code for number in range(60)]
    assert made == sorted(made)
    assert set(made) == {200, 507}
    for answer in (
        client.get("/users/me"),
        client.post("/_confsim/users", json={"clientId": CUSTOMER, "handle": "New"}),
    ):
        assert (answer.status_code, answer.json["code"]) == (507, "not_recorded")
        assert "disk is full" in answer.json["detail"]
    with pytest.raises(Misuse, match="disk is full"):
        sim.call("get_me", "demo-owner")
    store.execute("PRAGMA max_page_count = 100000")
    assert client.get("/users/me").status_code == 200
    killed(sim)
    assert reported(begin(place)) == reported(sim)
