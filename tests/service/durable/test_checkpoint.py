"""Checkpoints of large worlds are made beside calls, and part by part; a process may end at any moment of it."""

from __future__ import annotations

import sqlite3
import threading
from types import SimpleNamespace

import pytest

from confsim import Misuse
from confsim.service.durable import checkpoint, recorder
from kit import ok
from kit.durable import URL, busy, killed, reported


@pytest.fixture(autouse=True)
def everything_is_large(monkeypatch):
    """Documents are stored in parts, whatever their size, and checkpoints are made aside."""
    monkeypatch.setattr(checkpoint, "LARGE", 0)
    monkeypatch.setattr(recorder, "LARGE", 0)
    monkeypatch.setattr(recorder, "SHARE", 1 << 20)


def rows(place, statement):
    """What a statement selects from the file."""
    with sqlite3.connect(place / "confsim.sqlite") as store:
        found = store.execute(statement).fetchall()
    store.close()
    return found


@pytest.mark.parametrize("steps", range(6))
def test_a_process_that_ends_within_a_checkpoint_loses_nothing(begin, place, steps):
    """After the mark, with all or some parts of the documents, with the base, while what is left is removed."""
    sim = begin(place)
    busy(sim)
    sim.snapshot("a")
    busy(sim)
    made = sim.durable._begin()
    busy(sim)
    sim.worlds.add("w")
    before = sim.durable.store._store.execute("SELECT count(*) FROM parts").fetchone()[0]

    def stop():
        if steps == 1 and sim.durable.store._store.execute("SELECT count(*) FROM parts").fetchone()[0] > before:
            raise InterruptedError

    if steps == 1:
        with pytest.raises(InterruptedError):
            made.write(stop)
    if steps > 1:
        made.write(stop)
    if steps > 2:
        busy(sim)
        sim.snapshot("b")
    if steps > 3:
        sim.durable._base = made.finish()
        sim.durable._under_way = None
    if steps > 4:
        sim.durable.store.trim()
    busy(sim)
    killed(sim)
    again = begin(place)
    assert reported(again) == reported(sim)
    assert [name for name, _ in again.durable.worlds.items()] == ["", "w"]
    again.durable.checkpoint()
    busy(again)
    killed(again)
    assert reported(begin(place)) == reported(again)


def test_calls_are_served_and_recorded_while_a_checkpoint_is_made(begin, place, monkeypatch):
    """The documents are made without the lock of the world or of the store; nothing of those calls is lost."""
    begun, go_on = threading.Event(), threading.Event()
    parts = checkpoint.state.parts

    def slow(world):
        for part in parts(world):
            begun.set()
            go_on.wait(30)
            yield part

    sim = begin(place)
    monkeypatch.setattr(checkpoint.state, "parts", slow)
    monkeypatch.setattr(recorder, "LEAST", 1)
    ok(sim, "update_terms_url", "demo-api-token", body=URL)
    assert begun.wait(30)
    number = sim.durable.store.number
    busy(sim)
    sim.worlds.add("w")
    assert sim.durable._under_way is not None
    assert sim.durable.store.number > number
    monkeypatch.setattr(recorder, "LEAST", 1 << 20)
    go_on.set()
    sim.durable.wait()
    assert sim.durable._under_way is None
    killed(sim)
    assert rows(place, "SELECT what FROM log ORDER BY number LIMIT 1") == [("mark",)]
    again = begin(place)
    assert reported(again) == reported(sim)
    assert [name for name, _ in again.durable.worlds.items()] == ["", "w"]


def test_bases_that_are_made_aside_keep_the_log_short(begin, place, monkeypatch):
    """Documents that nobody names go, in parts too, and nothing is lost."""
    sim = begin(place)
    monkeypatch.setattr(recorder, "LEAST", 3000)
    for n in range(60):
        ok(sim, "update_terms_url", "demo-api-token", body={"url": f"https://terms.example/{n}"})
        sim.snapshot("again")
    sim.durable.wait()
    sim.durable.changed()
    sim.durable.wait()
    killed(sim)
    assert rows(place, "SELECT count(*) FROM log")[0][0] < 60
    assert rows(place, "SELECT count(DISTINCT digest) FROM parts")[0][0] < 20
    assert reported(begin(place)) == reported(sim)


def test_a_checkpoint_that_fails_is_made_again(begin, place, monkeypatch):
    """The calls beside it are answered; what it left does no harm."""
    sim = begin(place)
    whole = sim.durable.store.add_parts

    def full(digest, first, parts):
        if first:
            raise sim.durable.store._write_error(sqlite3.OperationalError("database or disk is full"))
        whole(digest, first, parts)

    monkeypatch.setattr(recorder, "LEAST", 1)
    monkeypatch.setattr(sim.durable.store, "add_parts", full)
    busy(sim)
    sim.durable.wait()
    monkeypatch.setattr(sim.durable.store, "add_parts", whole)
    ok(sim, "update_terms_url", "demo-api-token", body=URL)
    sim.durable.wait()
    assert not sim.durable._changed
    killed(sim)
    assert reported(begin(place)) == reported(sim)


def test_a_document_that_is_there_is_not_stored_again(begin, place):
    """Another world that holds the same has the same document, in parts or in one."""
    sim = begin(place)
    busy(sim)
    sim.durable.checkpoint()
    stored = rows_while_open(sim)
    sim.state = sim.state  # another world, of the same document
    sim.durable.checkpoint()
    assert rows_while_open(sim) == stored
    killed(sim)
    assert reported(begin(place)) == reported(sim)


def rows_while_open(sim):
    """The digests of what the store has in parts."""
    return sim.durable.store._store.execute("SELECT DISTINCT digest FROM parts ORDER BY digest").fetchall()


def test_a_start_after_a_kill_writes_no_base(begin, place):
    """A short log is read and continued, whatever is in it, new worlds included."""
    sim = begin(place)
    for name in ("w", "x"):
        sim.worlds.add(name)
    sim.worlds.drop("x")
    busy(sim)
    killed(sim)
    base = rows(place, "SELECT * FROM base"), rows(place, "SELECT count(*) FROM log")
    again = begin(place)
    killed(again)
    assert (rows(place, "SELECT * FROM base"), rows(place, "SELECT count(*) FROM log")) == base
    assert reported(begin(place)) == reported(again) == reported(sim)


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("DELETE FROM parts WHERE part = 3", "is altered"),
        ("DELETE FROM parts", "is gone"),
        ("UPDATE parts SET body = CAST('{}' AS BLOB) WHERE part = 2", "is altered"),
        ("UPDATE parts SET body = 7 WHERE part = 2", "is altered"),
        ("UPDATE log SET body = CAST('{}' AS BLOB) WHERE what = 'mark'", "is altered"),
        ("DELETE FROM log WHERE what = 'mark'", "is gone"),
    ],
)
def test_what_was_edited_is_reported(begin, place, statement, words):
    """Parts hang on their digest, the mark on the base."""
    sim = begin(place)
    busy(sim)
    sim.durable.checkpoint()
    busy(sim)
    killed(sim)
    rows(place, statement)
    with pytest.raises(Misuse, match=words):
        begin(place)


def test_the_bytes_of_a_document_are_counted(begin, place):
    """Those of its parts, when it is made and when it is read again."""
    sim = begin(place)
    busy(sim)
    sim.durable.checkpoint()
    document = checkpoint.CheckpointDocument(sim.service.world, lambda: None)
    assert document.size == sum(len(part[-1]) for part in document.parts)
    killed(sim)
    again = begin(place)
    stored = again.durable.store._store.execute("SELECT digest, sum(length(body)) FROM parts GROUP BY digest")
    assert again.durable._sizes == dict(stored.fetchall())


def test_a_world_whose_document_is_gone_is_written_again(begin, place):
    """One that comes back into force after the base no longer names it."""
    sim = begin(place)
    busy(sim)
    world = sim.service.world
    sim.service.live.replace(world)
    sim.snapshot("a")
    sim.durable.checkpoint()
    busy(sim)
    sim.snapshot("a")
    sim.durable.checkpoint()
    sim.service.live.replace(world)
    killed(sim)
    assert reported(begin(place)) == reported(sim)


def test_calls_are_let_through_between_the_parts(monkeypatch):
    """The thread that makes a checkpoint rests for a moment."""
    rests = []
    monkeypatch.setattr(checkpoint, "time", SimpleNamespace(sleep=rests.append))
    checkpoint.yield_to_calls()
    assert rests == [checkpoint.REST]
